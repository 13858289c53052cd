"""Power in single numbers, against published and derived values (formulas, section 3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session import power

RIDE = np.repeat([300.0, 0.0, 200.0], 200)
HOUR_OF_MINUTES = np.tile(np.repeat([300.0, 100.0], 60), 30)

powers = arrays(np.float64, st.integers(30, 200), elements=st.floats(0, 1500))


def slow_normalized_power(series):
    """The definition word by word, one window at a time."""
    windows = [series[at : at + 30] for at in range(len(series) - 29)]
    return (sum((sum(window) / 30) ** 4 for window in windows) / len(windows)) ** 0.25


def test_ride_of_three_blocks_gives_derived_numbers():
    assert power.normalized_power(RIDE) == pytest.approx(234.0060, abs=5e-5)
    assert power.average_power(RIDE) == pytest.approx(166.6667, abs=5e-5)


def test_hour_of_minutes_gives_derived_numbers():
    assert power.normalized_power(HOUR_OF_MINUTES) == pytest.approx(239.0995, abs=5e-5)
    assert power.variability_index(HOUR_OF_MINUTES) == pytest.approx(1.19550, abs=5e-6)


def test_the_intensity_factor_is_of_critical_power():
    normalized_w = power.normalized_power(HOUR_OF_MINUTES)

    assert power.power_ratio(normalized_w, 250) == pytest.approx(0.956398, abs=5e-7)


@pytest.mark.parametrize(
    ("normalized_w", "reference_w"), [(None, 250.0), (200.0, None), (200.0, 0.0), (200.0, np.nan)]
)
def test_a_ratio_without_both_powers_is_unknown(normalized_w, reference_w):
    assert np.isnan(power.power_ratio(normalized_w, reference_w))


@given(powers)
def test_normalized_power_equals_slow_version(series):
    assert power.normalized_power(series) == pytest.approx(
        slow_normalized_power(series.tolist()), rel=1e-6, abs=1e-3
    )


@given(st.floats(1, 2000), st.integers(30, 500))
def test_constant_power_is_its_own_normalized_power(level, seconds):
    """Sauce's test: 1,000 W held stay 1,000 W."""
    assert power.normalized_power(np.full(seconds, level)) == pytest.approx(level)
    assert power.variability_index(np.full(seconds, level)) == pytest.approx(1)


@pytest.mark.parametrize("series", [[], [200.0] * 29, [np.nan] * 100])
def test_too_little_power_is_unknown(series):
    assert np.isnan(power.normalized_power(series))


@pytest.mark.parametrize("series", [[], [np.nan] * 3])
def test_no_power_has_no_numbers(series):
    assert np.isnan([power.average_power(series), power.work_kj(series)]).all()
    assert np.isnan(power.variability_index([0.0] * 60))


def test_missing_counts_as_rest_in_normalized_power_and_not_in_average():
    series = np.concatenate([np.full(300, 200.0), np.full(300, np.nan)])

    assert power.normalized_power(series) == power.normalized_power(np.nan_to_num(series))
    assert power.average_power(series) == 200


def test_work_before_each_sample_grows_to_the_work():
    before = power.cumulative_work_kj([1000.0, np.nan, 500.0, 0.0], [1.0, 1.0, 2.0, 1.0])

    assert before.tolist() == [0.0, 1.0, 1.0, 2.0]
    assert power.cumulative_work_kj([]).tolist() == []
