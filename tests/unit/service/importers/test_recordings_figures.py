"""Real recordings against the figures of their devices and of other programs."""

from itertools import pairwise

import numpy as np
import pytest

from coachboard.formulas.session.mean_maximal import mean_maximal
from coachboard.formulas.session.power import normalized_power, work_kj
from coachboard.service.importers.record_times import grid_places, on_clock_grid, record_durations_s
from coachboard.wire.activities import Activity
from coachboard.wire.streams import ActivityStreams

pytestmark = pytest.mark.recordings

# Decoding 14 hours takes longer than all others together.
O18 = pytest.param("o18", marks=pytest.mark.slow)
SINGLE = [f"o{number:02d}" for number in (*range(1, 5), *range(6, 17), *range(19, 22), 24, 25)]
FIT = [*SINGLE, "o17", O18]
WITH_POWER = ["o01", "o02", "o03", "o04", "o06", "o08", "o11"]
# The last record of o24 is garbage of the year 2085; o14 and o24 write some moments twice; o15 has ten rows
# more, for the ends of lengths before a rest.
LOST_RECORDS = {"o14": 2, "o15": -10, "o24": 238}


@pytest.mark.parametrize("name", FIT)
def test_every_moment_of_the_record_is_a_row(read_file, name):
    read = read_file(name)
    rows = sum(len(leg.times_s) for leg in read.recording.legs)

    assert rows == max(read.oracle["counts"]["record"]) - LOST_RECORDS.get(name, 0)
    for activity, leg in zip(read.activities, read.recording.legs, strict=True):
        assert len(activity.streams) == len(leg.times_s)


@pytest.mark.parametrize("name", FIT)
def test_legs_have_the_devices_sport_distance_and_durations(read_file, name):
    read = read_file(name)
    sessions = read.oracle["device"]["sessions"]

    assert len(read.activities) == len(sessions)
    for read_leg, session in zip(read.activities, sessions, strict=True):
        activity = read_leg.activity
        joined = session["sport"].split("_")
        assert activity.sport == joined[0] + "".join(word.capitalize() for word in joined[1:])
        assert activity.total_duration == pytest.approx(session["total_elapsed_time"])
        assert activity.effective_duration == pytest.approx(session["total_timer_time"])
        assert 0 <= (activity.moving_duration or 0) <= activity.effective_duration
        if session["total_distance"]:
            assert activity.distance == pytest.approx(session["total_distance"])
        if "total_ascent" in session:
            assert activity.elevation_gain == session["total_ascent"]
            assert activity.elevation_loss == session["total_descent"]
        if "total_calories" in session:
            assert activity.calories == session["total_calories"]


@pytest.mark.parametrize("name", FIT)
def test_the_start_is_the_devices_and_local_time_follows_a_sane_offset(read_file, name):
    read = read_file(name)
    session = read.oracle["device"]["sessions"][0]
    activity = read.activities[0].activity
    offset = read.oracle.get("utc_offset_min")

    assert f"{activity.started_at:%Y-%m-%dT%H:%M:%SZ}" == session["start_time"]
    if offset is not None and name not in {"o09", "o25"}:
        assert activity.utc_offset == offset
    if activity.utc_offset is not None:
        elapsed = activity.started_at_local - activity.started_at.replace(tzinfo=None)
        assert elapsed.total_seconds() == activity.utc_offset * 60


@pytest.mark.parametrize(
    ("name", "offset"), [("o08", 60), ("o09", 0), ("o24", -420), ("o25", None), ("o05", 120), ("o26", 120)]
)
def test_without_a_sane_offset_the_start_position_decides(read_file, name, offset):
    assert read_file(name).activities[0].activity.utc_offset == offset


@pytest.mark.parametrize("name", FIT)
def test_provider_laps_and_lengths_are_the_devices(read_file, name):
    read = read_file(name)
    laps = [lap for leg in read.activities for lap in leg.activity.provider_laps]
    lengths = [length for leg in read.activities for length in leg.activity.lengths]
    expected = read.oracle["device"]["laps"]

    assert len(laps) == len(expected)
    assert len(lengths) == len(read.oracle["device"].get("lengths", []))
    for lap, device in zip(laps, expected, strict=True):
        assert lap.lap_trigger == device.get("lap_trigger")
        assert lap.intensity == device.get("intensity")
    for leg in read.activities:
        for earlier, later in pairwise(leg.activity.provider_laps):
            assert earlier.ended_at <= later.started_at
    for lap, device in zip(laps, expected, strict=True):
        took = (lap.ended_at - lap.started_at).total_seconds()
        following = min(
            (other.started_at for other in laps if other.started_at > lap.started_at), default=None
        )
        until_next = (following - lap.started_at).total_seconds() if following else np.inf
        assert took == pytest.approx(min(device["total_elapsed_time"], until_next), abs=1)


COLUMNS = {
    "power": "power",
    "distance": "distance",
    "enhanced_speed": "speed",
    "enhanced_altitude": "altitude",
    "heart_rate": "heartRate",
    "temperature": "temperature",
    "core_temperature": "coreTemperature",
    "enhanced_respiration_rate": "breathingRate",
    "stance_time": "groundContactTime",
    "vertical_oscillation": "verticalOscillation",
    "step_length": "stepLength",
    "grade": "grade",
}


@pytest.mark.parametrize("name", SINGLE)
def test_columns_equal_those_of_other_decoders(read_file, name):
    read = read_file(name)
    streams = read.activities[0].streams.columns
    expected = {COLUMNS[key]: column for key, column in read.oracle["columns"].items() if key in COLUMNS}
    if name == "o20":
        expected.pop("distance")  # the watch's zeros give way to the ergometer's metres
    if name == "o13":
        # The belt's dynamics broke off after 560 records; the pod measured all 3,101.
        expected = {
            key: column for key, column in expected.items() if key in {"distance", "speed", "heartRate"}
        }
    if name == "o24":
        expected = {}  # one garbage record is in the oracle

    if name in {"o14", "o15"}:
        expected.pop("distance")  # it advances with the lengths
    twice = {"heartRate": 2, "speed": 2} if name == "o14" else {}
    for column, oracle in expected.items():
        values = streams[column][np.isfinite(streams[column])]
        assert len(values) == oracle["n"] - twice.get(column, 0), column
        if (name, column) != ("o14", "speed"):  # both moments that o14 writes twice have a speed of 0
            assert values.mean() == pytest.approx(oracle["mean"], rel=1e-3, abs=1e-3), column


@pytest.mark.parametrize("name", WITH_POWER)
def test_power_figures_agree_with_the_device_and_with_an_independent_computation(read_file, name):
    read = read_file(name)
    activity = read.activities[0].activity
    device, independent = read.oracle["device"]["sessions"][0], read.oracle["numpy"]

    assert activity.normalized_power == pytest.approx(device["normalized_power"], rel=0.006)
    assert activity.normalized_power == pytest.approx(independent["np_records_only"], rel=0.001)
    assert activity.work == pytest.approx(independent["work_kj"], rel=0.0005)
    if "total_work" in device:
        # The device counts seconds whose records it did not write: 0.8 % of o02, which has 35 pauses.
        assert activity.work == pytest.approx(device["total_work"] / 1000, rel=0.008)


def recorded_seconds(leg, column):
    """Whether each second of the clock grid has a record with a value: the oracles count every other one as 0 W."""
    recorded = np.zeros(len(on_clock_grid(leg, column)), bool)
    recorded[grid_places(leg)] = np.isfinite(column)
    return recorded


@pytest.mark.parametrize("name", WITH_POWER)
def test_power_differs_from_the_oracles_by_the_held_seconds_alone(read_file, name):
    """With the lost seconds at 0 W, as the oracles have them, curve, work and normalized power are theirs."""
    read = read_file(name)
    leg, oracle = read.recording.legs[0], read.oracle["numpy"]
    power = leg.columns["power"]
    grid, recorded = on_clock_grid(leg, power), recorded_seconds(leg, power)
    curve = {int(key): watts for key, watts in oracle["mean_max_clock_grid"].items() if watts}
    as_oracle = np.where(recorded, grid, 0)

    assert mean_maximal(as_oracle, list(curve)) == pytest.approx(list(curve.values()), abs=0.01)
    assert work_kj(as_oracle) == pytest.approx(oracle["work_kj"], abs=0.001)
    assert normalized_power(np.nan_to_num(power)) == pytest.approx(oracle["np_records_only"], abs=0.01)
    assert np.all(grid >= as_oracle)


@pytest.mark.parametrize("name", ["o04", "o11"])
def test_mean_maximal_power_without_lost_seconds_is_the_oracles(read_file, name):
    read = read_file(name)
    leg = read.recording.legs[0]
    curve = {int(key): watts for key, watts in read.oracle["numpy"]["mean_max_clock_grid"].items() if watts}
    grid = on_clock_grid(leg, leg.columns["power"])

    assert recorded_seconds(leg, leg.columns["power"]).all()
    assert mean_maximal(grid, list(curve)) == pytest.approx(list(curve.values()), abs=0.1)


@pytest.mark.parametrize("name", ["o01", "o02", "o03", "o04", "o06", "o08"])
def test_classified_laps_add_up_to_the_session(read_file, name):
    """o02 lost 1.4 km over its laps, o04 0.5 km."""
    read = read_file(name)
    activity, distance = read.activities[0].activity, read.recording.legs[0].columns["distance"]
    way = np.nanmax(distance) - (distance[0] if np.isfinite(distance[0]) else 0)

    assert sum(lap.distance for lap in activity.laps) == pytest.approx(way, abs=0.01 * len(activity.laps))
    assert sum(lap.duration for lap in activity.laps) == pytest.approx(
        record_durations_s(read.recording.legs[0]).sum()
    )


@pytest.mark.parametrize("name", ["o01", "o03", "o04", "o05", "o07"])
def test_a_climb_gains_at_least_its_top_over_its_foot(read_file, name):
    read = read_file(name)
    altitude = read.recording.legs[0].columns["altitude"]

    for climb in read.activities[0].activity.climbs:
        rise = altitude[climb.ended_at_index] - altitude[climb.started_at_index]
        assert climb.elevation_gain >= rise - 0.01
        assert climb.average_speed == pytest.approx(climb.distance / climb.duration, abs=0.006)


@pytest.mark.parametrize("name", ["o01", "o02", "o03", "o04", "o06", "o08"])
def test_w_balance_on_the_oracles_parameters_is_sweats(read_file, name):
    read = read_file(name)
    balance = read.activities[0].streams.columns["wPrimeBalance"]
    sweat = read.oracle["sweat"]["wbal_froncioni-skiba-clarke_clock_grid"]

    assert (sweat["cp"], sweat["w_prime"]) == (250, 20_000)
    assert balance.min() == pytest.approx(sweat["min_j"], abs=50)
    assert balance[-1] == pytest.approx(sweat["end_j"], abs=50)


@pytest.mark.parametrize("name", ["o17", O18])
def test_legs_hold_their_own_records_and_power(read_file, name):
    read = read_file(name)
    for read_leg, leg, expected in zip(
        read.activities, read.recording.legs, read.oracle["numpy_per_session"], strict=True
    ):
        # The oracle cuts by elapsed time, a leg here lasts until the next begins: a few records of the seam.
        assert len(leg.times_s) == pytest.approx(expected["records"], abs=6)
        if expected["np_records_only"]:
            assert read_leg.activity.normalized_power == pytest.approx(expected["np_records_only"], rel=0.006)
            assert read_leg.activity.work == pytest.approx(expected["work_kj"], rel=0.001)


@pytest.mark.parametrize("name", ["o17", O18])
def test_each_legs_distance_begins_at_its_own_start(read_file, name):
    read = read_file(name)
    for read_leg in read.activities:
        distance = read_leg.streams.columns["distance"]
        assert np.nanmin(distance) < 15
        assert np.nanmax(distance) == pytest.approx(read_leg.activity.distance, rel=0.005, abs=15)


@pytest.mark.parametrize("name", ["o03", "o04", "o05"])
def test_the_climbs_of_goldencheetah_are_found(read_file, name):
    read = read_file(name)
    activity, leg = read.activities[0].activity, read.recording.legs[0]
    found = [
        (climb.started_at.timestamp() - leg.started_s, climb.ended_at.timestamp() - leg.started_s, climb)
        for climb in activity.climbs
    ]
    expected = read.oracle["goldencheetah"]["climbs"]

    assert len(expected) <= len(found) <= len(expected) + 1
    for theirs in expected:
        start, end, climb = min(found, key=lambda one: abs(one[0] - theirs["start_s"]))
        assert start == pytest.approx(theirs["start_s"], abs=150)
        assert end == pytest.approx(theirs["stop_s"], abs=150)
        assert climb.elevation_gain == pytest.approx(theirs["gain_m"], rel=0.1)


@pytest.mark.parametrize("name", [*FIT, "o05", "o26", "o27"])
def test_imported_sessions_have_the_shape_of_the_document(read_file, name):
    for read in read_file(name).activities:
        activity, streams = read.activity, read.streams
        parts = (*activity.laps, *activity.climbs, *activity.lengths)

        assert Activity.from_wire(activity.to_wire()) == activity
        assert ActivityStreams.from_json(streams.to_json()) == streams
        assert all(0 <= part.started_at_index <= part.ended_at_index < len(streams) for part in parts)
        assert all(part.started_at <= part.ended_at for part in (*parts, *activity.provider_laps))
        starts = [part.started_at_index for part in activity.laps]
        assert starts == sorted(starts)
        assert activity.summary is None
        assert activity.intensity is None or 0 <= activity.intensity <= 100
