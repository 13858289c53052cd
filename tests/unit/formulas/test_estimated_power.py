"""Estimated power against hand calculations, and its load against the power meters of real recordings."""

import numpy as np
import pytest

from coachboard.formulas.session.estimated_power import estimated_power


def even(seconds, *, speed_mps, climb_mps=0.0, start_m=0.0):
    return np.full(seconds, speed_mps), start_m + climb_mps * np.arange(seconds)


@pytest.mark.parametrize(
    ("speed_mps", "climb_mps", "start_m", "weight_kg", "expected_w"),
    [
        # 80 kg: rolling 80*9.80665*0.005*v, drag 0.2205*v^3, climbing 80*9.80665*rate; all over 0.976
        (10.0, 0.0, 0.0, 71.0, (39.2266 + 220.5) / 0.976),
        (5.0, 0.25, 0.0, 71.0, (19.6133 + 27.5625 + 196.133) / 0.976),
        (5.0, 0.25, 0.0, 91.0, (24.5166 + 27.5625 + 245.166) / 0.976),
        # At 2,000 m the standard atmosphere has 1.0066 kg/m^3.
        (10.0, 0.0, 2000.0, 71.0, (39.2266 + 0.5 * 1.0066 * 0.36 * 1000) / 0.976),
        (10.0, -0.5, 500.0, 71.0, 0.0),
    ],
)
def test_even_riding_is_rolling_climbing_and_drag_by_hand(
    speed_mps, climb_mps, start_m, weight_kg, expected_w
):
    power = estimated_power(
        *even(5, speed_mps=speed_mps, climb_mps=climb_mps, start_m=start_m), weight_kg=weight_kg
    )

    assert power == pytest.approx(expected_w, rel=2e-3)


def test_a_start_from_standstill_costs_the_kinetic_energy():
    """80 kg to 10 m/s in 200 s: 4,000 J besides rolling and drag."""
    speed = np.concatenate([np.zeros(60), np.linspace(0, 10, 201), np.full(60, 10.0)])
    power = estimated_power(speed, np.zeros(len(speed)), 71.0)
    without = (80 * 9.80665 * 0.005 * speed + 0.5 * 1.225 * 0.36 * speed**3) / 0.976

    assert (power - without).sum() * 0.976 == pytest.approx(4000, rel=0.01)


def test_a_jump_of_altitude_or_position_gives_no_power():
    """A train between two records, and a position 200 m away for 5 s, would make hours of riding."""
    speed, altitude = even(600, speed_mps=8.0)
    altitude = np.where(np.arange(600) > 300, altitude + 900, altitude)
    speed[100:105] = 45.0

    assert estimated_power(speed, altitude, 70.0).max() < 400


def test_a_second_without_speed_or_altitude_has_no_estimate():
    speed, altitude = even(300, speed_mps=8.0)
    speed[10], altitude[250] = np.nan, np.nan
    power = estimated_power(speed, altitude, 70.0)

    assert np.flatnonzero(np.isnan(power)).tolist() == [10, 40, 220, 250, 280]


@pytest.mark.parametrize("weight_kg", [0.0, -70.0, float("nan")])
def test_without_a_weight_there_is_no_estimate(weight_kg):
    with pytest.raises(ValueError, match="weight_kg"):
        estimated_power([8.0], [0.0], weight_kg)


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        estimated_power([8.0], [0.0, 1.0], 70.0)
