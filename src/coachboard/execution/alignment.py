"""Match planned steps with recorded sections by intensity and duration, not by time."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coachboard.execution.alignment_costs import MOST_JOINED, Costs, Piece, is_long

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class StepMatch:
    """Consecutive steps matched with consecutive sections; one side is empty if skipped or added."""

    steps: tuple[int, ...]
    stretches: tuple[int, ...]

    @property
    def is_skipped(self) -> bool:
        """Whether the steps were skipped."""
        return not self.stretches

    @property
    def is_added(self) -> bool:
        """Whether the sections were unplanned."""
        return not self.steps


@dataclass(frozen=True, slots=True)
class Alignment:
    """All matches in order, and their total cost: lower is more similar."""

    matches: tuple[StepMatch, ...]
    cost: float


def align(planned: Sequence[Piece], done: Sequence[Piece]) -> Alignment:
    """The cheapest matching of planned steps with recorded stretches.

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
    steps (in the power, a warm-up and the easy riding after it look like one stretch), and two or three steps of one
    level two or three stretches with other boundaries. Cost of a match: 2 |ln(level done / level planned)| +
    |ln(duration done / planned)|, each logarithm at most 2; inside a step's band the level costs nothing, outside it
    counts from the nearer end. A hard step ridden easily was not done, but a rest ridden too hard was still the rest:
    one that took about its time costs half of that for its level and at most `MOST_FOR_A_HARD_REST`. A step from
    `LONG_STEADY_S` on may cover any number of stretches, its level then costing the mean over their time. The moves
    of several pieces and all costs are Coachboard's.

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
    costs = Costs.of(planned, done)
    rows, columns = len(planned) + 1, len(done) + 1
    least = [[math.inf] * columns for _ in range(rows)]
    move = [[(0, 0)] * columns for _ in range(rows)]
    least[0][0] = 0.0
    for row in range(rows):
        for column in range(columns):
            for steps, stretches in _moves(planned, row, column):
                before = least[row - steps][column - stretches]
                # Costs are never negative. Without this, a session of 65 steps takes 64 ms instead of 43 ms.
                if before >= least[row][column] - _ROUNDING:
                    continue
                cost = before + costs.of_move(row, column, steps, stretches)
                if cost < least[row][column] - _ROUNDING:
                    least[row][column], move[row][column] = cost, (steps, stretches)
    return Alignment(_walk_back(move, rows - 1, columns - 1), least[-1][-1])


# Ties go to the first option, from the end backwards: of five intervals the last counts as skipped.
_MOVES = (
    (1, 0), (0, 1), (1, 1),
    *[pair for many in range(2, MOST_JOINED + 1) for pair in ((1, many), (many, 1))],
    # Prevents wrong cuts in a warm-up and the easy hour after it, ridden as three sections of one level.
    (2, 2), (2, 3), (3, 2), (3, 3),
)  # fmt: skip


def _moves(planned: Sequence[Piece], row: int, column: int) -> Iterator[tuple[int, int]]:
    for steps, stretches in _MOVES:
        if steps <= row and stretches <= column:
            yield steps, stretches
    if row and is_long(planned[row - 1]):
        yield from ((1, many) for many in range(MOST_JOINED + 1, column + 1))


def _walk_back(move: list[list[tuple[int, int]]], row: int, column: int) -> tuple[StepMatch, ...]:
    matches: list[StepMatch] = []
    while row or column:
        steps, stretches = move[row][column]
        matches.append(StepMatch(tuple(range(row - steps, row)), tuple(range(column - stretches, column))))
        row, column = row - steps, column - stretches
    return tuple(reversed(matches))
