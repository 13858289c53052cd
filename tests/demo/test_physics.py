"""Parts of the model agree with slow, plain versions."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard_demo import simulation
from coachboard_demo.chance import details, lots, ripples
from coachboard_demo.grid import lag, smooth
from coachboard_demo.routes import Shape, route
from coachboard_demo.session import DonePart
from coachboard_demo.simulation import simulate
from coachboard_demo.squad import ANNECY, GHENT, GIRONA
from coachboard_demo.streams import make_streams
from demo_sessions import RIDE, SESSIONS


def steady_speed(watts, grade_pct, mass_kg):
    """By bisection, what the table has by interpolation."""
    low, high = 0.0, 40.0
    for _ in range(60):
        speed = (low + high) / 2
        force = 0.5 * simulation.AIR_KG_M3 * 0.32 * speed**2 + mass_kg * simulation.GRAVITY_MPS2 * (
            0.005 + grade_pct / 100
        )
        low, high = (
            (speed, high) if force * speed < watts * simulation.DRIVETRAIN_EFFICIENCY else (low, speed)
        )
    return low


@pytest.mark.parametrize(
    ("watts", "grade_pct"), [(200, 0), (300, 8), (120, -2), (0, -5), (400, 3), (50, -10)]
)
def test_wheels_roll_at_the_speed_where_power_meets_resistance(watts, grade_pct):
    table = simulation.wheels(80, 0.32, 0.005, 25.0)

    found = table.speed(np.array([watts], float), np.array([grade_pct], float))[0]

    assert found == pytest.approx(steady_speed(watts, grade_pct, 80), abs=0.05)


def test_feet_slow_down_uphill_by_the_cost_of_running():
    table = simulation.feet(4.0, 9.0)

    found = table.speed(np.ones(3), np.array([0.0, 5.0, 10.0]))

    assert found == pytest.approx([4.0, 4.0 / 1.3014, 4.0 / 1.6578], abs=1e-3)


def test_efforts_beyond_w_prime_are_cut_to_it():
    hard = replace(
        SESSIONS["trainer"], faults=(), done=(DonePart(600, 0.6), DonePart(600, 2.0), DonePart(600, 0.6))
    )
    columns = make_streams(hard.to_bytes()).columns

    assert 0 < columns["wPrimeBalance"].min() < 0.3 * hard.body.w_prime_j
    assert columns["power"][600:1200].mean() > hard.body.power_w


def test_w_prime_of_a_day_long_session_stays_finite():
    long = replace(SESSIONS["trainer"], faults=(), done=(DonePart(300, 0.4), DonePart(300, 1.2)) * 90)

    assert np.isfinite(simulate(long).power_w).all()


@pytest.mark.parametrize("constant", [2.0, 6.4, 52.0, 300.0])
def test_lag_is_the_recurrence_written_out(constant):
    values = np.random.default_rng(1).random(4000)
    keep, state, slow = np.exp(-1 / constant), 0.3, []
    for value in values:
        state = keep * state + (1 - keep) * value
        slow.append(state)

    assert lag(values, constant, before=0.3) == pytest.approx(slow, abs=1e-9)


def test_seconds_of_a_cell_differ_around_its_mean():
    assert details().mean(axis=1) == pytest.approx(0.0, abs=1e-12)


def test_heart_follows_late_and_drifts_in_the_heat():
    ride = replace(SESSIONS["trainer"], done=(DonePart(1200, 0.6), DonePart(300, 1.0), DonePart(4500, 0.6)))
    cool, hot = (simulate(replace(ride, air_c=degrees)).heart_rate for degrees in (15.0, 33.0))

    assert cool[245] < cool[295] < ride.body.hr_max
    assert hot[-1] > cool[-1] + 3
    assert (hot <= ride.body.hr_max).all()


def test_heat_builds_up_over_half_an_hour_and_sweat_only_grows():
    ride = replace(RIDE, done=(DonePart(3600, 0.75),), stops=(), pauses=(), air_c=30.0)
    columns = make_streams(ride.to_bytes()).columns
    core, fluid = columns["coreTemperature"], columns["fluidLoss"]

    assert 37.0 < core[300] < core[-1] < 39.5
    assert (np.diff(fluid) >= 0).all()
    assert 700 < fluid[-1] < 1700
    assert columns["heatStrainIndex"].min() >= 0


@pytest.mark.parametrize("place", [GHENT, GIRONA, ANNECY])
def test_routes_close_and_keep_to_grades_of_roads(place):
    way = route(place, Shape.LOOP, 40_000)

    assert np.hypot(way.east_m[-1] - way.east_m[0], way.north_m[-1] - way.north_m[0]) < 1
    assert way.altitude_m[-1] == pytest.approx(way.altitude_m[0], abs=0.5)
    assert np.abs(way.grade_pct).max() < 16
    assert way.altitude_m.min() > 0
    assert np.hypot(np.diff(way.east_m), np.diff(way.north_m)).sum() == pytest.approx(40_000, rel=0.001)


def test_a_whole_number_of_metres_is_the_same_route_as_its_decimal():
    """The generator rounds to an int; a recipe that was read from the store has a float."""
    rounded, read = (route.__wrapped__(GIRONA, Shape.LOOP, length_m) for length_m in (38_443, 38_443.0))

    np.testing.assert_array_equal(rounded.altitude_m, read.altitude_m)


def test_a_track_is_flat_and_four_hundred_metres_round():
    way = route(GHENT, Shape.TRACK, 400.0)

    assert way.length_m == pytest.approx(400)
    assert (way.grade_pct == 0).all()


def test_stocks_of_chance_are_standardised():
    assert ripples().mean() == pytest.approx(0, abs=1e-9)
    assert ripples().std() == pytest.approx(1)
    assert all(0 <= lot < 1 for lot in lots("any", 1))
    assert smooth(np.ones(9), 4) == pytest.approx(np.ones(9))


def test_water_is_level():
    assert np.ptp(route(ANNECY, Shape.LAKE, 6_000).altitude_m) == 0


def test_nothing_moves_in_a_stop_on_a_hill():
    trace = simulate(RIDE)
    cell, lasts = RIDE.stops[0]

    assert (trace.speed_mps[cell : cell + lasts] == 0).all()
    assert np.ptp(trace.altitude_m[cell : cell + lasts]) == 0
    assert trace.speed_mps[cell - 5] > 0


def test_a_repetition_is_fast_while_it_is_hard():
    """On hills the speed of a repetition came up to 40 s before its effort and its lap."""
    done = (DonePart(1200, 0.72), *(DonePart(60, 1.17), DonePart(105, 0.52)) * 10, DonePart(600, 0.66))
    trace = simulate(replace(SESSIONS["run"], done=done, stops=(), pauses=(), route_m=11_000))
    speeds = [
        trace.speed_mps[start : start + size].mean()
        for start, size in zip(trace.starts, trace.sizes, strict=True)
    ]

    assert min(speeds[1:20:2]) > 1.4 * max(speeds[2:21:2])


def test_a_runner_reaches_the_speed_of_a_stride_within_it():
    done = (DonePart(1200, 0.7), *(DonePart(20, 1.3), DonePart(70, 0.4)) * 4)
    trace = simulate(replace(SESSIONS["track"], done=done))

    stride = trace.speed_mps[trace.starts[1] : trace.starts[1] + 4]

    assert stride.mean() > 0.85 * 1.3 * SESSIONS["track"].body.speed_mps
