"""Warm-ups and recoveries as they are done: in steps and with quicker moments, stood, walked, jogged or rolled."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from coachboard_demo.cells import CELL_S
from coachboard_demo.faults import faults_of
from coachboard_demo.practice import PRACTICES
from coachboard_demo.session import Done
from coachboard_demo.simulation import simulate
from coachboard_demo.streams import make_streams
from demo_sessions import SESSIONS

WARM_S, WORK_S, REST_S, TIMES = 900, 180, 150, 6
SEEDS = [1 + 997 * at for at in range(24)]


def workout(base, *, rest, work=1.04, seed=1, label="active"):
    sets = (Done(WORK_S, work, 0.0, label), Done(REST_S, rest, 0.0, "intra-recovery")) * TIMES
    warm = Done(WARM_S, 0.7, 0.0, "warm up")
    return replace(base, seed=seed, stops=(), pauses=(), faults=(), done=(warm, *sets))


TRACK, RUN = SESSIONS["track"], replace(SESSIONS["run"], route_m=12_000)
TRAINER = SESSIONS["trainer"]


def test_most_warm_ups_have_quicker_moments_and_none_is_even():
    """Recorded: a block of two minutes half as hard again, three pick-ups on a belt that was set faster four times."""
    quicker, steps = [], []
    for seed in SEEDS:
        effort = simulate(workout(TRAINER, rest=0.45, seed=seed)).effort[: WARM_S // CELL_S]
        quicker.append(np.quantile(effort, 0.95) / np.median(effort))
        steps.append(effort[-30:-10].mean() / effort[5:25].mean())

    assert 0.3 < (np.array(quicker) > 1.25).mean() < 0.9
    assert np.median(steps) > 1.05
    assert np.std(steps) > 0.05


def test_warm_ups_on_a_track_have_stops_and_drills():
    """Recorded: thirteen stops within a quarter of an hour, of 1 to 22 s and of 74 s; there was none."""
    stops, longest, drills = [], [], []
    for seed in SEEDS:
        trace = simulate(workout(TRACK, rest=0.38, seed=seed))
        moves, speed = trace.moving[: WARM_S // CELL_S] > 0, trace.speed_mps[: WARM_S // CELL_S]
        begins, ends = (
            np.flatnonzero(np.diff(moves.astype(int), prepend=1, append=1) == way) for way in (-1, 1)
        )
        stops.append(len(begins))
        longest.append((ends - begins).max() * CELL_S)
        drills.append(np.ptp(speed[moves]) / np.median(speed))

    assert 2 <= np.median(stops) <= 8
    assert 25 < np.median(longest) < 120
    assert np.median(drills) > 0.7


@pytest.mark.parametrize(
    ("base", "rest", "least"), [(TRACK, 0.38, 0.25), (RUN, 0.64, 0.4), (TRAINER, 0.47, 0.06)]
)
def test_recoveries_differ(base, rest, least):
    """Recorded means against their own mean: 0.4 apart on the track, 0.8 on roads; they were 0.12, 0.36 and 0.03."""
    apart = []
    for seed in SEEDS[:8]:
        speed = simulate(workout(base, rest=rest, seed=seed)).speed_mps[WARM_S // CELL_S :]
        means = speed.reshape(TIMES, -1)[:, WORK_S // CELL_S + 3 :].mean(axis=1)
        apart.append(np.ptp(means) / means.mean())

    assert least < np.mean(apart) < 1.3


@pytest.mark.parametrize("base", [TRACK, RUN])
def test_recoveries_of_a_session_are_mostly_of_one_kind(base):
    """Recorded: five walks of which one began standing; in the demo each was drawn by itself."""
    alike = []
    for seed in range(24):
        speed = simulate(workout(base, rest=0.6, seed=91 + 7 * seed)).speed_mps[WARM_S // CELL_S :]
        means = speed.reshape(TIMES, -1)[:, WORK_S // CELL_S + 3 :].mean(axis=1)
        alike.append(np.mean(np.abs(means / np.median(means) - 1) < 0.2))

    assert np.mean(alike) > 0.65


def test_some_runners_stand_in_recoveries_and_stand_in_every_channel():
    """Recorded: pace, steps and power at 0 together, for 8 to 90 s after three repetitions of five."""
    stood = 0
    for seed in SEEDS[:8]:
        trace = simulate(workout(RUN, rest=0.4, seed=seed))
        still = trace.moving == 0
        stood += np.count_nonzero(np.diff(still.astype(int)) > 0)
        assert not trace.speed_mps[still].any()
        assert not trace.power_w[still].any()
        assert not trace.cadence[still].any()

    assert 8 < stood < 30


def test_pace_and_power_of_a_runner_change_together():
    """They were a minute apart where a runner stood for half of one."""
    for seed in SEEDS[:8]:
        trace = simulate(workout(RUN, rest=0.4, seed=seed))
        assert np.corrcoef(trace.speed_mps, trace.power_w)[0, 1] > 0.9


def test_a_sprint_is_wound_up_and_peaks():
    """Recorded: from 110 W over 290, 630 and 950 to 370 W in 14 s, seven of them within a fifth of the peak."""
    sprints = (Done(20, 2.1, 0.0, "maximum"), Done(280, 0.5, 0.0, "intra-recovery")) * 5
    near, latest, peaks = [], [], []
    for seed in SEEDS[:8]:
        ride = replace(TRAINER, seed=seed, faults=(), done=(Done(600, 0.6), *sprints))
        power = make_streams(ride.to_bytes()).columns["power"][600:].reshape(5, -1)[:, :20]
        near += [np.count_nonzero(each > 0.8 * each.max()) for each in power]
        latest += [np.argmax(each) for each in power]
        peaks.append(power.max(axis=1))

    assert 5 < np.mean(near) < 12
    # The recorded two of one session peak at 951 and 801 W.
    assert 0.06 < np.mean(np.std(peaks, axis=1) / np.mean(peaks, axis=1)) < 0.25
    assert 6 < np.mean(latest) < 18


def test_only_cranks_have_magnets_that_bounce():
    for name in ("run", "track", "treadmill", "rowing machine", "road"):
        kinds = {
            fault.kind for seed in range(400) for fault in faults_of(PRACTICES[name], 3000, Random(seed))
        }
        assert ("spike" in kinds) == (name == "road")


def test_cranks_turn_on_where_a_rider_on_a_trainer_lets_go():
    """Recorded: 13 W at 64 turns; cadence stood at 0 as power did."""
    let_go = []
    for seed in SEEDS:
        trace = simulate(workout(TRAINER, rest=0.47, seed=seed))
        assert (trace.cadence > 40).all()
        let_go += trace.cadence[trace.power_w < 10].tolist()

    assert len(let_go) > 10
    assert 55 < np.mean(let_go) < 80
