"""What devices make of the world: thermometers out of rooms, barometers in the wind, grades from both."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard.analytics.grade import grade_pct
from coachboard_demo import thermometer
from coachboard_demo.batch import Batch
from coachboard_demo.chance import chance
from coachboard_demo.recording import Outing, record
from coachboard_demo.routes import Shape
from coachboard_demo.sensors import barometer_m
from coachboard_demo.session import Done, Weather
from coachboard_demo.spans import Spans
from coachboard_demo.streams import make_streams
from coachboard_demo.summary import Told
from demo_sessions import RIDE, SESSIONS

COLD = replace(RIDE, weather=Weather(6.0, 2.0, 3.0, 1.0), faults=())


@pytest.mark.parametrize(
    ("practice", "shape", "within_s"), [("road", Shape.LOOP, 1500), ("open water", Shape.LAKE, 90)]
)
def test_a_thermometer_comes_out_of_a_room(practice, shape, within_s):
    """Recorded: from 19 to 10 degrees within 20 minutes in air, from 23 to 18 within 40 seconds in a lake."""
    session = replace(COLD, practice=practice, shape=shape, stops=(), pauses=(), done=(Done(3600, 0.7),))
    degrees = make_streams(session.to_bytes()).columns["temperature"]

    assert degrees[0] >= 19
    assert degrees[within_s // 3] > degrees[within_s] - 0.5
    assert degrees[within_s:].max() <= 10


def test_temperatures_of_summary_and_streams_agree():
    degrees = make_streams(COLD.to_bytes()).columns["temperature"]
    (recorded,) = record([Outing(COLD, Told(id="act_1", utc_offset_min=60))])
    told = recorded.activity

    assert (told.min_temperature, told.max_temperature) == (degrees.min(), degrees.max())
    assert told.average_temperature == pytest.approx(degrees.mean(), abs=0.8)


def test_temperatures_of_spans_are_means_of_what_is_told():
    starts, ends = np.array([0, 200, 900]), np.array([200, 900, 1400])
    degrees = np.repeat(thermometer.told_c(COLD, COLD.cells), 1)
    means = [degrees[start:end].mean() for start, end in zip(starts, ends, strict=True)]

    spans = Spans(Batch(COLD), np.zeros(3, np.int64), starts, ends)
    assert thermometer.means_c(spans) == pytest.approx(means, abs=0.3)


@pytest.mark.parametrize("practice", ["road", "trail", "track"])
def test_the_grade_is_what_the_service_reckons_for_every_recording(practice):
    columns = make_streams(replace(SESSIONS[practice], faults=()).to_bytes()).columns

    assert columns["grade"] == pytest.approx(grade_pct(columns["distance"], columns["altitude"]), abs=0.051)


def test_a_barometer_steps_as_the_recorded_ones_do_on_level_ground():
    """Recorded on runs: steps from one second to the next deviate by 0.12 to 0.17 m, half of them are none."""
    altitude = make_streams(SESSIONS["track"].to_bytes()).columns["altitude"]
    steps = np.diff(altitude)

    assert 0.05 < steps.std() < 0.2
    assert 0.4 < (steps == 0).mean() < 0.9
    assert 1 < np.ptp(altitude) < 9


def test_who_is_slow_makes_less_wind_for_the_barometer():
    """The grade of a hike on the level wandered twice as much as the recorded one's."""
    told = [
        barometer_m(chance("barometer", seed), np.full(1440, speed))
        for seed in range(4)
        for speed in (8.0, 1.2)
    ]
    gusts = [(height[:-30] - height[30:]).std() for height in told]

    assert np.mean(gusts[1::2]) < 0.6 * np.mean(gusts[::2])


def test_breath_is_told_every_few_seconds():
    """Of the recorded steps of breathing from second to second 0.8 to 0.9 are none."""
    rate = make_streams(RIDE.to_bytes()).columns["breathingRate"]

    assert 0.75 < (np.diff(rate) == 0).mean() < 0.95


def test_balance_is_told_in_whole_percents_and_less_surely_when_nothing_is_pressed():
    columns = make_streams(COLD.to_bytes()).columns
    balance, power = columns["leftRightBalance"], columns["power"]
    known = balance[np.isfinite(balance)]
    hard = np.isfinite(balance) & (power > 250)
    easy = np.isfinite(balance) & (power < 120)

    assert (known == np.rint(known)).all()
    assert balance[easy].std() > 1.2 * balance[hard].std()


def test_a_watch_often_tells_the_speed_it_told_before():
    """Recorded on runs: a third of the steps of speed are none."""
    speed = make_streams(replace(SESSIONS["track"], faults=()).to_bytes()).columns["speed"]

    assert 0.2 < (np.diff(speed) == 0).mean() < 0.5
