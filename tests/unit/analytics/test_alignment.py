"""Plans laid beside what was done: by intensity and duration, whatever was inserted or left out."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachboard.analytics.alignment import Alignment, Match, Piece, _Costs, add_cost, align

WARM_UP, EASY, COOL_DOWN = Piece(62, 900), Piece(48, 180), Piece(55, 600)
HARD = Piece(112, 240)
PLAN = [WARM_UP, HARD, EASY, HARD, EASY, HARD, COOL_DOWN]

pieces = st.builds(Piece, st.floats(20, 250), st.floats(1, 3600))


def pairs(alignment):
    return [(match.steps, match.stretches) for match in alignment.matches]


def slow_least_cost(planned, done):
    """Every way through, without a table."""
    costs = _Costs.of(planned, done)

    def least(row, column):
        if not row and not column:
            return 0.0
        moves = [(1, 1), (1, 0), (0, 1), *((1, k) for k in (2, 3, 4)), *((k, 1) for k in (2, 3, 4))]
        moves += itertools.product((2, 3), (2, 3))
        return min(
            least(row - steps, column - spans) + costs.of_move(row, column, steps, spans)
            for steps, spans in moves
            if steps <= row and spans <= column
        )

    return least(len(planned), len(done))


def test_done_as_planned_matches_one_to_one_at_no_cost():
    found = align(PLAN, PLAN)

    assert pairs(found) == [((at,), (at,)) for at in range(7)]
    assert found.cost == 0


def test_skipped_last_interval_is_found_and_nothing_after_it_shifts():
    done = [WARM_UP, HARD, EASY, HARD, COOL_DOWN]

    matches = align(PLAN, done).matches

    assert [match.steps for match in matches if match.is_skipped] == [(4,), (5,)]
    assert matches[-1] == Match((6,), (4,))


def test_added_effort_is_found():
    done = [WARM_UP, Piece(180, 120), *PLAN[1:]]

    assert [match.stretches for match in align(PLAN, done).matches if match.is_added] == [(1,)]


def test_cut_short_interval_stays_matched():
    done = [*PLAN[:5], Piece(112, 90), COOL_DOWN]

    assert ((5,), (5,)) in pairs(align(PLAN, done))


def test_interval_broken_by_noise_is_one_step():
    done = [WARM_UP, Piece(114, 150), Piece(108, 90), *PLAN[2:]]

    assert ((1,), (1, 2)) in pairs(align(PLAN, done))


def test_even_steps_share_one_stretch():
    plan = [Piece(60, 600), Piece(65, 300), HARD]

    assert pairs(align(plan, [Piece(62, 910), HARD])) == [((0, 1), (0,)), ((2,), (1,))]


def test_unknown_levels_are_matched_by_duration():
    unknown = [Piece(math.nan, piece.duration_s) for piece in PLAN]

    assert pairs(align(unknown, PLAN)) == [((at,), (at,)) for at in range(7)]


@given(st.lists(pieces, max_size=8), st.lists(pieces, max_size=8))
def test_each_piece_stands_in_exactly_one_match_in_order(planned, done):
    matches = align(planned, done).matches

    assert list(itertools.chain(*(match.steps for match in matches))) == list(range(len(planned)))
    assert list(itertools.chain(*(match.stretches for match in matches))) == list(range(len(done)))


@settings(max_examples=30, deadline=None)
@given(st.lists(pieces, max_size=4), st.lists(pieces, max_size=4))
def test_cost_is_the_least_of_all_ways(planned, done):
    assert align(planned, done).cost == pytest.approx(slow_least_cost(planned, done))


def test_nothing_planned_nothing_done():
    assert align([], []) == Alignment((), 0.0)


def test_short_unplanned_stretch_costs_less():
    assert add_cost(6) < add_cost(60) == add_cost(600)
