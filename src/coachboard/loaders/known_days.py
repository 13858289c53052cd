"""An athlete's last year and next weeks, as `KnownDays`: sessions, plans, nights, notes and events.

The roster, the athlete page and the outlook of plans share these data.

Five requests over fixed ranges, so that eight years of history cost as much as one year.
`load_known` takes the athlete's current date as an argument; `athlete_today` computes it.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from math import isnan, nan
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.client.planning import PlanDecision
from coachboard.execution.adherence import (
    EXCUSING_NOTES,
    Done,
    Match,
    Planned,
    match_sessions,
    with_sports,
)
from coachboard.execution.forecast import LoadRates, load_rates
from coachboard.flags.athlete_days import AthleteDays
from coachboard.formulas.days import daily_last, daily_sum
from coachboard.formulas.recovery.main_sleep import DaySleep, day_sleeps
from coachboard.formulas.season.load import WeekLoad, week_load
from coachboard.formulas.session.summary_load import LoadMethod, methods_of
from coachboard.loaders.done_and_planned import (
    column,
    decisions_of,
    local_days,
    numbers,
    plans_of,
    profile_for_loads,
    sessions_of,
    step_loads_of,
    unread_days,
)
from coachboard.loaders.excuses import away_of, excuses_of, medical_notes
from coachboard.loaders.memo import RowsMemo, identity_of
from coachboard.loaders.requests import Missing
from coachboard.loaders.verdicts import with_verdicts
from coachboard.wire.activities import Activity
from coachboard.wire.body import Sleep
from coachboard.wire.enums import DataOnboardingStatus, NoteType
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import UserProfile

_T = TypeVar("_T")

LOAD_DAYS = 364
"""Start of the load averages: the same on every page, so that pages show the same numbers."""
NIGHT_DAYS = 90
PLAN_DAYS_BEFORE = 42
PLAN_DAYS_AFTER = 56
EVENT_DAYS_AFTER = 365
AHEAD_DAYS = 7
"""Days of the next sessions and their load, today included: the load of 7 days next to sessions of 8 did not add up."""
RATE_DAYS = 120
"""Sessions that estimate the volume of a planned hour."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownDays:
    """An athlete's last year and next weeks; arrays have one value per day and end today."""

    today: date
    done: tuple[Done, ...]  # oldest first
    planned: tuple[Planned, ...]
    matches: tuple[Match, ...]
    events: tuple[tuple[date, str], ...]  # upcoming, nearest first
    past_events: tuple[tuple[date, str], ...]  # of the last year, oldest first
    notes: tuple[tuple[date, NoteType], ...]
    volumes: NDArray[np.float64]
    days: AthleteDays
    rates: LoadRates
    with_power: frozenset[str]  # ids of sessions with an average power
    with_speed: frozenset[str]  # ids of sessions with an average speed
    sessions_as_of: datetime
    plans_as_of: datetime
    nights_as_of: datetime
    results: tuple[Result[Any], ...] = field(default=(), repr=False)
    kept: dict[Hashable, Any] = field(
        default_factory=dict, repr=False
    )  # computed from the rows, so that copies share it

    def once(self, what: Hashable, make: Callable[[], _T]) -> _T:
        """Compute a value that depends on the rows only once, as long as the rows are the same."""
        if what not in self.kept:
            self.kept[what] = make()
        return self.kept[what]  # type: ignore[no-any-return] # the type of `make`

    def judged(self, client: Client, user_id: str, matches: Sequence[Match]) -> tuple[Match, ...]:
        """These matches with their final compliance; not all of the season: each may need the samples of a session."""
        sessions, plans = self.results[:2]
        return with_verdicts(client, user_id, matches, sessions=sessions, plans=plans)

    def judged_days(self, import_status: DataOnboardingStatus) -> AthleteDays:
        """The days that flags judge: after a failed import, a to-do, the athlete may train without a session arriving here."""
        if import_status is not DataOnboardingStatus.FAILED:
            return self.days
        return replace(self.days, unread=self.days.unread | {"sessions"})

    def no_data_since(self, import_status: DataOnboardingStatus) -> date | None:
        """The last session if the import failed and the last seven days have none, else None.

        Days without data counted as rest: the form of an athlete whose import had failed for three weeks was +26.
        """
        if import_status is not DataOnboardingStatus.FAILED or not self.done:
            return None
        last = self.done[-1].day
        return last if last <= self.today - timedelta(days=7) else None

    def planned_volume(self, matches: Sequence[Match]) -> float:
        """The estimated load of planned sessions, NaN if no plan has one."""
        volumes = [self.rates.volume_of(match.planned) for match in matches if match.planned is not None]
        estimated = [volume for volume in volumes if not isnan(volume)]
        return sum(estimated) if estimated else nan

    @property
    def has_volume(self) -> bool:
        """Whether any session has a volume: without one the load is unknown, not 0."""
        return not all(isnan(session.volume) for session in self.done)

    @property
    def week(self) -> WeekLoad:
        """Load of the last seven days, and of a mean week before."""
        return week_load(self.volumes)

    @property
    def load_methods(self) -> tuple[LoadMethod, ...]:
        """The methods of computed loads, the most frequent first; none where the service sends all."""
        return methods_of(self.done)

    def is_empty_since(self, day: date) -> bool:
        """Whether no session, plan or event is on that day or later, and no night is recorded."""
        is_row = any(match.day >= day for match in self.matches) or bool(self.events)
        return not is_row and bool(np.isnan(self.days.asleep_h).all())

    @property
    def first_day(self) -> date:
        """The day of the first value of `volumes`."""
        return self.today - timedelta(days=LOAD_DAYS - 1)


class KnownLists(NamedTuple):
    """The lists of an athlete; None for a failed one of the last three."""

    activities: Result[tuple[Activity, ...]]
    prescriptions: Result[tuple[TrainingPrescription, ...]]
    notes: Result[tuple[Note, ...]] | None
    events: Result[tuple[Event, ...]] | None
    sleeps: Result[tuple[Sleep, ...]] | None
    profile: Result[UserProfile] | None  # None where no load is computed from it
    today: date
    unread: frozenset[date | None]  # days without sessions that were read
    decisions: frozenset[PlanDecision] = frozenset()
    loads: frozenset[tuple[str, float]] = frozenset()  # of planned workouts, from their steps

    @property
    def listed(self) -> tuple[Result[Any], ...]:
        """The lists that were read."""
        return tuple(result for result in self[:5] if result)

    @property
    def identity(self) -> Hashable:
        """Equal as long as everything in these lists is the same, without holding their rows."""
        return (*map(identity_of, self[:6]), self.today, self.unread, self.decisions, self.loads)

    @property
    def sessions_as_of(self) -> datetime:
        return self.activities.as_of

    @property
    def plans_as_of(self) -> datetime:
        return self.prescriptions.as_of

    @property
    def nights_as_of(self) -> datetime:
        return (self.sleeps or self.activities).as_of


_MOST_KEPT = 100
"""Athletes of all keys with computed values in memory, 200 to 500 KB each."""
_KEPT: RowsMemo[KnownDays] = RowsMemo(_MOST_KEPT)


def plan_days(today: date) -> tuple[date, date]:
    """First and last day of the plans."""
    return today - timedelta(days=PLAN_DAYS_BEFORE), today + timedelta(days=PLAN_DAYS_AFTER)


def load_known(
    client: Client, user_id: str, *, today: date, missing: list[Missing] | None = None
) -> KnownDays:
    """Everything but the profile; raises `ServiceError` if a part fails and is not cached.

    With `missing`, failed nights, notes and events are recorded there instead.
    """
    return known_of(read_lists(client, user_id, today=today, missing=missing))


def read_lists(
    client: Client, user_id: str, *, today: date, missing: list[Missing] | None = None
) -> KnownLists:
    """The lists; raises and records errors as `load_known`."""
    first, first_night = today - timedelta(days=LOAD_DAYS - 1), today - timedelta(days=NIGHT_DAYS - 1)
    plan_start, plan_end = plan_days(today)
    last_event = today + timedelta(days=EVENT_DAYS_AFTER)
    activities = client.list_activities(user_id, first, today)
    return KnownLists(
        activities,
        client.list_prescriptions(user_id, plan_start, plan_end),
        _spared("notes", missing, lambda: client.list_notes(user_id, plan_start, plan_end)),
        _spared("events", missing, lambda: client.list_events(user_id, first, last_event)),
        _spared("nights", missing, lambda: client.list_sleeps(user_id, first_night, today)),
        profile_for_loads(client, user_id, activities),
        today,
        unread_days(activities, plan_start, today, today=today),
        decisions_of(client, user_id),
        frozenset(step_loads_of(client, user_id, plan_start, plan_end).items()),
    )


def known_of(read: KnownLists) -> KnownDays:
    """The values of the lists, computed once as long as the rows are the same."""
    return replace(
        _KEPT.of(read[:6], (read.today, read.unread, read.decisions, read.loads), lambda: _known(read)),
        sessions_as_of=read.sessions_as_of,
        plans_as_of=read.plans_as_of,
        nights_as_of=read.nights_as_of,
        results=read.listed,
    )


def _known(read: KnownLists) -> KnownDays:
    """All values that depend on the rows and on the days without sessions that were read."""
    today, profile, unread = read.today, read.profile, read.unread
    first, plan_start = today - timedelta(days=LOAD_DAYS - 1), today - timedelta(days=PLAN_DAYS_BEFORE)
    sessions, planned = read.activities.frame, plans_of(read.prescriptions, read.decisions, dict(read.loads))
    done = sessions_of(read.activities, profile)
    noted = tuple((note.date, note.type) for note in read.notes.value) if read.notes else ()
    events = tuple(sorted((event.date, event.name) for event in read.events.value)) if read.events else ()
    nights = day_sleeps(read.sleeps.value if read.sleeps else ())
    recent = [session for session in done if session.day >= plan_start]
    decisions = tuple(read.decisions)
    excuses = excuses_of(read.notes.value if read.notes else (), recent, decisions, today=today)
    matches = match_sessions(planned, recent, excuses=excuses, today=today, unread=unread)
    done = with_sports(done, matches)
    volumes = daily_sum([s.day for s in done], [s.volume for s in done], start=first, end=today)
    return KnownDays(
        today=today,
        done=done,
        planned=planned,
        matches=tuple(matches),
        events=tuple(event for event in events if event[0] >= today),
        past_events=tuple(event for event in events if event[0] < today),
        notes=noted,
        volumes=volumes,
        days=replace(
            _days(today, done, volumes, (sessions, nights), (tuple(matches), noted)),
            events=events,
            away=away_of(read.notes.value if read.notes else (), decisions),
            excused=frozenset(day for day, kind in excuses if kind in EXCUSING_NOTES),
            medical=medical_notes(read.notes.value if read.notes else (), decisions),
            unread=frozenset(
                name
                for name, listed in (("sessions", read.activities), ("plans", read.prescriptions))
                if listed.set_aside
            ),
        ),
        rates=load_rates(session for session in done if session.day > today - timedelta(days=RATE_DAYS)),
        with_power=_with(sessions, "average_power"),
        with_speed=_with(sessions, "average_speed"),
        sessions_as_of=read.sessions_as_of,
        plans_as_of=read.plans_as_of,
        nights_as_of=read.nights_as_of,
    )


def _spared(what: str, missing: list[Missing] | None, ask: Callable[[], Result[_T]]) -> Result[_T] | None:
    try:
        return ask()
    except Unauthorized:
        raise
    except ServiceError as error:
        if missing is None:
            raise
        missing.append(Missing(what, error))
        return None


def _days(
    today: date,
    done: tuple[Done, ...],
    volumes: NDArray[np.float64],
    rows: tuple[pd.DataFrame, tuple[DaySleep, ...]],
    plans: tuple[tuple[Match, ...], tuple[tuple[date, NoteType], ...]],
) -> AthleteDays:
    activities, sleeps = rows
    start, days = today - timedelta(days=NIGHT_DAYS - 1), [night.day for night in sleeps]

    def nightly(read: Callable[[DaySleep], float]) -> NDArray[np.float64]:
        return daily_last(days, [read(night) for night in sleeps], start=start, end=today)

    return AthleteDays(
        today=today,
        daily_load=volumes,
        sessions_a_day=daily_sum(
            [s.day for s in done], [1.0] * len(done), start=today - timedelta(days=LOAD_DAYS - 1), end=today
        ),
        hrv_ms=nightly(lambda night: night.value("average_hrv")),
        resting_hr_bpm=nightly(lambda night: night.value("resting_heart_rate")),
        asleep_h=nightly(lambda night: night.main.asleep_s / 3600),
        nap_h=nightly(lambda night: night.nap_s / 3600),
        matches=plans[0],
        notes=plans[1],
        feelings=_feelings(activities),
    )


def _with(activities: pd.DataFrame, name: str) -> frozenset[str]:
    values = zip(column(activities, "id"), numbers(activities, name), strict=True)
    return frozenset(str(activity_id) for activity_id, value in values if not isnan(value))


def _feelings(activities: pd.DataFrame) -> tuple[tuple[date, float], ...]:
    rated = zip(local_days(activities), numbers(activities, "feeling"), strict=True)
    return tuple(sorted((day, value) for day, value in rated if day is not None and value == value))  # noqa: PLR0124
