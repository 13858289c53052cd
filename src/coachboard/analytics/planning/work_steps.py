"""Score the work steps of a workout by the laps of its session; warm-up, recoveries and cool-down do not count."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, isnan, nan

import numpy as np
from numpy.typing import ArrayLike

from coachboard.analytics.planning.alignment import Alignment, StepMatch, align
from coachboard.analytics.planning.alignment_costs import LEVEL_PCT, Piece
from coachboard.analytics.planning.structure import FlatStep, Target
from coachboard.models.enums import LapIntensity, StepLabel

NOT_WORK = frozenset({StepLabel.WARM_UP, StepLabel.COOL_DOWN, StepLabel.REST, StepLabel.INTRA_RECOVERY})
_EASY = frozenset({LapIntensity.RECOVERY, LapIntensity.AEROBIC})
LEVEL_MARGIN = 0.03
"""Tolerance of the target range at both ends: nobody holds a power to the watt."""
HALF_MARGIN = 0.10
"""A repetition below its range by more than `LEVEL_MARGIN` and up to this share counts half."""
FULL_SHARE, HALF_SHARE = 0.8, 0.5
"""A repetition counts from 80 % of its planned time, half from 50 %; the limits of compliance."""


class WorkOutcome(StrEnum):
    """The outcome of a work step."""

    DONE = "done"
    TOO_HARD = "too hard"
    TOO_EASY = "too easy"
    CUT_SHORT = "cut short"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class LapEffort:
    """A recorded section: its time, mean power [W] and intensity; NaN and None if unknown."""

    duration_s: float
    level: float = nan
    intensity: LapIntensity | None = None


@dataclass(frozen=True, slots=True)
class WorkStep:
    """A work step with its outcome; `credit` is 1, a half or 0."""

    index: int  # of the step in the workout
    outcome: WorkOutcome
    credit: float


@dataclass(frozen=True, slots=True)
class WorkScore:
    """The work steps in order, and the match of all steps with the sections."""

    steps: tuple[WorkStep, ...]
    alignment: Alignment

    @property
    def done(self) -> float:
        """The sum of the credits."""
        return sum(step.credit for step in self.steps)

    @property
    def share(self) -> float:
        """Credits over work steps."""
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
    return is_set or (step.intensity is not None and step.intensity not in _EASY)


def work_score(
    steps: Sequence[FlatStep],
    durations_s: Sequence[float],
    sections: Sequence[LapEffort],
) -> WorkScore | None:
    """Work steps done over work steps planned; warm-up, recoveries and cool-down do not count.

    Parameters
    ----------
    steps : sequence of FlatStep
        The unrolled workout.
    durations_s : sequence of float
        The planned time of each step. [s]
    sections : sequence of LapEffort
        The classified laps of the session in order.

    Returns
    -------
    WorkScore or None
        None for a workout without work steps, and for a session with fewer than two laps.

    Notes
    -----
    Share = credits / work steps. A work step is tempo or harder, and no warm-up, recovery or cool-down. Each is matched
    with laps by intensity and duration. Credit 1: at least 80 % of the planned time, and mean power within
    the target range ± 3 %. Credit ½: 50 to 80 % of the time, or 3 to 10 % below the range, or more than 3 % above it
    (too hard). Credit 0: shorter, easier or missing. Without a power target or a power meter the lap's intensity must
    be the step's. The credits are Coachboard's.

    *Missing data*: sessions without classified laps (runs, skiing, strength) have no work score; their verdict is by
    duration.

    *Worked example*: of 5 x 4 min at 243–261 W, four were held at 250 W and one at 228 W, 6 % below the range:
    (4 + ½) / 5 = 0.9 = 90 %.

    Examples
    --------
    >>> from coachboard.analytics.planning.structure import Target
    >>> hard = Target(243, 261)
    >>> plan = [FlatStep(n, ((n + 1, 5),), StepLabel.ACTIVE, LapIntensity.VO2MAX, None, 240.0, None, hard, None, None,
    ...                  None) for n in range(5)]
    >>> held = [LapEffort(240, watts, LapIntensity.VO2MAX) for watts in (250, 250, 228, 250, 250)]
    >>> found = work_score(plan, [240.0] * 5, held)
    >>> found.share, [str(step.outcome) for step in found.steps if step.credit < 1]
    (0.9, ['too easy'])
    """
    if len(sections) < 2 or not any(is_work(step) for step in steps):
        return None
    targets = [step.power_w for step in steps]
    reference = _reference(steps, targets, durations_s)
    planned = [
        _planned(step, target, seconds, reference)
        for step, target, seconds in zip(steps, targets, durations_s, strict=True)
    ]
    alignment = align(planned, [_done(section, reference) for section in sections])
    judged = [
        _judged(
            steps[at],
            targets[at],
            _ratio(match, durations_s, sections),
            [sections[n] for n in match.stretches],
        )
        for match in alignment.matches
        for at in match.steps
        if is_work(steps[at])
    ]
    return WorkScore(tuple(judged), alignment)


def load_ratio(
    steps: Sequence[FlatStep], durations_s: Sequence[float], *, power_w: float, duration_s: float
) -> float:
    """Load done over load planned, both as time x (normalized power)².

    Parameters
    ----------
    steps, durations_s : sequences of the same length
        The unrolled workout with the planned time of each step. [s]
    power_w, duration_s : float
        Normalized power and time of the session, NaN if unknown. [W, s]

    Returns
    -------
    float
        NaN if a step other than a rest has no power target.

    Notes
    -----
    Normalized power of the plan: the fourth root of the time-weighted mean of the fourth powers of the middles of the
    targets; a rest without a target counts 0 W. The ratio needs no critical power, which cancels out.

    Examples
    --------
    >>> step = FlatStep(0, (), StepLabel.ACTIVE, None, None, 3600.0, None, Target(190, 210), None, None, None)
    >>> load_ratio([step], [3600.0], power_w=200, duration_s=3240)
    0.9
    """
    watts = [_planned_w(step) for step in steps]
    total_s = sum(durations_s)
    fourth = sum(seconds * watt**4 for watt, seconds in zip(watts, durations_s, strict=True))
    planned = (fourth * total_s) ** 0.5
    return duration_s * power_w**2 / planned if planned > 0 else nan


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


def _planned_w(step: FlatStep) -> float:
    if step.power_w and step.power_w.middle is not None:
        return step.power_w.middle
    return 0.0 if step.label is StepLabel.REST else nan


def _reference(
    steps: Sequence[FlatStep], targets: Sequence[Target | None], durations_s: Sequence[float]
) -> float:
    """Critical power as the plan implies it: its targets over the percentages of its intensities.

    The lists of the roster have no critical power, and a verdict that used it would differ from page to page.
    """
    known = [
        (seconds, target.middle / LEVEL_PCT[step.intensity] * 100)
        for step, target, seconds in zip(steps, targets, durations_s, strict=True)
        if target and target.middle and step.intensity
    ]
    total_s = sum(seconds for seconds, _ in known)
    return sum(seconds * level for seconds, level in known) / total_s if total_s > 0 else nan


def _planned(step: FlatStep, target: Target | None, duration_s: float, reference: float) -> Piece:
    if target is None or target.middle is None or isnan(reference):
        level = LEVEL_PCT[step.intensity] if step.intensity else nan
        return Piece(level, duration_s, is_open=step.is_free)
    low, high = (None if end is None else end / reference * 100 for end in (target.low, target.high))
    return Piece(target.middle / reference * 100, duration_s, low, high, is_open=step.is_free)


def _done(section: LapEffort, reference: float) -> Piece:
    level = section.level / reference * 100
    if isnan(level) and section.intensity:
        level = LEVEL_PCT[section.intensity]
    return Piece(level, section.duration_s)


def _ratio(match: StepMatch, durations_s: Sequence[float], sections: Sequence[LapEffort]) -> float:
    """Done over planned time; several steps in one section share it in proportion to their planned times."""
    planned_s = sum(durations_s[at] for at in match.steps)
    return sum(sections[at].duration_s for at in match.stretches) / planned_s if planned_s > 0 else 1.0


def _judged(step: FlatStep, target: Target | None, ratio: float, sections: Sequence[LapEffort]) -> WorkStep:
    if not sections:
        return WorkStep(step.index, WorkOutcome.MISSED, 0.0)
    outcome, credit = min(by_time(ratio, step), _by_level(step, target, sections), key=lambda one: one[1])
    return WorkStep(step.index, outcome, credit)


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


def _by_level(
    step: FlatStep, target: Target | None, sections: Sequence[LapEffort]
) -> tuple[WorkOutcome, float]:
    level = _mean_level(sections)
    if target is None or isnan(level):
        return _by_intensity(step, sections)
    low = -inf if target.low is None else target.low
    high = inf if target.high is None else target.high
    if level > high * (1 + LEVEL_MARGIN):
        return WorkOutcome.TOO_HARD, 0.5
    if level >= low * (1 - LEVEL_MARGIN):
        return WorkOutcome.DONE, 1.0
    return WorkOutcome.TOO_EASY, 0.5 if level >= low * (1 - HALF_MARGIN) else 0.0


def _mean_level(sections: Sequence[LapEffort]) -> float:
    total_s = sum(section.duration_s for section in sections)
    return sum(section.level * section.duration_s for section in sections) / total_s if total_s > 0 else nan


_RANK = {intensity: rank for rank, intensity in enumerate(LEVEL_PCT)}


def _by_intensity(step: FlatStep, sections: Sequence[LapEffort]) -> tuple[WorkOutcome, float]:
    longest = max(sections, key=lambda section: section.duration_s)
    if step.intensity is None or longest.intensity is None:
        return WorkOutcome.DONE, 1.0
    above = _RANK[longest.intensity] - _RANK[step.intensity]
    if above == 0:
        return WorkOutcome.DONE, 1.0
    return (WorkOutcome.TOO_HARD, 0.5) if above > 0 else (WorkOutcome.TOO_EASY, 0.5 if above == -1 else 0.0)
