"""Data of the calendar: plans matched with sessions, notes, events and week totals of one or several athletes."""

from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeVar

from coachboard.analytics.days import week_start
from coachboard.analytics.planning.adherence import (
    AdherenceSummary,
    Done,
    Match,
    Planned,
    Shift,
    match_sessions,
    shift,
    summarize,
    with_sports,
)
from coachboard.analytics.season.forecast import LoadRates, load_rates
from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError
from coachboard.loaders.athlete_today import TodayOf
from coachboard.loaders.excuses import excuses_of
from coachboard.loaders.known_days import RATE_DAYS
from coachboard.loaders.matching import plans_of, profile_for_loads, sessions_of, unread_days
from coachboard.loaders.newest_day import EVENTS
from coachboard.loaders.requests import Missing, Replies
from coachboard.loaders.verdicts import with_verdicts
from coachboard.models.activities import Activity
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription

PAIRING_DAYS = 7
"""Days outside the span to search for a paired session, which may be on another date than its plan."""
AGENDA_WEEKS = 4
SEASON_BEFORE_DAYS = 60
SEASON_AFTER_DAYS = 300
_SESSIONS, _PLANS = "sessions", "planned workouts"
"""Range of the season strip."""


@dataclass(frozen=True, slots=True)
class AthleteCalendar:
    """An athlete's span: every plan and session once, as matches, with the rows by id."""

    user_id: str
    matches: tuple[Match, ...]
    prescriptions: dict[str, TrainingPrescription]
    activities: dict[str, Activity]
    notes: tuple[Note, ...]
    events: tuple[Event, ...]
    season_events: tuple[Event, ...]  # oldest first, of the season around today
    season_plans: tuple[Planned, ...]
    season_sessions: tuple[Done, ...]
    knows_sessions: bool = True


@dataclass(frozen=True, slots=True)
class PeriodAdherence:
    """The plans and sessions of an athlete in a period."""

    matches: tuple[Match, ...]

    @property
    def summary(self) -> AdherenceSummary:
        """How many plans were done, missed, excused or are unknown."""
        return summarize(self.matches)

    @property
    def shift(self) -> Shift:
        """How far the plans of the period were moved."""
        return shift(self.matches)


@dataclass(frozen=True, slots=True)
class CalendarData:
    """All data of the calendar; no further request is needed."""

    start: date
    end: date
    today: date
    athletes: tuple[AthleteCalendar, ...]
    missing: tuple[Missing, ...]
    results: tuple[Result[object], ...] = field(repr=False)

    @property
    def knows_sessions(self) -> bool:
        """Whether the sessions of all athletes have arrived."""
        return all(athlete.knows_sessions for athlete in self.athletes)

    @property
    def is_empty(self) -> bool:
        """Whether the lists that arrived have no plan and no session, in the season either."""
        return not self.missing and not any(
            one.matches or one.season_plans or one.season_sessions for one in self.athletes
        )

    def adherence_in(self, start: date, end: date) -> dict[str, PeriodAdherence]:
        """Adherence of days of the span, athlete by athlete."""
        return {
            one.user_id: PeriodAdherence(tuple(match for match in one.matches if start <= match.day <= end))
            for one in self.athletes
        }

    @property
    def is_around_today(self) -> bool:
        """Whether the season is around today; a calendar of another year shows its own season."""
        return _is_near(self.start, self.today)

    @property
    def as_of(self) -> datetime | None:
        """The time of the oldest reply."""
        return min((result.as_of for result in self.results), default=None)


def span_of(view: str, on: date, first_weekday: int) -> tuple[date, date]:
    """The first and last day of the month, the week or the agenda that has a day; a month in whole weeks."""
    if view == "month":
        start = week_start(on.replace(day=1), first_weekday=first_weekday)
        following = (on.replace(day=1) + timedelta(days=32)).replace(day=1)
        last = week_start(following - timedelta(days=1), first_weekday=first_weekday)
        return start, last + timedelta(days=6)
    start = week_start(on, first_weekday=first_weekday)
    return start, start + timedelta(days=7 * (AGENDA_WEEKS if view == "agenda" else 1) - 1)


def load_calendar(
    client: Client, user_ids: Sequence[str], *, start: date, end: date, today: date, today_of: TodayOf
) -> CalendarData:
    """The span of each athlete; a failed athlete does not affect the others.

    `today` is the grid's; `today_of` each athlete decides which plans are due.
    """
    asked = {user_id: _submit(client, user_id, start, end, today) for user_id in user_ids}
    replies = Replies()
    athletes = tuple(
        _athlete(client, user_id, lists, replies, (start, end), today=today_of(user_id))
        for user_id, lists in asked.items()
    )
    return CalendarData(start, end, today, athletes, tuple(replies.missing), tuple(replies.results))


def load_adherence(
    client: Client, user_ids: Sequence[str], *, start: date, end: date, today_of: TodayOf
) -> tuple[dict[str, PeriodAdherence], tuple[Missing, ...]]:
    """Adherence of any period, athlete by athlete; names failed athletes."""
    wide = timedelta(days=PAIRING_DAYS)
    requests = {
        user_id: (
            client.pool.submit(client.list_prescriptions, user_id, start - wide, end + wide),
            client.pool.submit(client.list_activities, user_id, start - wide, end + wide),
            client.pool.submit(client.list_notes, user_id, start - wide, end),
        )
        for user_id in user_ids
    }
    found, missing = {}, []
    for user_id, (plans, sessions, notes) in requests.items():
        try:
            listed, today = sessions.result(), today_of(user_id)
            done = _sessions(client, user_id, listed)
            matches = match_sessions(
                plans_of(plans.result()),
                done,
                excuses=excuses_of(notes.result().value, done, today=today),
                today=today,
                unread=unread_days(listed, start - wide, end + wide, today=today),
            )
        except ServiceError as error:
            missing.append(Missing("adherence", error, user_id))
            continue
        found[user_id] = PeriodAdherence(tuple(one for one in matches if start <= one.day <= end))
    return found, tuple(missing)


def load_own_rates(client: Client, user_ids: Sequence[str], *, today: date) -> dict[str, LoadRates]:
    """Recent volume per hour of each athlete's similar sessions; no estimate for a failed athlete."""
    first = today - timedelta(days=RATE_DAYS - 1)
    asked = {
        user_id: client.pool.submit(client.list_activities, user_id, first, today) for user_id in user_ids
    }
    rates = {}
    for user_id, future in asked.items():
        with suppress(ServiceError):
            rates[user_id] = load_rates(_sessions(client, user_id, future.result()))
    return rates


def _sessions(client: Client, user_id: str, listed: Result[tuple[Activity, ...]]) -> tuple[Done, ...]:
    return sessions_of(listed, profile_for_loads(client, user_id, listed))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The pending requests of an athlete."""

    sessions: Future[Result[tuple[Activity, ...]]]
    plans: Future[Result[tuple[TrainingPrescription, ...]]]
    notes: Future[Result[tuple[Note, ...]]]
    events: Future[Result[tuple[Event, ...]]]


def _submit(client: Client, user_id: str, start: date, end: date, today: date) -> _Asked:
    # A paired session or a likely match may be just outside the span; a wider range finds it. The season strip
    # needs a still wider range of the same two lists.
    wide = timedelta(days=PAIRING_DAYS)
    # Days of another year load their own season, so that the range stays as short as today's.
    anchor = today if _is_near(start, today) else start
    first = min(start - wide, anchor - timedelta(days=SEASON_BEFORE_DAYS))
    last = max(end + wide, anchor + timedelta(days=SEASON_AFTER_DAYS))
    ask = client.pool.submit
    return _Asked(
        sessions=ask(client.list_activities, user_id, first, max(end + wide, anchor)),
        plans=ask(client.list_prescriptions, user_id, first, last),
        notes=ask(client.list_notes, user_id, start, end),
        events=ask(client.list_events, user_id, first, last),
    )


def _is_near(day: date, today: date) -> bool:
    return abs((day - today).days) <= SEASON_AFTER_DAYS


def _athlete(
    client: Client,
    user_id: str,
    asked: _Asked,
    replies: Replies,
    span: tuple[date, date],
    *,
    today: date,
) -> AthleteCalendar:
    (start, end), wide = span, timedelta(days=PAIRING_DAYS)
    listed = replies.result(_SESSIONS, asked.sessions, user_id)
    planned = replies.result(_PLANS, asked.plans, user_id)
    notes = replies.take("notes", asked.notes, user_id)
    events = replies.take(EVENTS, asked.events, user_id)
    plans = plans_of(planned) if planned else None
    sessions = _sessions(client, user_id, listed) if listed else None
    matches = match_sessions(
        _around(plans, start, end),
        _around(sessions, start, end),
        excuses=excuses_of(notes, sessions, today=today),
        today=today,
        unread=unread_days(listed, start - wide, end + wide, today=today) if listed else (),
    )
    shown = tuple(one for one in matches if _touches(one, start, end))
    return AthleteCalendar(
        user_id=user_id,
        matches=with_verdicts(client, user_id, shown, sessions=listed, plans=planned)
        if listed and planned
        else shown,
        prescriptions={one.id: one for one in (planned.value if planned else ())},
        activities={one.id: one for one in (listed.value if listed else ())},
        notes=notes,
        events=tuple(event for event in events if start <= event.date <= end),
        season_events=tuple(sorted(events, key=lambda event: event.date)),
        season_plans=plans or (),
        season_sessions=with_sports(sessions or (), matches),
        knows_sessions=listed is not None,
    )


_P = TypeVar("_P", Planned, Done)


def _around(parts: Sequence[_P] | None, start: date, end: date) -> list[_P] | None:
    """The rows of the span and of the days around it: the session of a plan may be there."""
    wide = timedelta(days=PAIRING_DAYS)
    return None if parts is None else [part for part in parts if start - wide <= part.day <= end + wide]


def _touches(match: Match, start: date, end: date) -> bool:
    """Whether plan or session of the match is in the span; a pair with one of them outside belongs to it."""
    days = [one.day for one in (match.planned, match.done) if one is not None]
    return any(start <= day <= end for day in days)
