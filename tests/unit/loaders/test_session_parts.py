"""Parts of a session: their samples, their numbers, and inferred parts."""

import dataclasses
from datetime import UTC, date, datetime

import numpy as np
import pytest

import rides
from coachboard.loaders.activity.like_intervals import is_like, lap_at, like_intervals, races_between
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_parts import Part, counts_of, parts_of
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.capacities import Capacities, Reference
from coachboard.models.enums import (
    LapCharacteristic,
    LapIntensity,
    MetricSport,
    MetricType,
    RaceType,
    TrainingStimulus,
)

WEIGHT = {MetricType.WEIGHT: Reference(70.0, None, None, MetricSport.GLOBAL)}


def data_of(activity, streams=None, references=None):
    fields = {one.name: None for one in dataclasses.fields(ActivityData) if one.init}
    fields |= {
        "user_id": "me", "today": date(2026, 3, 10), "activity": activity, "history": (), "legs": (),
        "capacities": Capacities(references or {}), "candidates": (), "missing": (),
        "results": (),
        "streams": None if streams is None else SessionStreams.from_streams(streams),
    }  # fmt: skip
    return ActivityData(**fields)


def test_laps_lie_where_their_samples_lie():
    activity = rides.activity(laps=(rides.lap(0, 299), rides.lap(300, 999)))
    parts = parts_of(data_of(activity, rides.streams(), WEIGHT), Part.LAPS)

    assert [(s.from_s, s.to_s) for s in parts.stretches] == [(0, 300), (300, 600)]
    assert parts.table["power_per_kg"].tolist() == pytest.approx([250 / 70] * 2)


def test_without_streams_laps_lie_where_their_moments_lie():
    parts = parts_of(data_of(rides.activity(laps=(rides.lap(60, 120),))), Part.LAPS)

    assert (parts.stretches[0].from_s, parts.stretches[0].to_s) == (60, 120)


def test_a_climb_has_vam_and_watts_by_weight():
    activity = rides.activity(climbs=(rides.climb(0, 240),))
    table = parts_of(data_of(activity, rides.streams(), WEIGHT), Part.CLIMBS).table

    assert table["vam_m_per_h"].tolist() == [900]
    assert table["power_per_kg"].tolist() == [4.0]


def test_the_speed_of_a_lap_is_that_of_a_selection_over_it_whatever_the_service_averages_over():
    """A service that counts a minute at a red light sent 8 m/s for a lap ridden at 10 m/s."""
    speed = np.where(np.arange(600) < 60, 0.0, 10.0)
    streams = rides.streams(speed=speed, distance=np.cumsum(speed) - speed)
    activity = rides.activity(laps=(rides.lap(0, 299, average_speed=8.0), rides.lap(300, 599)))

    measured, sent = (parts_of(data_of(activity, one), Part.LAPS).table for one in (streams, None))

    assert measured["average_speed_mps"].tolist() == pytest.approx([10, 10], rel=0.01)
    assert sent["average_speed_mps"].iloc[0] == 8


def test_a_climb_is_ridden_at_its_distance_over_its_duration():
    activity = rides.activity(climbs=(rides.climb(0, 240),))
    climb = activity.climbs[0]
    table = parts_of(data_of(activity, rides.streams()), Part.CLIMBS).table

    assert table["average_speed_mps"].tolist() == [climb.distance / climb.duration]


def test_device_laps_are_measured_on_the_streams():
    activity = rides.activity(provider_laps=(rides.provider_lap(100, 200, intensity="<b>hard</b>"),))
    parts = parts_of(data_of(activity, rides.streams()), Part.DEVICE)
    row = parts.table.iloc[0]

    assert (row["distance_m"], row["average_power_w"], row["average_heart_rate_bpm"]) == (1000, 250, 140)
    assert parts.stretches[0].intensity is None


def test_only_the_kinds_that_are_there_are_offered():
    activity = rides.activity(laps=(rides.lap(0, 10),), provider_laps=(rides.provider_lap(0, 10),))

    assert counts_of(data_of(activity)) == {Part.LAPS: 1, Part.DEVICE: 1}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (rides.lap(0, 360), True),
        (rides.lap(0, 361), False),
        (rides.lap(0, 240), True),
        (rides.lap(0, 300, intensity=LapIntensity.TEMPO), False),
        (rides.lap(0, 300, characteristic=LapCharacteristic.INTRA_RECOVERY), False),
    ],
)
def test_like_is_the_same_intensity_and_a_fifth_of_duration(other, expected):
    assert is_like(rides.lap(0, 300), other) is expected


def test_like_intervals_come_from_laps_alone_oldest_first():
    mine = rides.lap(0, 300)
    later = rides.activity("act_2", laps=(rides.lap(0, 290, power=260), rides.lap(290, 400)))
    found = like_intervals(mine, [later, rides.activity(laps=(mine,))], sport=later.sport)

    assert found["average_power_w"].tolist() == [250, 260]


def test_a_selection_within_two_seconds_of_a_lap_is_that_lap():
    activity = rides.activity(laps=(rides.lap(0, 300), rides.lap(300, 500)))

    assert lap_at(activity, 301, 499, spans=[(0, 300), (300, 500)]) is activity.laps[1]
    assert lap_at(activity, 310, 499, spans=[(0, 300), (300, 500)]) is None


def test_race_days_are_those_of_sessions_that_the_service_marks():
    def session(day, name, race_type=RaceType.FLAT):
        return rides.activity(
            f"act_{day}_{name}", start=datetime(2026, 3, day, 9, tzinfo=UTC), name=name, race_type=race_type
        )

    sessions = [
        session(20, "after"), session(12, "second leg"), session(12, "bike"), session(5, None),
        session(3, "training", race_type=None), session(2, "first"), session(1, "before"),
    ]  # fmt: skip
    run = rides.activity("act_run", start=datetime(2026, 3, 8, 9, tzinfo=UTC), name="run", training_stimulus=TrainingStimulus.RACE)  # fmt: skip
    found = races_between([*sessions, run], date(2026, 3, 2), date(2026, 3, 19))

    assert [(race.start.day, race.end.day, race.kind, race.title) for race in found] == [
        (2, 2, "race", "first"), (5, 5, "race", "Race"), (8, 8, "race", "run"), (12, 12, "race", "second leg"),
    ]  # fmt: skip
