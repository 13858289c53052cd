"""How channels hang together: steps on speed, power on the road and not on the satellites, hearts on hills."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard_demo.cells import smooth
from coachboard_demo.changes import changes_of
from coachboard_demo.session import Done
from coachboard_demo.simulation import simulate
from coachboard_demo.streams import make_streams
from demo_sessions import RIDE, SESSIONS

HIKE = replace(SESSIONS["trail"], practice="hike", stops=(), pauses=(), faults=(), done=(Done(5400, 0.5),))
HILLY = replace(RIDE, stops=(), pauses=(), faults=(), done=(Done(7200, 0.62),), route_m=60_000)


def test_steps_follow_the_speed_of_who_walks():
    """A hike had one level of steps and zeros; recorded: 40 to 60 a minute, and missed where it goes slowly."""
    trace = simulate(HIKE)
    walks = (trace.cadence > 0) & (trace.speed_mps > 0.3)
    missed = (trace.cadence == 0) & (trace.speed_mps > 0)

    assert np.corrcoef(trace.speed_mps[walks], trace.cadence[walks])[0, 1] > 0.6
    assert trace.cadence[walks].std() > 2
    assert trace.speed_mps[missed].mean() < 0.95 * trace.speed_mps[walks].mean()


def test_strides_follow_the_speed_of_who_runs():
    """Recorded: 79 strides a minute at 3.0 m/s, 85 at 4.6."""
    run = replace(SESSIONS["track"], faults=(), done=(Done(600, 0.6), Done(600, 1.0)))
    trace = simulate(run)
    slow, fast = trace.cadence[20:110].mean(), trace.cadence[130:230].mean()

    assert 3 < fast - slow < 9


def test_power_of_a_run_knows_nothing_of_the_satellites():
    """Recorded: pace wobbles by 3 to 5 % where the foot pod's power does not."""
    run = replace(SESSIONS["track"], faults=(), done=(Done(2400, 0.75),))
    columns = make_streams(run.to_bytes()).columns
    speed, power = (columns[name][300:].reshape(-1, 10).mean(axis=1) for name in ("speed", "power"))

    assert abs(np.corrcoef(speed, power)[0, 1]) < 0.75
    assert power.std() / power.mean() < speed.std() / speed.mean()


def test_riders_kick_when_they_begin_to_pedal_again():
    """Recorded hilly rides reach four to five times their mean; the made-up one stayed within 2.6."""
    peaks = []
    for seed in range(6):
        power = make_streams(replace(HILLY, seed=1 + 997 * seed).to_bytes()).columns["power"]
        peaks.append(power.max() / power.mean())

    assert 2.8 < np.median(peaks) < 6


def test_hearts_go_with_the_hills_of_an_easy_ride():
    """Each stretch had its planned mean, whatever hills it met."""
    found = []
    for seed in range(6):
        trace = simulate(replace(HILLY, seed=1 + 997 * seed, done=(Done(720, 0.62),) * 10))
        rises = np.convolve(trace.grade_pct, np.full(36, 1 / 36), "same")[60:-20]
        found.append(np.corrcoef(rises, trace.heart_rate[70:-10])[0, 1])

    assert np.mean(found) > 0.62


def test_power_changes_on_some_second_inside_a_cell():
    cells = np.array([100.0, 100.0, 220.0, 300.0, 300.0, 60.0])
    changes, seconds = changes_of(cells)

    assert changes.tolist() == [2]
    assert seconds[0].mean() == pytest.approx(220)
    assert seconds[0].tolist() == [100, 100, 300, 300, 300]


def test_work_does_not_begin_on_a_grid_of_five_seconds():
    sets = (Done(120, 1.15, 0.0, "active"), Done(120, 0.5, 0.0, "intra-recovery")) * 10
    ride = replace(SESSIONS["trainer"], faults=(), done=(Done(600, 0.6), *sets))
    power = make_streams(ride.to_bytes()).columns["power"]
    begun = [int(np.argmax(power[at : at + 8] > 220)) for at in range(600, len(power), 240)]

    assert len(set(begun)) >= 3
    assert max(begun) <= 5


def test_a_runner_at_threshold_gives_more_power_uphill_and_loses_little_speed():
    """Recorded: 2.1 % more power and 0.9 % less speed a percent of grade; they were 0.1 and 3.6."""
    found = []
    for seed in range(8):
        run = replace(
            SESSIONS["run"], seed=211 * seed, stops=(), pauses=(), faults=(), done=(Done(3600, 0.93),)
        )
        trace = simulate(run)
        around = np.vstack((np.ones(len(trace)), smooth(trace.grade_pct, 3))).T
        found.append(
            [
                100 * np.linalg.lstsq(around, values / values.mean(), rcond=None)[0][1]
                for values in (smooth(trace.power_w, 3), smooth(trace.speed_mps, 3))
            ]
        )
    power, speed = np.median(found, axis=0)

    assert 1 < power < 4
    assert -2.2 < speed < 0
