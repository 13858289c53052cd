"""A span of days of one athlete or several: plans and sessions laid together, notes, events, week totals."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Protocol, TypeVar

from coachboard.analytics.adherence import (
    Done,
    Match,
    Planned,
    match_sessions,
)
from coachboard.client import Result
from coachboard.client.errors import ServiceError
from coachboard.loaders.matching import done_from, match, planned_from
from coachboard.models.activities import Activity
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription

PAIRING_DAYS = 7
"""How far outside the span a paired session is looked for: a workout may be done some days off its date."""
SEASON_BEFORE_DAYS = 60
SEASON_AFTER_DAYS = 300
"""The season strip: what is just over and what is ahead."""

_Kind = TypeVar("_Kind")


class CalendarSource(Protocol):
    """What this page asks of the client."""

    @property
    def pool(self) -> Executor: ...
    def list_activities(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Activity, ...]]: ...
    def list_prescriptions(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[TrainingPrescription, ...]]: ...
    def list_notes(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Note, ...]]: ...
    def list_events(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Event, ...]]: ...


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that did not arrive; the calendar goes on without it and says so."""

    user_id: str
    what: str
    error: ServiceError


@dataclass(frozen=True, slots=True)
class AthleteCalendar:
    """One athlete's span: every plan and session once, as matches, with what they came from by id."""

    user_id: str
    matches: tuple[Match, ...]
    prescriptions: dict[str, TrainingPrescription]
    activities: dict[str, Activity]
    notes: tuple[Note, ...]
    events: tuple[Event, ...]
    season_events: tuple[Event, ...]  # oldest first, of the season around today
    season_plans: tuple[Planned, ...]
    season_sessions: tuple[Done, ...]


@dataclass(frozen=True, slots=True)
class CalendarData:
    """Everything the calendar shows without a further call."""

    start: date
    end: date
    today: date
    athletes: tuple[AthleteCalendar, ...]
    missing: tuple[Missing, ...]
    results: tuple[Result[object], ...] = field(repr=False)

    @property
    def as_of(self) -> datetime | None:
        """When the oldest part of it was true."""
        return min((result.as_of for result in self.results), default=None)


def load_calendar(
    client: CalendarSource, user_ids: Sequence[str], *, start: date, end: date, today: date
) -> CalendarData:
    """The span of every athlete named; one whose data does not arrive hides nobody else's."""
    requests = {user_id: _submit(client, user_id, start, end, today) for user_id in user_ids}
    missing: list[Missing] = []
    results: list[Result[object]] = []

    def rows(user_id: str, what: str) -> tuple[object, ...]:
        try:
            result = requests[user_id][what].result()
        except ServiceError as error:
            missing.append(Missing(user_id, what, error))
            return ()
        results.append(result)
        return result.value

    athletes = tuple(_athlete(user_id, rows, start=start, end=end, today=today) for user_id in user_ids)
    return CalendarData(start, end, today, athletes, tuple(missing), tuple(results))


def load_adherence(
    client: CalendarSource, user_ids: Sequence[str], *, start: date, end: date, today: date
) -> tuple[dict[str, tuple[Match, ...]], tuple[Missing, ...]]:
    """What became of the plans of any period, athlete by athlete; who did not arrive is named."""
    wide = timedelta(days=PAIRING_DAYS)
    requests = {
        user_id: (
            client.pool.submit(client.list_prescriptions, user_id, start - wide, end + wide),
            client.pool.submit(client.list_activities, user_id, start - wide, end + wide),
            client.pool.submit(client.list_notes, user_id, start, end),
        )
        for user_id in user_ids
    }
    found, missing = {}, []
    for user_id, (plans, sessions, notes) in requests.items():
        try:
            matches = match(
                plans.result().value, sessions.result().value, notes=notes.result().value, today=today
            )
        except ServiceError as error:
            missing.append(Missing(user_id, "adherence", error))
            continue
        found[user_id] = tuple(one for one in matches if start <= one.day <= end)
    return found, tuple(missing)


def _submit(
    client: CalendarSource, user_id: str, start: date, end: date, today: date
) -> dict[str, Future[Result[tuple[object, ...]]]]:
    # A pair or a likely partner may lie just outside the span; asking wider finds it. The season strip asks
    # wider still, with the same two calls.
    wide = timedelta(days=PAIRING_DAYS)
    # Days of another year show their own season, so that the calls stay as large as they are today.
    anchor = today if abs((start - today).days) <= SEASON_AFTER_DAYS else start
    season = (
        min(start - wide, anchor - timedelta(days=SEASON_BEFORE_DAYS)),
        max(end + wide, anchor + timedelta(days=SEASON_AFTER_DAYS)),
    )
    return {
        "sessions": client.pool.submit(client.list_activities, user_id, season[0], max(end + wide, anchor)),
        "planned workouts": client.pool.submit(client.list_prescriptions, user_id, *season),
        "notes": client.pool.submit(client.list_notes, user_id, start, end),
        "events": client.pool.submit(client.list_events, user_id, *season),
    }


def _athlete(
    user_id: str,
    rows: Callable[[str, str], tuple[object, ...]],
    *,
    start: date,
    end: date,
    today: date,
) -> AthleteCalendar:
    activities = _of(Activity, rows(user_id, "sessions"))
    prescriptions = _of(TrainingPrescription, rows(user_id, "planned workouts"))
    notes = _of(Note, rows(user_id, "notes"))
    events = _of(Event, rows(user_id, "events"))
    plans = [planned_from(prescription) for prescription in prescriptions]
    sessions = [session for activity in activities if (session := done_from(activity)) is not None]
    wide = timedelta(days=PAIRING_DAYS)
    matches = match_sessions(
        [plan for plan in plans if start - wide <= plan.day <= end + wide],
        [session for session in sessions if start - wide <= session.day <= end + wide],
        excuses=[(note.date, note.type) for note in notes],
        today=today,
    )
    return AthleteCalendar(
        user_id=user_id,
        matches=tuple(one for one in matches if _touches(one, start, end)),
        prescriptions={prescription.id: prescription for prescription in prescriptions},
        activities={activity.id: activity for activity in activities},
        notes=notes,
        events=tuple(event for event in events if start <= event.date <= end),
        season_events=tuple(sorted(events, key=lambda event: event.date)),
        season_plans=tuple(plans),
        season_sessions=tuple(sessions),
    )


def _touches(match: Match, start: date, end: date) -> bool:
    """A pair moved across the edge of the span belongs to it from either side."""
    days = [one.day for one in (match.planned, match.done) if one is not None]
    return any(start <= day <= end for day in days)


def _of(kind: type[_Kind], rows: Iterable[object]) -> tuple[_Kind, ...]:
    return tuple(row for row in rows if isinstance(row, kind))
