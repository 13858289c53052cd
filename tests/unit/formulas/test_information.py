"""Whether a column is a sensor: zeros, repeated values, stops, and the share of the session that it covers."""

import numpy as np
import pytest

import rides
from coachboard.formulas.session.information import information

HOURS = 7_200
MOVING, STANDING = np.ones(HOURS, bool), np.zeros(HOURS, bool)


def found_in(name, values, *, is_moving=MOVING):
    return information(name, np.asarray(values, float), np.ones(len(values)), is_moving)


@pytest.mark.parametrize("name", ["power", "heart_rate", "speed", "cadence", "distance"])
def test_zeros_throughout_are_no_sensor_even_of_an_athlete_at_rest(name):
    found = found_in(name, np.zeros(HOURS), is_moving=STANDING)

    assert (found.is_sensor, found.stuck_s, found.stuck_at) == (False, HOURS, 0)


def test_altitude_and_temperature_may_be_zero():
    assert found_in("altitude", np.zeros(HOURS)).is_sensor
    assert found_in("temperature", np.zeros(HOURS)).is_sensor


def test_a_heart_rate_that_repeats_a_value_for_two_minutes_is_stuck():
    beats = np.concatenate([rides.beats(600), np.full(HOURS - 600, 72.0)])
    short = np.repeat(rides.beats(HOURS // 100), 100)

    assert (found_in("heart_rate", beats).is_sensor, found_in("heart_rate", beats).stuck_at) == (False, 72)
    assert found_in("heart_rate", short).stuck_s == 0


def test_a_machine_may_hold_power_and_speed_even():
    assert found_in("power", np.full(HOURS, 200.0)).is_sensor
    assert found_in("speed", np.full(HOURS, 3.0)).is_sensor


@pytest.mark.parametrize(("zeros_s", "is_stuck"), [(1_799, False), (1_801, True)])
def test_power_of_zero_is_coasting_up_to_half_an_hour(zeros_s, is_stuck):
    power = np.concatenate([np.full(HOURS - zeros_s, 200.0), np.zeros(zeros_s)])

    assert (found_in("power", power).stuck_s > 0) == is_stuck
    assert found_in("power", power, is_moving=STANDING).stuck_s == 0


def test_a_meter_that_dies_early_is_no_sensor_and_one_that_dies_late_is():
    early, late = np.zeros(HOURS), np.zeros(HOURS)
    early[:1_000], late[:4_000] = 200, 200

    assert [found_in("power", power).is_sensor for power in (early, late)] == [False, True]


def test_half_of_the_session_is_covered():
    beats = np.where(np.arange(HOURS) < 3_600, rides.beats(HOURS), np.nan)

    assert found_in("heart_rate", beats).covers(7_200)
    assert not found_in("heart_rate", beats).covers(7_201)


def test_a_column_without_a_value_covers_nothing():
    assert not found_in("power", np.full(HOURS, np.nan)).covers(1)
