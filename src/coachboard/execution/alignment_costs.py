"""Costs of matching planned steps with done sections, by level and duration."""

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
"""Level of an intensity without a known power. [% of critical power]"""

LEVEL_WEIGHT = 2.0
"""A section at 1.5 times the level costs as much as one of 2.2 times the duration."""

SKIP_COST = 1.2
ADD_COST = 0.9
"""Costs of a skipped step and of an unplanned section. Short unplanned sections cost less: see `add_cost`."""

FIRST_SKIP_SHARE = 0.2
"""Extra cost of skipping the first step instead of the last: athletes who stop early skip the end."""

SPLIT_COST = 0.1
"""Cost of each further section that one step covers, or step that one section covers."""

MOST_APART_WHEN_JOINED = 1.4
"""Largest ratio between the level of a match and the level of each of its pieces."""

MOST_LONGER_WHEN_JOINED = 1.5
"""Largest ratio of durations in a match; beyond it some pieces were skipped or added."""

EASY_PCT = 70.0
"""A step planned below this level (where tempo begins) is a rest or easy. [% of critical power]"""

AS_LONG_RATIO = 1.25
"""A rest within this ratio of its planned duration counts as taken, however hard it was ridden."""

MOST_FOR_A_HARD_REST = 1.0
"""Largest cost of an easy step ridden too hard for about its planned time: less than skipping it."""

OPEN_END_WEIGHT = 0.25
"""Share of the duration cost if the plan leaves the duration open."""

LONG_STEADY_S = 1200.0
"""A step of this duration or longer may cover any number of sections: hills and lights split a long ride into laps."""

MOST_HARD_SHARE, LEAST_NEAR_SHARE = 0.1, 0.5
"""The largest share of a long step's time above `MOST_APART_WHEN_JOINED`, and the smallest share within."""

MOST_SPLITS_COUNTED = 3
"""Further sections of a long step cost no more: their number does not depend on the rider."""

MOST_JOINED = 4
"""Most sections per shorter step, and most steps per section."""

_RESTING_PCT = 30.0
_LARGEST_RATIO_COST = 2.0
_LONG_ENOUGH_S = 60.0
_UNKNOWN_APART = 0.15


@dataclass(frozen=True, slots=True)
class Piece:
    """A planned step or a done section: its level in percent of critical power (NaN if unknown) and its length.

    A planned step may have a target range, within which every level is right, and an open end.
    """

    level_pct: float
    duration_s: float
    low_pct: float | None = None
    high_pct: float | None = None
    is_open: bool = False


def add_cost(duration_s: float) -> float:
    """Cost of an unplanned section.

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
    """Whether the step may cover any number of sections."""
    return step.duration_s >= LONG_STEADY_S


@dataclass(frozen=True, slots=True)
class _LongStep:
    """Running sums over the sections for a long step: time, time weighted by distance, time near, time above."""

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
        """Time-weighted mean distance of these sections from the step; infinite if they are not one ride."""
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
    """Costs of single pieces and running sums of lengths, so that a move needs only a few additions."""

    apart: list[list[float]]
    is_hard_rest: list[list[bool]]
    is_open: list[bool]
    planned_s: list[float]
    done_s: list[float]
    added: list[float]
    long: dict[int, _LongStep]

    @classmethod
    def of(cls, planned: Sequence[Piece], done: Sequence[Piece]) -> "Costs":
        """The costs of all pairs."""
        apart = [[_levels_apart(step, stretch) for stretch in done] for step in planned]
        return cls(
            apart,
            [[_is_hard_rest(step, stretch) for stretch in done] for step in planned],
            [step.is_open for step in planned],
            _sums(piece.duration_s for piece in planned),
            _sums(piece.duration_s for piece in done),
            [add_cost(piece.duration_s) for piece in done],
            {
                index: _LongStep.of(step, done, apart[index])
                for index, step in enumerate(planned)
                if is_long(step)
            },
        )

    def of_move(self, row: int, column: int, steps: int, stretches: int) -> float:
        """Cost of matching the last pieces before a cell."""
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
        longer = _ratio_cost(
            self.planned_s[row] - self.planned_s[row - steps],
            self.done_s[column] - self.done_s[column - stretches],
        )
        # 20 seconds do not match a 20-minute warm-up. First, because it spares most moves the pairs.
        if steps * stretches > 1 and longer > math.log(MOST_LONGER_WHEN_JOINED):
            return math.inf
        pairs = [
            (step, stretch)
            for step in range(row - steps, row)
            for stretch in range(column - stretches, column)
        ]
        apart = max(self.apart[step][stretch] for step, stretch in pairs)
        # Otherwise a hard and an easy step could match one even section.
        if len(pairs) > 1 and apart > math.log(MOST_APART_WHEN_JOINED):
            return math.inf
        is_hard_rest = len(pairs) == 1 and self.is_hard_rest[row - 1][column - 1]
        level = _hard_rest_cost(apart, longer) if is_hard_rest else LEVEL_WEIGHT * apart
        weight = OPEN_END_WEIGHT if any(self.is_open[row - steps : row]) else 1.0
        return level + weight * longer + SPLIT_COST * (len(pairs) - 1)


def _sums(lengths: Iterable[float]) -> list[float]:
    return list(accumulate(lengths, initial=0.0))


def _levels_apart(step: Piece, stretch: Piece) -> float:
    """Distance of a section's level from the target range of a step, as the logarithm of a ratio."""
    if math.isnan(step.level_pct) or math.isnan(stretch.level_pct):
        return _UNKNOWN_APART
    low = step.level_pct if step.low_pct is None else step.low_pct
    high = step.level_pct if step.high_pct is None else step.high_pct
    nearest = min(max(stretch.level_pct, low), high)
    # Below 30 % a ratio has no meaning: 5 % and 25 % are both rest.
    return _ratio_cost(max(nearest, _RESTING_PCT), max(stretch.level_pct, _RESTING_PCT))


def _is_hard_rest(step: Piece, stretch: Piece) -> bool:
    return step.level_pct < EASY_PCT and stretch.level_pct > step.level_pct


def _hard_rest_cost(apart: float, longer: float) -> float:
    """Half of the usual cost up to `AS_LONG_RATIO`, all of it from its square on, linear in between."""
    other_length = min(max(longer / math.log(AS_LONG_RATIO) - 1, 0.0), 1.0)
    usual, eased = LEVEL_WEIGHT * apart, min(LEVEL_WEIGHT / 2 * apart, MOST_FOR_A_HARD_REST)
    return eased + other_length * (usual - eased)


def _ratio_cost(planned: float, done: float) -> float:
    if planned <= 0 or done <= 0:
        return _LARGEST_RATIO_COST
    return min(abs(math.log(done / planned)), _LARGEST_RATIO_COST)
