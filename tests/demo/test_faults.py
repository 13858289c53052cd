"""Sensors fail one at a time, for seconds, several times in a row, each in the way that recordings show."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from coachboard_demo.faults import faults_of
from coachboard_demo.practice import PRACTICES
from coachboard_demo.session import Fault
from coachboard_demo.streams import make_streams
from demo_sessions import RIDE, SESSIONS

WHOLE = make_streams(replace(RIDE, faults=()).to_bytes()).columns


def broken(*faults):
    return make_streams(replace(RIDE, faults=faults).to_bytes()).columns


@pytest.mark.parametrize(
    ("practice", "unseen_an_hour"), [("road", (0, 0.3)), ("hike", (1, 5)), ("open water", (5, 15))]
)
def test_satellites_are_lost_where_the_recordings_lose_them(practice, unseen_an_hour):
    found = [fault for seed in range(60) for fault in faults_of(PRACTICES[practice], 2160, Random(seed))]
    unseen = sum(fault.kind == "unseen" for fault in found)

    assert unseen_an_hour[0] <= unseen / (60 * 3) <= unseen_an_hour[1]
    assert all(20 <= fault.cell < 2160 - 40 for fault in found)


def test_what_happened_once_happens_again_soon():
    """Recorded losses come in groups; evenly spread ones would be half an hour apart."""
    gaps = []
    for seed in range(80):
        cells = [
            fault.cell
            for fault in faults_of(PRACTICES["trail"], 2880, Random(seed))
            if fault.kind == "unseen"
        ]
        gaps += np.diff(sorted(cells)).tolist()

    assert np.mean(np.array(gaps) < 60) > 0.3


def test_one_sensor_fails_and_the_others_go_on():
    columns = broken(Fault("dropout", "heartRate", 300, 3))
    gone = np.isnan(columns["heartRate"])

    assert 10 <= gone.sum() <= 15
    assert not any(np.isnan(columns[name]).any() for name in ("power", "speed", "cadence", "altitude"))


def test_speed_is_held_leaps_and_is_found_again_slowly_without_satellites():
    """The recorded open water swim: held for six seconds, half as much again for one, 0, then back in half a minute."""
    columns = broken(Fault("unseen", "speed", 500))
    lost = np.flatnonzero(np.isnan(columns["positionLat"]))
    speed, leap = columns["speed"], lost[-1] + 1

    assert 3 <= len(lost) <= 7
    assert np.isnan(columns["positionLong"][lost]).all()
    assert np.ptp(speed[lost]) == 0
    assert speed[lost[0]] < speed[leap] <= WHOLE["speed"].max()
    assert speed[leap + 1] == 0
    assert not np.signbit(speed).any()
    assert speed[leap + 3] < 0.6 * WHOLE["speed"][leap + 3]
    assert speed[leap + 70 :] == pytest.approx(WHOLE["speed"][leap + 70 :])


def test_a_strap_that_slips_tells_too_little_and_never_more_than_the_maximum():
    columns = broken(*(Fault("slip", "heartRate", cell, 12) for cell in range(300, 1200, 100)))
    rate = columns["heartRate"]

    for cell in range(300, 1200, 100):
        slipped = slice(cell * 5 + 5, cell * 5 + 40)
        assert rate[slipped].mean() < 0.95 * WHOLE["heartRate"][slipped].mean()
    assert rate.max() <= WHOLE["heartRate"].max()
    assert rate.min() >= RIDE.body.hr_rest


def test_heart_rate_is_lost_under_water():
    faults = [faults_of(PRACTICES["pool"], 720, Random(seed)) for seed in range(40)]

    assert {fault.column for each in faults for fault in each} == {"heartRate"}
    assert 0.3 < np.mean([bool(each) for each in faults]) < 0.95
    swim = replace(SESSIONS["pool by length"], faults=(Fault("dropout", "heartRate", 90, 10),))
    assert np.isnan(make_streams(swim.to_bytes()).columns["heartRate"]).sum() > 40


def test_a_strap_that_stalled_comes_back_by_degrees():
    """A blind judge told it by the leap onto the right value."""
    leaps = []
    for cell in range(60, 1300, 40):
        fault = Fault("stall", "heartRate", cell, 10)
        beats = broken(fault)["heartRate"]
        end = cell * 5 + 50 - cell * 7 % 5
        assert (beats[cell * 5 : end] == beats[cell * 5]).all()
        leaps.append(np.abs(np.diff(beats[end - 1 : end + 8])).max())

    assert max(leaps) <= 5


def test_no_two_losses_of_sight_leave_the_same():
    swims = [
        replace(SESSIONS["run"], seed=seed, stops=(), pauses=(), faults=(Fault("unseen", "speed", 100),))
        for seed in range(12)
    ]
    leaps, least = [], []
    for swim in swims:
        columns = make_streams(swim.to_bytes()).columns
        lost = np.flatnonzero(np.isnan(columns["positionLat"]))
        found = columns["speed"][lost[-1] + 1 : lost[-1] + 12] / columns["speed"][lost[0]]
        leaps.append(found[0])
        least.append(found[1:].min())

    assert np.ptp(leaps) > 0.2
    assert 2 <= np.count_nonzero(np.array(least) < 0.01) <= 10
