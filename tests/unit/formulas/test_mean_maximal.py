"""Best efforts against sweat's published tests and a slow version (formulas, section 6)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session.mean_maximal import DURATIONS, best_effort, highest_of, mean_maximal

INTERVALS = np.concatenate(
    [np.full(120, 100.0), np.tile(np.repeat([300.0, 100.0], 60), 4), np.full(60, 100.0)]
)

powers = arrays(np.float64, st.integers(1, 80), elements=st.floats(0, 1500))


def slow_best(series, seconds):
    """Every window of that many samples."""
    return max(sum(series[at : at + seconds]) / seconds for at in range(len(series) - seconds + 1))


def test_ramp_of_sweat_gives_its_published_numbers():
    assert mean_maximal(np.arange(101.0), [1, 50, 100]).tolist() == [100, 75.5, 50.5]


def test_intervals_give_derived_numbers_and_rise_at_three_minutes():
    curve = mean_maximal(INTERVALS, [60, 61, 120, 180, 300, 660])

    assert len(INTERVALS) == 660
    assert curve == pytest.approx([300, 296.7213, 200, 233.3333, 220, 172.7273], abs=5e-5)


@given(powers)
def test_curve_equals_slow_version(series):
    durations = range(1, len(series) + 1)

    expected = [slow_best(series.tolist(), seconds) for seconds in durations]

    assert mean_maximal(series, durations) == pytest.approx(expected, abs=1e-6)


def test_longer_than_the_recording_is_unknown():
    assert np.isnan(mean_maximal([200.0, 200.0], [2, 3])).tolist() == [False, True]
    assert np.isnan(mean_maximal([np.nan] * 5, [1])).all()
    assert np.isnan(mean_maximal([], [1])).all()


def test_best_effort_says_where():
    found = best_effort(INTERVALS, 180)

    assert found is not None
    assert (found.start, found.mean) == (120, pytest.approx(233.3333, abs=5e-5))


@pytest.mark.parametrize("series", [[], [200.0], [np.nan] * 10])
def test_best_effort_of_too_little_is_none(series):
    assert best_effort(series, 5) is None


def test_duration_of_zero_is_refused():
    with pytest.raises(ValueError, match="durations_s"):
        mean_maximal([1.0], [0])


def test_best_of_sessions_is_taken_duration_by_duration():
    assert highest_of([]).shape == (len(DURATIONS),)
    assert highest_of([[1.0, np.nan], [np.nan, np.nan]], 2)[0] == 1


def test_durations_rise_and_name_the_common_ones():
    assert sorted(set(DURATIONS)) == list(DURATIONS)
    assert {1, 5, 60, 300, 1200, 3600} <= set(DURATIONS)
