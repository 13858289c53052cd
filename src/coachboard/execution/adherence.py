"""Match plans with sessions: on time, moved, missed, excused, unplanned, upcoming.

The service's own pairs (`activityId`) come first, those that a person chose among them; a likely match is marked as
inferred. A plan that a person left unpaired or skipped gets no likely match.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from math import isnan, log, nan

import numpy as np

from coachboard.execution.assignment import best_pairs
from coachboard.execution.compliance import (
    MISSED,
    NOT_COMPARABLE,
    OFF_RATIO,
    Compliance,
    Measure,
    compliance,
)
from coachboard.formulas.session.summary_load import LoadMethod
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus

INFERENCE_DAYS = 1
"""Largest distance in days of an inferred pair; a choice of this project."""
_SAME_DAY = 1.05
"""Gain of a pair on the same day before its misfit is subtracted; a misfit is below 1, so every possible pair gains."""
_OTHER_LENGTH = 0.95
"""Misfit of a session of the planned day and sport whose length is far from the plan: any other pair is better."""
_MOVED = 1e-4
"""Gain of a moved pair relative to a same-day pair: no number of moves outweighs a better same-day match."""
EXCUSING_NOTES = frozenset({NoteType.MEDICAL, NoteType.AVAILABILITY, NoteType.REST_DAY})
HARD_STIMULI = frozenset(
    {
        TrainingStimulus.THRESHOLD,
        TrainingStimulus.VO2MAX,
        TrainingStimulus.ANAEROBIC,
        TrainingStimulus.NEUROMUSCULAR,
        TrainingStimulus.LACTATE_CLEARANCE,
        TrainingStimulus.DURABILITY,
        TrainingStimulus.TEST,
        TrainingStimulus.RACE,
    }
)
"""Stimuli that need good recovery; a choice of this project."""


class Adherence(StrEnum):
    """The outcome of a plan, or the origin of a session."""

    ON_TIME = "on time"
    MOVED = "moved"
    MISSED = "missed"
    EXCUSED = "excused"
    UNPLANNED = "unplanned"
    AHEAD = "ahead"
    UNKNOWN = "unknown"  # the other side is not known


DONE = frozenset({Adherence.ON_TIME, Adherence.MOVED})
WEEK_D = 7


@dataclass(frozen=True, slots=True)
class Planned:
    """The compared values of a prescription; NaN if not stated."""

    id: str
    day: date
    sport: Sport | None
    stimulus: TrainingStimulus | None = None
    duration_s: float = nan
    distance_m: float = nan
    volume: float = nan
    work_kj: float = nan
    activity_id: str | None = None
    title: str = ""
    is_unpaired: bool = False  # a person decided that no session belongs to it
    skip_reason: str | None = None  # why a person skipped it
    step_load: float = nan  # the load that its steps give, on the scale of sessions of the same service


@dataclass(frozen=True, slots=True)
class Done:
    """The compared values of a session; NaN if not recorded."""

    id: str
    day: date
    sport: Sport | None
    stimulus: TrainingStimulus | None = None
    duration_s: float = nan
    distance_m: float = nan
    volume: float = nan
    work_kj: float = nan
    title: str = ""
    group_id: str | None = None
    load_method: LoadMethod | None = None  # the method of a computed volume; None for the service's own
    is_race: bool = False
    feeling: float = nan  # 1 (very weak) to 5 (very strong)


@dataclass(frozen=True, slots=True)
class Match:
    """A plan with its session, a plan without, or a session without a plan."""

    planned: Planned | None
    done: Done | None
    adherence: Adherence
    compliance: Compliance | None = None
    is_inferred: bool = False
    excuse: NoteType | None = None

    @property
    def day(self) -> date:
        """The planned day, or the session's."""
        return self.planned.day if self.planned is not None else self._done().day

    @property
    def calendar_day(self) -> date:
        """The session's day, or the planned day of a plan without a session."""
        return self.done.day if self.done is not None else self.day

    @property
    def days_moved(self) -> int:
        """Days from the planned day to the session; negative if earlier, 0 without a pair."""
        return (self.done.day - self.planned.day).days if self.planned and self.done else 0

    @property
    def excuse_words(self) -> str:
        """Why an excused plan was not done: `medical note`, or `skipped: ` and the reason, which is untrusted."""
        if self.planned is not None and self.planned.skip_reason is not None:
            return f"skipped: {self.planned.skip_reason}"
        return f"{self.excuse} note"

    def _done(self) -> Done:
        assert self.done is not None
        return self.done


def match_sessions(
    planned: Sequence[Planned] | None,
    done: Sequence[Done] | None,
    *,
    excuses: Iterable[tuple[date, NoteType]],
    today: date,
    unread: Collection[date | None] = (),
) -> list[Match]:
    """Pair plans with sessions; each plan appears once, each session once or with each plan that names it.

    Parameters
    ----------
    planned : sequence of Planned, or None
        The plans of the period. None where they are not known: no session is then called unplanned.
    done : sequence of Done, or None
        The sessions of the period, `INFERENCE_DAYS` longer on both ends where inference is to be complete. None
        where they are not known: no plan is then called missed.
    excuses : iterable of (date, NoteType)
        Dated notes; medical, availability and rest day notes excuse a miss on their day, other kinds do not.
    today : date
        The athlete's today: a plan of today is still ahead unless the service pairs it.
    unread : collection of date or None
        Days of sessions that could not be read, None for an unknown day: no plan that such a session may have done is
        called missed.

    Returns
    -------
    list of Match
        By day.

    Notes
    -----
    The service's own pairs come first. A skipped plan without a session is excused, on any day. Plans that a person left
    unpaired or skipped are not assigned. The other unpaired plans up to today and the free sessions are then assigned to each
    other, all days at once: pairs on one day first, then moves. Fitting: same sport and day, whatever the
    length; a day away, no more than "off" by the first measure both have; without a sport, the same day and a duration that
    fits. A race fits no workout but a planned race. A plan of
    today keeps the session of today that fits it best from being called the moved one of yesterday, and is itself
    still ahead. The legs of a multisport session are paired as one session; a session without a sport
    takes that of its plan.

    *Missing data*: a plan near days whose sessions could not be read is unknown, not missed.

    *Worked example*: a ride of 60 min planned on Monday and 58 min ridden on Tuesday: moved by 1 day.

    Examples
    --------
    >>> monday = date(2026, 3, 2)
    >>> plan = Planned("tpr_1", monday, Sport.CYCLING, duration_s=3600)
    >>> ride = Done("act_1", date(2026, 3, 3), Sport.CYCLING, duration_s=3500)
    >>> found = match_sessions([plan], [ride], excuses=[], today=date(2026, 3, 5))
    >>> [(str(m.adherence), m.days_moved, m.is_inferred) for m in found]
    [('moved', 1, True)]
    """
    if planned is None:
        return sorted(
            (Match(None, session, Adherence.UNKNOWN) for session in done or ()), key=lambda m: m.day
        )
    excused = {day: kind for day, kind in excuses if kind in EXCUSING_NOTES}
    pairs, free = _service_pairs(planned, done or ())
    inferred, unplanned = _inferred_pairs(planned, free, today)
    matches = [
        _paired(plan, pairs[plan.id], is_inferred=False)
        if plan.id in pairs
        else _paired(plan, inferred[plan.id], is_inferred=True)
        if plan.id in inferred
        else _alone(
            plan, excused.get(plan.day), today, are_known=done is not None and not _may_hide(plan, unread)
        )
        for plan in planned
    ]
    matches += [Match(None, session, Adherence.UNPLANNED) for session in unplanned]
    return sorted(matches, key=lambda match: match.day)


_Legs = list[Done]


def _service_pairs(planned: Sequence[Planned], done: Sequence[Done]) -> tuple[dict[str, Done], list[_Legs]]:
    """The session of each plan that the service pairs, and the legs of all other sessions."""
    wholes = _by_session(planned, done)
    whole_of = {leg.id: legs for legs in wholes for leg in legs}
    legs_of = {plan.id: whole_of[plan.activity_id] for plan in planned if plan.activity_id in whole_of}
    paired = {legs[0].id for legs in legs_of.values()}
    return {plan_id: _whole(legs) for plan_id, legs in legs_of.items()}, [
        legs for legs in wholes if legs[0].id not in paired
    ]


def _by_session(planned: Sequence[Planned], done: Sequence[Done]) -> list[_Legs]:
    """The legs of each session; legs that the service pairs with different plans are separate sessions."""
    named = {plan.activity_id for plan in planned}
    paired_legs = Counter(session.group_id for session in done if session.id in named)
    legs: dict[tuple[str, str], _Legs] = {}
    for session in done:
        is_leg = session.group_id is not None and paired_legs[session.group_id] <= 1
        legs.setdefault(("group", str(session.group_id)) if is_leg else ("session", session.id), []).append(
            session
        )
    return list(legs.values())


def _whole(legs: Sequence[Done]) -> Done:
    """A session with the totals of its legs; day, id and title are those of the first leg."""
    if len(legs) == 1:
        return legs[0]
    sports = {leg.sport for leg in legs}
    longest = max(legs, key=lambda leg: np.nan_to_num(leg.duration_s))
    return replace(
        legs[0],
        sport=legs[0].sport if len(sports) == 1 else Sport.MULTISPORT,
        stimulus=longest.stimulus,
        duration_s=_total(leg.duration_s for leg in legs),
        distance_m=_total(leg.distance_m for leg in legs),
        volume=_total(leg.volume for leg in legs),
        load_method=next((leg.load_method for leg in legs if leg.load_method), None),
        work_kj=_total(leg.work_kj for leg in legs),
    )


def _total(amounts: Iterable[float]) -> float:
    recorded = [amount for amount in amounts if not isnan(amount)]
    return sum(recorded) if recorded else nan


def _paired(plan: Planned, session: Done, *, is_inferred: bool) -> Match:
    kept = Adherence.ON_TIME if plan.day == session.day else Adherence.MOVED
    session = session if session.sport is not None else replace(session, sport=plan.sport)
    return Match(plan, session, kept, _totals(plan, session), is_inferred)


def _totals(plan: Planned, session: Done) -> Compliance:
    """A swim by distance if both have one: the planned time includes the rests, the moving time does not."""
    if plan.sport is Sport.SWIMMING and not isnan(plan.distance_m + session.distance_m):
        plan = replace(plan, duration_s=nan)
    return compliance(plan, session)


def with_sports(done: Iterable[Done], matches: Iterable[Match]) -> tuple[Done, ...]:
    """Sessions in their order; one without a sport gets the sport of its paired plan."""
    sports = {match.done.id: match.done.sport for match in matches if match.done is not None}
    return tuple(
        replace(session, sport=sports.get(session.id))
        if session.sport is None and sports.get(session.id)
        else session
        for session in done
    )


def _alone(plan: Planned, excuse: NoteType | None, today: date, *, are_known: bool) -> Match:
    # Paired with a session outside the period: done, but without values to compare.
    if plan.activity_id is not None:
        return Match(plan, None, Adherence.ON_TIME, NOT_COMPARABLE)
    if plan.skip_reason is not None:
        return Match(plan, None, Adherence.EXCUSED)
    if plan.day >= today:
        return Match(plan, None, Adherence.AHEAD)
    if excuse is not None:
        return Match(plan, None, Adherence.EXCUSED, excuse=excuse)
    if not are_known:
        return Match(plan, None, Adherence.UNKNOWN)
    return Match(plan, None, Adherence.MISSED, MISSED)


def _may_hide(plan: Planned, unread: Collection[date | None]) -> bool:
    """Whether a session that could not be read may have done the plan."""
    return any(day is None or abs((day - plan.day).days) <= INFERENCE_DAYS for day in unread)


def _inferred_pairs(
    planned: Sequence[Planned], free: Sequence[_Legs], today: date
) -> tuple[dict[str, Done], list[Done]]:
    """The likely session of each plan, and the remaining sessions, leg by leg."""
    open_plans = [plan for plan in planned if _may_be_assigned(plan) and plan.day <= today]
    pairs = _assigned(open_plans, [_whole(legs) for legs in free], today)
    paired_ids = {session.id for session in pairs.values()}
    left = [legs for legs in free if legs[0].id not in paired_ids]
    # A brick may be planned as two workouts: try its legs one by one if no plan fits the whole.
    legs = [leg for session in left if len(session) > 1 for leg in session]
    pairs |= _assigned([plan for plan in open_plans if plan.id not in pairs], legs, today)
    paired_ids = {session.id for session in pairs.values()}
    return pairs, [leg for session in left for leg in session if leg.id not in paired_ids]


def _may_be_assigned(plan: Planned) -> bool:
    return plan.activity_id is None and not plan.is_unpaired and plan.skip_reason is None


def _assigned(plans: Sequence[Planned], sessions: Sequence[Done], today: date) -> dict[str, Done]:
    if not plans or not sessions:
        return {}
    # In a fixed order, so that every page resolves ties the same way.
    plans, sessions = sorted(plans, key=_place), sorted(sessions, key=_place)
    worth = [[_worth(plan, session, today) for session in sessions] for plan in plans]
    pairs = [(plans[row], sessions[column]) for row, column in best_pairs(worth)]
    return {plan.id: session for plan, session in pairs if plan.day < today}


def _place(part: Planned | Done) -> tuple[date, str]:
    return part.day, part.id


def _worth(plan: Planned, session: Done, today: date) -> float:
    """The gain of an inferred pair; 0 if the two do not fit."""
    days = abs((plan.day - session.day).days)
    if days > (INFERENCE_DAYS if plan.day < today else 0):
        return 0.0
    if session.is_race and plan.stimulus is not TrainingStimulus.RACE:
        return 0.0
    misfit = _misfit(plan, session, is_same_day=not days)
    if isnan(misfit) or (session.sport is None and days):
        return 0.0
    return (_SAME_DAY - misfit) * (_MOVED if days else 1.0)


def _misfit(plan: Planned, session: Done, *, is_same_day: bool) -> float:
    totals = _totals(plan, session)
    if session.sport is None:
        if totals.measure is not Measure.DURATION:
            return nan
    elif plan.sport != session.sport:
        return nan
    if totals.measure is not None and not OFF_RATIO[0] <= totals.ratio <= OFF_RATIO[1]:
        # Half a ride is a short ride of its plan, and no unplanned one.
        return _OTHER_LENGTH if is_same_day and session.sport is not None else nan
    size = abs(log(totals.ratio)) if totals.measure is not None else log(OFF_RATIO[1])
    return 0.25 * (plan.stimulus != session.stimulus) + size


@dataclass(frozen=True, slots=True)
class AdherenceSummary:
    """Number of plans in a period by outcome."""

    counts: dict[Adherence, int]
    inferred: int

    @property
    def due(self) -> int:
        """Plans whose day has passed, without excused ones."""
        return sum(self.counts[kind] for kind in (Adherence.ON_TIME, Adherence.MOVED, Adherence.MISSED))

    @property
    def done(self) -> int:
        """Done plans, on their day or another."""
        return self.counts[Adherence.ON_TIME] + self.counts[Adherence.MOVED]

    @property
    def share(self) -> float:
        """Done over due, NaN if none was due."""
        return self.done / self.due if self.due else nan


def summarize(matches: Iterable[Match]) -> AdherenceSummary:
    """Count matches by outcome.

    Parameters
    ----------
    matches : iterable of Match
        Of any period.

    Returns
    -------
    AdherenceSummary
        Every kind is present, 0 where none.

    Examples
    --------
    >>> plan = Planned("tpr_1", date(2026, 3, 2), Sport.RUNNING)
    >>> found = match_sessions([plan], [], excuses=[], today=date(2026, 3, 5))
    >>> summary = summarize(found)
    >>> summary.due, summary.done, summary.share
    (1, 0, 0.0)
    """
    listed = list(matches)
    counted = Counter(match.adherence for match in listed)
    return AdherenceSummary(
        {kind: counted[kind] for kind in Adherence}, sum(match.is_inferred for match in listed)
    )


def last_week(matches: Iterable[Match], today: date) -> list[Match]:
    """The matches of the seven days that end today, without plans that are still ahead; a moved session by its own day.

    Roster, squad week and flags count the same sessions. By planned days, a session moved into the week was missing:
    5 of 7 on the roster next to six ticks and two crosses in the squad week.
    """
    first = today - timedelta(days=WEEK_D - 1)
    return [m for m in matches if first <= m.calendar_day <= today and m.adherence is not Adherence.AHEAD]


@dataclass(frozen=True, slots=True)
class Shift:
    """How far moved sessions were moved: mean (later is positive) and total, in days."""

    mean_d: float
    total_d: int


def shift(matches: Iterable[Match]) -> Shift:
    """Mean and total shift of the moved sessions of a period.

    Parameters
    ----------
    matches : iterable of Match
        Of any period; only pairs on another day than planned count.

    Returns
    -------
    Shift
        The mean is NaN if none was moved. [days]

    Notes
    -----
    Mean: the sum of (day done - day planned) over the number of moved sessions, so that an early and a late one cancel.
    Total: the sum of the same differences without their sign.

    *Worked example*: one session 2 days late and one 1 day early: mean (2 - 1) / 2 = 0.5 days later, total 3 days.

    *Missing data*: plans without a session, and sessions on their day.

    Examples
    --------
    >>> monday = date(2026, 3, 2)
    >>> plans = [Planned("a", monday, None, activity_id="1"), Planned("b", date(2026, 3, 5), None, activity_id="2")]
    >>> done = [Done("1", date(2026, 3, 4), None), Done("2", date(2026, 3, 4), None)]
    >>> shift(match_sessions(plans, done, excuses=[], today=date(2026, 3, 9)))
    Shift(mean_d=0.5, total_d=3)
    """
    days = [match.days_moved for match in matches if match.days_moved]
    return Shift(sum(days) / len(days) if days else nan, sum(map(abs, days)))
