"""The work steps of a workout as they are compared: each with its range and tolerance in a quantity of the session."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.structure import FlatStep, References, Target
from coachboard.execution.work_steps import ScoreBasis, is_work
from coachboard.formulas.session.zones import POWER_BANDS, SPEED_BANDS, BandModel
from coachboard.wire.enums import EASY_INTENSITIES, LapIntensity, StepLabel

Floats = NDArray[np.float64]

_QUANTITIES = (ScoreBasis.POWER, ScoreBasis.SPEED, ScoreBasis.HEART_RATE, ScoreBasis.CONTRAST)
LEAST_RECORDED = 0.5
"""A quantity that less than this share of the session has is not compared, and a section with less shows no step."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Shares of the nearer end of the target range: within the first full credit, within the second half a credit."""

    below: tuple[float, float]
    above: tuple[float, float]


_NO_LIMIT = (inf, inf)
EASY_BELOW = (0.15, 0.30)
"""An easy session below its range is hardly a fault: hills, traffic and heat slow it down."""
TOLERANCES = {
    ScoreBasis.POWER: Tolerance((0.03, 0.10), (0.05, 0.15)),
    ScoreBasis.SPEED: Tolerance((0.04, 0.08), (0.04, 0.12)),
    ScoreBasis.HEART_RATE: Tolerance((0.03, 0.07), (0.03, 0.08)),
    ScoreBasis.CONTRAST: Tolerance((0.0, 0.04), _NO_LIMIT),
}
"""By quantity; a choice of this project. Nobody holds a power to the watt, and a position has noise."""
VO2MAX_ABOVE = (0.10, 0.25)
SHORT_S, SHORT_BELOW = {ScoreBasis.SPEED: 60.0, ScoreBasis.HEART_RATE: 180.0}, (0.08, 0.15)
"""In a shorter step the speed of a watch and the heart rate are still rising."""
CONTRAST_RATIO, POWER_CONTRAST_RATIO = 1.2, 1.5
"""A repetition without a target is above the middle of the easy part by this ratio; power rises faster than speed."""
MOST_WORK = 0.8
"""A session that was cut short has easy time too."""
MOSTLY_EASY = 0.3
"""With a larger share of work, a repetition is also nearer to the work than to the easy part: a brisk warm-up is none."""
FOLLOWED_S = 90.0
"""Heart rate does not show a shorter step; with a speed or a power those up to its lag are compared by them."""
HEART_RATE_LAG_S = 120.0
"""Heart rate needs about two minutes to follow an effort."""
QUARTERS_FROM_S = 240.0
"""A quarter of a shorter step is too short to tell too hard from noise, a hill or a quick start."""
ALONE_FROM_S = 1800.0
"""From this length on, the only work step of a workout is the session: a climb far too hard is no part of another step."""
_HARD = frozenset({LapIntensity.ANAEROBIC, LapIntensity.NEUROMUSCULAR})


@dataclass(frozen=True, slots=True)
class SessionSamples:
    """A session, one sample a second without the pauses of the device; NaN where missing, None where not recorded.

    `speed_mps` of a run is grade-adjusted, because a planned pace is one on the flat. `laps` are sections that the
    athlete or the service has set, as first sample and the sample after the last; no automatic laps.
    """

    clock_s: Floats  # seconds since the start, pauses included
    power_w: Floats | None = None
    speed_mps: Floats | None = None
    heart_rate_bpm: Floats | None = None
    distance_m: Floats | None = None
    laps: tuple[tuple[int, int], ...] = ()
    planned_share: float = 0.0  # of the work steps in the time of the session

    def values(self, compared: ScoreBasis) -> Floats | None:
        """The samples of a quantity, None if less than half of the session has it."""
        values = {
            ScoreBasis.POWER: self.power_w,
            ScoreBasis.SPEED: self.speed_mps,
            ScoreBasis.HEART_RATE: self.heart_rate_bpm,
            ScoreBasis.CONTRAST: self.speed_mps if self.speed_mps is not None else self.power_w,
        }[compared]
        is_recorded = values is not None and len(values) > 0 and np.isfinite(values).mean() >= LEAST_RECORDED
        return values if is_recorded else None

    @property
    def contrast(self) -> Target | None:
        """The least speed of a repetition without a target, or its least power in a session without a speed."""
        values = self.values(ScoreBasis.CONTRAST)
        if values is None:
            return None
        ratio = POWER_CONTRAST_RATIO if self.speed_mps is None else CONTRAST_RATIO
        moving = values[np.isfinite(values) & (values > 0)]
        if not len(moving):
            return Target(0.0, None)
        # The median of all is the work itself where the work is half of the session.
        easy, work = np.quantile(moving, [(1 - self.planned_share) / 2, 1 - self.planned_share / 2])
        least = max(ratio * easy, easy**0.4 * work**0.6) if self.planned_share > MOSTLY_EASY else ratio * easy
        return Target(float(least), None)


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """A work step with its target and tolerance."""

    step: FlatStep
    planned_s: float
    target: Target
    tolerance: Tolerance
    compared: ScoreBasis
    planned_from_s: float  # by the plan, which decides between places that are as good
    is_alone: bool = False  # the only work step, and a long one

    @property
    def low(self) -> float:
        """The least of the range; 0 without one."""
        return 0.0 if self.target.low is None else self.target.low

    @property
    def high(self) -> float:
        """The most of the range; infinite without one."""
        return inf if self.target.high is None else self.target.high

    def distance(self, levels: Floats) -> Floats:
        """How far levels are from the target range, as the logarithm of a ratio; 0 inside."""
        nearest = np.clip(levels, self.low, self.high)
        with np.errstate(invalid="ignore", divide="ignore"):
            distance: Floats = np.abs(np.log(np.maximum(levels, 1e-9) / np.maximum(nearest, 1e-9)))
        return np.where(np.isfinite(distance), distance, inf)

    def credit(self, levels: Floats) -> Floats:
        """1 within the first tolerance of the target range, ½ within the second, else 0."""
        (below, half_below), (above, half_above) = self.tolerance.below, self.tolerance.above
        is_full = (levels >= self.low * (1 - below)) & (levels <= self.high * (1 + above))
        is_half = (levels >= self.low * (1 - half_below)) & (levels <= self.high * (1 + half_above))
        return np.where(is_full, 1.0, np.where(is_half, 0.5, 0.0))


def compared_steps(
    steps: Sequence[FlatStep],
    durations_s: Sequence[float],
    recording: SessionSamples,
    references: References | None,
) -> tuple[ScoreBasis | None, list[ComparedStep]]:
    """The quantity in which most work steps have a target, and the work steps; None and no step without such a quantity.

    A step without a target in that quantity is compared by the contrast to the rest of the session.
    """
    chosen = _work_of(steps)
    work_s = sum(durations_s[step.index] for step in chosen)
    recording = replace(recording, planned_share=min(work_s / max(len(recording.clock_s), 1), MOST_WORK))
    compared = next(
        (each for each in _QUANTITIES if _is_comparable(chosen, recording, each, references)), None
    )
    if compared is None:
        return None, []
    planned_from_s = np.concatenate(([0.0], np.cumsum(durations_s)))
    work = [
        _compared(
            step, durations_s[step.index], compared, references, recording, float(planned_from_s[step.index])
        )
        for step in chosen
    ]
    if len(work) == 1:
        work = [replace(each, is_alone=each.planned_s >= ALONE_FROM_S) for each in work]
    return compared, work


def _compared(
    step: FlatStep,
    planned_s: float,
    compared: ScoreBasis,
    references: References | None,
    recording: SessionSamples,
    from_s: float,
) -> ComparedStep:
    """A step without a target in the compared quantity has to rise above the rest of the session.

    So has a step that is too short for a heart rate to follow; without a speed or a power its time alone counts.
    """
    values = recording.values(compared)
    target = None if values is None else _target_of(step, compared, references, recording)
    followed_s = FOLLOWED_S if recording.contrast is None else HEART_RATE_LAG_S
    is_short = compared is ScoreBasis.HEART_RATE and _least_s(step, planned_s, references) < followed_s
    if target is not None and not is_short:
        return ComparedStep(step, planned_s, target, _tolerance(step, planned_s, compared), compared, from_s)
    least = recording.contrast
    if least is None:
        return ComparedStep(step, planned_s, Target(None, None), TOLERANCES[compared], compared, from_s)
    contrast = ScoreBasis.CONTRAST
    return ComparedStep(step, planned_s, least, TOLERANCES[contrast], contrast, from_s)


def _least_s(step: FlatStep, planned_s: float, references: References | None) -> float:
    """The planned time; of a distance without a pace at most that at critical speed, because its mean speed has the rests."""
    critical_mps = references.critical_speed_mps if references else None
    if step.distance_m is None or step.speed_mps or not critical_mps:
        return planned_s
    return min(planned_s, step.distance_m / critical_mps)


def _work_of(steps: Sequence[FlatStep]) -> list[FlatStep]:
    """The steps that count: the hard ones, else the active ones with a target or an intensity."""
    hard = [step for step in steps if is_work(step)]
    return hard or [
        step
        for step in steps
        if step.label in {StepLabel.ACTIVE, StepLabel.MAXIMUM}
        and (step.power_w or step.speed_mps or step.heart_rate_bpm or step.intensity)
    ]


def _is_comparable(
    work: Sequence[FlatStep], recording: SessionSamples, compared: ScoreBasis, references: References | None
) -> bool:
    """Whether the session has the quantity and most work steps have a target in it."""
    values = recording.values(compared)
    if values is None or not work:
        return False
    aimed = [step for step in work if _target_of(step, compared, references, recording) is not None]
    return 2 * len(aimed) > len(work)


def _target_of(
    step: FlatStep, compared: ScoreBasis, references: References | None, recording: SessionSamples
) -> Target | None:
    thresholds = references or References()
    if compared is ScoreBasis.POWER:
        return step.power_w or _band(step, POWER_BANDS, thresholds.critical_power_w)
    if compared is ScoreBasis.SPEED:
        return step.speed_mps or _band(step, SPEED_BANDS, thresholds.critical_speed_mps)
    if compared is ScoreBasis.HEART_RATE:
        return step.heart_rate_bpm
    is_repetition = bool(step.repeats) or step.label is StepLabel.MAXIMUM or step.intensity in _HARD
    return recording.contrast if is_repetition else None


def _band(step: FlatStep, model: BandModel, reference: float | None) -> Target | None:
    """The range of the step's intensity, if no target of any quantity says it better."""
    has_other = step.power_w or step.speed_mps or step.heart_rate_bpm
    band = next((band for band in model.bands if band.name == step.intensity), None)
    if has_other or band is None or not reference:
        return None
    high = None if band.high == inf else band.high / 100 * reference
    return Target(band.low / 100 * reference or None, high)


def _tolerance(step: FlatStep, planned_s: float, compared: ScoreBasis) -> Tolerance:
    usual = TOLERANCES[compared]
    below, above = usual.below, usual.above
    if planned_s < SHORT_S.get(compared, 0.0):
        below = SHORT_BELOW
    if step.intensity in EASY_INTENSITIES or (step.intensity is None and not is_work(step)):
        below = EASY_BELOW
    if step.intensity in _HARD or step.label is StepLabel.MAXIMUM:
        above = _NO_LIMIT
    elif step.intensity is LapIntensity.VO2MAX and compared is ScoreBasis.POWER:
        above = VO2MAX_ABOVE
    return Tolerance(below, above)
