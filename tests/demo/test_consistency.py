"""The summary of a demo session agrees with its streams."""

from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import numpy as np
import orjson
import pytest

from coachboard.formulas.session.power import normalized_power
from coachboard.service.store.rows import encode
from coachboard.wire.activities import Activity
from coachboard_demo.session import moments
from coachboard_demo.streams import make_streams
from coachboard_demo.summary import Caption, record
from demo_sessions import SESSIONS


def read_back(session, caption):
    """The activity as a reader of the store finds it."""
    return Activity.from_wire(orjson.loads(encode(record(session, caption).activity)))


@pytest.fixture(scope="module", params=sorted(SESSIONS))
def recorded(request):
    session = SESSIONS[request.param]
    activity = read_back(session, Caption(id="act_1", utc_offset_min=60))
    return session, activity, make_streams(session.to_bytes())


def test_same_recipe_gives_the_same_bytes(recorded):
    session, _, streams = recorded

    assert make_streams(session.to_bytes()).to_json() == streams.to_json()


def test_power_of_summary_and_streams_agrees(recorded):
    _, activity, streams = recorded
    if activity.average_power is None:
        pytest.skip("no power in this practice")
    power = streams.columns["power"]

    assert activity.average_power == pytest.approx(power.mean(), rel=0.01)
    assert activity.normalized_power == pytest.approx(normalized_power(power), rel=0.015)
    assert activity.max_power == pytest.approx(power.max(), abs=1)
    assert activity.work == pytest.approx(power.sum() / 1000, rel=0.01)


def test_heart_rate_of_summary_and_streams_agrees(recorded):
    session, activity, streams = recorded
    rate = streams.columns["heartRate"]

    assert activity.average_heart_rate == pytest.approx(rate.mean(), abs=0.5)
    assert rate.max() <= activity.max_heart_rate <= rate.max() + 2
    assert rate.max() <= session.body.hr_max
    assert rate.min() >= session.body.hr_rest


def test_distance_speed_and_time_agree(recorded):
    session, activity, streams = recorded

    assert activity.effective_duration == len(streams)
    assert activity.total_duration == len(streams) + sum(gap for _, gap in session.pauses)
    if activity.distance is None:
        assert "distance" not in streams.columns
        return
    distance, speed = streams.columns["distance"], streams.columns["speed"]
    assert activity.distance == pytest.approx(distance.max(), rel=0.001)
    assert (np.diff(distance) >= 0).all()
    assert speed.sum() == pytest.approx(activity.distance, rel=0.01)
    assert activity.max_speed == pytest.approx(speed.max(), rel=0.08)
    assert activity.average_speed == pytest.approx(activity.distance / activity.moving_duration, rel=0.01)


def test_positions_are_as_far_apart_as_the_distance_says(recorded):
    _, activity, streams = recorded
    if "positionLat" not in streams.columns:
        assert activity.start_latitude is None
        return
    latitude, longitude = (np.radians(streams.columns[name]) for name in ("positionLat", "positionLong"))
    steps = 6_371_000 * np.hypot(np.diff(latitude), np.diff(longitude) * np.cos(latitude[1:]))

    assert steps.sum() == pytest.approx(activity.distance, rel=0.03)
    assert np.degrees(latitude[0]) == pytest.approx(activity.start_latitude, abs=0.001)


def test_climbed_metres_are_those_of_the_altitude(recorded):
    _, activity, streams = recorded
    if activity.elevation_gain is None:
        pytest.skip("no ground")
    altitude = streams.columns["altitude"][::30]  # coarse enough that the barometer's noise adds little

    rises = np.diff(altitude)
    assert activity.elevation_gain == pytest.approx(rises[rises > 0].sum(), rel=0.25, abs=25)
    assert sum(lap.elevation_gain or 0 for lap in activity.laps) == pytest.approx(
        activity.elevation_gain if activity.laps else 0, abs=2
    )
    assert all((lap.elevation_gain or 0) >= 0 for lap in activity.laps)


def test_loops_come_home(recorded):
    session, _, streams = recorded
    if session.kind.shape is None or session.route_m < 1000:
        pytest.skip("no loop")
    latitude, altitude = streams.columns["positionLat"], streams.columns["altitude"]

    assert abs(latitude[-1] - latitude[0]) < 0.002
    assert altitude[-1] == pytest.approx(altitude[0], abs=4)


def test_w_prime_is_never_overspent(recorded):
    session, _, streams = recorded
    if "wPrimeBalance" not in streams.columns:
        return

    assert streams.columns["wPrimeBalance"].min() > -0.02 * session.body.w_prime_j


def test_sections_lie_in_the_streams(recorded):
    _, activity, streams = recorded
    rows = (*activity.laps, *activity.climbs, *activity.lengths)

    for row in rows:
        assert 0 <= row.started_at_index <= row.ended_at_index < len(streams)
        assert row.started_at.timestamp() == streams.timestamps[row.started_at_index].astype(np.int64) / 1000
        assert row.ended_at.timestamp() == streams.timestamps[row.ended_at_index].astype(np.int64) / 1000


def test_laps_join_without_gap_and_carry_the_means_of_the_streams(recorded):
    session, activity, streams = recorded
    if not session.is_ride:
        assert activity.laps == ()
        assert activity.climbs == ()
        return
    power = streams.columns["power"]

    assert activity.laps[0].started_at_index == 0
    assert activity.laps[-1].ended_at_index == len(streams) - 1
    for before, lap in zip(activity.laps, activity.laps[1:], strict=False):
        assert lap.started_at_index == before.ended_at_index + 1
    for lap in activity.laps:
        part = power[lap.started_at_index : lap.ended_at_index + 1]
        assert lap.average_power == pytest.approx(part.mean(), abs=2)
        assert lap.max_power == pytest.approx(part.max(), abs=1)


def test_device_laps_cover_the_session_without_a_gap(recorded):
    _, activity, streams = recorded
    stamps = streams.timestamps.astype(np.int64) // 1000
    laps = activity.provider_laps

    assert laps[0].started_at.timestamp() == stamps[0]
    assert laps[-1].ended_at.timestamp() == stamps[-1] + 1
    for before, lap in pairwise(laps):
        assert lap.started_at == before.ended_at


def test_the_sample_at_the_start_of_a_pause_comes_after_it():
    texts = moments(replace(SESSIONS["road"], pauses=((10, 120),)), [49, 50])
    before, after = (datetime.fromisoformat(text) for text in texts)

    assert (after - before).total_seconds() == 121


def test_device_laps_are_as_long_as_the_done_parts():
    session = SESSIONS["trainer"]
    laps = read_back(session, Caption(id="act_1", utc_offset_min=0)).provider_laps

    lasted = [(lap.ended_at - lap.started_at).total_seconds() for lap in laps]
    assert lasted == [part.duration_s for part in session.done]


def test_a_watch_laps_every_kilometre_of_an_easy_run():
    session = SESSIONS["run"]
    session = replace(session, done=tuple(replace(part, label="") for part in session.done))
    activity = read_back(session, Caption(id="act_1", utc_offset_min=0))

    assert {lap.lap_trigger for lap in activity.provider_laps[:-1]} == {"distance"}
    assert activity.provider_laps[-1].lap_trigger == "session_end"
    assert len(activity.provider_laps) == int(activity.distance // 1000) + 1


def test_pool_lengths_add_up():
    session = SESSIONS["pool"]
    activity = read_back(session, Caption(id="act_1", utc_offset_min=0))

    assert len(activity.lengths) == 56
    assert activity.distance == pytest.approx(56 * 25, abs=1)
    assert all(0.85 < length.average_speed < 1.6 for length in activity.lengths)
