"""What can be read, as one table: name, path, model, and which day a row belongs to."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any, Final, Protocol

from coachboard.models.activities import Activity
from coachboard.models.base import Wire, parse_day
from coachboard.models.body import Metric, Sleep
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription

ME: Final = "me"
"""The user id that means the owner of the key."""


class Fields(Protocol):
    """A row, whose fields are asked for by their names on the wire."""

    def get(self, wire_name: str, /) -> Any:
        """The value of a field, None where there is none."""


class Order(Enum):
    """How a list is ordered."""

    NEWEST_FIRST = "newest day first"
    LATEST_START_FIRST = "latest start first"
    OLDEST_FIRST = "oldest first"


@dataclass(frozen=True, slots=True)
class Ranged:
    """A list of a user's rows by day."""

    name: str
    path: str
    model: type[Wire]
    order: Order = Order.NEWEST_FIRST
    day_field: str = "date"
    nested: frozenset[str] = frozenset()  # wire names of the fields that make a row large
    may_be_undated: bool = False
    is_plan: bool = False  # rows of the future are expected and change

    def rank_of(self, row: Fields, position: int) -> int:
        """Where the row stands among those of its list (by start) or of its day (by the reply's order)."""
        if self.order is not Order.LATEST_START_FIRST:
            return position
        return -int(_start_of(row).timestamp()) * 10_000 + min(position, 9_999)

    def day_of(self, row: Fields) -> date | None:
        """The day on which the service files the row, None where the row does not tell."""
        try:
            if self.order is Order.LATEST_START_FIRST:
                return _local_day(row)
            return parse_day(row.get(self.day_field))
        except ValueError:
            return None


def _local_day(row: Fields) -> date | None:
    """An activity's local date; by its UTC start and offset where the local start is missing."""
    local = row.get("startedAtLocal")
    if isinstance(local, str):
        return parse_day(local[:10])
    started, offset = row.get("startedAt"), row.get("utcOffset")
    if not isinstance(started, str):
        return None
    minutes = offset if isinstance(offset, int | float) and abs(offset) < 24 * 60 else 0
    return (datetime.fromisoformat(started[:19]) + timedelta(minutes=minutes)).date()


def _start_of(row: Fields) -> datetime:
    """The UTC start, the local one in its place; what has neither comes last."""
    for name in ("startedAt", "startedAtLocal"):
        text = row.get(name)
        if isinstance(text, str):
            try:
                return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
            except ValueError:
                continue
    return datetime(1, 1, 1, tzinfo=UTC)


ACTIVITIES = Ranged(
    "activities",
    "/users/{}/activities",
    Activity,
    order=Order.LATEST_START_FIRST,
    may_be_undated=True,
    nested=frozenset({"laps", "climbs", "lengths", "providerLaps"}),
)
PRESCRIPTIONS = Ranged(
    "training-prescriptions", "/users/{}/training-prescriptions", TrainingPrescription, is_plan=True
)
NOTES = Ranged("notes", "/users/{}/notes", Note, is_plan=True)
EVENTS = Ranged("events", "/users/{}/events", Event, is_plan=True)
# spec: not shown: the direction of metrics; they come out oldest first, however they came.
METRICS = Ranged("metrics", "/users/{}/metrics", Metric, order=Order.OLDEST_FIRST)
SLEEPS = Ranged("sleeps", "/users/{}/sleeps", Sleep, day_field="day")

RANGED: Final = (ACTIVITIES, PRESCRIPTIONS, NOTES, EVENTS, METRICS, SLEEPS)

USERS_PATH: Final = "/users"
USER_PATH: Final = "/users/{}"
STREAMS_PATH: Final = "/activities/{}/streams"
INVITATIONS_PATH: Final = "/workspaces/{}/invitations"
