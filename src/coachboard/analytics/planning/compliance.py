"""Compliance of a session with its plan: one measure, one ratio, one of four states."""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, nan
from typing import Protocol

from coachboard.analytics.planning.work_steps import FULL_SHARE, HALF_SHARE, WorkScore

ON_TARGET_RATIO = (FULL_SHARE, 1.2)
OFF_RATIO = (HALF_SHARE, 1.5)
"""Done over planned; within 20 % is on target, 50 to 80 and 120 to 150 % is off, beyond is far off.

The thresholds that TrainingPeaks publishes ("What do the compliance colors mean").
"""


class ComplianceState(StrEnum):
    """The compliance state of a plan whose day has come."""

    ON_TARGET = "on target"
    OFF = "off"
    FAR_OFF = "far off"
    MISSED = "missed"


class Measure(StrEnum):
    """The compared measure, in order of preference."""

    DURATION = "duration"
    DISTANCE = "distance"
    LOAD = "load"  # volume; of a workout's steps and its session time x power²
    WORK = "work"  # a prescription has no volume; work is the closest measure
    WORK_STEPS = "work steps"


class Amounts(Protocol):
    """The measures of a plan or a session; NaN if unknown."""

    @property
    def duration_s(self) -> float: ...  # noqa: D102

    @property
    def distance_m(self) -> float: ...  # noqa: D102

    @property
    def volume(self) -> float: ...  # noqa: D102

    @property
    def work_kj(self) -> float: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Compliance:
    """Done over planned, by one measure; `work` if the session's laps show its work steps."""

    state: ComplianceState | None
    measure: Measure | None = None
    ratio: float = nan
    work: WorkScore | None = None


NOT_COMPARABLE = Compliance(None)
"""Done, but plan and session have no common measure."""
MISSED = Compliance(ComplianceState.MISSED, None, 0.0)


def state_of(ratio: float) -> ComplianceState | None:
    """Compliance state of a ratio.

    Parameters
    ----------
    ratio : float
        Done over planned, 0 or more.

    Returns
    -------
    ComplianceState or None
        None for NaN. The limits themselves belong to the nearer state.

    Examples
    --------
    >>> [str(state_of(ratio)) for ratio in (0.8, 1.3, 1.6)]
    ['on target', 'off', 'far off']
    """
    if isnan(ratio):
        return None
    if ratio < 0:
        raise ValueError(f"ratio must not be negative, got {ratio}")
    if ON_TARGET_RATIO[0] <= ratio <= ON_TARGET_RATIO[1]:
        return ComplianceState.ON_TARGET
    return ComplianceState.OFF if OFF_RATIO[0] <= ratio <= OFF_RATIO[1] else ComplianceState.FAR_OFF


def compliance(planned: Amounts, done: Amounts) -> Compliance:
    """Done ÷ planned: by duration, else distance, else load, else work.

    Parameters
    ----------
    planned, done : Amounts
        `duration_s` [s], `distance_m` [m], `volume` [score] and `work_kj` [kJ], NaN where missing.

    Returns
    -------
    Compliance
        `NOT_COMPARABLE` without a common measure; a planned 0 cannot be compared.

    Notes
    -----
    The first measure that plan and session both have.

    *Missing data*: a measure that either lacks; without a common one there is no percentage.

    *Worked example*: 60 min planned and 75 min done: 75 / 60 = 1.25 by duration, off.

    Examples
    --------
    >>> from types import SimpleNamespace as S
    >>> plan = S(duration_s=3600, distance_m=nan, volume=nan, work_kj=nan)
    >>> found = compliance(plan, S(duration_s=4500, distance_m=0, volume=80, work_kj=nan))
    >>> str(found.state), str(found.measure), found.ratio
    ('off', 'duration', 1.25)
    """
    pairs = (
        (Measure.DURATION, planned.duration_s, done.duration_s),
        (Measure.DISTANCE, planned.distance_m, done.distance_m),
        (Measure.LOAD, planned.volume, done.volume),
        (Measure.WORK, planned.work_kj, done.work_kj),
    )
    for measure, target, reached in pairs:
        if target > 0 and not isnan(reached):
            return Compliance(state_of(reached / target), measure, reached / target)
    return NOT_COMPARABLE


def verdict(totals: Compliance, work: WorkScore, load_ratio: float) -> Compliance:
    """The one verdict of a session with work steps: their score, unless time or load says more.

    Parameters
    ----------
    totals : Compliance
        Of the whole session, by duration, else distance.
    work : WorkScore
        The score of the work steps.
    load_ratio : float
        Done over planned load, NaN if unknown.

    Returns
    -------
    Compliance
        State, measure and percentage that every page shows.

    Notes
    -----
    In this order. Fewer than half of the work steps, but time and load within 20 % of the plan: by load, because a
    group ride that replaces the intervals is training as planned. Duration below 50 or above 150 %, and the work
    steps better than that: by duration. Otherwise by the work steps. The limits are those of the compliance states; the
    order is Coachboard's.

    *Missing data*: a session without laps or a workout without work steps is judged by its totals alone.

    *Worked example*: 5 x 4 min with one repetition missed: 4 / 5 = 80 %, on target. The same plan ridden as a group
    ride of 98 % of the time and 104 % of the load: 104 % by load.

    Examples
    --------
    >>> from coachboard.analytics.planning.alignment import Alignment
    >>> from coachboard.analytics.planning.work_steps import WorkOutcome, WorkStep
    >>> missed = WorkScore((WorkStep(1, WorkOutcome.MISSED, 0.0),), Alignment((), 0.0))
    >>> ride = verdict(Compliance(ComplianceState.ON_TARGET, Measure.DURATION, 0.98), missed, 1.04)
    >>> str(ride.state), str(ride.measure), ride.ratio
    ('on target', 'load', 1.04)
    """
    by_work = Compliance(state_of(work.share), Measure.WORK_STEPS, work.share, work)
    on_target = ComplianceState.ON_TARGET
    if work.share < OFF_RATIO[0] and totals.state is on_target and state_of(load_ratio) is on_target:
        return Compliance(on_target, Measure.LOAD, load_ratio, work)
    if totals.state is ComplianceState.FAR_OFF and by_work.state is not ComplianceState.FAR_OFF:
        return replace(totals, work=work)
    return by_work
