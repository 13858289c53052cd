"""A row of the roster: an athlete's load, recovery, plans and flags, from fixed ranges."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from math import nan
from typing import Any

import numpy as np

from coachboard.client import Client
from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.execution.adherence import (
    Adherence,
    AdherenceSummary,
    Match,
    Planned,
    last_week,
    summarize,
)
from coachboard.execution.capacities import capacities_on
from coachboard.execution.compliance import ComplianceState
from coachboard.execution.weeks import weekly_volume
from coachboard.flags import engine
from coachboard.flags.athlete_days import AthleteDays, events_ahead, next_hard_session
from coachboard.flags.flag import Flag
from coachboard.flags.nights import (
    HRV_UNCERTAINTY_MS,
    RESTING_HR_UNCERTAINTY_BPM,
    RESTING_HR_WIDTH_SD,
    SLEEP_UNCERTAINTY_H,
    SLEEP_WIDTH_SD,
    side_of_normal,
)
from coachboard.formulas.recovery import hrv
from coachboard.formulas.recovery.baseline import own_normal
from coachboard.formulas.session.summary_load import LoadMethod, methods_of
from coachboard.loaders.known_days import AHEAD_DAYS, PLAN_DAYS_AFTER, KnownDays, known_of, read_lists
from coachboard.loaders.load_state import LoadState, load_states
from coachboard.loaders.requests import Unread, unread_of
from coachboard.loaders.verdicts import with_verdicts
from coachboard.plurals import digits_to_tell
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus
from coachboard.wire.users import User

SPARK_WEEKS = 12
WEEK_BEFORE_DAYS = 7
"""Athletes may have two dates: with 6 days the squad week's first column is empty for those who are a day ahead."""
MATRIX_DAYS = 28
_FAR = timedelta(days=PLAN_DAYS_AFTER)  # a race in a year is no plan until then
_MAIN_SHARE = 0.1
MANY_WITH_POWER = 3
"""Fewer sessions with power in 12 weeks: a borrowed bike, no need for a critical power."""


@dataclass(frozen=True, slots=True)
class LastNight:
    """A nightly value: the newest, the mean of the last seven days, and the normal range; NaN if unknown."""

    last: float
    mean: float
    low: float
    high: float
    nights: int
    day: date | None
    recent: int = 7  # nights of the mean, which are those of the last seven days
    nap_days: int = 0  # of the last seven
    nap_h: float = nan  # mean of those days
    error: float = 0.0  # of the measurement: a mean closer to a bound is not outside the normal range

    @property
    def is_below(self) -> bool:
        """Whether the mean is below the normal range, beyond doubt."""
        return side_of_normal(self.mean, self.low, self.high, self.error) == "below"

    @property
    def is_above(self) -> bool:
        """Whether the mean is above the normal range, beyond doubt."""
        return side_of_normal(self.mean, self.low, self.high, self.error) == "above"

    @property
    def digits(self) -> int:
        """Digits that tell the mean from the bound it has passed: 35.49 next to 35.49–39 was marked as low."""
        return digits_to_tell(self.mean, self.low, self.high) if self.is_below or self.is_above else 0


@dataclass(frozen=True, slots=True, eq=False)
class RosterRow:
    """An athlete's row."""

    user: User
    today: date  # the athlete's
    sports: tuple[Sport, ...]  # by time of the last 12 weeks
    main_sports: tuple[Sport, ...]  # of these each with a tenth of the time or more
    last_session: date | None
    done_week: float  # NaN if no session has a volume
    planned_week: float  # estimated, of the plans due in the same seven days, without excused ones
    planned_next: float  # estimated, of the open plans of today and the next six days
    weekly: tuple[float, ...]  # empty if no session has a volume
    loads: Mapping[str, LoadState]
    adherence: AdherenceSummary  # of the same seven days
    sleep_h: LastNight
    hrv_ms: LastNight
    resting_hr_bpm: LastNight
    next_session: Planned | None
    next_event: tuple[date, str] | None  # or a workout planned as a race
    # Last day from today on with a workout, a race, or a note of a day off, illness or travel.
    planned_until: date | None
    days: AthleteDays = field(repr=False)  # evaluates the flags again with other thresholds
    flags: tuple[Flag, ...]
    week: tuple[Match, ...]  # from `WEEK_BEFORE_DAYS` ago to seven days ahead
    stimuli: Mapping[tuple[TrainingStimulus | None, TrainingStimulus | None], int]  # planned, delivered
    sessions_as_of: datetime
    plans_as_of: datetime
    nights_as_of: datetime
    load_methods: tuple[LoadMethod, ...] = ()  # of sessions without a volume from the service
    unread: tuple[Unread, ...] = ()
    needs_critical_power: tuple[Sport, ...] = ()  # sports with recorded power, without a model of the service
    without_critical_power: tuple[Sport, ...] = ()  # of these the sports of which the profile has none
    is_stale: bool = False  # cached, while it refreshes
    error: ServiceError | None = None  # why the row is cached and not refreshing
    no_data_since: date | None = None  # the last session before a failed import
    made_of: Hashable = field(default=None, repr=False)  # equal for a row with the same values
    raised: tuple[Flag, ...] = field(init=False)  # active flags, most serious first
    computed: dict[Hashable, Any] = field(init=False, default_factory=dict, repr=False)

    @property
    def is_incomplete(self) -> bool:
        """Whether lists refresh or sessions wait for their score: a later reading has more."""
        return self.is_stale or any(
            match.compliance is not None and match.compliance.state is ComplianceState.OPEN
            for match in self.week
        )

    @property
    def race_in_d(self) -> int | None:
        """Days until the next event, on the athlete's day."""
        return (self.next_event[0] - self.today).days if self.next_event else None

    @property
    def days_planned(self) -> int:
        """The days from today to the end of the plan; rest days in between count, as the coach has planned them."""
        return 0 if self.planned_until is None else (self.planned_until - self.today).days + 1

    @property
    def has_hard_session_due(self) -> bool:
        """Whether an open plan of today or tomorrow is hard."""
        return next_hard_session(self.days) is not None

    @property
    def todos(self) -> tuple[Flag, ...]:
        """The rules that ask the coach for an organisational task."""
        return engine.todos(self.flags)

    @property
    def race_factor(self) -> float:
        """The factor by which the next event raises the priority."""
        return engine.race_factor(self.race_in_d)

    def priority_of(self, flags: Sequence[Flag]) -> float:
        """The priority of an athlete with these flags, for the order of the list."""
        return engine.priority(flags, race_in_d=self.race_in_d)

    def counted(self, flags: Sequence[Flag]) -> list[tuple[float, Flag]]:
        """Those of these flags that count in the priority, each with its factor."""
        return engine.counted(flags)

    def __post_init__(self) -> None:
        # Computed once per row: each drawing of the roster needs it seven times.
        object.__setattr__(self, "raised", engine.raised(self.flags))


def load_row(
    client: Client,
    user: User,
    *,
    today: date,
    thresholds: Mapping[str, float],
    before: Iterable[RosterRow | None] = (),
    may_score: bool = True,
) -> RosterRow:
    """All values of an athlete's row; `may_score` as of `with_verdicts`.

    If the athlete, the lists and the thresholds are those of a row in `before`, only ages, errors and the missing critical
    power are new.
    """
    read = read_lists(client, user.id, today=today)
    made_of = user, tuple(sorted(thresholds.items())), read.identity
    same = next((row for row in before if row and row.made_of == made_of), None)
    row = same or _row(user, known_of(read), thresholds, made_of)
    return replace(
        row,
        week=with_verdicts(  # at each read: the background may have scored more sessions
            client,
            user.id,
            row.week,
            sessions=read.activities,
            plans=read.prescriptions,
            may_score=may_score,
        ),
        sessions_as_of=read.sessions_as_of,
        plans_as_of=read.plans_as_of,
        nights_as_of=read.nights_as_of,
        without_critical_power=_without_critical_power(client, row),
        is_stale=any(result.is_stale and result.error is None for result in read.listed),
        error=next((result.error for result in read.listed if result.is_stale and result.error), None),
    )


def _row(user: User, known_days: KnownDays, thresholds: Mapping[str, float], made_of: Hashable) -> RosterRow:
    today, days = known_days.today, known_days.judged_days(user.data_onboarding_status)
    flags = engine.evaluate(days, thresholds)
    week_on = today + timedelta(days=7)
    next_to = today + timedelta(days=AHEAD_DAYS - 1)
    silent_since = known_days.no_data_since(user.data_onboarding_status)
    # The seven days of `done_week`, which end today; another week would set today's session against an older plan.
    due = last_week(known_days.matches, today)
    ahead = [match for match in known_days.matches if match.adherence is Adherence.AHEAD and match.planned]
    sports = _sports(known_days)
    return RosterRow(
        user=user,
        today=today,
        sports=tuple(sports),
        main_sports=tuple(sport for sport in sports if sports[sport] >= _MAIN_SHARE * sum(sports.values())),
        last_session=known_days.done[-1].day if known_days.done else None,
        done_week=known_days.week.last if known_days.has_volume and silent_since is None else nan,
        planned_week=known_days.planned_volume([m for m in due if m.adherence is not Adherence.EXCUSED]),
        planned_next=known_days.planned_volume([match for match in ahead if match.day <= next_to]),
        weekly=_weekly(known_days),
        load_methods=methods_of(known_days.done),
        loads=load_states(known_days, user.data_onboarding_status),
        adherence=summarize(due),
        sleep_h=_sleep(known_days, today),
        hrv_ms=_hrv(known_days, today),
        resting_hr_bpm=_last_night(
            known_days.days.resting_hr_bpm,
            today,
            width_sd=RESTING_HR_WIDTH_SD,
            error=RESTING_HR_UNCERTAINTY_BPM,
        ),
        next_session=ahead[0].planned if ahead else None,
        next_event=next(iter(events_ahead(days)), None),
        planned_until=_planned_until(known_days),
        days=days,
        flags=flags,
        week=tuple(
            m
            for m in known_days.matches
            if today - timedelta(days=WEEK_BEFORE_DAYS) <= m.calendar_day <= week_on
        ),
        stimuli=stimulus_pairs(known_days.matches, since=today - timedelta(days=MATRIX_DAYS), today=today),
        unread=unread_of(*known_days.results),
        sessions_as_of=known_days.sessions_as_of,  # required; `load_row` replaces the ages at each read
        plans_as_of=known_days.plans_as_of,
        nights_as_of=known_days.nights_as_of,
        no_data_since=silent_since,
        needs_critical_power=_needs_critical_power(user, known_days),
        made_of=made_of,
    )


_DAYS_OFF = frozenset({NoteType.REST_DAY, NoteType.MEDICAL, NoteType.AVAILABILITY})


def _planned_until(known_days: KnownDays) -> date | None:
    days = [
        *(plan.day for plan in known_days.planned),
        *(day for day, _name in known_days.events),
        *(day for day, kind in known_days.notes if kind in _DAYS_OFF),
    ]
    return max((day for day in days if known_days.today <= day <= known_days.today + _FAR), default=None)


def _needs_critical_power(user: User, known_days: KnownDays) -> tuple[Sport, ...]:
    """Sports in which the athlete records power and the service has no model: load and zones by power need one."""
    ready = user.user_metric_readiness
    models = {
        Sport.CYCLING: ready is not None and ready.has_service_cycling_critical_power,
        Sport.RUNNING: ready is not None and ready.has_service_running_critical_power,
    }
    since = known_days.today - timedelta(weeks=SPARK_WEEKS)
    powered = Counter(
        session.sport
        for session in known_days.done
        if session.day > since and session.id in known_days.with_power
    )
    return tuple(
        sport for sport, is_ready in models.items() if not is_ready and powered[sport] >= MANY_WITH_POWER
    )


def _without_critical_power(client: Client, row: RosterRow) -> tuple[Sport, ...]:
    """The sports that need a critical power of which the profile has none.

    Only for those sports the profile is read: one more request per athlete would take a fifth more of the request limit.
    """
    if not row.needs_critical_power:
        return ()
    try:
        profile = client.get_user(row.user.id).value
    except Unauthorized:
        raise
    except ServiceError:
        return ()  # unknown
    return tuple(
        sport
        for sport in row.needs_critical_power
        if capacities_on(row.today, sport, metrics=(), profile=profile).critical_power_w is None
    )


def _weekly(known_days: KnownDays) -> tuple[float, ...]:
    if not known_days.has_volume:
        return ()
    days, volumes = [s.day for s in known_days.done], [s.volume for s in known_days.done]
    return tuple(weekly_volume(days, volumes, last_day=known_days.today, weeks=SPARK_WEEKS))


def _sports(known_days: KnownDays) -> dict[Sport, int]:
    """Seconds of each sport, most first."""
    seconds: Counter[Sport] = Counter()
    since = known_days.today - timedelta(weeks=SPARK_WEEKS)
    for session in known_days.done:
        if session.sport is not None and session.day > since and session.duration_s > 0:
            seconds[session.sport] += int(session.duration_s)
    return dict(seconds.most_common())


def _last_night(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    today: date,
    *,
    width_sd: float = SLEEP_WIDTH_SD,
    error: float,
) -> LastNight:
    """The newest of the nightly values, which end today, with the mean of seven nights and the normal range."""
    normal = own_normal(values, width_sd=width_sd)
    recent = np.flatnonzero(~np.isnan(values[-7:]))
    last = int(recent[-1]) - 7 if len(recent) else None
    return LastNight(
        last=float(values[last]) if last is not None else nan,
        mean=float(np.nanmean(values[-7:])) if len(recent) else nan,
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        nights=int(normal.days[-1]),
        day=today + timedelta(days=last + 1) if last is not None else None,
        error=error,
        recent=len(recent),
    )


def _sleep(known_days: KnownDays, today: date) -> LastNight:
    naps = known_days.days.nap_h[-7:]
    naps = naps[~np.isnan(naps)]
    return replace(
        _last_night(known_days.days.asleep_h, today, error=SLEEP_UNCERTAINTY_H),
        nap_days=len(naps),
        nap_h=float(naps.mean()) if len(naps) else nan,
    )


def _hrv(known_days: KnownDays, today: date) -> LastNight:
    """As `_last_night`, with mean and range on the logarithm, as on every page."""
    night = _last_night(known_days.days.hrv_ms, today, error=HRV_UNCERTAINTY_MS)
    normal = hrv.normal_range(known_days.days.hrv_ms)
    line = hrv.seven_day_line(known_days.days.hrv_ms)
    return LastNight(
        last=night.last,
        mean=float(np.exp(line[-1])),
        low=float(np.exp(normal.low[-1])),
        high=float(np.exp(normal.high[-1])),
        nights=int(normal.days[-1]),
        day=night.day,
        error=night.error,
        recent=night.recent,
    )


def stimulus_pairs(
    matches: Iterable[Match], *, since: date, today: date
) -> dict[tuple[TrainingStimulus | None, TrainingStimulus | None], int]:
    """How often each planned stimulus was followed by each delivered one."""
    pairs = Counter(
        (match.planned.stimulus, match.done.stimulus)
        for match in matches
        if match.planned is not None and match.done is not None and since < match.day <= today
    )
    return dict(pairs)
