"""One clock for all figures: how long a sample lasts, which gaps are stops, and both grids of seconds."""

from inspect import getdoc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session.clock_grid import (
    LONGEST_GRID_S,
    LONGEST_HOLD_S,
    held,
    longest_hold_s,
    per_second,
    sample_durations_s,
    to_clock_grid,
    usual_step_s,
)
from coachboard.formulas.session.mean_maximal import mean_maximal

SECONDS = st.lists(st.integers(0, 60), min_size=1, max_size=40).map(sorted)


def test_a_lost_second_belongs_to_the_sample_before_it_and_a_stop_to_none():
    assert sample_durations_s([0, 1, 3, 4, 5, 15, 26, 27]).tolist() == [1, 2, 1, 1, 10, 1, 1, 1]
    assert sample_durations_s([]).tolist() == []


def test_a_device_that_writes_rarely_stops_after_five_steps():
    assert longest_hold_s([0, 4, 8]) == 20
    assert sample_durations_s([0, 4, 8, 12, 16, 36, 57]).tolist() == [4, 4, 4, 4, 20, 4, 4]


def test_samples_of_one_moment_do_not_shorten_the_usual_step():
    assert usual_step_s([0, 0, 0, 4, 8]) == 4


def test_of_two_samples_of_one_moment_the_second_counts():
    assert sample_durations_s([0, 1, 1, 2]).tolist() == [1, 0, 1, 1]
    assert to_clock_grid([0, 1, 1, 2], [5.0, 6.0, 7.0, 8.0]).tolist() == [5, 7, 8]


@given(SECONDS)
def test_each_second_of_the_grid_has_the_latest_sample_until_that_ends(seconds):
    durations = sample_durations_s(seconds)
    found = to_clock_grid(seconds, np.arange(len(seconds)), fill=-1)
    latest = {second: place for place, second in enumerate(seconds)}

    for at, value in enumerate(found.tolist(), seconds[0]):
        place = latest[max(second for second in latest if second <= at)]
        ends_s = max(np.rint(seconds[place] + durations[place]), seconds[place] + 1)
        assert value == (place if at < ends_s else -1)


@given(SECONDS.filter(lambda seconds: np.all(np.diff(seconds) > 0)))
def test_both_grids_hold_the_recorded_time(seconds):
    durations, values = sample_durations_s(seconds), np.ones(len(seconds))

    assert len(per_second(values, durations)) == pytest.approx(durations.sum(), abs=0.51)
    assert to_clock_grid(seconds, values, fill=0).sum() == pytest.approx(
        durations.sum(), abs=0.51 * (1 + (durations % 1 > 0).sum())
    )


@given(arrays(np.float64, st.integers(1, 50), elements=st.floats(0.4, 9)))
def test_samples_by_second_last_as_long_as_the_record(dt_s):
    found = per_second(np.ones(len(dt_s)), dt_s)

    assert len(found) == pytest.approx(
        dt_s.sum(), abs=max(0.51, 0.5 * len(dt_s) if len(found) == len(dt_s) else 0.51)
    )


def test_samples_without_a_time_are_left_out():
    assert to_clock_grid([np.nan, 3.0, np.nan, 4.0], [1.0, 2.0, 3.0, 4.0]).tolist() == [2.0, 4.0]
    assert to_clock_grid([], []).tolist() == []


@pytest.mark.parametrize(
    ("times", "values", "says"),
    [
        ([0, 1], [1.0], "length"),
        ([5, 1], [1.0, 2.0], "falls"),
        ([0, LONGEST_GRID_S + 1], [1.0, 2.0], "spans"),
    ],
)
def test_impossible_times_are_refused(times, values, says):
    with pytest.raises(ValueError, match=says):
        to_clock_grid(times, values)


def test_a_short_loss_of_a_sensor_holds_the_last_value_and_a_long_one_does_not():
    at = np.arange(40.0)
    values = np.where((at % 40 >= 5) & (at % 40 < 14) | (at >= 20) & (at < 31) | (at > 38), np.nan, at)

    found = held(values, at)

    assert found[5:14].tolist() == [4] * 9
    assert np.isnan(found[20:31]).all()
    assert np.isnan(found[39])
    assert held([np.nan, 3.0], [0, 1]).tolist()[1] == 3
    assert np.isnan(held([np.nan, 3.0], [0, 1])[0])


@pytest.mark.parametrize("lost", ["left out", "without a value"])
def test_lost_seconds_do_not_lower_the_best_effort(lost):
    """20 min at 368 W with 69 lost seconds were 354 W."""
    at = np.delete(np.arange(1200.0), np.arange(10, 1180, 17)) if lost == "left out" else np.arange(1200.0)
    power = np.full(len(at), 368.0)
    if lost != "left out":
        power[10:1180:17] = np.nan

    assert mean_maximal(to_clock_grid(at, held(power, at), fill=0), [1200]).tolist() == [368]


def test_the_docstring_states_the_rule_of_gaps():
    rule = getdoc(sample_durations_s)

    assert f"After a gap of more than {LONGEST_HOLD_S:.0f} s" in rule
    for figure in ("normalized power", "W' balance", "best efforts"):
        assert figure in rule
