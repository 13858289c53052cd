"""Parts of a session: their samples, their numbers, and inferred parts."""

import dataclasses
from datetime import UTC, date, datetime

import numpy as np
import pytest

import rides
import session_data
from coachboard.execution.capacities import Capacities, Reference
from coachboard.formulas.session.selection import summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.like_intervals import lap_at, like_intervals, like_laps, races_between
from coachboard.pages.activity.session_parts import Part, counts_of, parts_of
from coachboard.wire.enums import (
    LapCharacteristic,
    LapIntensity,
    MetricSport,
    RaceType,
    Sport,
    TrainingStimulus,
)
from coachboard.wire.metrics import MetricType

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


def test_laps_have_normalized_power_intensity_factor_and_maximum_heart_rate_as_a_selection():
    power = np.where(np.arange(900) % 60 < 30, 300.0, 100.0)
    streams = rides.streams(900, power=power, heartRate=140 + np.arange(900) % 30.0)
    activity = rides.activity(
        total_duration=900, laps=(rides.lap(0, 599), rides.lap(600, 899)),
        provider_laps=(rides.provider_lap(0, 600), rides.provider_lap(600, 800)),
    )  # fmt: skip
    critical = {MetricType.CRITICAL_POWER: Reference(250.0, None, None, MetricSport.CYCLING)}
    data = data_of(activity, streams, critical)
    expected = summarize(data.streams, slice(0, 600)).normalized_power_w

    for kind in (Part.LAPS, Part.DEVICE):
        table = parts_of(data, kind).table
        assert table["normalized_power_w"].iloc[0] == pytest.approx(expected)
        assert table["intensity_factor"].iloc[0] == pytest.approx(expected / 250)
        assert table["max_heart_rate_bpm"].tolist() == [169, 169]
    assert np.isnan(table["normalized_power_w"].iloc[1])  # 200 s


def test_climbs_of_a_run_are_found_and_those_of_a_ride_are_left_to_the_service():
    distance = np.arange(900) * 3.0
    altitude = np.interp(distance, [0, 600, 1400, 2700], [0, 0, 80, 80])
    streams = rides.streams(900, power=None, speed=np.full(900, 3.0), distance=distance, altitude=altitude)
    run, ride = (rides.activity(sport=sport, provider_laps=(rides.provider_lap(0, 900),)) for sport in (Sport.RUNNING, Sport.CYCLING))  # fmt: skip
    found = parts_of(session_data.data_of(run, streams), Part.CLIMBS)

    assert list(counts_of(session_data.data_of(run, streams))) == [Part.CLIMBS, Part.DEVICE]
    assert counts_of(session_data.data_of(ride, streams)) == {Part.DEVICE: 1}
    assert found.table["elevation_gain_m"].tolist() == pytest.approx([80], abs=1)
    assert found.table["vam_m_per_h"].tolist() == pytest.approx([80 / (800 / 3) * 3600], rel=0.05)
    assert found.table["adjusted_speed_mps"].iloc[0] > 1.5 * found.table["average_speed_mps"].iloc[0]


def test_only_the_kinds_that_are_there_are_offered():
    activity = rides.activity(laps=(rides.lap(0, 10),), provider_laps=(rides.provider_lap(0, 10),))

    assert counts_of(data_of(activity)) == {Part.LAPS: 1, Part.DEVICE: 1}


TEMPO, AEROBIC, VO2MAX = LapIntensity.TEMPO, LapIntensity.AEROBIC, LapIntensity.VO2MAX


@pytest.mark.parametrize(
    ("mine", "session", "expected"),
    [
        ({}, [{}], 1),
        ({}, [{"duration": 361}, {"duration": 239}], 0),
        ({}, [{"duration": 360}, {"duration": 240}], 2),
        ({}, [{"characteristic": LapCharacteristic.INTRA_RECOVERY}], 0),
        ({}, [{}, {"intensity": TEMPO}, {"intensity": AEROBIC}], 2),
        ({}, [{"intensity": TEMPO}] * 4, 4),  # all of them failed
        ({"intensity": VO2MAX}, [{"intensity": TEMPO}] * 4, 0),  # a tempo session
        ({"intensity": VO2MAX}, [{}, {"intensity": TEMPO}], 2),
        ({"intensity": AEROBIC}, [{"intensity": AEROBIC}, {"intensity": TEMPO}], 1),
    ],
)
def test_failed_repetitions_are_the_same_interval(mine, session, expected):
    """By class alone, 8 of 12 repetitions were averaged."""
    laps = [rides.lap(0, 300, **changes) for changes in session]

    assert len(like_laps(rides.lap(0, 300, **mine), laps)) == expected


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
