"""Impossible values are missing in streams and figures and named in the report; other values stay."""

import numpy as np
import pytest

from coachboard.service.importers.errors import BrokenRecording, ImportLimits
from coachboard.service.importers.plausible import drop_implausible
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.record_times import durations
from coachboard.service.importers.recording import DeviceLap, Leg, Recording, TimeSpan, Workout
from coachboard.wire.stream_columns import COLUMNS
from unit.service.importers.fit_files import fit_file, records, session
from unit.service.importers.xml_files import gpx, gpx_points, segment, tcx, tcx_lap, tcx_points


def read(data: bytes) -> tuple[Leg, tuple[str, ...]]:
    recording = read_recording(data, ImportLimits())
    return recording.legs[0], recording.problems


@pytest.mark.parametrize(
    ("tag", "column", "good", "bad", "sentence"),
    [
        ("ele", "altitude", (-499, 10_000), (-501, 10_001), "altitude are outside −500 to 10,000 m"),
        ("hr", "heartRate", (30, 250), (29, 9999), "heart rate are outside 30 to 250 bpm"),
        ("cad", "cadence", (0, 250), (-1, 251), "cadence are outside 0 to 250 rpm"),
        ("atemp", "temperature", (-60, 80), (-61, 81), "temperature are outside −60 to 80 °C"),
        ("speed", "speed", (0, 60), (-1, 61), "speed are outside 0 to 60 m/s"),
        ("power", "power", (0, 3_500), (-1, 3_501), "power are outside 0 to 3,500 W"),
        (
            "coretemperature",
            "coreTemperature",
            (30, 45),
            (29, 46),
            "core temperature are outside 30 to 45 °C",
        ),
        ("distance", "distance", (0, 5e6), (-1, 5.1e6), "distance are outside 0 to 5,000,000 m"),
    ],
)
def test_samples_that_cannot_be_are_missing_and_those_at_the_edge_stay(tag, column, good, bad, sentence):
    values = (*good, *bad)
    leg, problems = read(gpx(segment(gpx_points(range(4), lambda place: f"<{tag}>{values[place]}</{tag}>"))))

    assert leg.columns[column][:2].tolist() == list(good)
    assert np.isnan(leg.columns[column][2:]).all()
    assert problems == (f"2 of 4 values of {sentence} and were ignored",)


@pytest.mark.parametrize(
    "column", [column for column in COLUMNS if not column.wire_name.startswith("position")]
)
def test_no_column_keeps_a_value_of_1e38(column):
    leg = Leg(
        started_s=0.0,
        times_s=np.arange(3.0),
        columns={column.wire_name: np.array([column.plausible.low, 1e38, -1e38])},
    )
    (read_leg,) = drop_implausible(Recording(legs=(leg,))).legs

    assert np.isfinite(read_leg.columns[column.wire_name]).tolist() == [True, False, False]


@pytest.mark.parametrize("started_s", [4.9e9, -2e9], ids=["2125", "1906"])
def test_a_session_of_an_impossible_year_is_a_broken_file(started_s):
    """The last moment that a FIT file can write is in 2125."""
    leg = Leg(started_s=started_s, times_s=np.array([]), columns={})

    with pytest.raises(BrokenRecording, match="impossible date"):
        drop_implausible(Recording(legs=(leg,)))


@pytest.mark.parametrize("year", ["2125", "1906", "0001", "9999"])
@pytest.mark.parametrize(
    "file", [gpx(segment(gpx_points(range(4)))), tcx(tcx_lap(0, 4, tcx_points(range(4))))], ids=["GPX", "TCX"]
)
def test_a_file_whose_times_are_impossible_does_not_count_as_one_without_times(file, year):
    with pytest.raises(BrokenRecording, match=rf"impossible times .*'{year}-05-04T06:00:00Z'"):
        read_recording(file.replace(b"2026-", f"{year}-".encode()), ImportLimits())


@pytest.mark.parametrize(
    "file", [gpx(segment(gpx_points(range(4)))), tcx(tcx_lap(0, 4, tcx_points(range(4))))], ids=["GPX", "TCX"]
)
def test_a_file_whose_times_cannot_be_read_says_so(file):
    with pytest.raises(BrokenRecording, match=r"no time that can be read .*'May 05-04"):
        read_recording(file.replace(b"2026-", b"May "), ImportLimits())


@pytest.mark.parametrize("day_s", [4.9e9, -2e9, 1e30])
def test_a_workout_scheduled_in_an_impossible_year_is_a_broken_file(day_s):
    workout = Workout("Tempo", None, None, (), day_s=day_s)

    with pytest.raises(BrokenRecording, match="'Tempo' is scheduled on an impossible date"):
        drop_implausible(Recording(legs=(), workouts=(workout,)))


def test_a_column_of_nothing_else_is_no_column():
    leg, problems = read(gpx(segment(gpx_points(range(4), lambda _: "<hr>300</hr>"))))

    assert "heartRate" not in leg.columns
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("fields", "name", "sentence"),
    [
        ({"total_elapsed_time": 4e6}, "total_duration", "total duration is outside 0 to 2,592,000 s"),
        ({"total_distance": 9e6}, "distance", "distance is outside 0 to 5,000,000 m"),
        ({"max_heart_rate": 254}, "max_heart_rate", "max heart rate is outside 30 to 250 bpm"),
        ({"avg_cadence": 254}, "average_cadence", "average cadence is outside 0 to 250 rpm"),
        ({"max_power": 4_000}, "max_power", "max power is outside 0 to 3,500 W"),
        ({"max_temperature": 100}, "max_temperature", "max temperature is outside −60 to 80 °C"),
        ({"enhanced_max_speed": 63.0}, "max_speed", "max speed is outside 0 to 60 m/s"),
    ],
)
def test_a_devices_figure_that_cannot_be_is_left_out(fields, name, sentence):
    leg, problems = read(fit_file(*records(60, power=200), session(**{"total_elapsed_time": 60.0, **fields})))

    assert name not in leg.figures
    assert f"the device's {sentence} and was ignored" in problems


def test_a_record_years_later_gives_the_session_no_length():
    """A damaged time of one record: the session lasted 104 years."""
    leg = Leg(
        started_s=1e9,
        times_s=1e9 + np.array([0.0, 1, 2, 3e9]),
        columns={"power": np.array([200.0, 210, 220, 230])},
    )
    recording = drop_implausible(Recording(legs=(leg,)))
    (read_leg,) = recording.legs

    assert durations(read_leg).total_s == 3
    assert read_leg.columns["power"].tolist() == [200, 210, 220]
    assert recording.problems == (
        "1 of 4 times since the start are outside 0 to 2,592,000 s and were ignored",
    )


def test_a_lap_years_later_gives_the_session_no_length():
    laps = [DeviceLap(TimeSpan(1e9 + at, 1e9 + at + 30), None, None) for at in (0.0, 1e8)]
    leg = Leg(started_s=1e9, times_s=1e9 + np.arange(60.0), columns={}, laps=tuple(laps))
    (read_leg,) = drop_implausible(Recording(legs=(leg,))).legs

    assert (read_leg.laps, durations(read_leg).total_s) == ((laps[0],), 60)


def test_a_lap_of_years_gives_the_session_no_length():
    leg, problems = read(tcx(tcx_lap(0, 1e9, tcx_points(range(60))), tcx_lap(30, 30)))

    assert (len(leg.laps), durations(leg).total_s, durations(leg).effective_s) == (1, 60, 60)
    assert "1 of 2 lap durations are outside 0 to 2,592,000 s and were ignored" in problems


def test_a_negative_duration_is_left_out():
    leg, problems = read(tcx(tcx_lap(0, -5, tcx_points(range(60)))))

    assert durations(leg).effective_s == 60
    assert len(problems) == 1
