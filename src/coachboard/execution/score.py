"""The score of a workout: how many of its work steps the recording shows, in every sport, and by which quantity.

Warm-up, recoveries and cool-down do not count; order, extra repetitions and a longer warm-up do no harm.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, permutations
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.placing import NOTHING, StepPlaces, place
from coachboard.execution.structure import FlatStep, References, Target
from coachboard.execution.work_steps import (
    FULL_SHARE,
    HALF_SHARE,
    LEVEL_MARGIN,
    ScoreBasis,
    WorkOutcome,
    WorkScore,
    WorkStep,
    is_work,
)
from coachboard.formulas.session.zones import POWER_BANDS, SPEED_BANDS, BandModel
from coachboard.wire.enums import LapIntensity, StepLabel

Floats = NDArray[np.float64]


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
QUARTERS_FROM_S = 240.0
"""A quarter of a shorter step is too short to tell too hard from noise, a hill or a quick start."""
ALONE_FROM_S = 1800.0
"""From this length on, the only work step of a workout is the session: a climb far too hard is no part of another step."""
HEART_RATE_LAG_S, HEART_RATE_TAIL_S = 120.0, 15
"""Heart rate needs about two minutes to follow an effort, and falls some seconds after its end."""
NORMALIZED_FROM_S, _NORMALIZED_WINDOW_S = 1200.0, 30
"""From this length on, normalized power counts too if it is nearer to the range: hills and lights."""
LEAST_ATTEMPT, ATTEMPT_CONTRAST = 0.75, 1.05
"""An effort without credit is shown as the step if it reaches this share of the range and is above the session's median."""
SPLIT_SHARE = 0.3
"""An effort is rather its own step than up to three shorter ones."""
NEAR_S = 900.0
"""Between places that are as good, those within this time of the planned one are preferred."""
MOST_ORDERS_OF = 4
"""With more blocks than this, the order of the plan counts: the orders grow with the factorial."""
_SECONDS_SHORT = 0.95
"""A step may be this much shorter: 20 min that end some seconds early are a whole step, and the next begins there."""
_LENGTH_SHARES = (1.0, _SECONDS_SHORT, FULL_SHARE, HALF_SHARE, HALF_SHARE / 2)
_HARD = frozenset({LapIntensity.ANAEROBIC, LapIntensity.NEUROMUSCULAR})
_EASY = frozenset({LapIntensity.RECOVERY, LapIntensity.AEROBIC})


@dataclass(frozen=True, slots=True)
class _Work:
    """A work step to be placed, with its target and tolerance."""

    step: FlatStep
    planned_s: float
    target: Target
    tolerance: Tolerance
    compared: ScoreBasis
    planned_from_s: float  # by the plan, which decides between places that are as good
    is_alone: bool = False  # the only work step, and a long one

    @property
    def low(self) -> float:
        return 0.0 if self.target.low is None else self.target.low

    @property
    def high(self) -> float:
        return inf if self.target.high is None else self.target.high


def execution_score(
    steps: Sequence[FlatStep],
    durations_s: Sequence[float],
    recording: SessionSamples,
    references: References | None = None,
) -> WorkScore | None:
    """Credits of the work steps of a workout over their number, from the samples of the session.

    Parameters
    ----------
    steps : sequence of FlatStep
        The unrolled workout.
    durations_s : sequence of float
        The planned time of each step. [s]
    recording : SessionSamples
        The samples of the session.
    references : References, optional
        The athlete's values, for steps with an intensity and no target.

    Returns
    -------
    WorkScore or None
        None if the workout has no work step, or the recording none of the quantities: totals are compared then.

    Notes
    -----
    Work steps are those of tempo or harder and repetitions by distance, else the active steps with a target: the cap of an easy
    run is its work. All are compared by one quantity: power, else speed (grade-adjusted in runs), else heart rate,
    whichever the targets name and the session has; else by the bands of their intensities; else a repetition is faster
    than the median of the session.

    Each work step takes a section of the recording of its length, or of 80 %, half or a quarter of it, so that the credits add
    up to the most. Credit 1: at least 80 % of the length and the mean within the tolerance of the range. ½: half of the
    length, or a mean within the second tolerance. 0: else. Sections of hard steps have no upper limit. A section
    of 4 min or more whose hardest quarter is above the second tolerance is too hard and has half a credit at most, and
    none begins or ends with a rest. The only work step of a workout, from 30 min on, is too hard by any quarter of its
    length in the session. Steps with different ranges and no rest between them need half of the difference of the middles,
    or the gap between the ranges if it is smaller; else the step farther from its range has no credit.
    The mean of a heart rate leaves out the time that it needs to rise. The credits and tolerances are Coachboard's.

    *Missing data*: a second without a value counts in no mean, a section with less than half of its seconds shows no
    step; pauses are no part of a section.

    *Worked example*: of 2 x 60 s at 240 to 260 W, one was held at 250 W and one at 228 W, 5 % below the range:
    (1 + ½) / 2 = 75 %.

    Examples
    --------
    >>> plan = [FlatStep(n, ((n + 1, 2),), StepLabel.ACTIVE, LapIntensity.VO2MAX, None, 60.0, None, Target(240, 260),
    ...                  None, None, None) for n in range(2)]
    >>> watts = np.repeat([100.0, 250.0, 100.0, 228.0, 100.0], 60)
    >>> score = execution_score(plan, [60.0, 60.0], SessionSamples(np.arange(300.0), power_w=watts))
    >>> score.share, [str(step.outcome) for step in score.steps], [step.from_s for step in score.steps]
    (0.75, ['done', 'too easy'], [60.0, 180.0])
    """
    chosen = _work_of(steps)
    work_s = sum(durations_s[step.index] for step in chosen)
    recording = replace(recording, planned_share=min(work_s / max(len(recording.clock_s), 1), MOST_WORK))
    compared = next(
        (each for each in _QUANTITIES if _is_comparable(chosen, recording, each, references)), None
    )
    if compared is None:
        return None
    planned_from_s = np.concatenate(([0.0], np.cumsum(durations_s)))
    work = [
        _work(
            step, durations_s[step.index], compared, references, recording, float(planned_from_s[step.index])
        )
        for step in chosen
    ]
    if len(work) == 1:
        work = [replace(each, is_alone=each.planned_s >= ALONE_FROM_S) for each in work]
    samples = {each: _Samples.of(each, recording) for each in {step.compared for step in work}}
    # A stride in a session by heart rate is compared by its speed: a level of 4 m/s is not 4 bpm.
    by_another = {each.step.index for each in work if each.compared is not compared}
    scores = _with_contrast(work, sorted(_best_order(work, samples), key=lambda score: score.index))
    return WorkScore(
        tuple(
            replace(score, target=None, level=nan) if score.index in by_another else score for score in scores
        ),
        compared,
    )


def _work(
    step: FlatStep,
    planned_s: float,
    compared: ScoreBasis,
    references: References | None,
    recording: SessionSamples,
    from_s: float,
) -> _Work:
    """A step without a target in the compared quantity has to rise above the rest of the session.

    So has a step that is too short for a heart rate to follow; without a speed or a power its time alone counts.
    """
    values = recording.values(compared)
    target = None if values is None else _target_of(step, compared, references, recording)
    followed_s = FOLLOWED_S if recording.contrast is None else HEART_RATE_LAG_S
    is_short = compared is ScoreBasis.HEART_RATE and _least_s(step, planned_s, references) < followed_s
    if target is not None and not is_short:
        return _Work(step, planned_s, target, _tolerance(step, planned_s, compared), compared, from_s)
    least = recording.contrast
    if least is None:
        return _Work(step, planned_s, Target(None, None), TOLERANCES[compared], compared, from_s)
    contrast = ScoreBasis.CONTRAST
    return _Work(step, planned_s, least, TOLERANCES[contrast], contrast, from_s)


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
    if step.intensity in _EASY or (step.intensity is None and not is_work(step)):
        below = EASY_BELOW
    if step.intensity in _HARD or step.label is StepLabel.MAXIMUM:
        above = _NO_LIMIT
    elif step.intensity is LapIntensity.VO2MAX and compared is ScoreBasis.POWER:
        above = VO2MAX_ABOVE
    return Tolerance(below, above)


def _median(values: Floats) -> float:
    moving = values[np.isfinite(values) & (values > 0)]
    return float(np.median(moving)) if len(moving) else 0.0


@dataclass(frozen=True, slots=True)
class _Samples:
    """Running sums of a quantity, so that the mean of any section needs two look-ups."""

    values: Floats
    recording: SessionSamples
    sums: Floats
    counts: Floats
    even_sums: Floats  # of the quantity that shows where efforts begin and end
    squares: Floats
    fourths: Floats
    median: float
    distance_m: Floats | None = field(default=None)  # at the start of each sample, and at the end of the last

    @classmethod
    def of(cls, compared: ScoreBasis, recording: SessionSamples) -> "_Samples":
        values = recording.values(compared)
        assert values is not None
        is_known = np.isfinite(values)
        filled = np.where(is_known, values, 0.0)
        window = np.full(_NORMALIZED_WINDOW_S, 1 / _NORMALIZED_WINDOW_S)
        rolling = np.convolve(filled, window)[: len(values)]
        distance = recording.distance_m
        # Heart rate is late: speed or power show where an effort begins and ends.
        moved = recording.speed_mps if recording.speed_mps is not None else recording.power_w
        is_late = compared is ScoreBasis.HEART_RATE
        even = filled if not is_late else np.zeros(len(values)) if moved is None else np.nan_to_num(moved)
        if distance is not None:
            distance = np.maximum.accumulate(np.nan_to_num(distance))
            distance = np.append(
                distance, 2 * distance[-1] - distance[-2:][0]
            )  # at the end of the last sample
        sums, counts, even_sums, squares, fourths = (
            np.concatenate(([0.0], np.cumsum(part))) for part in (filled, is_known, even, even**2, rolling**4)
        )
        return cls(values, recording, sums, counts, even_sums, squares, fourths, _median(values), distance)

    def mean(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
        """Mean of each section, NaN without a sample."""
        count = self.counts[ends] - self.counts[starts]
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Floats = (self.sums[ends] - self.sums[starts]) / count
        return means

    def unevenness(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
        """Standard deviation over mean of each section."""
        seconds = np.maximum(ends - starts, 1)
        mean = (self.even_sums[ends] - self.even_sums[starts]) / seconds
        variance = np.maximum((self.squares[ends] - self.squares[starts]) / seconds - mean**2, 0)
        unevenness: Floats = np.sqrt(variance) / np.maximum(mean, 1e-9)
        return unevenness

    def judged(
        self, work: _Work, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """The value of each section that is compared with the target, and its credit.

        A section whose hardest quarter was far too hard has that quarter's value, and half of a credit at most: its
        easy part must not hide it.
        """
        is_recorded = self.counts[ends] - self.counts[starts] >= LEAST_RECORDED * (ends - starts)
        levels = np.where(is_recorded, self.levels(work, starts, ends), np.nan)
        credit = _level_credit(levels, work)
        most = work.high * (1 + work.tolerance.above[1])
        if most == inf or work.planned_s < QUARTERS_FROM_S:
            return levels, credit
        hardest = self.hardest_quarter(starts, ends, parts=16)
        if work.is_alone:
            hardest = np.fmax(hardest, self.hardest_of(round(work.planned_s / 4)))
        is_far_above = hardest > most
        halved = np.minimum(credit, HALF_SHARE)
        return np.where(is_far_above, hardest, levels), np.where(is_far_above, halved, credit)

    def levels(self, work: _Work, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
        """The mean of each section; of a heart rate without the time that it needs to rise."""
        if work.compared is ScoreBasis.HEART_RATE:
            length = ends - starts
            rising = np.where(
                length >= SHORT_S[ScoreBasis.HEART_RATE],
                np.minimum(HEART_RATE_LAG_S, length / 2),
                0.6 * length,
            )
            return self.mean(
                starts + rising.astype(np.int64), np.minimum(ends + HEART_RATE_TAIL_S, len(self.values))
            )
        levels = self.mean(starts, ends)
        if work.compared is ScoreBasis.POWER and work.planned_s >= NORMALIZED_FROM_S:
            seconds = np.maximum(ends - starts, 1)
            normalized = ((self.fourths[ends] - self.fourths[starts]) / seconds) ** 0.25
            levels = np.where(_distance(normalized, work) < _distance(levels, work), normalized, levels)
        return levels

    def hardest_quarter(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64], *, parts: int = 4
    ) -> Floats:
        """The mean of the hardest quarter of each section, of those that begin at one of its equal parts."""
        quarter = parts // 4
        edges = starts + (ends - starts) * np.arange(parts + 1)[:, np.newaxis] // parts
        sums, counts = self.sums[edges], self.counts[edges]
        with np.errstate(invalid="ignore", divide="ignore"):
            quarters = (sums[quarter:] - sums[:-quarter]) / (counts[quarter:] - counts[:-quarter])
        hardest: Floats = np.fmax.reduce(quarters)
        return hardest

    def hardest_of(self, seconds: int) -> float:
        """The hardest mean over so many seconds in all of the session; minus infinity in a shorter one."""
        counts = self.counts[seconds:] - self.counts[:-seconds]
        is_recorded = counts >= LEAST_RECORDED * seconds
        sums = (self.sums[seconds:] - self.sums[:-seconds])[is_recorded]
        return float(np.max(sums / counts[is_recorded], initial=-inf))

    def has_rest(self, work: _Work, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the first or last sixteenth of a place is below the range, and far below the range or its hardest quarter."""
        edge = np.minimum(np.maximum((ends - starts) // 16, 3), np.maximum((ends - starts) // 3, 1))
        edges = np.fmin(self.mean(starts, starts + edge), self.mean(ends - edge, ends))
        hardest = np.fmax(work.low, self.hardest_quarter(starts, ends))
        rests: NDArray[np.bool_] = edges < np.fmin(work.low, LEAST_ATTEMPT * hardest)
        return rests

    def has_gap(self, work: _Work, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether an eighth of a long place is easy: two repetitions and the rest between them are above the contrast too."""
        if work.planned_s < QUARTERS_FROM_S:
            return np.zeros(len(starts), bool)
        edges = starts + (ends - starts) * np.arange(9)[:, np.newaxis] // 8
        lowest = np.fmin.reduce(self.mean(edges[:-1], edges[1:]))
        gaps: NDArray[np.bool_] = lowest < work.low
        return gaps

    def is_apart(self, work: _Work, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether a rest or a pause is near both ends of a place: a climb of 3 min is not six strides."""
        length, clock_s = len(self.values), self.recording.clock_s
        part, reach = max(round(work.planned_s / 3), 3), max(round(1.5 * work.planned_s), 15)
        is_apart = np.ones(len(starts), bool)
        for first in (starts - reach, ends):
            begins, after = np.clip(first, 0, length - 1), np.clip(first + reach, 0, length - 1)
            is_rest = (first < 0) | (first + reach > length)  # the recording begins or ends there
            is_rest |= clock_s[after] - clock_s[begins] > after - begins + part
            for offset in range(0, reach - part + 1, max(part // 2, 1)):
                from_ = np.minimum(begins + offset, length)
                is_rest |= self.mean(from_, np.minimum(from_ + part, length)) < work.low
            is_apart &= is_rest
        return is_apart


def _distance(levels: Floats, work: _Work) -> Floats:
    """How far levels are from the target range, as the logarithm of a ratio; 0 inside."""
    nearest = np.clip(levels, work.low, work.high)
    with np.errstate(invalid="ignore", divide="ignore"):
        distance: Floats = np.abs(np.log(np.maximum(levels, 1e-9) / np.maximum(nearest, 1e-9)))
    return np.where(np.isfinite(distance), distance, inf)


def _level_credit(levels: Floats, work: _Work) -> Floats:
    (below, half_below), (above, half_above) = work.tolerance.below, work.tolerance.above
    is_full = (levels >= work.low * (1 - below)) & (levels <= work.high * (1 + above))
    is_half = (levels >= work.low * (1 - half_below)) & (levels <= work.high * (1 + half_above))
    return np.where(is_full, 1.0, np.where(is_half, 0.5, 0.0))


def _whole(credit: Floats) -> Floats:
    """Half of a length that was also too easy counts nothing."""
    return np.where(credit >= HALF_SHARE, credit, 0.0)


def _sections(
    work: _Work, samples: _Samples
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Floats]]:
    """Starts and ends of the places that a step may take, with their share of the planned length."""
    length, distance = len(samples.values), samples.distance_m
    if work.step.distance_m is not None and distance is not None:
        for share in _LENGTH_SHARES:
            starts = np.arange(0, length, max(1, int(work.planned_s / 60)))
            ends = np.searchsorted(distance, distance[starts] + share * work.step.distance_m - 0.01)
            is_inside = ends <= length
            yield starts[is_inside], ends[is_inside], np.full(int(is_inside.sum()), share)
    else:
        for share in _LENGTH_SHARES:
            seconds = max(round(share * work.planned_s), 1)
            starts = np.arange(0, length - seconds + 1, max(1, seconds // 60))
            yield starts, starts + seconds, np.full(len(starts), 1.0 if work.step.is_free else share)
    if laps := [(first, after) for first, after in samples.recording.laps if after <= length]:
        starts, ends = (np.array(side, np.int64) for side in zip(*laps, strict=True))
        if work.step.distance_m is not None and distance is not None:
            shares = (distance[ends] - distance[starts]) / work.step.distance_m
        else:
            shares = (ends - starts) / work.planned_s if work.planned_s > 0 else np.ones(len(starts))
        is_like = (shares >= HALF_SHARE - 0.02) & (shares <= 1.6)
        yield starts[is_like], ends[is_like], np.where(work.step.is_free, 1.0, shares)[is_like]


@dataclass(frozen=True, slots=True)
class _Places:
    """The candidates of a step with what each would count."""

    candidates: StepPlaces
    time_credit: Floats
    level_credit: Floats
    levels: Floats


def _places(work: _Work, samples: _Samples, weight: float, others: Sequence[_Work]) -> _Places:
    parts = list(_sections(work, samples))
    starts, ends = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    shares = np.concatenate([part[2] for part in parts])
    levels, level_credit = samples.judged(work, starts, ends)
    # A share of 80 % is reached by a lap that ends half a second early.
    time_credit = np.where(shares >= FULL_SHARE - 0.01, 1.0, np.where(shares >= HALF_SHARE - 0.01, 0.5, 0.0))
    credit = _whole(time_credit * level_credit)
    distance = _distance(levels, work)
    is_attempt = (levels >= LEAST_ATTEMPT * work.low) & (levels >= ATTEMPT_CONTRAST * samples.median)
    is_attempt |= levels > work.high
    is_attempt &= work.compared is not ScoreBasis.CONTRAST
    if not is_work(work.step):
        is_attempt |= level_credit > 0  # a steady session is never above its own median
    closeness = np.exp(-8 * np.maximum(distance - LEVEL_MARGIN, 0))
    steadiness = 1 / (1 + 4 * samples.unevenness(starts, ends))
    nearness = np.exp(-np.abs(starts - work.planned_from_s) / NEAR_S)
    fit = weight * (closeness + steadiness + np.minimum(shares, 1.0) + nearness / 2)
    is_place = ((credit > 0) | is_attempt) & ~_goes_on(work, samples, starts, ends, shares, credit)
    is_place &= ~_has_easy_edge(work, samples, starts, ends)
    if work.compared is ScoreBasis.CONTRAST:
        is_place &= samples.is_apart(work, starts, ends) & ~samples.has_gap(work, starts, ends)
    is_split = np.zeros(len(starts), bool)
    is_split[is_place] = _is_of_another(work, samples, starts[is_place], ends[is_place], others)
    is_place &= ~(is_split & (shares < _SECONDS_SHORT))
    values = np.where(is_place, np.where(is_split, SPLIT_SHARE * credit, credit) + fit, 0.0)
    return _Places(StepPlaces(starts, ends, values), time_credit, level_credit, levels)


def _goes_on(
    work: _Work,
    samples: _Samples,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    shares: Floats,
    credit: Floats,
) -> NDArray[np.bool_]:
    """Whether a place is a part of a longer effort: else an effort of three lengths would count as four short ones."""
    planned = np.rint((ends - starts) / np.maximum(shares, HALF_SHARE / 2)).astype(np.int64)
    goes_on = np.zeros(len(starts), bool)
    is_short = shares < _SECONDS_SHORT
    goes_on[is_short] = _is_in_effort(
        work, samples, (starts[is_short], ends[is_short]), planned[is_short], credit[is_short]
    )
    return goes_on


def _is_of_another(
    work: _Work,
    samples: _Samples,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    others: Sequence[_Work],
) -> NDArray[np.bool_]:
    """Whether a place is a part of an effort of the length of a longer step: 3 min of a pyramid are not its 2 and 1 min."""
    is_part = np.zeros(len(starts), bool)
    full = np.ones(len(starts))
    longer_s = {
        each.planned_s
        for each in others
        if each.planned_s > work.planned_s and each.low <= work.high and work.low <= each.high
    }
    for planned_s in longer_s:
        lengths = np.full(len(starts), round(planned_s))
        is_part |= _is_in_effort(work, samples, (starts, ends), lengths, full, parts=8)
    return is_part


def _is_in_effort(
    work: _Work,
    samples: _Samples,
    places: tuple[NDArray[np.int64], NDArray[np.int64]],
    lengths: NDArray[np.int64],
    credit: Floats,
    *,
    parts: int = 1,
) -> NDArray[np.bool_]:
    """Whether a section of the given length around a place counts as much, among those at equal parts of the room for it."""
    length, (starts, ends) = len(samples.values), places
    is_in_effort = np.zeros(len(starts), bool)
    is_inside = lengths <= length
    for part in range(parts + 1):
        begins = starts - (lengths - (ends - starts)) * part // parts
        firsts = np.clip(begins, 0, np.maximum(length - lengths, 0))[is_inside]
        longer = firsts, firsts + lengths[is_inside]
        _, longer_credit = samples.judged(work, *longer)
        is_as_good = longer_credit >= np.maximum(credit[is_inside], HALF_SHARE)
        is_in_effort[is_inside] |= is_as_good & ~_has_easy_edge(work, samples, *longer)
    return is_in_effort


def _has_easy_edge(
    work: _Work, samples: _Samples, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether a place has easy riding at an end, so that a shorter place shows the work.

    The mean of 37 of 60 min in the range and 11 min of the cool-down is near the range, and so is that of 13 min far above
    it and 7 min of the warm-up. A heart rate is low at the start of each effort.
    """
    if work.compared is ScoreBasis.HEART_RATE:
        return np.zeros(len(starts), bool)
    return samples.has_rest(work, starts, ends)


def _best_order(work: Sequence[_Work], samples: Mapping[ScoreBasis, _Samples]) -> list[WorkStep]:
    """The placed steps in the order of the blocks that gives the most credit; the plan's order first."""
    weight = 0.1 / max(len(work), 2)  # all fits together are worth less than half a credit
    places = {each.step.index: _places(each, samples[each.compared], weight, work) for each in work}
    length_s = len(next(iter(samples.values())).values)
    best: list[WorkStep] = []
    for order in _orders(work):
        placed = place([places[each.step.index].candidates for each in order], length_s)
        scores = [
            _scored(each, places[each.step.index], chosen, samples[each.compared], taken)
            for each, chosen, taken in zip(
                order, placed, _whole_places(order, placed, places, samples), strict=True
            )
        ]
        if not best or sum(each.credit for each in scores) > sum(each.credit for each in best) + 1e-9:
            best = scores
        if sum(each.credit for each in best) >= len(work) - 1e-9:
            break
    return best


def _with_contrast(work: Sequence[_Work], scores: Sequence[WorkStep]) -> list[WorkStep]:
    """Neighbours with different ranges and no rest between them differ: a steady ride is within the tolerance of over and under.

    Without half of the planned difference, the step farther from its range has no credit.
    """
    judged = list(scores)
    for number, (first, second) in enumerate(pairwise(work)):
        before, after = judged[number : number + 2]
        if not (before.credit and after.credit) or second.step.index != first.step.index + 1:
            continue
        rise = after.level - before.level
        if _has_contrast(first, second, rise):
            continue
        far = [
            _distance(np.array([step.level]), each)[0] for step, each in ((before, first), (after, second))
        ]
        lost = int(far[1] > far[0] or (far[1] == far[0] and second.low > first.low))
        step, its = judged[number + lost], (first, second)[lost]
        outcome = WorkOutcome.TOO_HARD if step.level > its.high else WorkOutcome.TOO_EASY
        judged[number + lost] = replace(step, outcome=outcome, credit=0.0)
    return judged


def _has_contrast(first: _Work, second: _Work, rise: float) -> bool:
    if first.compared is not second.compared or first.compared not in {ScoreBasis.POWER, ScoreBasis.SPEED}:
        return True
    if second.high < first.low:
        first, second, rise = second, first, -rise
    gap = second.low - first.high
    middles = first.target.middle or first.high, second.target.middle or second.low
    return gap <= 0 or rise >= min(gap, (middles[1] - middles[0]) / 2)


def _whole_places(
    order: Sequence[_Work],
    placed: Sequence[int],
    places: Mapping[int, _Places],
    samples: Mapping[ScoreBasis, _Samples],
) -> list[tuple[int, int]]:
    """First sample and the sample after the last of each place; a shortened step has all that was done of it.

    Its candidates are shares of its length: 33 of 60 min read as "30:00, cut short".
    """
    spans = [
        (int(candidates.starts[chosen]), int(candidates.ends[chosen])) if chosen != NOTHING else (0, 0)
        for candidates, chosen in (
            (places[work.step.index].candidates, chosen) for work, chosen in zip(order, placed, strict=True)
        )
    ]
    before = 0
    by_time = sorted((n for n, chosen in enumerate(placed) if chosen != NOTHING), key=spans.__getitem__)
    for number in by_time:
        work = order[number]
        following = min((first for first, _ in spans if first >= spans[number][1]), default=None)
        trimmed = _trimmed(work, samples[work.compared], spans[number])
        spans[number] = _grown(work, samples[work.compared], trimmed, (before, following))
        before = spans[number][1]
    return spans


def _trimmed(work: _Work, samples: _Samples, span: tuple[int, int]) -> tuple[int, int]:
    """The span without easy time at its ends, at most half of it; a heart rate is low at the start of each effort."""
    if work.compared is ScoreBasis.HEART_RATE:
        return span
    seconds = max(1, int(work.planned_s / 60))
    edges = np.append(np.arange(*span, seconds), span[1])
    is_work_part = samples.mean(edges[:-1], edges[1:]) >= LEAST_ATTEMPT * work.low
    parts = np.flatnonzero(is_work_part)
    if 2 * len(parts) <= len(is_work_part):
        return span
    return int(edges[parts[0]]), int(edges[parts[-1] + 1])


def _grown(
    work: _Work, samples: _Samples, span: tuple[int, int], room: tuple[int, int | None]
) -> tuple[int, int]:
    """The span with the effort around it, up to the planned length, as long as its level counts as much."""
    first, after = span
    length, distance = len(samples.values), samples.distance_m
    lowest, highest = room[0], length if room[1] is None else room[1]
    credit = _level_credit_of(work, samples, span)
    chunk = max(1, int(work.planned_s / 60))

    def is_short(start: int, end: int) -> bool:
        if work.step.distance_m is not None and distance is not None:
            return bool(distance[end] - distance[start] <= work.step.distance_m)
        return end - start <= work.planned_s

    def is_of_it(start: int, end: int) -> bool:
        added = (after, end) if end > after else (start, first)
        level = samples.mean(*(np.array([edge]) for edge in added))[0]
        return (
            is_short(start, end)
            and level >= LEAST_ATTEMPT * work.low
            and _level_credit_of(work, samples, (start, end)) >= credit
        )

    while after < highest and is_of_it(first, later := min(after + chunk, highest)):
        after = later
    while first > lowest and is_of_it(earlier := max(first - chunk, lowest), after):
        first = earlier
    return first, after


def _level_credit_of(work: _Work, samples: _Samples, span: tuple[int, int]) -> float:
    starts, ends = (np.array([edge]) for edge in span)
    return float(samples.judged(work, starts, ends)[1][0])


def _orders(work: Sequence[_Work]) -> Iterator[list[_Work]]:
    blocks = [
        list(block)
        for _, block in groupby(work, lambda each: (each.target, each.step.duration_s, each.step.distance_m))
    ]
    if len(blocks) > MOST_ORDERS_OF:
        yield list(work)
        return
    for order in permutations(blocks):
        yield [each for block in order for each in block]


def _scored(work: _Work, places: _Places, chosen: int, samples: _Samples, span: tuple[int, int]) -> WorkStep:
    if chosen == NOTHING:
        return WorkStep(work.step.index, WorkOutcome.MISSED, 0.0, work.target)
    time_credit, level_credit = places.time_credit[chosen], places.level_credit[chosen]
    clock_s = samples.recording.clock_s
    first, after = span
    level = float(samples.judged(work, np.array([first]), np.array([after]))[0][0])
    return WorkStep(
        work.step.index,
        _outcome(work, float(places.levels[chosen]), float(time_credit), float(level_credit)),
        float(_whole(time_credit * level_credit)),
        work.target,
        float(clock_s[first]),
        float(clock_s[after - 1]) + 1.0,
        level,
    )


def _outcome(work: _Work, level: float, time_credit: float, level_credit: float) -> WorkOutcome:
    if level_credit < 1.0 and level_credit <= time_credit:
        return WorkOutcome.TOO_HARD if level > work.high else WorkOutcome.TOO_EASY
    return WorkOutcome.DONE if time_credit == 1.0 else WorkOutcome.CUT_SHORT
