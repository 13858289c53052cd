"""Work steps of a workout: which steps count, and how much was done of each."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from coachboard.execution.alignment import Alignment
from coachboard.execution.structure import FlatStep, Target
from coachboard.wire.enums import EASY_INTENSITIES, StepLabel

NOT_WORK = frozenset({StepLabel.WARM_UP, StepLabel.COOL_DOWN, StepLabel.REST, StepLabel.INTRA_RECOVERY})
LEVEL_MARGIN = 0.03
"""Tolerance of the target range at both ends: nobody holds a power to the watt."""
FULL_SHARE, HALF_SHARE = 0.8, 0.5
"""A repetition counts from 80 % of its planned time, half from 50 %; the limits of compliance."""


class WorkOutcome(StrEnum):
    """The outcome of a work step."""

    DONE = "done"
    TOO_HARD = "too hard"
    TOO_EASY = "too easy"
    CUT_SHORT = "cut short"
    MISSED = "missed"


class ScoreBasis(StrEnum):
    """The quantity by which work steps are judged, in order of preference."""

    POWER = "power"
    SPEED = "speed"
    HEART_RATE = "heart rate"
    CONTRAST = "speed above the rest of the session"
    LENGTHS = "pool lengths"


@dataclass(frozen=True, slots=True)
class WorkStep:
    """A work step: its outcome, its credit of 1, ½ or 0, and its place in the recording; NaN without a place."""

    index: int  # of the step in the workout
    outcome: WorkOutcome
    credit: float
    target: Target | None = None
    from_s: float = nan
    to_s: float = nan
    level: float = nan  # mean over the step, in the unit of the target


@dataclass(frozen=True, slots=True)
class WorkScore:
    """The work steps in order, and the quantity that was compared; of a swim, the match of all steps with its lengths."""

    steps: tuple[WorkStep, ...]
    compared: ScoreBasis
    alignment: Alignment | None = None

    @property
    def done(self) -> float:
        """The sum of the credits."""
        return sum(step.credit for step in self.steps)

    @property
    def share(self) -> float:
        """Credits over work steps, 0 to 1."""
        return self.done / len(self.steps)

    @property
    def counts(self) -> Counter[WorkOutcome]:
        """How many work steps had each outcome."""
        return Counter(step.outcome for step in self.steps)


def is_work(step: FlatStep) -> bool:
    """Whether a step counts.

    Parameters
    ----------
    step : FlatStep
        A step of an unrolled workout.

    Returns
    -------
    bool
        True for tempo or harder, and for a repeated step by distance or without an intensity (a set of 12 x 100 m).
        Never for a warm-up, a cool-down, a rest or a recovery.
    """
    if step.label in NOT_WORK:
        return False
    is_set = bool(step.repeats) and (step.intensity is None or step.distance_m is not None)
    return is_set or (step.intensity is not None and step.intensity not in EASY_INTENSITIES)


def level_load(durations_s: ArrayLike, levels_pct: ArrayLike) -> float:
    """Load of sections by one formula for plan and recording, because a workout has no load of its own.

    Parameters
    ----------
    durations_s, levels_pct : array_like
        Time and level of each section, in percent of critical power or critical speed, shape (n,). [s, %]

    Returns
    -------
    float
        [score]

    Notes
    -----
    Sum of hours times the square of the level, times 100. Planned: the middle of each target. Done: 30 s means of the
    recording.

    *Missing data*: a planned step without a target counts as aerobic, a rest as recovery; a missing second counts as 0.

    *Worked example*: 1 h at 80 % and 30 min at 100 %: (1 x 0.8² + 0.5 x 1²) x 100 = 114.0.

    Examples
    --------
    >>> level_load([3600, 1800], [80, 100])
    114.0
    """
    seconds, levels = np.asarray(durations_s, np.float64), np.asarray(levels_pct, np.float64)
    return float((seconds * (levels / 100) ** 2).sum() / 36)


def by_time(ratio: float, step: FlatStep) -> tuple[WorkOutcome, float]:
    """Outcome and credit of a step by how much of it was done.

    Parameters
    ----------
    ratio : float
        Done over planned, of time or distance.
    step : FlatStep
        The athlete decides when an open-ended step is done.

    Returns
    -------
    WorkOutcome, float
        1 from `FULL_SHARE`, ½ from `HALF_SHARE`, else 0.
    """
    if step.is_free or ratio >= FULL_SHARE:
        return WorkOutcome.DONE, 1.0
    return (WorkOutcome.CUT_SHORT, 0.5) if ratio >= HALF_SHARE else (WorkOutcome.CUT_SHORT, 0.0)
