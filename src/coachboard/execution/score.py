"""The score of a workout: how many of its work steps the recording shows, in every sport, and by which quantity.

Warm-up, recoveries and cool-down do not count; order, extra repetitions and a longer warm-up do no harm.
`compared_steps` has the range and tolerance of each work step, `step_places` the sections of the recording that it may
take. This module chooses the sections that give the most credit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, permutations
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.compared_steps import ComparedStep, SessionSamples, compared_steps
from coachboard.execution.step_places import LEAST_ATTEMPT, SampleSums, StepPlaces, places_of, whole_credit
from coachboard.execution.structure import FlatStep, References
from coachboard.execution.work_steps import ScoreBasis, WorkOutcome, WorkScore, WorkStep

MOST_ORDERS_OF = 4
"""With more blocks than this, the order of the plan counts: the orders grow with the factorial."""
_NOTHING = -1
_MOST_CELLS = 8_000_000
"""Steps times seconds, 4 bytes each: beyond it the seconds are thinned."""


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
    >>> from coachboard.execution.structure import Target
    >>> from coachboard.wire.enums import LapIntensity, StepLabel
    >>> plan = [FlatStep(n, ((n + 1, 2),), StepLabel.ACTIVE, LapIntensity.VO2MAX, None, 60.0, None, Target(240, 260),
    ...                  None, None, None) for n in range(2)]
    >>> watts = np.repeat([100.0, 250.0, 100.0, 228.0, 100.0], 60)
    >>> score = execution_score(plan, [60.0, 60.0], SessionSamples(np.arange(300.0), power_w=watts))
    >>> score.share, [str(step.outcome) for step in score.steps], [step.from_s for step in score.steps]
    (0.75, ['done', 'too easy'], [60.0, 180.0])
    """
    compared, work = compared_steps(steps, durations_s, recording, references)
    if compared is None:
        return None
    samples = {each: SampleSums.of(each, recording) for each in {step.compared for step in work}}
    # A stride in a session by heart rate is compared by its speed: a level of 4 m/s is not 4 bpm.
    by_another = {each.step.index for each in work if each.compared is not compared}
    scores = _with_contrast(work, sorted(_best_order(work, samples), key=lambda score: score.index))
    return WorkScore(
        tuple(
            replace(score, target=None, level=nan) if score.index in by_another else score for score in scores
        ),
        compared,
    )


def _best_order(work: Sequence[ComparedStep], samples: Mapping[ScoreBasis, SampleSums]) -> list[WorkStep]:
    """The placed steps in the order of the blocks that gives the most credit; the plan's order first."""
    weight = 0.1 / max(len(work), 2)  # all fits together are worth less than half a credit
    places = {each.step.index: places_of(each, samples[each.compared], weight, work) for each in work}
    length_s = len(next(iter(samples.values())).values)
    best: list[WorkStep] = []
    for order in _orders(work):
        placed = _place([places[each.step.index] for each in order], length_s)
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


def _orders(work: Sequence[ComparedStep]) -> Iterator[list[ComparedStep]]:
    blocks = [
        list(block)
        for _, block in groupby(work, lambda each: (each.target, each.step.duration_s, each.step.distance_m))
    ]
    if len(blocks) > MOST_ORDERS_OF:
        yield list(work)
        return
    for order in permutations(blocks):
        yield [each for block in order for each in block]


def _place(steps: Sequence[StepPlaces], length_s: int) -> list[int]:
    """The place of each step by its index, so that none overlap, all follow the order, and the values add up to the most.

    A step without a place has `_NOTHING`. Dynamic programming over steps and seconds: the best of the first n steps within
    the first t seconds is the best of leaving out the last step and of each of its places that ends by t.

    >>> short = StepPlaces(np.array([0, 5]), np.array([4, 9]), np.array([1.0, 0.5]), *np.ones((3, 2)))
    >>> _place([short, short, short], 10)
    [0, 1, -1]
    """
    grain = max(1, -(-len(steps) * length_s // _MOST_CELLS))
    cells = -(-length_s // grain) + 1
    best = np.zeros((len(steps) + 1, cells), np.float32)
    for row, step in enumerate(steps, 1):
        # A place begins after the cell in which it starts and ends in the cell that holds its end.
        gains = best[row - 1][step.starts // grain] + step.values.astype(np.float32)
        ends = np.where(step.values > 0, -(-step.ends // grain), cells)
        reached = np.zeros(cells + 1, np.float32)
        np.maximum.at(reached, np.minimum(ends, cells), gains)
        best[row] = np.maximum(best[row - 1], np.maximum.accumulate(reached[:cells]))
    return _chosen(steps, best, grain)


def _chosen(steps: Sequence[StepPlaces], best: NDArray[np.float32], grain: int) -> list[int]:
    """Walk back from the end: the place of each step that led to the best sum."""
    chosen = [_NOTHING] * len(steps)
    cell = best.shape[1] - 1
    for row in range(len(steps), 0, -1):
        cell = int(np.searchsorted(best[row][: cell + 1], best[row][cell]))
        if best[row - 1][cell] == best[row][cell]:
            continue
        step = steps[row - 1]
        gains = best[row - 1][step.starts // grain] + step.values.astype(np.float32)
        fits = (-(-step.ends // grain) == cell) & (gains == best[row][cell]) & (step.values > 0)
        chosen[row - 1] = int(np.flatnonzero(fits)[0])
        cell = int(step.starts[chosen[row - 1]] // grain)
    return chosen


def _whole_places(
    order: Sequence[ComparedStep],
    placed: Sequence[int],
    places: Mapping[int, StepPlaces],
    samples: Mapping[ScoreBasis, SampleSums],
) -> list[tuple[int, int]]:
    """First sample and the sample after the last of each place; a shortened step has all that was done of it.

    Its places are shares of its length: 33 of 60 min read as "30:00, cut short".
    """
    spans = [
        (0, 0) if chosen == _NOTHING else (int(offered.starts[chosen]), int(offered.ends[chosen]))
        for offered, chosen in zip((places[work.step.index] for work in order), placed, strict=True)
    ]
    before = 0
    by_time = sorted((n for n, chosen in enumerate(placed) if chosen != _NOTHING), key=spans.__getitem__)
    for number in by_time:
        work = order[number]
        following = min((first for first, _ in spans if first >= spans[number][1]), default=None)
        trimmed = _trimmed(work, samples[work.compared], spans[number])
        spans[number] = _grown(work, samples[work.compared], trimmed, (before, following))
        before = spans[number][1]
    return spans


def _trimmed(work: ComparedStep, samples: SampleSums, span: tuple[int, int]) -> tuple[int, int]:
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
    work: ComparedStep, samples: SampleSums, span: tuple[int, int], room: tuple[int, int | None]
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


def _level_credit_of(work: ComparedStep, samples: SampleSums, span: tuple[int, int]) -> float:
    starts, ends = (np.array([edge]) for edge in span)
    return float(samples.judged(work, starts, ends)[1][0])


def _scored(
    work: ComparedStep, places: StepPlaces, chosen: int, samples: SampleSums, span: tuple[int, int]
) -> WorkStep:
    if chosen == _NOTHING:
        return WorkStep(work.step.index, WorkOutcome.MISSED, 0.0, work.target)
    time_credit, level_credit = places.time_credit[chosen], places.level_credit[chosen]
    clock_s = samples.recording.clock_s
    first, after = span
    level = float(samples.judged(work, np.array([first]), np.array([after]))[0][0])
    return WorkStep(
        work.step.index,
        _outcome(work, float(places.levels[chosen]), float(time_credit), float(level_credit)),
        float(whole_credit(time_credit * level_credit)),
        work.target,
        float(clock_s[first]),
        float(clock_s[after - 1]) + 1.0,
        level,
    )


def _outcome(work: ComparedStep, level: float, time_credit: float, level_credit: float) -> WorkOutcome:
    if level_credit < 1.0 and level_credit <= time_credit:
        return WorkOutcome.TOO_HARD if level > work.high else WorkOutcome.TOO_EASY
    return WorkOutcome.DONE if time_credit == 1.0 else WorkOutcome.CUT_SHORT


def _with_contrast(work: Sequence[ComparedStep], scores: Sequence[WorkStep]) -> list[WorkStep]:
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
        far = [each.distance(np.array([step.level]))[0] for step, each in ((before, first), (after, second))]
        lost = int(far[1] > far[0] or (far[1] == far[0] and second.low > first.low))
        step, its = judged[number + lost], (first, second)[lost]
        outcome = WorkOutcome.TOO_HARD if step.level > its.high else WorkOutcome.TOO_EASY
        judged[number + lost] = replace(step, outcome=outcome, credit=0.0)
    return judged


def _has_contrast(first: ComparedStep, second: ComparedStep, rise: float) -> bool:
    if first.compared is not second.compared or first.compared not in {ScoreBasis.POWER, ScoreBasis.SPEED}:
        return True
    if second.high < first.low:
        first, second, rise = second, first, -rise
    gap = second.low - first.high
    middles = first.target.middle or first.high, second.target.middle or second.low
    return gap <= 0 or rise >= min(gap, (middles[1] - middles[0]) / 2)
