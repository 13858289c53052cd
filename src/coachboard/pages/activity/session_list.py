"""All sessions of an athlete for the list of the page Activity: with their plans, searched, filtered and sorted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import inf
from types import MappingProxyType
from typing import Any, TypeVar

from coachboard.client import Client, Result
from coachboard.execution.adherence import Done, Planned, match_sessions
from coachboard.execution.sessions import duration_s
from coachboard.formulas.plausible import or_nan
from coachboard.loaders.done_and_planned import column, decisions_of, plans_of, profile_for_loads, sessions_of
from coachboard.loaders.memo import RowsMemo
from coachboard.loaders.requests import Missing, Replies
from coachboard.pages.activity.data import PAIRING_DAYS
from coachboard.plain_text import searchable
from coachboard.wire.activities import Activity
from coachboard.wire.users import UserProfile

_UNDATED = date.min


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A session with the title of its plan; `words` are its name, sport, description and plan title for the search."""

    done: Done
    plan_title: str
    description: str
    words: str

    @property
    def day(self) -> date | None:
        """The local date; None for a session without a start."""
        return None if self.done.day == _UNDATED else self.done.day


@dataclass(frozen=True, slots=True)
class History:
    """All sessions of an athlete, newest first, without a date last."""

    rows: tuple[HistoryRow, ...]
    results: tuple[Result[object], ...] = field(repr=False)
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """The sessions to list and their order; distances in metres, days inclusive."""

    words: str = ""  # as `searchable` gives them
    sport: str | None = None
    stimulus: str | None = None
    least_m: float = 0.0
    most_m: float = inf
    first: date = date.min
    last: date = date.max
    sort: str = "-day"  # a key of `ORDERS`, "-" before it for descending

    def chosen(self, rows: Iterable[HistoryRow]) -> list[HistoryRow]:
        """The matching rows of a history in order; rows without the value that sorts come last in either order."""
        name, is_descending = self.sort.removeprefix("-"), self.sort.startswith("-")
        keyed = [(ORDERS[name](row.done), row) for row in rows if self._takes(row)]
        lacking = [row for key, row in keyed if key is None or key != key]  # noqa: PLR0124 (NaN)
        keyed = [(key, row) for key, row in keyed if key is not None and key == key]  # noqa: PLR0124
        if name == "day":  # the order of a history, also within a day
            return [row for _, row in keyed][:: 1 if is_descending else -1] + lacking
        return [row for _, row in sorted(keyed, key=lambda pair: pair[0], reverse=is_descending)] + lacking

    def _takes(self, row: HistoryRow) -> bool:
        done, has_span = row.done, (self.first, self.last) != (date.min, date.max)
        has_length = (self.least_m, self.most_m) != (0.0, inf)
        return (
            all(word in row.words for word in self.words.split())
            and self.sport in {None, done.sport}
            and self.stimulus in {None, done.stimulus}
            and (not has_length or self.least_m <= done.distance_m <= self.most_m)
            and (not has_span or (row.day is not None and self.first <= row.day <= self.last))
        )


ORDERS: Mapping[str, Callable[[Done], Any]] = MappingProxyType(
    {
        "day": lambda done: None if done.day == _UNDATED else done.day,
        "session": lambda done: done.title.casefold() or done.sport,
        "sport": lambda done: done.sport,
        "duration": lambda done: done.duration_s,
        "distance": lambda done: done.distance_m or None,
        "load": lambda done: done.volume,
    }
)
"""The value that sorts, by column; None or NaN if a session lacks it."""

_ROWS: RowsMemo[tuple[HistoryRow, ...]] = RowsMemo(64)
"""Cached because each click needs all years."""


def load_history(client: Client, *, user_id: str, today: date, sport_name: Callable[[str], str]) -> History:
    """All years of sessions and plans, one request each; raises `ServiceError` if the sessions cannot be loaded.

    `sport_name` gives the name of a sport on the page, which the search reads.
    """
    replies = Replies()
    plans = client.pool.submit(client.list_prescriptions, user_id)
    listed = client.list_activities(user_id)
    profile = profile_for_loads(client, user_id, listed)
    planned = replies.result("planned workouts", plans)
    decisions = decisions_of(client, user_id)
    rows = _ROWS.of(
        [listed, planned, profile],
        (today, decisions),
        lambda: _rows(listed, plans_of(planned, decisions) if planned else (), profile, today, sport_name),
    )
    return History(rows, (listed, *replies.results), tuple(replies.missing))


def _rows(
    listed: Result[tuple[Activity, ...]],
    planned: Sequence[Planned],
    profile: Result[UserProfile] | None,
    today: date,
    sport_name: Callable[[str], str],
) -> tuple[HistoryRow, ...]:
    done = sessions_of(listed, profile)
    titles = _plan_titles(planned, done, today)
    frame = listed.frame
    texts = dict(zip(column(frame, "id"), column(frame, "description"), strict=False))
    undated = set(column(frame, "id")) - {session.id for session in done}
    sessions = [*done[::-1], *map(_undated, listed.rows(undated))]
    return tuple(
        _row(session, texts.get(session.id), titles.get(session.id, ""), sport_name) for session in sessions
    )


def _row(done: Done, description: Any, plan_title: str, sport_name: Callable[[str], str]) -> HistoryRow:
    text = description if isinstance(description, str) else ""
    sport = sport_name(done.sport) if done.sport else ""
    return HistoryRow(done, plan_title, text, searchable(f"{done.title}\n{sport}\n{plan_title}\n{text}"))


def _undated(activity: Activity) -> Done:
    """A session without a start, which no list by day has."""
    return Done(
        activity.id,
        _UNDATED,
        activity.sport,
        activity.training_stimulus,
        duration_s=or_nan(duration_s(activity)),
        distance_m=or_nan(activity.distance),
        volume=or_nan(activity.volume),
        title=activity.name or "",
    )


def _plan_titles(plans: Sequence[Planned], done: Sequence[Done], today: date) -> dict[str, str]:
    """The title of each session's plan by the session's id, also of a likely match and of each leg."""
    titles: dict[str | None, str] = {plan.activity_id: plan.title for plan in plans if plan.activity_id}
    sessions = _by_month(done)
    for month, planned in _by_month(plans).items():
        pairs = match_sessions(planned, sessions.get(month, ()), excuses=(), today=today)
        for plan, session in ((pair.planned, pair.done) for pair in pairs):
            if plan and session and (session.day.year, session.day.month) == month:
                titles.setdefault(session.group_id or session.id, plan.title)
    return {session.id: titles.get(session.id) or titles.get(session.group_id, "") for session in done}


_Part = TypeVar("_Part", Planned, Done)


def _by_month(parts: Iterable[_Part]) -> dict[tuple[int, int], list[_Part]]:
    """The parts of each month and of the days around it, as the calendar compares them: all years at once take long."""
    months: dict[tuple[int, int], list[_Part]] = {}
    for part in parts:
        days = (part.day + timedelta(days=shift) for shift in (-PAIRING_DAYS, 0, PAIRING_DAYS))
        for month in {(day.year, day.month) for day in days}:
            months.setdefault(month, []).append(part)
    return months
