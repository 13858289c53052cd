"""Bands, grades, decoupling, critical power, swimming and charts' points against published numbers."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session import critical_power as cp
from coachboard.formulas.session.decoupling import decoupling, efficiency_factor, loss_pct
from coachboard.formulas.session.downsample import MOST_POINTS, kept
from coachboard.formulas.session.elevation import gain_loss
from coachboard.formulas.session.grade import (
    GradeModel,
    effort_ratio,
    grade_adjusted_speed,
    grade_pct,
    minetti_cost,
)
from coachboard.formulas.session.power import variability_index
from coachboard.formulas.session.swim import swolf
from coachboard.formulas.session.zones import (
    BANDS,
    HEART_RATE_BANDS,
    PACE_BANDS,
    distribution,
    intensity_of,
    time_by_model,
    time_in_bands,
)
from coachboard.wire.enums import LapIntensity

# Critical power (formulas, section 4)


def test_sustainable_power_of_four_durations_is_the_derived_one():
    found = cp.sustainable_power_w([180, 300, 720, 1200], critical_power_w=250, w_prime_j=20_000)

    assert found == pytest.approx([361.1111, 316.6667, 277.7778, 266.6667], abs=5e-5)


# Efficiency and decoupling (section 7)


def test_decoupling_of_published_halves():
    assert loss_pct(efficiency_factor(193, 136), efficiency_factor(195, 142)) == pytest.approx(
        3.232869, abs=1e-6
    )
    assert loss_pct(1.28, 1.233) == pytest.approx(3.671875, abs=1e-9)


def test_decoupling_of_long_even_ride_is_read_by_halves():
    rate = np.repeat([136.0, 142.0], 3000)
    power = np.repeat([193.0, 195.0], 3000)

    found = decoupling(power, rate)

    assert found.caution is None
    assert found.loss_pct == pytest.approx(3.2329, abs=0.02)
    assert found.is_coupled


@pytest.mark.parametrize(
    ("power", "rate", "reason"),
    [
        (np.full(599, 200.0), np.full(599, 130.0), "needs 10 min"),
        (np.full(6000, np.nan), np.full(6000, 130.0), "never recorded together"),
        (np.full(6000, 200.0), np.zeros(6000), "never recorded together"),
    ],
)
def test_decoupling_that_cannot_be_computed_has_a_reason(power, rate, reason):
    found = decoupling(power, rate)

    assert reason in (found.caution or "")
    assert math.isnan(found.loss_pct)
    assert not found.is_coupled


@pytest.mark.parametrize(
    ("power", "caution"),
    [
        (np.full(600, 200.0), "means little: 10 min, below 90 min"),
        (np.full(5399, 200.0), "means little: 89 min, below 90 min"),
        (np.tile([400.0] * 60 + [50.0] * 60, 60), "means little: uneven, variability index "),
        (np.full(5400, 200.0), None),
    ],
)
def test_decoupling_of_every_session_is_shown_with_a_caution_where_it_means_little(power, caution):
    """Most sessions are shorter than 90 min or uneven, and had none."""
    rate = np.where(np.arange(len(power)) < len(power) // 2, 140.0, 150.0)
    found = decoupling(power, rate)

    assert found.loss_pct == pytest.approx(100 / 15, abs=0.6)
    assert (found.caution or "").startswith(caution or "")
    assert (found.caution is None) == (caution is None)


@pytest.mark.parametrize("swing", [0.19, 0.1965])
def test_an_index_just_above_the_limit_never_reads_as_the_limit(swing):
    """1.054 read as "1.05; up to 1.05"."""
    power = np.repeat([200 * (1 - swing), 200 * (1 + swing)], 3000)
    caution = decoupling(power, np.full(6000, 130.0)).caution

    assert f"{variability_index(power):.2f}" == "1.05"
    assert float(re.search(r"index ([\d.]+),", caution).group(1)) > 1.05


def test_speed_needs_no_even_effort_and_is_averaged():
    speed = np.concatenate([np.tile([2.0, 4.0], 1500), np.full(3000, 2.7)])

    found = decoupling(speed, np.full(6000, 150.0), is_power=False)

    assert found.loss_pct == pytest.approx(10)


def test_series_of_different_length_are_refused():
    with pytest.raises(ValueError, match="length"):
        decoupling([1.0], [1.0, 2.0])


# Grade (section 8)


@pytest.mark.parametrize(
    ("grade", "cost", "ratio"),
    [
        (-0.2, 1.8, 0.5),
        (-0.1, 2.1517, 0.5977),
        (0, 3.6, 1),
        (0.05, 4.6852, 1.3014),
        (0.1, 5.9682, 1.6578),
        (0.2, 9.0067, 2.5019),
    ],
)
def test_minetti_gives_derived_costs(grade, cost, ratio):
    assert float(minetti_cost(grade)) == pytest.approx(cost, abs=5e-5)
    assert float(effort_ratio(grade)) == pytest.approx(ratio, abs=5e-5)


def test_minetti_is_lowest_near_minus_18_percent():
    grades = np.linspace(-0.45, 0.45, 9001)

    assert grades[np.argmin(minetti_cost(grades))] == pytest.approx(-0.181, abs=1e-3)


@pytest.mark.parametrize(
    ("grade", "ratio"),
    [(-0.9, 1.35), (-0.5, 1.35), (-0.35, 1.25), (-0.25, 1.12), (-0.18, 1.01), (-0.15, 0.96), (-0.1, 0.88), (-0.05, 0.94),
     (0, 1), (0.025, 1.1), (0.05, 1.2), (0.1, 1.42), (0.15, 1.7), (0.2, 2), (0.3, 2.6), (0.4, 3.25), (0.5, 3.9), (0.9, 3.9)],
)  # fmt: skip
def test_table_gives_published_ratios_and_is_clamped(grade, ratio):
    assert float(effort_ratio(grade, GradeModel.TABLE)) == pytest.approx(ratio)


def test_six_minutes_a_kilometre_uphill_by_both_models():
    speed = 1000 / 360

    assert 1000 / float(grade_adjusted_speed(speed, 5.0)) == pytest.approx(276.6, abs=0.05)
    assert 1000 / float(grade_adjusted_speed(speed, 5.0, GradeModel.TABLE)) == pytest.approx(300.0)
    assert float(grade_adjusted_speed(speed, math.nan)) == pytest.approx(speed)


def test_grade_of_a_ramp_is_its_slope_everywhere():
    distance = np.arange(0, 500, 7.0)

    assert grade_pct(distance, 0.08 * distance) == pytest.approx(np.full(len(distance), 8.0))


def test_grade_bridges_missing_altitude_and_leaves_missing_distance():
    distance = np.arange(0, 500, 5.0)
    altitude = 0.05 * distance
    altitude[20:30] = np.nan
    distance[50] = np.nan

    found = grade_pct(distance, altitude)

    assert np.isnan(found).sum() == 1
    assert found[np.isfinite(found)] == pytest.approx(5.0, abs=1e-6)


@pytest.mark.parametrize("length", [0, 1, 5])
def test_way_shorter_than_the_window_has_no_grade(length):
    assert np.isnan(grade_pct(np.arange(float(length)), np.zeros(length))).all()


def test_grade_of_different_lengths_is_refused():
    with pytest.raises(ValueError, match="length"):
        grade_pct([1.0], [1.0, 2.0])


def test_gain_and_loss_leave_noise_out():
    altitude = 100 + np.tile([0.0, 1.0, 0.0, -1.0], 50)

    assert gain_loss(altitude) == (0, 0)
    assert gain_loss([0, 10, 0, 20]) == (30, 10)
    assert np.isnan(gain_loss([np.nan])).all()


# Bands (section 12)


@pytest.mark.parametrize(
    ("pct", "band"),
    [
        (0, "aerobic"),
        (69.99, "aerobic"),
        (70, "tempo"),
        (90, "threshold"),
        (105, "vo2max"),
        (130, "anaerobic"),
        (180, "anaerobic"),
        (180.01, "neuromuscular"),
    ],
)
def test_bands_agree_with_the_lap_intensities(pct, band):
    assert intensity_of(pct) == band


def test_unknown_power_has_no_band():
    with pytest.raises(ValueError, match="NaN"):
        intensity_of(math.nan)


def test_friels_paces_are_limits_of_speed():
    """At a threshold of 4:00 /km zone 2 is from 5:10 to 4:34 /km, zone 5a from 4:00 to 3:53."""
    at_paces = [1000 / seconds for seconds in (311, 309, 274, 273, 241, 240, 232, 215)]
    times = time_by_model(at_paces, 1.0, reference=1000 / 240, model=PACE_BANDS["friel"])

    assert list(times.values()) == [1, 2, 1, 1, 1, 1, 1]
    assert list(time_by_model([3.2, 3.3, 4.0], 1.0, reference=4.0, model=PACE_BANDS["domains"]).values()) == [
        1,
        1,
        1,
    ]


@given(arrays(np.float64, st.integers(0, 50), elements=st.one_of(st.floats(0, 2000), st.just(np.nan))))
def test_time_in_bands_sums_to_the_time_with_a_value(power):
    seconds = time_in_bands(power, 2.0, 250.0)

    assert list(seconds) == [LapIntensity(band.name) for band in BANDS]
    assert sum(seconds.values()) == 2.0 * np.isfinite(power).sum()


def test_the_heart_rate_model_has_its_edges():
    assert time_by_model([170.0], 1, reference=190, model=HEART_RATE_BANDS)["80 to 90"] == 1
    with pytest.raises(ValueError, match="reference"):
        time_by_model([170.0], 1, reference=0, model=HEART_RATE_BANDS)


# Swimming (section 13)


def test_swolf_of_elevate():
    length_s = 178 / 5

    assert swolf([length_s], [26 * length_s / 60]) == pytest.approx([51.0267], abs=5e-5)
    assert np.isnan(swolf([30, math.nan], [0, 16])).all()


# Downsampling (section 15), by property


@given(st.integers(5, 3000), st.integers(4, 400), st.integers(0, 2**32 - 1))
def test_kept_points_rise_and_hold_both_ends(count, points, seed):
    y = np.random.default_rng(seed).uniform(0, 500, count)

    at = kept(np.arange(count), y, points)

    assert (at[0], at[-1]) == (0, count - 1)
    assert np.all(np.diff(at) > 0)
    assert len(at) <= max(points, 4) + 2


@pytest.mark.parametrize("points", [500, 1000, 1500])
def test_spike_of_one_sample_is_kept(points):
    rng = np.random.default_rng(3)
    y = rng.normal(200, 30, 14_400)
    y[7_201] = 1450

    at = kept(np.arange(14_400), y, points)

    assert 7_201 in at
    assert len(at) == points


def test_gaps_stay_gaps_and_keep_their_edges():
    y = np.sin(np.arange(21_600) / 500) * 100 + 200
    for start, stop in ((100, 101), (5_000, 5_400), (21_000, 21_600)):
        y[start:stop] = np.nan

    at = kept(np.arange(21_600), y, 1500)

    assert np.isnan(y[at]).sum() == 4  # the first of each gap, and the last sample
    assert {99, 100, 101, 4_999, 5_000, 5_400, 20_999, 21_000} <= set(at.tolist())
    assert len(at) <= MOST_POINTS


def test_flicker_of_gaps_stays_below_the_most_points():
    y = np.where(np.arange(21_600) % 3 == 0, np.nan, 200.0)

    assert len(kept(np.arange(21_600), y, 1500)) <= MOST_POINTS


def test_short_empty_and_missing_series_are_kept_whole_or_by_their_ends():
    assert kept([], [], 100).tolist() == []
    assert kept([0, 1], [5.0, 6.0], 100).tolist() == [0, 1]
    assert {0, 4_999} <= set(kept(np.arange(5_000), np.full(5_000, np.nan), 100).tolist())


def test_wrong_requests_for_points_are_refused():
    with pytest.raises(ValueError, match="points"):
        kept([1], [1.0], 3)
    with pytest.raises(ValueError, match="length"):
        kept([1], [1.0, 2.0], 10)


# Distribution


@given(arrays(np.float64, st.integers(0, 60), elements=st.one_of(st.floats(0, 900), st.just(np.nan))))
def test_distribution_sums_to_the_time_with_a_value(values):
    found = distribution(values, 1.5, width=20)

    assert found.seconds.sum() == pytest.approx(1.5 * np.isfinite(values).sum())


def test_distribution_needs_a_width():
    with pytest.raises(ValueError, match="width"):
        distribution([1.0], 1, width=0)
