"""Data of the calendar: plans matched with sessions, notes, events and week totals of one or several athletes."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, TypeVar

from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError
from coachboard.client.planning import decision_of
from coachboard.execution.adherence import (
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
from coachboard.execution.forecast import LoadRates, load_rates
from coachboard.formulas.days import week_start
from coachboard.loaders.athlete_today import TodayOf
from coachboard.loaders.done_and_planned import (
    decisions_of,
    plans_of,
    profile_for_loads,
    sessions_of,
    step_loads_of,
    unread_days,
    usual_offset,
)
from coachboard.loaders.excuses import ILLNESS_DAYS, excuses_of
from coachboard.loaders.known_days import RATE_DAYS
from coachboard.loaders.newest_day import EVENTS
from coachboard.loaders.requests import Missing, Replies
from coachboard.loaders.verdicts import with_verdicts
from coachboard.wire.activities import Activity
from coachboard.wire.athlete_settings import Availability, WeekTarget
from coachboard.wire.planning import PlanEntry
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription

PAIRING_DAYS = 7
"""Days outside the span to search for a paired session, which may be on another date than its plan."""
AGENDA_WEEKS = 4
SEASON_BEFORE_DAYS = 60
SEASON_AFTER_DAYS = 300
"""Range of the season strip."""
_SESSIONS, _PLANS = "sessions", "planned workouts"
LISTS = "activities training-prescriptions"
"""The lists whose unreadable rows an empty state names."""


@dataclass(frozen=True, slots=True)
class AthleteCalendar:
    """An athlete's span: every plan, with its estimated load, and session once, as matches, with the rows by id."""

    user_id: str
    matches: tuple[Match, ...]
    prescriptions: dict[str, TrainingPrescription]
    activities: dict[str, Activity]
    notes: tuple[Note, ...]
    events: tuple[Event, ...]
    season_events: (
        tuple[Event, ...] | None
    )  # oldest first, of the season around today; None: read by `season_events`
    season_plans: tuple[Planned, ...] | None  # None: read by `season_plans`
    season_sessions: tuple[Done, ...]
    knows_sessions: bool = True
    entries: Mapping[str, PlanEntry] | None = None  # by id; None if the service has no planning API
    utc_offset_min: float | None = None  # of the newest sessions
    targets: tuple[WeekTarget, ...] = ()  # of the weeks of the span
    availability: tuple[Availability, ...] = ()

    @property
    def done_ids(self) -> set[str]:
        """The ids of the plans that have a session."""
        return {match.planned.id for match in self.matches if match.planned and match.done}


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

    def with_athletes(self, newer: "CalendarData") -> "CalendarData":
        """These data with the athletes of newer ones in place of their own."""
        by_id = {athlete.user_id: athlete for athlete in newer.athletes}
        kept = (missing for missing in self.missing if missing.user_id not in by_id)
        athletes = tuple(by_id.get(athlete.user_id, athlete) for athlete in self.athletes)
        return replace(self, athletes=athletes, missing=(*kept, *newer.missing))

    @property
    def can_plan(self) -> bool:
        """Whether the plan of an athlete can be changed."""
        return any(athlete.entries is not None for athlete in self.athletes)

    @property
    def entries(self) -> dict[str, PlanEntry]:
        """The entries of all athletes by id."""
        return {key: entry for athlete in self.athletes for key, entry in (athlete.entries or {}).items()}

    @property
    def knows_sessions(self) -> bool:
        """Whether the sessions of all athletes have arrived."""
        return all(athlete.knows_sessions for athlete in self.athletes)

    @property
    def is_empty(self) -> bool:
        """Whether the lists that arrived have no plan and no session, in the season either."""
        return not self.missing and not any(
            athlete.matches or athlete.season_plans or athlete.season_sessions or athlete.entries
            for athlete in self.athletes
        )

    def adherence_in(self, start: date, end: date) -> dict[str, PeriodAdherence]:
        """Adherence of days of the span, athlete by athlete."""
        return {
            athlete.user_id: PeriodAdherence(
                tuple(match for match in athlete.matches if start <= match.day <= end)
            )
            for athlete in self.athletes
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


def load_calendar(  # noqa: PLR0913 (the days, and how they are read)
    client: Client,
    user_ids: Sequence[str],
    *,
    start: date,
    end: date,
    today: date,
    today_of: TodayOf,
    follows_a_write: bool = False,
) -> CalendarData:
    """The span of each athlete; a failed athlete does not affect the others.

    `today` is the grid's; `today_of` each athlete decides which plans are due. A load that follows a write of the plan
    reads the planning API alone: the lists, which each write drops, have a limit of 30 requests a minute.
    """
    asked = {
        user_id: _submit(client, user_id, start, end, today, reads_lists=not follows_a_write)
        for user_id in user_ids
    }
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
            client.pool.submit(client.list_notes, user_id, start - timedelta(days=ILLNESS_DAYS), end),
        )
        for user_id in user_ids
    }
    by_athlete, missing = {}, []
    for user_id, (plans, sessions, notes) in requests.items():
        try:
            listed, today = sessions.result(), today_of(user_id)
            done, decisions = _sessions(client, user_id, listed), tuple(decisions_of(client, user_id))
            matches = match_sessions(
                plans_of(plans.result(), decisions),
                done,
                excuses=excuses_of(notes.result().value, done, decisions, today=today),
                today=today,
                unread=unread_days(listed, start - wide, end + wide, today=today),
            )
        except ServiceError as error:
            missing.append(Missing("adherence", error, user_id))
            continue
        by_athlete[user_id] = PeriodAdherence(tuple(match for match in matches if start <= match.day <= end))
    return by_athlete, tuple(missing)


def _sessions(client: Client, user_id: str, listed: Result[tuple[Activity, ...]]) -> tuple[Done, ...]:
    return sessions_of(listed, profile_for_loads(client, user_id, listed))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The pending requests of an athlete; `lists` are planned workouts, notes and events."""

    sessions: Future[Result[tuple[Activity, ...]]]
    recent: Future[Result[tuple[Activity, ...]]]  # the days that estimate the load of plans
    entries: Future[tuple[PlanEntry, ...]] | None  # with the planning API
    loads: Future[Mapping[str, float]]  # of the plans of the span, from their steps
    settings: "Future[_Settings]"
    lists: "_Lists | None"


class _Settings(NamedTuple):
    """The targets of the weeks of a span, and the hours of the athlete."""

    targets: tuple[WeekTarget, ...] = ()
    availability: tuple[Availability, ...] = ()


def _read_settings(client: Client, user_id: str, start: date, end: date) -> _Settings:
    if not client.planning.has("availability"):
        return _Settings()
    # A week of the calendar may begin on another day than Monday.
    targets = client.planning.week_targets(user_id, start - timedelta(days=6), end + timedelta(days=6))
    return _Settings(targets, client.planning.availability(user_id))


class _Lists(NamedTuple):
    plans: Future[Result[tuple[TrainingPrescription, ...]]]
    notes: Future[Result[tuple[Note, ...]]]
    events: Future[Result[tuple[Event, ...]]]


def _submit(
    client: Client, user_id: str, start: date, end: date, today: date, *, reads_lists: bool
) -> _Asked:
    # A paired session or a likely match may be just outside the span; a wider range finds it.
    wide = timedelta(days=PAIRING_DAYS)
    noted_from = start - timedelta(days=ILLNESS_DAYS)
    first, last = season_of(start, end, today)
    anchor = today if _is_near(start, today) else start
    has_api = client.planning.has("entries")
    ask = client.pool.submit
    return _Asked(
        sessions=ask(client.list_activities, user_id, first, max(end + wide, anchor)),
        recent=ask(client.list_activities, user_id, today - timedelta(days=RATE_DAYS - 1), today),
        entries=ask(client.planning.entries, user_id, noted_from, end + wide) if has_api else None,
        loads=ask(step_loads_of, client, user_id, start - wide, end + wide),
        settings=ask(_read_settings, client, user_id, start, end),
        lists=_submit_lists(client, user_id, (noted_from, end), (first, last))
        if reads_lists or not has_api
        else None,
    )


def _submit_lists(
    client: Client, user_id: str, noted: tuple[date, date], season: tuple[date, date]
) -> _Lists:
    ask = client.pool.submit
    return _Lists(
        ask(client.list_prescriptions, user_id, *season),
        ask(client.list_notes, user_id, *noted),
        ask(client.list_events, user_id, *season),
    )


def season_of(start: date, end: date, today: date) -> tuple[date, date]:
    """First and last day of the season strip."""
    wide = timedelta(days=PAIRING_DAYS)
    # Days of another year load their own season, so that the range stays as short as today's.
    anchor = today if _is_near(start, today) else start
    first = min(start - wide, anchor - timedelta(days=SEASON_BEFORE_DAYS))
    return first, max(end + wide, anchor + timedelta(days=SEASON_AFTER_DAYS))


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
    rows = _rows(client, asked, replies, user_id, span, today)
    decisions = tuple(
        decisions_of(client, user_id) if rows.entries is None else map(decision_of, rows.entries.values())
    )
    plans = plans_of(rows.planned, decisions, asked.loads.result()) if rows.planned else None
    sessions = _sessions(client, user_id, listed) if listed else None
    matches = match_sessions(
        _around(plans, start, end),
        _around(sessions, start, end),
        excuses=excuses_of(rows.notes, sessions, decisions, today=today),
        today=today,
        unread=unread_days(listed, start - wide, end + wide, today=today) if listed else (),
    )
    rates = _recent_rates(client, user_id, asked.recent)
    touching = tuple(with_load(match, rates) for match in matches if _touches(match, start, end))
    if listed and rows.planned:
        touching = with_verdicts(client, user_id, touching, sessions=listed, plans=rows.planned)
    done = {match.done.id for match in touching if match.done is not None}
    events, planned = _season(asked, rows)
    try:
        settings = asked.settings.result()
    except ServiceError as error:
        settings = _Settings()
        replies.missing.append(Missing("targets and hours", error, user_id))
    return AthleteCalendar(
        user_id=user_id,
        matches=touching,
        prescriptions={row.id: row for row in (rows.planned.value if rows.planned else ())},
        activities={row.id: row for row in (listed.rows(done) if listed else ())},
        notes=tuple(
            note for note in rows.notes if note.date <= end and _last_day(note, rows.entries) >= start
        ),
        events=tuple(event for event in rows.events if start <= event.date <= end),
        season_events=events,
        season_plans=planned,
        season_sessions=with_sports(sessions or (), matches),
        knows_sessions=listed is not None,
        entries=rows.entries,
        utc_offset_min=usual_offset(listed),
        targets=settings.targets,
        availability=settings.availability,
    )


class _Rows(NamedTuple):
    """The planned part of a calendar."""

    planned: Result[tuple[TrainingPrescription, ...]] | None
    notes: tuple[Note, ...]
    events: tuple[Event, ...]
    entries: dict[str, PlanEntry] | None = None


def _rows(
    client: Client, asked: _Asked, replies: Replies, user_id: str, span: tuple[date, date], today: date
) -> _Rows:
    """From the planning API, which is never cached and counts against its own limit; else from the lists."""
    if asked.entries is not None:
        try:
            return _rows_of(asked.entries.result())
        except ServiceError as error:
            replies.missing.append(Missing("the plan for changes", error, user_id))
    start, end = span
    noted = start - timedelta(days=ILLNESS_DAYS), end
    lists = asked.lists or _submit_lists(client, user_id, noted, season_of(*span, today))
    return _Rows(
        replies.result(_PLANS, lists.plans, user_id),
        replies.take("notes", lists.notes, user_id),
        replies.take(EVENTS, lists.events, user_id),
    )


def _last_day(note: Note, entries: Mapping[str, PlanEntry] | None) -> date:
    entry = (entries or {}).get(note.id)
    return (entry.end_date if entry else None) or note.date


def _season(asked: _Asked, rows: _Rows) -> tuple[tuple[Event, ...] | None, tuple[Planned, ...] | None]:
    """Events and plans of the season from the lists; None where these were not read."""
    if rows.entries is None:
        events, planned = rows.events, plans_of(rows.planned, ()) if rows.planned else ()
    elif asked.lists is None:
        return None, None
    else:
        try:
            events, planned = asked.lists.events.result().value, plans_of(asked.lists.plans.result(), ())
        except ServiceError:
            return None, None
    return tuple(sorted(events, key=lambda event: event.date)), planned


def _rows_of(entries: Collection[PlanEntry]) -> _Rows:
    planned = tuple(entry.prescription for entry in entries if entry.prescription is not None)
    return _Rows(
        Result(planned, datetime.now(UTC)),
        tuple(entry.note for entry in entries if entry.note is not None),
        tuple(entry.event for entry in entries if entry.event is not None),
        {entry.id: entry for entry in entries},
    )


def season_events(client: Client, data: CalendarData) -> list[tuple[str, Event]]:
    """The events of the season with their athletes, oldest first. Raises `ServiceError`."""
    season = season_of(data.start, data.end, data.today)
    dated_events = [
        (athlete.user_id, event)
        for athlete in data.athletes
        for event in (
            client.list_events(athlete.user_id, *season).value
            if athlete.season_events is None
            else athlete.season_events
        )
    ]
    return sorted(dated_events, key=lambda dated: dated[1].date)


def season_plans(client: Client, data: CalendarData) -> list[tuple[Planned, ...]]:
    """The plans of the season, athlete by athlete. Raises `ServiceError`."""
    season = season_of(data.start, data.end, data.today)
    return [
        plans_of(client.list_prescriptions(athlete.user_id, *season), ())
        if athlete.season_plans is None
        else athlete.season_plans
        for athlete in data.athletes
    ]


def _recent_rates(
    client: Client, user_id: str, recent: Future[Result[tuple[Activity, ...]]]
) -> LoadRates | None:
    """Load per hour of the athlete's similar sessions; None if they cannot be loaded: plans then have no load."""
    try:
        return load_rates(_sessions(client, user_id, recent.result()))
    except ServiceError:
        return None


def with_load(match: Match, rates: LoadRates | None) -> Match:
    """The match with the load of its plan: a prescription has none."""
    if match.planned is None or rates is None:
        return match
    return replace(match, planned=replace(match.planned, volume=rates.volume_of(match.planned)))


_P = TypeVar("_P", Planned, Done)


def _around(parts: Sequence[_P] | None, start: date, end: date) -> list[_P] | None:
    """The rows of the span and of the days around it: the session of a plan may be there."""
    wide = timedelta(days=PAIRING_DAYS)
    return None if parts is None else [part for part in parts if start - wide <= part.day <= end + wide]


def _touches(match: Match, start: date, end: date) -> bool:
    """Whether plan or session of the match is in the span; a pair with one of them outside belongs to it."""
    days = [session.day for session in (match.planned, match.done) if session is not None]
    return any(start <= day <= end for day in days)
