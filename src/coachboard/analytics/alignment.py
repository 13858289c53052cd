"""Planned steps matched to what was done, by intensity and duration and not by position in time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

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

SPLIT_COST = 0.1
"""Each further stretch that one step covers, or step that one stretch covers."""

MOST_APART_WHEN_JOINED = 1.4
"""Pieces of which several match one must lie within this ratio of its level."""

_MOST_JOINED = 4
_LONG_ENOUGH_S = 60.0
_UNKNOWN_LEVEL_COST = 0.3


@dataclass(frozen=True, slots=True)
class Piece:
    """A planned step or a done stretch: its level in percent of critical power (NaN unknown) and its length."""

    level_pct: float
    duration_s: float


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
    steps (a warm-up and the easy riding after it are one stretch to whom reads the power). Cost of a match:
    2 |ln(level done / level planned)| + |ln(duration done / planned)|, at most 2 for each part. The moves
    of several pieces and all costs are ours.

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
    rows, columns = len(planned) + 1, len(done) + 1
    least = [[math.inf] * columns for _ in range(rows)]
    move = [[(0, 0)] * columns for _ in range(rows)]
    least[0][0] = 0.0
    for row in range(rows):
        for column in range(columns):
            for steps, stretches in _moves(row, column):
                before = least[row - steps][column - stretches]
                cost = before + _cost(planned[row - steps : row], done[column - stretches : column])
                if cost < least[row][column]:
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


def _moves(row: int, column: int) -> list[tuple[int, int]]:
    singles = [(1, 0), (0, 1), (1, 1)]
    joined = [pair for k in range(2, _MOST_JOINED + 1) for pair in ((1, k), (k, 1))]
    return [(steps, spans) for steps, spans in singles + joined if steps <= row and spans <= column]


def _cost(planned: Sequence[Piece], done: Sequence[Piece]) -> float:
    if not done:
        return SKIP_COST * len(planned)
    if not planned:
        return sum(add_cost(piece.duration_s) for piece in done)
    extra = SPLIT_COST * (len(planned) + len(done) - 2)
    level = max(_level_cost(step, stretch) for step in planned for stretch in done)
    # Else a hard and an easy step would hide in one even stretch.
    if extra and level > LEVEL_WEIGHT * math.log(MOST_APART_WHEN_JOINED):
        return math.inf
    return level + _ratio_cost(_total_s(planned), _total_s(done)) + extra


def _total_s(pieces: Sequence[Piece]) -> float:
    return sum(piece.duration_s for piece in pieces)


def _level_cost(step: Piece, stretch: Piece) -> float:
    if math.isnan(step.level_pct) or math.isnan(stretch.level_pct):
        return _UNKNOWN_LEVEL_COST
    # Below 30 % a ratio says nothing: rolling at 5 % and at 25 % are both rest.
    return LEVEL_WEIGHT * _ratio_cost(max(step.level_pct, 30.0), max(stretch.level_pct, 30.0))


def _ratio_cost(planned: float, done: float) -> float:
    if planned <= 0 or done <= 0:
        return 2.0
    return min(abs(math.log(done / planned)), 2.0)


def _walk_back(move: list[list[tuple[int, int]]], row: int, column: int) -> tuple[Match, ...]:
    matches: list[Match] = []
    while row or column:
        steps, stretches = move[row][column]
        matches.append(Match(tuple(range(row - steps, row)), tuple(range(column - stretches, column))))
        row, column = row - steps, column - stretches
    return tuple(reversed(matches))
