"""Laps found in the power: exact on clean steps, steady under noise, contiguous on anything."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session.laps import find_laps, find_levels
from coachboard.wire.enums import LapCharacteristic, LapIntensity

CP = 250.0


def ride(*blocks):
    """Blocks of (percent of critical power, seconds)."""
    return np.concatenate([np.full(seconds, pct / 100 * CP) for pct, seconds in blocks])


def noisy(series, deviation, seed=7):
    """Noise with a memory of some seconds, as legs and road make it."""
    raw = np.random.default_rng(seed).normal(0, 1, len(series) + 4)
    smooth = np.convolve(raw, np.full(5, 5**-0.5), "valid")
    return np.maximum(series + deviation * smooth, 0)


def words(laps):
    return [str(lap.intensity) for lap in laps]


FOUR_BY_EIGHT = ride((60, 900), *[(98, 480), (50, 240)] * 4, (55, 600))


def test_clean_intervals_are_found_to_the_second():
    laps = find_laps(FOUR_BY_EIGHT, critical_power_w=CP)

    assert words(laps) == ["aerobic", *["threshold", "recovery"] * 3, "threshold", "aerobic"]
    assert [lap.start for lap in laps][:3] == [0, 900, 1380]
    assert laps[2].characteristic is LapCharacteristic.INTRA_RECOVERY


@pytest.mark.parametrize("seed", range(5))
def test_noise_moves_edges_by_seconds_and_adds_no_lap(seed):
    laps = find_laps(noisy(FOUR_BY_EIGHT, 45, seed), critical_power_w=CP)

    assert words(laps) == ["aerobic", *["threshold", "recovery"] * 3, "threshold", "aerobic"]
    assert np.abs(np.array([lap.start for lap in laps][1:3]) - [900, 1380]).max() <= 12


def test_short_hard_intervals_with_short_rests_stay_apart():
    laps = find_laps(ride((60, 600), *[(150, 30), (45, 15)] * 6, (60, 600)), critical_power_w=CP)

    assert words(laps) == ["aerobic", *["anaerobic", "recovery"] * 5, "anaerobic", "aerobic"]


def test_coasting_and_stops_make_no_laps_in_a_steady_ride():
    steady = ride((80, 900), (0, 20), (80, 900), (0, 12), (80, 900))

    assert words(find_laps(noisy(steady, 30), critical_power_w=CP)) == ["tempo"]


def test_spike_of_one_sample_makes_no_lap():
    series = ride((60, 1200))
    series[600] = 2000

    assert words(find_laps(series, critical_power_w=CP)) == ["aerobic"]


@given(arrays(np.float64, st.integers(1, 600), elements=st.one_of(st.floats(0, 2000), st.just(np.nan))))
def test_laps_are_contiguous_and_ordered(power):
    laps = find_laps(power, critical_power_w=CP)

    if np.isfinite(power).any():
        assert laps[0].start == 0
        assert laps[-1].end == len(power) - 1
        assert all(left.end + 1 == right.start for left, right in itertools.pairwise(laps))
    else:
        assert laps == []


@given(arrays(np.float64, st.integers(1, 300), elements=st.floats(0, 400)))
def test_levels_rise_from_first_to_last(values):
    places = find_levels(values)

    assert (places[0], places[-1]) == (0, len(values))
    assert np.all(np.diff(places) > 0)


def test_no_samples_no_laps():
    assert find_laps([], critical_power_w=CP) == []


def test_traits_are_detected():
    cases = {
        LapCharacteristic.TORQUE: (ride((85, 600)), np.full(600, 55.0)),
        LapCharacteristic.CADENCE: (ride((85, 600)), np.full(600, 108.0)),
        LapCharacteristic.PROGRESSIVE: (np.linspace(180, 222, 600), None),
        LapCharacteristic.DYNAMIC: (ride(*[(110, 15), (60, 15)] * 20), None),
    }
    for trait, (power, cadence) in cases.items():
        (lap,) = find_laps(power, critical_power_w=CP, cadence_rpm=cadence)
        assert lap.characteristic is trait


def test_low_cadence_is_read_from_torque_too():
    power = ride((85, 600))

    (lap,) = find_laps(power, critical_power_w=CP, torque_nm=power / (55 * np.pi / 30))

    assert lap.characteristic is LapCharacteristic.TORQUE


def test_all_out_effort_is_maximum_where_w_prime_is_known():
    effort = ride((60, 600), ((CP + 20_000 / 300) / CP * 100, 300), (50, 600))

    laps = find_laps(effort, critical_power_w=CP, w_prime_j=20_000)

    assert (laps[1].intensity, laps[1].characteristic) == (LapIntensity.VO2MAX, LapCharacteristic.MAXIMUM)
    assert find_laps(effort, critical_power_w=CP)[1].characteristic is None


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="critical_power_w"):
        find_laps([200.0], critical_power_w=0)
    with pytest.raises(ValueError, match="cadence_rpm"):
        find_laps([200.0], critical_power_w=CP, cadence_rpm=[90.0, 90.0])


def test_14_hours_take_well_below_a_second():
    series = noisy(np.tile(FOUR_BY_EIGHT, 12)[:50_000], 45)

    started = time.process_time()
    find_laps(series, critical_power_w=CP)

    # 70 ms of processor time when measured; the bound only catches a change of order.
    assert time.process_time() - started < 1.0
