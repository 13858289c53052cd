"""Planned steps matched to what was done, by intensity and duration and not by position in time."""

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

_MOST_JOINED = 4
_ROUNDING = 1e-9
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


@dataclass(frozen=True, slots=True)
class Match:
    """Consecutive steps and consecutive stretches that belong together; one side empty: skipped or added."""

    steps: tuple[int, ...]
    stretches: tuple[int, ...]

    @property
    def is_skipped(self) -> bool:
        """Whether the steps were not done."""
        return not self.stretches

    @property
    def is_added(self) -> bool:
        """Whether the stretches were not planned."""
        return not self.steps


@dataclass(frozen=True, slots=True)
class Alignment:
    """All matches in order, and what they cost together: less is more alike."""

    matches: tuple[Match, ...]
    cost: float


def align(planned: Sequence[Piece], done: Sequence[Piece]) -> Alignment:
    """The matching of least cost.

    Parameters
    ----------
    planned : sequence of Piece
        Steps in order, n.
    done : sequence of Piece
        Stretches in order, m.

    Returns
    -------
    Alignment
        Each step and each stretch in exactly one match, in order.

    Notes
    -----
    Global alignment by dynamic programming. A step may cover up to four stretches and a stretch up to four
    steps (a warm-up and the easy riding after it are one stretch to whom reads the power), and two or three
    steps of one level two or three stretches that are cut elsewhere. Cost of a match:
    2 |ln(level done / level planned)| + |ln(duration done / planned)|, each logarithm at most 2; inside a
    step's band the level costs nothing, outside it counts from the nearer end. A hard step ridden easily was
    not done, but a rest ridden too hard was still the rest: one that took about its time costs half of that
    for its level and at most `MOST_FOR_A_HARD_REST`. The moves of several pieces and all costs are ours.

    References
    ----------
    Needleman SB, Wunsch CD. A general method applicable to the search for similarities in the amino acid
    sequence of two proteins. J Mol Biol 48:443, 1970. doi:10.1016/0022-2836(70)90057-4.

    Examples
    --------
    >>> warm_up, hard, easy = Piece(60, 600), Piece(115, 180), Piece(50, 180)
    >>> plan = [warm_up, hard, easy, hard]
    >>> [(m.steps, m.stretches) for m in align(plan, [warm_up, hard, Piece(52, 400)]).matches]
    [((0,), (0,)), ((1,), (1,)), ((2,), (2,)), ((3,), ())]
    """
    costs = _Costs.of(planned, done)
    rows, columns = len(planned) + 1, len(done) + 1
    least = [[math.inf] * columns for _ in range(rows)]
    move = [[(0, 0)] * columns for _ in range(rows)]
    least[0][0] = 0.0
    for row in range(rows):
        for column in range(columns):
            for steps, stretches in _MOVES:
                if steps > row or stretches > column:
                    continue
                before = least[row - steps][column - stretches]
                cost = before + costs.of_move(row, column, steps, stretches)
                if cost < least[row][column] - _ROUNDING:
                    least[row][column], move[row][column] = cost, (steps, stretches)
    return Alignment(_walk_back(move, rows - 1, columns - 1), least[-1][-1])


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


# Of equal ways the first listed wins, from the end backwards: of five intervals the last counts as skipped.
_MOVES = (
    (1, 0), (0, 1), (1, 1),
    *[pair for many in range(2, _MOST_JOINED + 1) for pair in ((1, many), (many, 1))],
    # A warm-up and the easy hour after it, ridden as three stretches of one level, cut elsewhere.
    (2, 2), (2, 3), (3, 2), (3, 3),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Costs:
    """What single pieces cost, and running sums of their lengths, so that a move is a few additions."""

    apart: list[list[float]]
    is_hard_rest: list[list[bool]]
    is_open: list[bool]
    planned_s: list[float]
    done_s: list[float]
    added: list[float]

    @classmethod
    def of(cls, planned: Sequence[Piece], done: Sequence[Piece]) -> "_Costs":
        return cls(
            [[_levels_apart(step, stretch) for stretch in done] for step in planned],
            [[_is_hard_rest(step, stretch) for stretch in done] for step in planned],
            [step.is_open for step in planned],
            _sums(piece.duration_s for piece in planned),
            _sums(piece.duration_s for piece in done),
            [add_cost(piece.duration_s) for piece in done],
        )

    def of_move(self, row: int, column: int, steps: int, stretches: int) -> float:
        """The cost of matching the last pieces before a cell."""
        if not stretches:
            to_come = 1 - row / (len(self.planned_s) - 1)
            return SKIP_COST * (1 + FIRST_SKIP_SHARE * to_come)
        if not steps:
            return self.added[column - 1]
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


def _walk_back(move: list[list[tuple[int, int]]], row: int, column: int) -> tuple[Match, ...]:
    matches: list[Match] = []
    while row or column:
        steps, stretches = move[row][column]
        matches.append(Match(tuple(range(row - steps, row)), tuple(range(column - stretches, column))))
        row, column = row - steps, column - stretches
    return tuple(reversed(matches))
