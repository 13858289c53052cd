"""Durations, and the two even clocks."""

import numpy as np
import pytest

from coachboard.service.importers.record_times import (
    durations,
    even_places,
    gaps_as_pauses,
    grid_places,
    on_clock_grid,
    record_durations_s,
)
from coachboard.service.importers.recording import DeviceLap, DeviceLength, TimeSpan
from coachboard.wire.enums import Sport, SubSport
from unit.service.importers.legs import START_S, leg


def span(start, end):
    return TimeSpan(START_S + start, START_S + end)


def test_the_devices_durations_go_first():
    figures = {"total_duration": 100.0, "effective_duration": 90.0, "moving_duration": 80.0}
    took = durations(leg(60, figures=figures))

    assert (took.moving_s, took.effective_s, took.total_s) == (80, 90, 100)


def test_effective_is_elapsed_less_pauses():
    took = durations(leg(times=[*range(30), *range(50, 60)], pauses=(span(29, 50),)))

    assert (took.total_s, took.effective_s) == (60, 39)


def test_a_lap_may_last_longer_than_the_records():
    laps = (DeviceLap(span(0, 120), None, None),)

    assert durations(leg(60, laps=laps)).total_s == 120
    assert durations(leg(0, laps=laps)).total_s == 120


def test_standing_is_not_moving_and_a_missing_speed_is_not_standing():
    speed = np.array([5.0] * 20 + [0.0] * 20 + [np.nan] * 20)

    assert durations(leg(60, speed=speed)).moving_s == 40


def test_a_pause_is_not_moving_at_any_speed_before_it():
    took = durations(leg(times=[*range(30), *range(50, 60)], speed=5.0, pauses=(span(29, 50),)))

    assert took.moving_s == pytest.approx(39)


@pytest.mark.parametrize("more", [{}, {"speed": 0.0}, {"speed": 0.1, "sub_sport": SubSport.INDOOR_CYCLING}])
def test_without_a_speed_to_go_by_all_of_it_was_moving(more):
    assert durations(leg(60, power=200, **more)).moving_s == 60


def test_moving_is_unknown_where_most_records_are_lost():
    assert durations(leg(60, speed=5.0, figures={"total_duration": 600.0})).moving_s is None


def test_in_the_pool_only_lengths_are_moving():
    lengths = tuple(
        DeviceLength(span(start, start + 25), is_active, None, None, None, None)
        for start, is_active in ((0, True), (25, False), (50, True))
    )

    assert durations(leg(75, sport=Sport.SWIMMING, lengths=lengths)).moving_s == 50


def test_a_record_of_a_device_that_writes_rarely_lasts_longer():
    assert record_durations_s(leg(times=[0, 4, 8, 12, 60])).tolist() == [4, 4, 4, 4, 4]
    assert record_durations_s(leg(times=[0, 1, 2, 5])).tolist() == [1, 1, 3, 1]
    assert record_durations_s(leg(0)).tolist() == []


def test_the_clock_grid_fills_stops_and_holds_short_gaps():
    every_second = leg(times=[0, 1, 2, 3, 5, 17])
    rare = leg(times=[0, 4, 8])

    assert on_clock_grid(every_second, np.ones(6)).tolist() == [1] * 6 + [0] * 11 + [1]
    assert on_clock_grid(rare, np.ones(3)).tolist() == [1] * 12
    assert grid_places(every_second).tolist() == [0, 1, 2, 3, 5, 17]


def test_even_places_repeat_rare_records_and_leave_holes_out():
    assert even_places(leg(times=[0, 1, 2, 60])).tolist() == [0, 1, 2, 3]
    assert even_places(leg(times=[0, 4, 8, 100])).tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert even_places(leg(0)).tolist() == []


def test_holes_are_pauses():
    assert [pause.length_s for pause in gaps_as_pauses(np.array([0.0, 1, 11, 90, 91]))] == [79]
