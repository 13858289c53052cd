"""What it costs to match planned steps with done stretches: by level and duration, with the constants."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

LEVEL_PCT = {
    "recovery": 45.0,
    "aerobic": 60.0,
    "tempo": 80.0,
    "threshold": 97.0,
    "vo2max": 115.0,
    "anaerobic": 150.0,
    "neuromuscular": 230.0,
}
"""The level that stands for an intensity where no power is known. [% of critical power]"""

LEVEL_WEIGHT = 2.0
"""A stretch at 1.5 times the level costs as much as one of 2.2 times the duration."""

SKIP_COST = 1.2
ADD_COST = 0.9
"""Leaving a step undone, doing something unplanned. Short unplanned stretches cost less: see `add_cost`."""

FIRST_SKIP_SHARE = 0.2
"""How much more the first step costs to leave undone than the last: who breaks off leaves out the end."""

SPLIT_COST = 0.1
"""Each further stretch that one step covers, or step that one stretch covers."""

MOST_APART_WHEN_JOINED = 1.4
"""Pieces of which several match one must lie within this ratio of its level."""

MOST_LONGER_WHEN_JOINED = 1.5
"""Pieces that match together last within this ratio of each other; else some were skipped or added."""

EASY_PCT = 70.0
"""A step planned below this (where tempo begins) is a rest or easy going. [% of critical power]"""

AS_LONG_RATIO = 1.25
"""A rest within this ratio of its planned duration was taken, however hard it was ridden."""

MOST_FOR_A_HARD_REST = 1.0
"""What an easy step costs at most that was ridden too hard for about its time: less than skipping it."""

OPEN_END_WEIGHT = 0.25
"""How much of the cost of another duration counts where the plan left the duration to the athlete."""

LONG_STEADY_S = 1200.0
"""From this duration on a step may cover any number of stretches: hills and lights cut a long ride into laps."""

MOST_HARD_SHARE, LEAST_NEAR_SHARE = 0.1, 0.5
"""Of a long step's time at most this much may lie above `MOST_APART_WHEN_JOINED`, and this much must lie within."""

MOST_SPLITS_COUNTED = 3
"""Further stretches of a long step cost no more: their number says nothing about the rider."""

MOST_JOINED = 4
"""How many stretches a shorter step covers at most, and how many steps one stretch."""

_RESTING_PCT = 30.0
_LARGEST_RATIO_COST = 2.0
_LONG_ENOUGH_S = 60.0
_UNKNOWN_APART = 0.15


@dataclass(frozen=True, slots=True)
class Piece:
    """A planned step or a done stretch: its level in percent of critical power (NaN unknown) and its length.

    A planned step may have a band, in which every level is as asked for, and an open end.
    """

    level_pct: float
    duration_s: float
    low_pct: float | None = None
    high_pct: float | None = None
    is_open: bool = False


def add_cost(duration_s: float) -> float:
    """What an unplanned stretch costs.

    Parameters
    ----------
    duration_s : float
        [s]

    Returns
    -------
    float
        `ADD_COST` from a minute on, less in proportion below: a stop at a light is no broken plan.

    Examples
    --------
    >>> add_cost(30.0), add_cost(300.0)
    (0.45, 0.9)
    """
    return ADD_COST * min(duration_s / _LONG_ENOUGH_S, 1.0)


def is_long(step: Piece) -> bool:
    """Whether the step may cover any number of stretches."""
    return step.duration_s >= LONG_STEADY_S


@dataclass(frozen=True, slots=True)
class _LongStep:
    """Running sums over the stretches, for one long step: time, time times how far apart, time near, time above."""

    done_s: list[float]
    apart_s: list[float]
    near_s: list[float]
    hard_s: list[float]

    @classmethod
    def of(cls, step: Piece, done: Sequence[Piece], apart: Sequence[float]) -> "_LongStep":
        limit = math.log(MOST_APART_WHEN_JOINED)
        seconds = [piece.duration_s for piece in done]
        is_above = [piece.level_pct > step.level_pct for piece in done]
        timed = list(zip(seconds, apart, is_above, strict=True))
        return cls(
            _sums(seconds),
            _sums(length * far for length, far, _ in timed),
            _sums(length * (far <= limit) for length, far, _ in timed),
            _sums(length * (far > limit and above) for length, far, above in timed),
        )

    def apart(self, first: int, after: int) -> float:
        """How far these stretches are from the step on the mean of their time; infinite where they are no one ride."""
        total_s = self.done_s[after] - self.done_s[first]
        if total_s <= 0:
            return math.inf
        near, hard, apart = (
            (sums[after] - sums[first]) / total_s for sums in (self.near_s, self.hard_s, self.apart_s)
        )
        is_one_ride = near >= LEAST_NEAR_SHARE and hard <= MOST_HARD_SHARE
        return apart if is_one_ride else math.inf


@dataclass(frozen=True, slots=True)
class Costs:
    """What single pieces cost, and running sums of their lengths, so that a move is a few additions."""

    apart: list[list[float]]
    is_hard_rest: list[list[bool]]
    is_open: list[bool]
    planned_s: list[float]
    done_s: list[float]
    added: list[float]
    long: dict[int, _LongStep]

    @classmethod
    def of(cls, planned: Sequence[Piece], done: Sequence[Piece]) -> "Costs":
        """The costs of all pairs of these."""
        apart = [[_levels_apart(step, stretch) for stretch in done] for step in planned]
        return cls(
            apart,
            [[_is_hard_rest(step, stretch) for stretch in done] for step in planned],
            [step.is_open for step in planned],
            _sums(piece.duration_s for piece in planned),
            _sums(piece.duration_s for piece in done),
            [add_cost(piece.duration_s) for piece in done],
            {at: _LongStep.of(step, done, apart[at]) for at, step in enumerate(planned) if is_long(step)},
        )

    def of_move(self, row: int, column: int, steps: int, stretches: int) -> float:
        """The cost of matching the last pieces before a cell."""
        if not stretches:
            to_come = 1 - row / (len(self.planned_s) - 1)
            return SKIP_COST * (1 + FIRST_SKIP_SHARE * to_come)
        if not steps:
            return self.added[column - 1]
        joined = self._of_joined(row, column, steps, stretches) if stretches <= MOST_JOINED else math.inf
        is_long = steps == 1 and stretches > 1 and row - 1 in self.long
        return min(joined, self._of_long(row, column, stretches)) if is_long else joined

    def _of_long(self, row: int, column: int, stretches: int) -> float:
        longer = _ratio_cost(
            self.planned_s[row] - self.planned_s[row - 1],
            self.done_s[column] - self.done_s[column - stretches],
        )
        if longer > math.log(MOST_LONGER_WHEN_JOINED):
            return math.inf
        level = LEVEL_WEIGHT * self.long[row - 1].apart(column - stretches, column)
        weight = OPEN_END_WEIGHT if self.is_open[row - 1] else 1.0
        return level + weight * longer + SPLIT_COST * min(stretches - 1, MOST_SPLITS_COUNTED)

    def _of_joined(self, row: int, column: int, steps: int, stretches: int) -> float:
        pairs = [(at, to) for at in range(row - steps, row) for to in range(column - stretches, column)]
        apart = max(self.apart[at][to] for at, to in pairs)
        # Else a hard and an easy step would hide in one even stretch.
        if len(pairs) > 1 and apart > math.log(MOST_APART_WHEN_JOINED):
            return math.inf
        longer = _ratio_cost(
            self.planned_s[row] - self.planned_s[row - steps],
            self.done_s[column] - self.done_s[column - stretches],
        )
        # Nor are 20 minutes of a warm-up covered by 20 seconds.
        if len(pairs) > 1 and longer > math.log(MOST_LONGER_WHEN_JOINED):
            return math.inf
        is_hard_rest = len(pairs) == 1 and self.is_hard_rest[row - 1][column - 1]
        level = _hard_rest_cost(apart, longer) if is_hard_rest else LEVEL_WEIGHT * apart
        weight = OPEN_END_WEIGHT if any(self.is_open[row - steps : row]) else 1.0
        return level + weight * longer + SPLIT_COST * (len(pairs) - 1)


def _sums(lengths: Iterable[float]) -> list[float]:
    return list(accumulate(lengths, initial=0.0))


def _levels_apart(step: Piece, stretch: Piece) -> float:
    """How far a stretch is from the band of a step, as the logarithm of a ratio."""
    if math.isnan(step.level_pct) or math.isnan(stretch.level_pct):
        return _UNKNOWN_APART
    low = step.level_pct if step.low_pct is None else step.low_pct
    high = step.level_pct if step.high_pct is None else step.high_pct
    nearest = min(max(stretch.level_pct, low), high)
    # Below 30 % a ratio says nothing: rolling at 5 % and at 25 % are both rest.
    return _ratio_cost(max(nearest, _RESTING_PCT), max(stretch.level_pct, _RESTING_PCT))


def _is_hard_rest(step: Piece, stretch: Piece) -> bool:
    return step.level_pct < EASY_PCT and stretch.level_pct > step.level_pct


def _hard_rest_cost(apart: float, longer: float) -> float:
    """Half of the usual cost up to `AS_LONG_RATIO`, all of it from its square on, in between in proportion."""
    other_length = min(max(longer / math.log(AS_LONG_RATIO) - 1, 0.0), 1.0)
    usual, eased = LEVEL_WEIGHT * apart, min(LEVEL_WEIGHT / 2 * apart, MOST_FOR_A_HARD_REST)
    return eased + other_length * (usual - eased)


def _ratio_cost(planned: float, done: float) -> float:
    if planned <= 0 or done <= 0:
        return _LARGEST_RATIO_COST
    return min(abs(math.log(done / planned)), _LARGEST_RATIO_COST)
