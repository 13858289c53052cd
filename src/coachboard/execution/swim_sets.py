"""Match the steps of a swim with pool lengths by distance, with the rests at the wall; score its repetitions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, permutations
from math import ceil, floor, inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.alignment import Alignment, StepMatch
from coachboard.execution.alignment_costs import FIRST_SKIP_SHARE, SKIP_COST
from coachboard.execution.structure import FlatStep
from coachboard.execution.work_steps import (
    ScoreBasis,
    WorkOutcome,
    WorkScore,
    WorkStep,
    by_time,
    is_work,
)
from coachboard.wire.enums import StepLabel

Floats = NDArray[np.float64]

LEAST_REST_S = 6.0
"""A shorter time at the wall is a turn. Recorded swims have turns up to 1.2 s and rests from 7 s."""
LEAST_RESTS_SHARE = 0.5
"""With fewer of the planned rests in the recording, repetitions cannot be counted."""
MOST_LONGER = 1.5
"""Largest distance of a step, as a ratio of the planned one; the lengths beyond are unplanned."""

_LENGTH_WEIGHT, _NO_REST_COST, _INNER_REST_COST = 2.0, 1.5, 0.4
_ADDED_REPETITION_COST, _ADDED_LENGTH_COST = 0.5, 0.4
PACE_MARGINS = (0.03, 0.08)
"""A repetition that is slower than its pace by more than the first counts half, by more than the second not at all."""
MOST_ORDERS_OF = 3
"""With more sets than this, the order of the plan counts."""
PAUSES = frozenset({StepLabel.REST, StepLabel.INTRA_RECOVERY})


class NoSets(StrEnum):
    """Why the repetitions of a swim cannot be counted."""

    NO_LENGTHS = "the recording has no pool lengths"
    NO_POOL = "the length of the pool is unknown"
    NO_RESTS = "the recording has too few of the planned rests"


@dataclass(frozen=True, slots=True)
class SwumLength:
    """A pool length: its time, and the rest until the next one begins, in seconds.

    `has_pace` is false for a drill and for strokes other than freestyle: a plan names no stroke, so its pace is for freestyle.
    """

    duration_s: float
    rest_s: float = 0.0
    has_pace: bool = True


def is_pause(step: FlatStep) -> bool:
    """Whether a step is a rest at the wall; an easy recovery of 100 m is swum."""
    return step.label in PAUSES and step.distance_m is None


def swim_score(
    steps: Sequence[FlatStep], durations_s: Sequence[float], lengths: Sequence[SwumLength], pool_m: float
) -> WorkScore | NoSets | None:
    """Repetitions swum over repetitions planned, by distance; warm-up and cool-down do not count.

    Parameters
    ----------
    steps : sequence of FlatStep
        The unrolled workout.
    durations_s : sequence of float
        The planned time of each step, for steps without a distance. [s]
    lengths : sequence of SwumLength
        The pool lengths in order.
    pool_m : float
        Length of the pool, NaN if unknown. [m]

    Returns
    -------
    WorkScore, NoSets or None
        None for a workout without work steps; `NoSets` if the recording cannot tell.

    Notes
    -----
    Each step by distance takes consecutive lengths, so that distances agree and a planned rest meets a recorded one (at
    least 6 s at the wall), by dynamic programming; the cheapest match counts, its costs are Coachboard's. Sets may be swum
    in another order.
    Credit 1: at least 80 % of the planned distance; ½: 50 to 80 %; 0: less. A repetition with a pace that is more than 3 %
    too slow counts half, more than 8 % not at all; a faster one counts in full, and so do drills and other strokes. If the recording has fewer than half of the planned rests of the distance swum, nothing is scored: a watch
    without rests shows 12 x 100 m as 1,200 m.

    *Missing data*: a step by time has the distance of that time at the mean speed of the lengths.

    *Worked example*: of 3 x 50 m in a pool of 25 m, 2 were swum as 2 lengths each with a rest after them: 2 / 3 = 67 %.

    Examples
    --------
    >>> step = lambda n, metres, rest_s=None: FlatStep(n, ((n // 2 + 1, 3),), StepLabel.REST if rest_s else
    ...     StepLabel.ACTIVE, None, None, rest_s, metres, None, None, None, None)
    >>> plan = [step(0, 50), step(1, None, 20), step(2, 50), step(3, None, 20), step(4, 50), step(5, None, 20)]
    >>> swum = [SwumLength(20), SwumLength(20, 21), SwumLength(20), SwumLength(20, 0)]
    >>> found = swim_score(plan, [40, 20] * 3, swum, 25.0)
    >>> found.done, [match.stretches for match in found.alignment.matches]
    (2.0, [(0, 1), (2, 3), ()])
    """
    if not any(is_work(step) for step in steps):
        return None
    if not lengths:
        return NoSets.NO_LENGTHS
    if not (isfinite(pool_m) and pool_m > 0):
        return NoSets.NO_POOL
    swum = [index for index, step in enumerate(steps) if not is_pause(step)]
    mean_mps = pool_m * len(lengths) / sum(length.duration_s for length in lengths)
    metres = np.array([steps[index].distance_m or durations_s[index] * mean_mps for index in swum])
    planned = np.maximum(metres, 1.0) / pool_m
    rests_after = [after < len(steps) and is_pause(steps[after]) for after in (index + 1 for index in swum)]
    rested = np.array([length.rest_s >= LEAST_REST_S for length in lengths])
    if not _shows_rests(planned, rests_after[:-1], rested[:-1]):
        return NoSets.NO_RESTS
    # A swimmer stops after the warm-up too, whatever the plan says.
    stops_after = [
        is_rest or steps[index].label is StepLabel.WARM_UP
        for index, is_rest in zip(swum, rests_after, strict=True)
    ]
    skips = SKIP_COST * (1 + FIRST_SKIP_SHARE * np.linspace(1, 0, len(swum), endpoint=False))
    least, takes = inf, [(0, 0)] * len(swum)
    for order in _orders([steps[index] for index in swum]):
        stops = [stops_after[position] for position in order]
        cost, in_order = _taken(planned[order], skips[order], stops, rested)
        if cost < least - SKIP_COST:  # another order than the plan's has to save a step
            least, takes = cost, [span for _, span in sorted(zip(order, in_order, strict=True))]
    alignment = Alignment(
        tuple(StepMatch((index,), tuple(range(*span))) for index, span in zip(swum, takes, strict=True)), 0.0
    )
    ratios = {
        index: (after - first) / share
        for index, share, (first, after) in zip(swum, planned, takes, strict=True)
    }
    seconds = np.concatenate([[0.0], np.cumsum([length.duration_s for length in lengths])])
    speeds = {
        index: float((after - first) * pool_m / (seconds[after] - seconds[first]))
        for index, (first, after) in zip(swum, takes, strict=True)
        if after > first and all(length.has_pace for length in lengths[first:after])
    }
    judged = (
        _judged(steps[index], ratios[index], speeds.get(index, nan))
        for index in swum
        if is_work(steps[index])
    )
    return WorkScore(tuple(judged), ScoreBasis.LENGTHS, alignment)


def _orders(steps: Sequence[FlatStep]) -> Iterator[list[int]]:
    """The positions of the steps in the plan's order, then with its sets swapped."""

    def set_of(position: int) -> tuple[object, ...]:
        step = steps[position]
        return is_work(step), step.distance_m, step.duration_s, step.speed_mps

    blocks = [list(block) for _, block in groupby(range(len(steps)), set_of)]
    sets = [number for number, block in enumerate(blocks) if is_work(steps[block[0]])]
    for order in permutations(sets) if len(sets) <= MOST_ORDERS_OF else (sets,):
        places = dict(zip(sets, order, strict=True))
        yield [position for number in range(len(blocks)) for position in blocks[places.get(number, number)]]


def _judged(step: FlatStep, ratio: float, speed_mps: float) -> WorkStep:
    """By distance and, if the step has a pace, by pace: the lesser credit counts."""
    outcome, credit = by_time(ratio, step) if ratio > 0 else (WorkOutcome.MISSED, 0.0)
    target = step.speed_mps
    if credit and target is not None and target.low and speed_mps < target.low * (1 - PACE_MARGINS[0]):
        slow = 0.5 if speed_mps >= target.low * (1 - PACE_MARGINS[1]) else 0.0
        if slow < credit or outcome is WorkOutcome.DONE:
            outcome, credit = WorkOutcome.TOO_EASY, min(slow, credit)
    return WorkStep(step.index, outcome, credit, target, level=speed_mps)


def _shows_rests(planned: Floats, rests_after: Sequence[bool], rested: NDArray[np.bool_]) -> bool:
    """Whether enough of the rests that fall within the distance swum were recorded."""
    due = int(np.sum(np.asarray(rests_after, dtype=bool) & (np.cumsum(planned)[:-1] < len(rested))))
    return int(rested.sum()) >= LEAST_RESTS_SHARE * due


def _taken(
    planned: Floats, skips: Floats, rests_after: Sequence[bool], rested: NDArray[np.bool_]
) -> tuple[float, list[tuple[int, int]]]:
    """The cost of the cheapest match, and the first and next-after-last length of each step; an empty span for a missed step."""
    count = len(rested)
    rests_before = np.concatenate([[0], np.cumsum(rested)])
    # The end of the swim counts as a rest: the last repetition needs none.
    is_rest_end = np.concatenate([[True], rested])
    is_rest_end[-1] = True
    least, added = _with_added(np.concatenate([[0.0], np.full(count, np.inf)]), is_rest_end)
    walk: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for row, share in enumerate(planned.tolist()):
        best = least + skips[row]
        takes = np.zeros(count + 1, np.intp)
        most = min(max(ceil(share), floor(MOST_LONGER * share)), count)
        for take in range(1, most + 1):
            inner = rests_before[take - 1 : -1] - rests_before[: count + 1 - take]
            cost = least[:-take] + _LENGTH_WEIGHT * abs(np.log(take / share)) + _INNER_REST_COST * inner
            if rests_after[row]:
                cost = cost + _NO_REST_COST * ~is_rest_end[take:]
            is_better = cost < best[take:] - 1e-9
            best[take:][is_better], takes[take:][is_better] = cost[is_better], take
        walk.append((added, takes))
        least, added = _with_added(best, is_rest_end)
    return float(least[count]), _walk_back(walk, added, count)


def _with_added(least: Floats, is_rest_end: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.intp]]:
    """Also with unplanned lengths up to each place: a whole repetition costs less than single lengths.

    The second array has the place where the unplanned lengths begin.
    """
    costs, starts, begins = least.tolist(), list(range(len(least))), 0
    for place in range(1, len(costs)):
        options = [(costs[place - 1] + _ADDED_LENGTH_COST, place - 1)]
        if is_rest_end[place]:
            options.append((costs[begins] + _ADDED_REPETITION_COST, begins))
            begins = place
        cost, before = min(options)
        if cost < costs[place] - 1e-9:
            costs[place], starts[place] = cost, starts[before]
    return np.array(costs), np.array(starts)


def _walk_back(
    walk: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]], added: NDArray[np.intp], count: int
) -> list[tuple[int, int]]:
    end = int(added[count])
    spans: list[tuple[int, int]] = []
    for added_before, takes in reversed(walk):
        first = end - int(takes[end])
        spans.append((first, end))
        end = int(added_before[first])
    return spans[::-1]
