"""The parts of the model against slow, plain versions of the same."""

import numpy as np
import pytest

from coachboard.analytics.w_balance import w_balance
from coachboard_demo import anaerobic, motion, thermal
from coachboard_demo.cells import lag, smooth, to_seconds
from coachboard_demo.chance import details, lots, ripples
from coachboard_demo.heart import Hearts, heart_rate
from coachboard_demo.routes import Shape, climbed_m, route
from coachboard_demo.squad import ANNECY, GHENT, GIRONA


def steady_speed(watts, grade_pct, mass_kg):
    """By bisection, what the table has by Cardano's formula."""
    low, high = 0.0, 40.0
    for _ in range(60):
        speed = (low + high) / 2
        force = 0.5 * motion.AIR_KG_M3 * 0.32 * speed**2 + mass_kg * motion.GRAVITY_MPS2 * (
            0.005 + grade_pct / 100
        )
        low, high = (speed, high) if force * speed < watts * motion.DRIVETRAIN_EFFICIENCY else (low, speed)
    return low


@pytest.mark.parametrize(
    ("watts", "grade_pct"), [(200, 0), (300, 8), (120, -2), (0, -5), (400, 3), (50, -10)]
)
def test_wheels_roll_at_the_speed_where_power_meets_resistance(watts, grade_pct):
    table = motion.wheels(80, 0.32, 0.005, 40.0)

    found = table.speed(np.array([watts], float), np.array([grade_pct], float))[0]

    assert found == pytest.approx(steady_speed(watts, grade_pct, 80), abs=1e-6)


def test_feet_slow_down_uphill_by_the_cost_of_running():
    table = motion.feet(4.0, 1.0, 9.0)

    found = table.speed(np.ones(3), np.array([0.0, 5.0, 10.0]))

    assert found == pytest.approx([4.0, 4.0 / 1.3014, 4.0 / 1.6578], abs=1e-3)


def test_deficit_on_cells_is_what_the_balance_of_seconds_says():
    power = np.repeat([200.0, 350.0, 150.0, 420.0, 100.0], 12)

    missing = anaerobic.deficit(power, critical_power_w=250, w_prime_j=20_000)
    balance = w_balance(np.repeat(power, 5), critical_power_w=250, w_prime_j=20_000)

    assert 20_000 - missing == pytest.approx(balance[4::5], abs=40)


def test_deficit_of_a_day_long_session_stays_finite():
    power = np.tile(np.repeat([180.0, 320.0], 60), 400)

    missing = anaerobic.deficit(power, critical_power_w=250, w_prime_j=20_000)

    assert np.isfinite(missing).all()
    assert missing.max() == pytest.approx(missing[-12_000:].max(), rel=1e-6)


def test_efforts_beyond_w_prime_are_cut_to_it():
    power = np.repeat([150.0, 600.0, 150.0], 60)

    held = anaerobic.held_within(power, critical_power_w=250, w_prime_j=20_000, spread=0.0)

    missing = anaerobic.deficit(held, critical_power_w=250, w_prime_j=20_000)
    assert missing.max() <= anaerobic.SPENT_AT_MOST * 20_000
    assert (held[:60] == power[:60]).all()


@pytest.mark.parametrize("constant", [2.0, 6.4, 52.0, 300.0])
def test_lag_is_the_recurrence_written_out(constant):
    values = np.random.default_rng(1).random(4000)
    keep, state, slow = np.exp(-1 / constant), 0.3, []
    for value in values:
        state = keep * state + (1 - keep) * value
        slow.append(state)

    # The short ones are cut after 4.5 time constants.
    assert lag(values, constant, before=0.3) == pytest.approx(slow, abs=0.02 if constant < 6 else 1e-9)


def test_seconds_keep_the_mean_of_each_cell():
    cells = np.array([100.0, 300.0, 120.0, 0.0, 80.0])

    assert to_seconds(cells).reshape(-1, 5).mean(axis=1) == pytest.approx(cells)
    assert details().mean(axis=1) == pytest.approx(0.0, abs=1e-12)


def test_heart_follows_late_and_drifts_in_the_heat():
    effort = np.concatenate((np.full(240, 0.6), np.full(60, 1.0), np.full(900, 0.6)))
    cool, hot = (
        heart_rate(effort, np.zeros(len(effort)), Hearts(190, 50, degrees)) for degrees in (15.0, 33.0)
    )

    assert cool[245] < cool[295] < 190
    assert hot[-1] > cool[-1] + 3
    assert (hot <= 190).all()


def test_heart_turns_in_curves_and_does_not_rest_where_somebody_stands():
    """Recorded hearts stay up for some seconds after an effort and turn in a curve; standing hearts stay at 85 to 110 beats."""
    effort = np.concatenate((np.full(120, 0.6), np.full(40, 1.05), np.full(60, 0.0), np.full(60, 0.6)))
    heart = heart_rate(effort, np.zeros(len(effort)), Hearts(190, 50, 15.0))
    slopes = np.diff(heart)

    assert heart[162] > heart[159] - 5  # 15 s after the end
    assert heart[172] < heart[159] - 15  # a minute after it
    assert np.abs(np.diff(slopes)).max() < 0.5 * np.abs(slopes).max()
    assert 85 < heart[215] < 110


def test_heat_builds_up_over_half_an_hour_and_sweat_only_grows():
    found = thermal.heat(np.full(720, 0.75), np.full(720, 30.0), 70.0)

    assert 37.0 < found.core_c[60] < found.core_c[-1] < 39.5
    assert (np.diff(found.fluid_ml) > 0).all()
    assert 700 < found.fluid_ml[-1] < 1700
    assert (found.strain >= 0).all()


@pytest.mark.parametrize("place", [GHENT, GIRONA, ANNECY])
def test_routes_close_and_keep_to_grades_of_roads(place):
    way = route(place, Shape.LOOP, 40_000, "test")

    assert np.hypot(way.east_m[-1] - way.east_m[0], way.north_m[-1] - way.north_m[0]) < 1
    assert way.altitude_m[-1] == pytest.approx(way.altitude_m[0], abs=0.5)
    assert way.gain_m[-1] == pytest.approx(way.loss_m[-1], abs=1)
    assert np.abs(way.grade_pct).max() < 16
    assert way.altitude_m.min() > 0
    assert np.hypot(np.diff(way.east_m), np.diff(way.north_m)).sum() == pytest.approx(40_000, rel=0.001)


@pytest.mark.parametrize("length_m", [1500.0, 9_876.0, 40_000.0])
def test_what_was_climbed_at_the_end_of_a_round_is_the_round(length_m):
    """Also a rounding error before or behind it: the sum may not fall back to nothing."""
    way = route(GIRONA, Shape.LOOP, length_m, "test")
    ends = np.array([1.0, 2.0, 3.0]) * way.length_m

    for distance in (ends, np.nextafter(ends, 0), np.nextafter(ends, np.inf)):
        up, _ = climbed_m([way], np.zeros(3, np.int64), distance)
        assert up == pytest.approx(way.gain_m[-1] * np.array([1, 2, 3]))


def test_the_way_back_mirrors_the_way_out():
    way = route(GIRONA, Shape.OUT_AND_BACK, 20_000, "test")

    assert way.altitude_m == pytest.approx(way.altitude_m[::-1], abs=3)


def test_a_track_is_flat_and_four_hundred_metres_round():
    way = route(GHENT, Shape.TRACK, 400.0, "track")

    assert way.length_m == pytest.approx(400)
    assert (way.grade_pct == 0).all()


def test_stocks_of_chance_are_standardised():
    assert ripples().mean() == pytest.approx(0, abs=1e-9)
    assert ripples().std() == pytest.approx(1)
    assert all(0 <= lot < 1 for lot in lots("any", 1))
    assert smooth(np.ones(9), 4) == pytest.approx(np.ones(9))


@pytest.mark.parametrize("shape", [Shape.LAKE, Shape.RIVER])
def test_water_is_level(shape):
    assert np.ptp(route(ANNECY, shape, 6_000, "test").altitude_m) == 0
