"""Pool swims: distance, load and laps by the lengths; and points that a file writes twice."""

from dataclasses import replace

import numpy as np
import pytest

from coachboard.service.importers import load
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.laps import lengths, provider_laps
from coachboard.service.importers.reading import with_pool_distance
from coachboard.service.importers.record_clock import align_lengths_with_laps
from coachboard.service.importers.record_times import (
    drop_repeated_times,
    durations,
    end_at_next_start,
    is_moving,
)
from coachboard.service.importers.recording import DeviceLap, DeviceLength, TimeSpan
from coachboard.wire.enums import Sport
from unit.service.importers.legs import START_S, leg

SWIMMER = AthleteValues(critical_speed_mps=1.25)


def span(start, end):
    return TimeSpan(START_S + start, START_S + end)


def swim(count=90, **more):
    """Two lengths of 20 s, a rest of 30 s at the wall, a length of 20 s; the watch writes at the end of a length."""
    at = np.arange(count)
    distance = np.select([at == 20, at == 40, at == 70, at == 89], [25.0, 50.0, 50.0, 75.0], np.nan)
    speed = np.where(np.isin(at, [20, 40, 89]), 1.25, np.nan)
    parts = ((0, 20, True), (20, 40, True), (40, 70, False), (70, 90, True))
    made = tuple(DeviceLength(span(a, b), active, None, None, None, None) for a, b, active in parts)
    return leg(count, sport=Sport.SWIMMING, distance=distance, speed=speed, lengths=made, **more)


def test_distance_advances_with_the_lengths_and_rests_at_the_wall():
    distance = with_pool_distance(swim(91)).columns["distance"]

    assert distance[[0, 10, 20, 40, 55, 70, 80, 90]].tolist() == [0, 12.5, 25, 50, 50, 50, 62.5, 75]


@pytest.mark.parametrize("more", [{"figures": {"distance": 75.0}}, {}])
def test_the_length_of_the_pool_is_the_devices_distance_by_its_lengths(more):
    assert with_pool_distance(swim(91, **more)).columns["distance"][20] == 25


def test_without_lengths_the_distance_is_as_recorded():
    ride = leg(3, sport=Sport.SWIMMING, distance=[np.nan, 10.0, 20.0])

    assert with_pool_distance(ride) is ride


def volume_of(swum):
    return load.load_of(swum, SWIMMER, durations(swum))["volume"]


def test_the_load_of_a_pool_swim_counts_each_length():
    """One minute at critical speed; only the three samples with a speed counted."""
    assert volume_of(with_pool_distance(swim(91))) == pytest.approx(60 / 36, abs=0.1)


def test_the_load_of_a_pool_swim_follows_its_distance_where_the_watch_writes_a_speed_every_second():
    """The watch repeats the speed of the last length at the wall: 30 s of rest counted as swum."""
    swum = with_pool_distance(swim(91))
    columns = {**swum.columns, "speed": np.full(91, 1.25)}

    assert volume_of(replace(swum, columns=columns)) == pytest.approx(60 / 36, abs=0.1)


def test_the_load_of_open_water_counts_the_way_between_two_fixes():
    at = np.arange(1801)
    is_fix = at % 45 == 0
    swum = leg(
        1801,
        sport=Sport.SWIMMING,
        distance=np.where(is_fix, at * 1.25, np.nan),
        speed=np.where(is_fix, 1.25, np.nan),
    )

    assert volume_of(swum) == pytest.approx(50, rel=0.01)


def test_lengths_share_no_record():
    found = lengths(swim())

    assert [(each.started_at_index, each.ended_at_index) for each in found] == [
        (0, 19), (20, 39), (40, 69), (70, 89),
    ]  # fmt: skip


def test_lengths_that_end_between_two_records_share_none():
    parts = (
        DeviceLength(span(a, b), True, None, None, None, None) for a, b in ((0, 20.3), (20.3, 40), (60, 80))
    )
    found = lengths(leg(45, sport=Sport.SWIMMING, lengths=tuple(parts)))

    assert [(each.started_at_index, each.ended_at_index) for each in found] == [(0, 19), (20, 39), (44, 44)]


def test_a_swimmer_moves_during_the_lengths_and_not_at_the_wall():
    assert np.flatnonzero(~is_moving(swim())).tolist() == list(range(40, 70))


def laps_of(first_start, *, index=0):
    return [{"start_time": first_start, "first_length_index": index, "num_lengths": 2}]


@pytest.mark.parametrize(("lap_start", "moved"), [(109, [98, 109]), (102, [89, 100]), (95, [89, 100])])
def test_lengths_of_a_second_clock_begin_with_their_lap(lap_start, moved):
    """The first that is swum begins with the lap; a clock that is 2 s off rounds, and a lap may begin with a rest."""
    made = [
        {"start_time": 89, "length_type": "idle", "message_index": 0},
        {"start_time": 100, "length_type": "active", "message_index": 1},
    ]

    found = align_lengths_with_laps(made, laps_of(lap_start))

    assert [one["start_time"] for one in found] == moved
    assert made[0]["start_time"] == 89
    assert align_lengths_with_laps(made, [{"start_time": 300}, *laps_of(300, index=7)]) == made


def test_a_lap_ends_where_the_next_begins():
    """Lap 2 of o15 lasts 193 s by the watch, which counts the rest before it; lap 3 begins after 119 s."""
    laps = tuple(DeviceLap(span(a, b), None, None) for a, b in ((0, 40), (40, 90), (70, 120)))
    found = provider_laps(leg(120, laps=laps))

    assert [(lap.ended_at - lap.started_at).total_seconds() for lap in found] == [40, 30, 50]
    assert end_at_next_start([]) == []
    assert end_at_next_start([span(0, 9), span(0, 5)]) == [span(0, 9), span(0, 5)]


def test_a_point_that_a_file_writes_twice_counts_once():
    twice = leg(times=[0, 1, 1, 2], power=[100.0, 200.0, np.nan, 300.0], speed=[1.0, np.nan, 5.0, 6.0])
    once = drop_repeated_times(twice)

    assert once.times_s.tolist() == [START_S, START_S + 1, START_S + 2]
    assert once.columns["power"].tolist() == [100, 200, 300]
    assert once.columns["speed"].tolist() == [1, 5, 6]
    assert drop_repeated_times(once) is once
