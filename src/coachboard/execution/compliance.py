"""Compliance of a session with its plan: one measure, one ratio, one of four states."""

from dataclasses import dataclass
from enum import StrEnum
from math import isnan, nan
from typing import Protocol

from coachboard.execution.work_steps import FULL_SHARE, HALF_SHARE, WorkScore

ON_TARGET_RATIO = (FULL_SHARE, 1.2)
OFF_RATIO = (HALF_SHARE, 1.5)
"""Done over planned; within 20 % is on target, 50 to 80 and 120 to 150 % is off, beyond is far off.

The thresholds that TrainingPeaks publishes ("What do the compliance colors mean").
"""

WORK_DONE_SHARE = 0.9
"""Credits over work steps from which a session is on target: 4 of 5 repetitions are no tick, 9 of 10 are. Coachboard's own."""


class ComplianceState(StrEnum):
    """The compliance state of a plan whose day has come."""

    ON_TARGET = "on target"
    OFF = "off"
    FAR_OFF = "far off"
    MISSED = "missed"
    OPEN = "duration only"  # the samples of the session are not loaded yet


class Measure(StrEnum):
    """The compared measure, in order of preference."""

    DURATION = "duration"
    DISTANCE = "distance"
    LOAD = "load"  # volume
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
    """Done over planned, by one measure; `work` if the work steps were scored."""

    state: ComplianceState | None
    measure: Measure | None = None
    ratio: float = nan
    work: WorkScore | None = None

    @property
    def share(self) -> float:
        """The score, at most 1: more than planned is said beside it. NaN without a comparison."""
        return min(self.ratio, 1.0)

    @property
    def compared(self) -> str:
        """`work steps by power`, or the compared total such as `duration`; empty without a comparison."""
        by = f" by {self.work.compared}" if self.work else ""
        return f"{self.measure}{by}" if self.measure else ""


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


def by_work_steps(score: WorkScore) -> Compliance:
    """Compliance of a session whose work steps were scored.

    Parameters
    ----------
    score : WorkScore
        The work steps with their credits.

    Returns
    -------
    Compliance
        On target from 90 % of the credits, off from 50 %, else far off; never above 100 %.

    Notes
    -----
    Credits over work steps, whatever the session took in time: a longer warm-up and extra repetitions do no harm, and a
    ride of the planned time without its repetitions is not as planned.

    *Missing data*: a session without samples, or a workout without work steps, is compared by its totals.

    *Worked example*: 5 x 4 min with one repetition missed: 4 / 5 = 80 %, off.

    Examples
    --------
    >>> from coachboard.execution.work_steps import ScoreBasis, WorkOutcome, WorkStep
    >>> steps = tuple(WorkStep(n, WorkOutcome.DONE, float(n < 4)) for n in range(5))
    >>> found = by_work_steps(WorkScore(steps, ScoreBasis.POWER))
    >>> str(found.state), found.ratio
    ('off', 0.8)
    """
    return Compliance(work_state(score.share), Measure.WORK_STEPS, score.share, score)


def work_state(share: float) -> ComplianceState:
    """Compliance state of credits over work steps, of a session or of a set of its repetitions."""
    if share >= WORK_DONE_SHARE:
        return ComplianceState.ON_TARGET
    return ComplianceState.OFF if share >= HALF_SHARE else ComplianceState.FAR_OFF
