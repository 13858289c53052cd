"""Alignment of a plan with a session by intensity and duration, with inserted and skipped steps."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachboard.execution.alignment import Alignment, StepMatch, align
from coachboard.execution.alignment_costs import Costs, Piece, add_cost

WARM_UP, EASY, COOL_DOWN = Piece(62, 900), Piece(48, 180), Piece(55, 600)
HARD = Piece(112, 240)
PLAN = [WARM_UP, HARD, EASY, HARD, EASY, HARD, COOL_DOWN]

pieces = st.builds(Piece, st.floats(20, 250), st.floats(1, 3600))
levels = st.floats(20, 250)
banded = st.builds(
    lambda ends, *rest: Piece(sum(ends) / 2, rest[0], min(ends), max(ends), rest[1]),
    st.tuples(levels, levels),
    st.floats(1, 3600),
    st.booleans(),
)


def pairs(alignment):
    return [(match.steps, match.stretches) for match in alignment.matches]


def slow_least_cost(planned, done):
    """Every way through, without a table."""
    costs = Costs.of(planned, done)

    def least(row, column):
        if not row and not column:
            return 0.0
        moves = [(1, 1), (1, 0), (0, 1), *((1, k) for k in range(2, 9)), *((k, 1) for k in (2, 3, 4))]
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
    assert matches[-1] == StepMatch((6,), (4,))


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


def test_long_ride_that_hills_cut_into_many_laps_is_the_one_step_that_was_planned():
    plan = [Piece(70, 4 * 3600, 60, 78)]
    done = [Piece(level, 3600) for level in (55, 70, 33, 66)] + [Piece(82, 300), Piece(60, 700)] * 3

    assert pairs(align(plan, done)) == [((0,), tuple(range(len(done))))]


def test_intervals_within_a_long_ride_are_not_swallowed_by_it():
    plan = [Piece(65, 2 * 3600, 56, 75)]
    done = [Piece(65, 3600), HARD, EASY, HARD, EASY, HARD, EASY, HARD, Piece(65, 2400)]
    matches = align(plan, done).matches

    assert [match.stretches for match in matches if match.is_added]


@given(st.lists(pieces | banded, max_size=8), st.lists(pieces, max_size=8))
def test_each_piece_is_in_exactly_one_match_in_order(planned, done):
    matches = align(planned, done).matches

    assert list(itertools.chain(*(match.steps for match in matches))) == list(range(len(planned)))
    assert list(itertools.chain(*(match.stretches for match in matches))) == list(range(len(done)))


@settings(max_examples=30, deadline=None)
@given(st.lists(pieces | banded, max_size=4), st.lists(pieces, max_size=4))
def test_cost_is_the_least_of_all_ways(planned, done):
    assert align(planned, done).cost == pytest.approx(slow_least_cost(planned, done))


def test_nothing_planned_nothing_done():
    assert align([], []) == Alignment((), 0.0)


def test_short_unplanned_stretch_costs_less():
    assert add_cost(6) < add_cost(60) == add_cost(600)


def test_short_rest_ridden_too_hard_is_still_the_rest():
    """As recorded: 30 s at 200 %, 15 s of 0 to 57 % planned and 64, 46 and 42 % ridden."""
    effort, rest = Piece(186, 30), Piece(29, 15, 0, 57)
    plan = [effort, rest, effort, rest, effort, rest]
    done = [Piece(202, 30), Piece(64, 15), Piece(181, 30), Piece(46, 15), Piece(195, 30), Piece(42, 15)]

    assert pairs(align(plan, done)) == [((at,), (at,)) for at in range(6)]


def test_effort_that_became_easy_riding_was_skipped():
    done = [WARM_UP, HARD, EASY, HARD, EASY, Piece(35, 240), COOL_DOWN]

    assert ((5,), ()) in pairs(align(PLAN, done))


def test_extra_effort_instead_of_the_cool_down_is_no_cool_down():
    done = [*PLAN[:6], Piece(130, 200)]

    assert set(pairs(align(PLAN, done))[-2:]) == {((6,), ()), ((), (6,))}


def test_a_session_that_stops_early_lacks_the_last_steps_and_not_the_middle():
    """Found on a recording: three of the first ten efforts, counted as the first three of the second ten."""
    long_easy = Piece(70, 480)
    turns = [Piece(200, 30), Piece(31, 15, 0, 62)] * 10
    plan = [WARM_UP, long_easy, *turns, Piece(70, 600), *turns, COOL_DOWN]
    done = [WARM_UP, long_easy, *[Piece(205, 30), Piece(50, 15)] * 3, Piece(62, 210)]

    assert pairs(align(plan, done))[:8] == [((at,), (at,)) for at in range(8)]


def test_rest_that_was_left_out_is_skipped():
    """Two efforts on end: the second is no rest, though it took as long as one."""
    plan = [WARM_UP, HARD, Piece(48, 240), HARD, COOL_DOWN]

    assert pairs(align(plan, [WARM_UP, HARD, HARD, COOL_DOWN])) == [
        ((0,), (0,)), ((1,), (1,)), ((2,), ()), ((3,), (2,)), ((4,), (3,)),
    ]  # fmt: skip


def test_anywhere_in_its_band_costs_nothing():
    plan = [Piece(80, 600, 60, 100), Piece(28, 60, 0, 56)]

    for done in ([Piece(60, 600), Piece(5, 60)], [Piece(100, 600), Piece(56, 60)]):
        assert align(plan, done).cost == 0


def test_step_of_open_end_may_take_any_time():
    warm_up = Piece(60, 600, is_open=True)

    assert pairs(align([warm_up, HARD], [Piece(60, 60), HARD])) == [((0,), (0,)), ((1,), (1,))]


@st.composite
def intervals_with_hard_rests(draw):
    """Efforts in their bands, each followed by a rest of about its time, ridden anywhere below the effort."""
    hard = draw(st.floats(105, 180))
    plan, done = [WARM_UP], [WARM_UP]
    for _ in range(draw(st.integers(1, 10))):
        effort_s, rest_s = draw(st.floats(20, 480)), draw(st.floats(15, 300))
        plan += [Piece(hard, effort_s, hard * 0.95, hard * 1.05), Piece(40, rest_s)]
        done += [
            Piece(hard * draw(st.floats(0.95, 1.05)), effort_s * draw(st.floats(0.9, 1.1))),
            Piece(draw(st.floats(20, hard * 0.75)), rest_s * draw(st.floats(0.9, 1.1))),
        ]
    return plan, done


@given(intervals_with_hard_rests())
def test_no_rest_is_shown_as_skipped_for_being_ridden_too_hard(session):
    plan, done = session

    assert pairs(align(plan, done)) == [((at,), (at,)) for at in range(len(plan))]


@given(st.lists(pieces | banded, min_size=1, max_size=6))
def test_done_in_the_middle_of_every_band_costs_nothing(plan):
    assert align(plan, [Piece(step.level_pct, step.duration_s) for step in plan]).cost == 0


@given(banded, st.floats(1, 3600), levels, levels)
def test_further_above_the_band_never_costs_less(step, duration_s, first, second):
    lower, higher = sorted(max(level, step.high_pct) for level in (first, second))
    costs = [Costs.of([step], [Piece(level, duration_s)]).of_move(1, 1, 1, 1) for level in (lower, higher)]

    assert costs[0] <= costs[1]
