"""The clock grid, selections, scores, climbs and data quality on small sessions made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session.climbs import climbs_on_foot, find_climbs
from coachboard.formulas.session.quality import column_quality, find_gaps
from coachboard.formulas.session.selection import summarize, summarize_column, weighted_mean
from coachboard.formulas.session.session_load import (
    hr_load_score,
    intensity_score,
    pace_load,
    power_load,
    rpe_load,
    stimulus,
)
from coachboard.wire.enums import Gender, LapIntensity, TrainingStimulus

# Selections


def session(**columns):
    count = len(next(iter(columns.values())))
    return SimpleNamespace(
        columns={name: np.asarray(values, float) for name, values in columns.items()},
        elapsed_s=np.arange(count, dtype=float),
        dt_s=np.ones(count),
        is_moving=np.ones(count, bool),
        distance_m=np.arange(count) * 8.0,
    )


def test_summary_of_a_stretch_counts_its_own_samples_alone():
    power = np.concatenate([np.full(600, 100.0), np.full(600, 250.0)])
    ride = session(power=power, heart_rate=np.full(1200, 140.0), altitude=np.arange(1200) * 0.1)

    found = summarize(ride, slice(600, 1200), weight_kg=75)

    assert (found.elapsed_s, found.active_s) == (600, 600)
    assert found.distance_m == pytest.approx(599 * 8)
    assert found.gain_m == pytest.approx(60, abs=3.1)
    assert found.columns["power"].average == 250
    assert found.normalized_power_w == pytest.approx(250)
    assert found.variability_index == pytest.approx(1)
    assert found.power_per_kg == pytest.approx(250 / 75)
    assert (found.work_before_kj, found.work_kj) == (60, 150)
    assert found.drift is not None
    assert found.drift.caution is not None
    assert np.isnan(found.efficiency)  # below 20 min


def test_efficiency_from_20_minutes_on_by_power_else_by_speed():
    rate = np.full(1800, 150.0)

    assert summarize(
        session(power=np.full(1800, 225.0), heart_rate=rate), slice(None)
    ).efficiency == pytest.approx(1.5)
    ride = session(speed=np.full(1800, 3.0), heart_rate=rate)
    by_speed = summarize(ride, slice(None), effort_mps=ride.columns["speed"])
    assert np.isnan(summarize(ride, slice(None)).efficiency)
    assert by_speed.efficiency == pytest.approx(1.2)
    assert np.isnan(by_speed.normalized_power_w)


def test_stop_counts_as_elapsed_and_not_as_active():
    ride = session(power=np.full(100, 200.0))
    ride.is_moving[40:60] = False

    found = summarize(ride, slice(0, 100))

    assert (found.elapsed_s, found.active_s) == (100, 80)


def test_empty_stretch_and_missing_columns_are_unknown():
    found = summarize(session(heart_rate=[np.nan] * 10), slice(4, 4))

    assert found.elapsed_s == 0
    assert np.isnan([found.distance_m, found.normalized_power_w, found.work_kj, found.work_before_kj]).all()
    assert np.isnan(found.columns["heart_rate"].average)


def test_samples_of_no_time_weigh_alike():
    assert weighted_mean([1.0, 3.0], [0.0, 0.0]) == 2
    assert np.isnan(weighted_mean(None, [1.0]))


# Scores of a session


def test_an_hour_at_the_threshold_is_100_by_every_measure():
    assert power_load(np.full(3600, 280.0), 1, 280) == pytest.approx(100)
    assert pace_load(np.full(3600, 4.2), 1, 4.2) == pytest.approx(100)
    assert hr_load_score(
        np.full(3600, 0.89 * 185), 1, rest_bpm=48, max_bpm=185, gender=Gender.MALE
    ) == pytest.approx(100)
    assert rpe_load(7, 3600) == 100


def test_scores_of_nothing_are_unknown_or_refused():
    assert np.isnan([power_load([np.nan] * 60, 1, 250), pace_load([np.nan], 1, 4), intensity_score()]).all()
    with pytest.raises(ValueError, match="critical_power_w"):
        power_load([1.0], 1, 0)
    with pytest.raises(ValueError, match="critical_speed_mps"):
        pace_load([1.0], 1, 0)


@given(arrays(np.float64, st.integers(1, 200), elements=st.floats(0, 1000)))
def test_intensity_stays_between_0_and_100(percent):
    assert 0 <= intensity_score(power_pct=percent) <= 100


def test_intensity_takes_the_first_that_is_known():
    assert intensity_score(power_pct=[np.nan], heart_rate_pct=[80.0] * 60) == pytest.approx(50)
    assert intensity_score(speed_pct=[95.0] * 60, heart_rate_pct=[80.0] * 60) == pytest.approx(60)
    assert intensity_score(rpe=6) == 60


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        ({LapIntensity.AEROBIC: 350, LapIntensity.TEMPO: 10}, TrainingStimulus.AEROBIC),
        ({LapIntensity.AEROBIC: 45, LapIntensity.THRESHOLD: 32}, TrainingStimulus.THRESHOLD),
        ({LapIntensity.AEROBIC: 50, LapIntensity.VO2MAX: 15}, TrainingStimulus.VO2MAX),
        ({LapIntensity.AEROBIC: 60, LapIntensity.NEUROMUSCULAR: 1.4}, TrainingStimulus.NEUROMUSCULAR),
        ({}, None),
    ],
)
def test_stimulus_is_the_band_that_weighs_most(minutes, expected):
    assert stimulus({band: 60.0 * amount for band, amount in minutes.items()}) is expected


def test_easy_session_on_average_is_recovery():
    assert stimulus({LapIntensity.AEROBIC: 3600.0}, average_pct=48) is TrainingStimulus.RECOVERY
    assert stimulus({LapIntensity.AEROBIC: 3600.0}, average_pct=62) is TrainingStimulus.AEROBIC


# Climbs


def test_dip_inside_a_climb_does_not_end_it_and_a_valley_does():
    distance = np.arange(0, 12_000, 5.0)
    one = np.interp(distance, [0, 2000, 4000, 4100, 6000, 12_000], [0, 0, 120, 114, 240, 240])
    two = np.interp(distance, [0, 2000, 4000, 6000, 8000, 12_000], [0, 0, 120, 40, 160, 160])

    assert len(find_climbs(distance, one)) == 1
    assert len(find_climbs(distance, two)) == 2


@pytest.mark.parametrize("altitude", [np.zeros(1000), np.full(1000, np.nan), np.linspace(0, 60, 1000)])
def test_flat_unknown_and_gentle_ways_have_no_climb(altitude):
    assert find_climbs(np.arange(1000) * 10.0, altitude) == []


@pytest.mark.parametrize(
    ("length_m", "grade_pct", "is_climb"),
    [(900, 4.5, True), (700, 4.5, False), (5000, 2.7, False), (600, 10, True), (440, 10, False)],
)
def test_a_climb_is_long_steep_and_high_enough(length_m, grade_pct, is_climb):
    distance = np.arange(0, 8000, 5.0)
    altitude = np.clip(distance - 1000, 0, length_m) * grade_pct / 100

    assert bool(find_climbs(distance, altitude)) == is_climb


def test_rise_at_the_very_start_is_a_climb_and_too_short_a_way_is_none():
    distance = np.arange(0, 1500, 5.0)

    (climb,) = find_climbs(distance, 0.08 * distance)

    assert (climb.start, climb.end) == (0, len(distance) - 1)
    assert find_climbs(distance[:50], 0.08 * distance[:50]) == []


@pytest.mark.parametrize(
    ("length_m", "grade_pct", "is_climb"),
    [(250, 15, True), (160, 25, False), (250, 12, False), (1000, 2.7, False), (1500, 4, True)],
)
def test_a_climb_on_foot_may_be_shorter_but_not_lower(length_m, grade_pct, is_climb):
    distance = np.arange(0, 4000, 3.0)
    altitude = np.clip(distance - 1000, 0, length_m) * grade_pct / 100

    assert bool(climbs_on_foot(distance, altitude, distance / 3)) == is_climb


def test_climbs_on_foot_have_gain_grade_and_vertical_speed_with_stops():
    """800 m at 10 % and 500 m at 20 %, at 2 m/s, with a rest of 200 s in the second."""
    distance = np.arange(0, 6000, 2.0)
    altitude = np.interp(distance, [0, 1000, 1800, 3000, 3500, 6000], [0, 0, 80, 20, 120, 120])
    elapsed = distance / 2 + np.where(distance > 3200, 200, 0)
    first, second = climbs_on_foot(distance, altitude, elapsed)

    assert (first.distance_m, first.gain_m, first.duration_s) == pytest.approx((800, 80, 400), rel=0.03)
    assert (first.average_grade_pct, first.max_grade_pct) == pytest.approx((10, 10), rel=0.03)
    assert (first.vam_m_per_h, second.vam_m_per_h) == pytest.approx((720, 100 / 450 * 3600), rel=0.03)
    assert second.average_grade_pct == pytest.approx(20, rel=0.03)


def test_an_altitude_that_jumps_has_no_climbs_on_foot():
    distance = np.arange(0, 6000, 2.0)
    altitude = np.interp(distance, [0, 1000, 1800, 6000], [0, 0, 80, 80])
    jumping = altitude + np.where(np.arange(3000) % 20 < 10, 0, 60)

    assert len(climbs_on_foot(distance, altitude, distance)) == 1
    assert climbs_on_foot(distance, jumping, distance) == []


# Data quality


def quality(name, values):
    values = np.asarray(values, float)
    return column_quality(name, values, np.ones(len(values)), np.ones(len(values), bool))


def test_spike_outside_the_range_and_spike_by_change_are_found():
    rate = np.full(60, 140.0)
    rate[10], rate[30] = 250, 190

    found = quality("heart_rate", rate + np.tile([0, 1], 30))

    assert found.spikes == 2


def test_sprint_is_no_spike_and_a_stop_no_dropout():
    power = np.concatenate([np.full(60, 200.0), np.linspace(200, 1300, 4), np.full(8, 1250.0), np.zeros(300)])
    power += np.tile([0, 1], len(power) // 2)

    assert quality("power", power).spikes == 0
    assert quality("heart_rate", np.concatenate([[120.0], np.zeros(200), [121.0]])).dropouts == 0


def test_stuck_sensor_is_flat_only_while_moving():
    rate = np.full(600, 150.0)
    still = column_quality("heart_rate", rate, np.ones(600), np.zeros(600, bool))

    assert quality("heart_rate", rate).flat_s == pytest.approx(599)
    assert still.flat_s == 0
    assert quality("temperature", rate / 10).flat_s == 0


def test_a_total_outside_its_plausible_range_is_a_spike():
    found = quality("fluid_loss", [1.0, np.nan, 1e9])

    assert (found.missing_s, found.spikes) == (1, 1)


def test_zero_of_a_sensor_that_is_not_in_use_is_no_spike_and_no_dropout():
    found = quality("ground_contact_time", [240.0, 0.0, 0.0, 241.0, 40.0])

    assert (found.dropouts, found.spikes) == (0, 1)


@pytest.mark.parametrize(("name", "average"), [("heart_rate", 120), ("cadence", 120), ("power", 60)])
def test_zeros_that_mean_nothing_was_measured_are_in_no_average_and_no_minimum(name, average):
    found = summarize_column([0.0, 120.0], [1.0, 1.0], name=name)

    assert (found.average, found.lowest) == (average, 120 if average == 120 else 0)


def test_record_of_one_sample_has_no_gap():
    assert find_gaps(np.array([0.0]), 10) == []
