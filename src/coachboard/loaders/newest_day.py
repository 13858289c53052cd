"""The day at which a page opens: today, or the day of the newest row if the page would otherwise be empty."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from coachboard.client import Client
from coachboard.wire.activities import local_day

SESSIONS, NIGHTS, PLANS, EVENTS = "sessions", "nights", "plans", "events"

_METHODS: Mapping[str, tuple[str, Callable[[Any], date | None]]] = MappingProxyType(
    {
        SESSIONS: ("list_activities", local_day),
        NIGHTS: ("list_sleeps", lambda night: night.day),
        PLANS: ("list_prescriptions", lambda plan: plan.date),
        EVENTS: ("list_events", lambda event: event.date),
    }
)
"""The client's method for each kind of row, and the row's day."""


def opening_day(client: Client, user_id: str, kinds: Sequence[str], *, today: date, days: int) -> date:
    """Today if a row of the kinds is within `days` before today or later; else the day of the newest row.

    All years are requested only for an athlete without a recent row. Without any row the page opens today.
    """
    since = today - timedelta(days=days - 1)
    if any(_read(client, kind)(user_id, since, None).value for kind in kinds):
        return today
    return max((day for kind in kinds for day in _days(client, kind, user_id)), default=today)


def _read(client: Client, kind: str) -> Callable[..., Any]:
    method: Callable[..., Any] = getattr(client, _METHODS[kind][0])
    return method


def _days(client: Client, kind: str, user_id: str) -> list[date]:
    day_of = _METHODS[kind][1]
    return [day for row in _read(client, kind)(user_id, None, None).value if (day := day_of(row))]
