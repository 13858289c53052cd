"""Sections of a recording that a work step may take, and the credit of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.compared_steps import (
    HEART_RATE_LAG_S,
    LEAST_RECORDED,
    QUARTERS_FROM_S,
    SHORT_S,
    ComparedStep,
    SessionSamples,
)
from coachboard.execution.work_steps import FULL_SHARE, HALF_SHARE, LEVEL_MARGIN, ScoreBasis, is_work

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NORMALIZED_FROM_S, _NORMALIZED_WINDOW_S = 1200.0, 30
"""From this length on, normalized power counts too if it is nearer to the range: hills and lights."""
LEAST_ATTEMPT, ATTEMPT_CONTRAST = 0.75, 1.05
"""An effort without credit is shown as the step if it reaches this share of the range and is above the session's median."""
SPLIT_SHARE = 0.3
"""An effort is rather its own step than up to three shorter ones."""
NEAR_S = 900.0
"""Between places that are as good, those within this time of the planned one are preferred."""
_SECONDS_SHORT = 0.95
"""A step may be this much shorter: 20 min that end some seconds early are a whole step, and the next begins there."""
_LENGTH_SHARES = (1.0, _SECONDS_SHORT, FULL_SHARE, HALF_SHARE, HALF_SHARE / 2)
_HEART_RATE_TAIL_S = 15
"""Heart rate falls some seconds after the end of an effort."""


def _median(values: Floats) -> float:
    moving = values[np.isfinite(values) & (values > 0)]
    return float(np.median(moving)) if len(moving) else 0.0


@dataclass(frozen=True, slots=True)
class SampleSums:
    """Running sums of a quantity, so that the mean of any section needs two look-ups."""

    values: Floats
    recording: SessionSamples
    sums: Floats
    counts: Floats
    even_sums: Floats  # of the quantity that shows where efforts begin and end
    squares: Floats
    fourths: Floats
    median: float
    distance_m: Floats | None  # at the start of each sample, and at the end of the last

    @classmethod
    def of(cls, compared: ScoreBasis, recording: SessionSamples) -> "SampleSums":
        """The sums of a quantity that the session has."""
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

    def mean(self, starts: Ints, ends: Ints) -> Floats:
        """Mean of each section, NaN without a sample."""
        count = self.counts[ends] - self.counts[starts]
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Floats = (self.sums[ends] - self.sums[starts]) / count
        return means

    def unevenness(self, starts: Ints, ends: Ints) -> Floats:
        """Standard deviation over mean of each section."""
        seconds = np.maximum(ends - starts, 1)
        mean = (self.even_sums[ends] - self.even_sums[starts]) / seconds
        variance = np.maximum((self.squares[ends] - self.squares[starts]) / seconds - mean**2, 0)
        unevenness: Floats = np.sqrt(variance) / np.maximum(mean, 1e-9)
        return unevenness

    def judged(self, work: ComparedStep, starts: Ints, ends: Ints) -> tuple[Floats, Floats]:
        """The value of each section that is compared with the target, and its credit.

        A section whose hardest quarter was far too hard has that quarter's value, and half of a credit at most: its
        easy part must not hide it.
        """
        is_recorded = self.counts[ends] - self.counts[starts] >= LEAST_RECORDED * (ends - starts)
        levels = np.where(is_recorded, self.levels(work, starts, ends), np.nan)
        credit = work.credit(levels)
        most = work.high * (1 + work.tolerance.above[1])
        if most == inf or work.planned_s < QUARTERS_FROM_S:
            return levels, credit
        hardest = self.hardest_quarter(starts, ends, parts=16)
        if work.is_alone:
            hardest = np.fmax(hardest, self.hardest_of(round(work.planned_s / 4)))
        is_far_above = hardest > most
        halved = np.minimum(credit, HALF_SHARE)
        return np.where(is_far_above, hardest, levels), np.where(is_far_above, halved, credit)

    def levels(self, work: ComparedStep, starts: Ints, ends: Ints) -> Floats:
        """The mean of each section; of a heart rate without the time that it needs to rise."""
        if work.compared is ScoreBasis.HEART_RATE:
            length = ends - starts
            rising = np.where(
                length >= SHORT_S[ScoreBasis.HEART_RATE],
                np.minimum(HEART_RATE_LAG_S, length / 2),
                0.6 * length,
            )
            return self.mean(
                starts + rising.astype(np.int64), np.minimum(ends + _HEART_RATE_TAIL_S, len(self.values))
            )
        levels = self.mean(starts, ends)
        if work.compared is ScoreBasis.POWER and work.planned_s >= NORMALIZED_FROM_S:
            seconds = np.maximum(ends - starts, 1)
            normalized = ((self.fourths[ends] - self.fourths[starts]) / seconds) ** 0.25
            levels = np.where(work.distance(normalized) < work.distance(levels), normalized, levels)
        return levels

    def hardest_quarter(self, starts: Ints, ends: Ints, *, parts: int = 4) -> Floats:
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

    def has_rest(self, work: ComparedStep, starts: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Whether the first or last sixteenth of a place is below the range, and far below the range or its hardest quarter."""
        edge = np.minimum(np.maximum((ends - starts) // 16, 3), np.maximum((ends - starts) // 3, 1))
        edges = np.fmin(self.mean(starts, starts + edge), self.mean(ends - edge, ends))
        hardest = np.fmax(work.low, self.hardest_quarter(starts, ends))
        rests: NDArray[np.bool_] = edges < np.fmin(work.low, LEAST_ATTEMPT * hardest)
        return rests

    def has_gap(self, work: ComparedStep, starts: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Whether an eighth of a long place is easy: two repetitions and the rest between them are above the contrast too."""
        if work.planned_s < QUARTERS_FROM_S:
            return np.zeros(len(starts), bool)
        edges = starts + (ends - starts) * np.arange(9)[:, np.newaxis] // 8
        lowest = np.fmin.reduce(self.mean(edges[:-1], edges[1:]))
        gaps: NDArray[np.bool_] = lowest < work.low
        return gaps

    def is_apart(self, work: ComparedStep, starts: Ints, ends: Ints) -> NDArray[np.bool_]:
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


@dataclass(frozen=True, slots=True)
class StepPlaces:
    """Places for one step with what each would count, shape (n,)."""

    starts: Ints  # sample
    ends: Ints  # the sample after the last
    values: Floats  # of a place among those of all steps; 0 or less: no place
    time_credit: Floats
    level_credit: Floats
    levels: Floats


def places_of(
    work: ComparedStep, samples: SampleSums, weight: float, others: Sequence[ComparedStep]
) -> StepPlaces:
    """The places of a step that show it: with a credit, or an attempt at it; `weight` times their fit breaks ties."""
    parts = list(_sections(work, samples))
    starts, ends = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    shares = np.concatenate([part[2] for part in parts])
    levels, level_credit = samples.judged(work, starts, ends)
    # A share of 80 % is reached by a lap that ends half a second early.
    time_credit = np.where(shares >= FULL_SHARE - 0.01, 1.0, np.where(shares >= HALF_SHARE - 0.01, 0.5, 0.0))
    credit = whole_credit(time_credit * level_credit)
    distance = work.distance(levels)
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
    return StepPlaces(starts, ends, values, time_credit, level_credit, levels)


def _sections(work: ComparedStep, samples: SampleSums) -> Iterator[tuple[Ints, Ints, Floats]]:
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


def _goes_on(
    work: ComparedStep,
    samples: SampleSums,
    starts: Ints,
    ends: Ints,
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
    work: ComparedStep,
    samples: SampleSums,
    starts: Ints,
    ends: Ints,
    others: Sequence[ComparedStep],
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
    work: ComparedStep,
    samples: SampleSums,
    places: tuple[Ints, Ints],
    lengths: Ints,
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


def _has_easy_edge(work: ComparedStep, samples: SampleSums, starts: Ints, ends: Ints) -> NDArray[np.bool_]:
    """Whether a place has easy riding at an end, so that a shorter place shows the work.

    The mean of 37 of 60 min in the range and 11 min of the cool-down is near the range, and so is that of 13 min far above
    it and 7 min of the warm-up. A heart rate is low at the start of each effort.
    """
    if work.compared is ScoreBasis.HEART_RATE:
        return np.zeros(len(starts), bool)
    return samples.has_rest(work, starts, ends)


def whole_credit(credit: Floats) -> Floats:
    """Half of a length that was also too easy counts nothing."""
    return np.where(credit >= HALF_SHARE, credit, 0.0)
