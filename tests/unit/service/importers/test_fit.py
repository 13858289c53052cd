"""FIT files made by the tests: the order of messages, missing values, and the source of each figure."""

import numpy as np
import pytest

from coachboard.service.importers.errors import BrokenRecording, EmptyRecording, FileTooLarge, ImportLimits
from coachboard.service.importers.fit import read_fit
from coachboard.service.importers.recording import TimeSpan
from coachboard.wire.enums import Sport, StrokeType, SubSport
from unit.service.importers.fit_files import (
    START,
    activity,
    at,
    described,
    developer_field,
    fit_file,
    records,
    session,
    timer,
)

LIMITS = ImportLimits()


def test_a_summary_before_the_records_reads_the_same_as_after():
    rows = records(10, power=200, distance=lambda place: 5.0 * place)
    first = read_fit(fit_file(session(total_elapsed_time=10.0), *rows), LIMITS)
    last = read_fit(fit_file(*rows, session(total_elapsed_time=10.0)), LIMITS)

    assert first.legs[0].figures == last.legs[0].figures == {"total_duration": 10.0}
    assert first.legs[0].columns["power"].tolist() == last.legs[0].columns["power"].tolist()


def test_a_file_without_a_session_takes_the_sport_from_its_sport_message():
    recording = read_fit(
        fit_file(("SPORT", {"sport": "running", "sub_sport": "trail"}), *records(3, heart_rate=120)), LIMITS
    )

    assert (recording.legs[0].sport, recording.legs[0].sub_sport) == (Sport.RUNNING, SubSport.TRAIL)
    assert recording.legs[0].started_s == START.timestamp()


def test_a_session_without_records_is_still_a_session():
    recording = read_fit(fit_file(session(total_elapsed_time=60.0, total_calories=12)), LIMITS)

    assert len(recording.legs[0].times_s) == 0
    assert recording.legs[0].figures == {"total_duration": 60.0, "calories": 12.0}


def test_a_file_of_settings_is_empty():
    with pytest.raises(EmptyRecording):
        read_fit(fit_file(kind="settings"), LIMITS)


def test_a_file_with_a_fit_header_alone_is_broken():
    with pytest.raises(BrokenRecording):
        read_fit(b"\x0e\x20\x00\x00\xff\x00\x00\x00.FIT" + b"\xff" * 40, LIMITS)


def test_a_truncated_file_keeps_its_records_and_says_so():
    whole = fit_file(session(total_elapsed_time=100.0), *records(100, power=200))
    recording = read_fit(whole[: len(whole) // 2], LIMITS)

    assert 10 < len(recording.legs[0].times_s) < 100
    assert "damaged" in recording.problems[0]


def test_too_many_messages_are_refused():
    with pytest.raises(FileTooLarge, match="more than 10"):
        read_fit(fit_file(*records(20, power=200)), ImportLimits(messages=10))


def test_legs_share_out_records_laps_pauses_and_distance():
    """A leg lasts until the next begins; the file counts distance from its start, the leg from its own."""
    data = fit_file(
        session(sport="swimming", sub_sport="open_water", total_elapsed_time=10.0),
        session(sport="running", sub_sport="generic", start_time=at(10), total_elapsed_time=10.0),
        ("LAP", {"start_time": START, "total_elapsed_time": 10.0, "lap_trigger": "session_end"}),
        ("LAP", {"start_time": at(10), "total_elapsed_time": 10.0, "intensity": "active"}),
        timer("start", 0),
        timer("stop_all", 13),
        timer("start", 15),
        timer("stop_all", 20),
        *records(20, distance=lambda place: 2.0 * place),
    )
    swim, run = read_fit(data, LIMITS).legs

    assert (len(swim.times_s), len(run.times_s)) == (10, 10)
    assert swim.columns["distance"][[0, -1]].tolist() == [0, 18]
    assert run.columns["distance"][[0, -1]].tolist() == [2, 20]
    assert [lap.trigger for lap in swim.laps] == ["session_end"]
    assert [lap.intensity for lap in run.laps] == ["active"]
    assert run.pauses == (TimeSpan(at(13).timestamp(), at(15).timestamp()),)
    assert swim.pauses == ()


def test_a_second_legs_distance_that_starts_at_zero_is_left_alone():
    data = fit_file(
        session(sport="swimming"),
        session(sport="running", start_time=at(5)),
        *records(5, distance=lambda place: 10.0 * place),
        *records(5, first_s=5, distance=lambda place: 3.0 * place),
    )
    _, run = read_fit(data, LIMITS).legs

    assert run.columns["distance"].tolist() == [0, 3, 6, 9, 12]


def test_a_lap_without_elapsed_time_ends_at_its_timestamp():
    data = fit_file(
        session(),
        ("LAP", {"start_time": START, "timestamp": at(30)}),
        ("LAP", {"timestamp": at(30)}),
        *records(2, power=1),
    )
    (lap,) = read_fit(data, LIMITS).legs[0].laps

    assert lap.span.length_s == 30


def test_lengths_separate_swimming_from_rest():
    data = fit_file(
        session(sport="swimming", sub_sport="lap_swimming"),
        (
            "LENGTH",
            {
                "start_time": START,
                "total_elapsed_time": 25.0,
                "length_type": "active",
                "swim_stroke": "butterfly",
                "total_strokes": 12,
                "avg_speed": 1.0,
                "avg_swimming_cadence": 29,
            },
        ),
        (
            "LENGTH",
            {"start_time": at(25), "total_elapsed_time": 15.0, "length_type": "idle", "avg_speed": 0.0},
        ),
        ("LENGTH", {"length_type": "idle"}),
        *records(40, heart_rate=130),
    )
    swum, rested = read_fit(data, LIMITS).legs[0].lengths

    assert (swum.stroke, swum.stroke_count, swum.average_speed_mps) == (StrokeType.BUTTERFLY, 12, 1)
    assert (rested.is_active, rested.stroke, rested.average_speed_mps, rested.span.length_s) == (
        False,
        None,
        None,
        15,
    )


def test_figures_of_the_session_are_read_with_their_units():
    figures = (
        read_fit(
            fit_file(
                session(
                    total_work=123_456,
                    avg_cadence=80,
                    avg_fractional_cadence=0.5,
                    enhanced_max_speed=[12.0, 65.535],
                    enhanced_avg_speed=65.535,
                    workout_feel=75,
                    workout_rpe=60,
                    start_position_lat=2**30,
                )
            ),
            LIMITS,
        )
        .legs[0]
        .figures
    )

    assert figures["work"] == pytest.approx(123.456)
    assert figures["average_cadence"] == 80.5
    assert figures["max_speed"] == 12
    assert "average_speed" not in figures
    assert (figures["feeling"], figures["rpe"]) == (4, 6)
    assert figures["start_latitude"] == 90


@pytest.mark.parametrize(
    ("offset_s", "minutes"),
    [
        (7200, 120),
        (-18_000, -300),
        (20_700, 345),
        (7199, 120),
        (240, None),
        (50_400, 840),
        (54_000, None),
        (None, None),
    ],
)
def test_a_local_timestamp_counts_where_some_place_keeps_such_a_time(offset_s, minutes):
    assert read_fit(fit_file(session(), activity(offset_s=offset_s)), LIMITS).utc_offset_min == minutes


def test_the_followed_workout_gives_the_name_else_the_profile():
    workout = ("WORKOUT", {"wkt_name": "5 x 4 min", "sport": "cycling"})
    rows = records(2, power=1)

    assert (
        read_fit(fit_file(session(sport_profile_name="ROAD"), workout, *rows), LIMITS).legs[0].name
        == "5 x 4 min"
    )
    assert read_fit(fit_file(session(sport_profile_name="ROAD"), *rows), LIMITS).legs[0].name == "ROAD"


def test_a_developers_field_fills_a_column_that_the_device_did_not_measure():
    fields = {
        **developer_field(0, "Power", units="Watts", native=7),
        **developer_field(1, "skin_temperature", units="°F"),
        **developer_field(2, "Vertical Oscillation", units="Centimeters", native=39),
        **developer_field(3, "Made up", units="?"),
    }
    values = {0: 250.0, 1: 95.0, 2: 8.0, 3: 1.0}
    data = fit_file(
        *described(fields), *records(3, heart_rate=120, developer_fields=values), session(), developer=fields
    )
    columns = read_fit(data, LIMITS).legs[0].columns

    assert set(columns) == {"heartRate", "power", "skinTemperature", "verticalOscillation"}
    assert columns["power"].tolist() == [250, 250, 250]
    assert columns["skinTemperature"] == pytest.approx(35)
    assert columns["verticalOscillation"] == pytest.approx(80)


def test_a_developers_field_replaces_zeros_of_the_device_and_its_figures():
    fields = developer_field(0, "Distance", units="m", native=5)
    rows = [
        ("RECORD", {"timestamp": at(place), "distance": 0.0, "developer_fields": {0: float(place)}})
        for place in range(5)
    ]
    data = fit_file(*described(fields), *rows, session(total_distance=0.0), developer=fields)
    leg = read_fit(data, LIMITS).legs[0]

    assert leg.columns["distance"].tolist() == [0, 1, 2, 3, 4]
    assert "distance" not in leg.figures


def test_records_out_of_order_are_sorted_and_garbage_times_dropped():
    rows = [*records(3, first_s=10, power=100), *records(3, power=200), *records(1, first_s=10**9, power=300)]
    recording = read_fit(fit_file(session(), *rows), LIMITS)

    assert recording.legs[0].columns["power"].tolist() == [200, 200, 200, 100, 100, 100]
    assert len(recording.problems) == 2


def test_records_without_a_time_take_it_from_the_lengths():
    rows = [("RECORD", {"distance": 25.0 * place}) for place in (1, 2)]
    lengths = [("LENGTH", {"start_time": at(30 * place), "total_elapsed_time": 30.0}) for place in (0, 1)]
    leg = read_fit(fit_file(session(sport="swimming"), *rows, *lengths), LIMITS).legs[0]

    assert (leg.times_s - START.timestamp()).tolist() == [0, 30, 60]


def test_records_without_any_time_are_left_out_and_counted():
    rows = [("RECORD", {"distance": 25.0}), *records(3, distance=1.0)]
    recording = read_fit(fit_file(session(), *rows), LIMITS)
    untimed = read_fit(fit_file(session(), ("RECORD", {"distance": 25.0})), LIMITS)

    assert recording.problems == ("1 of 4 records have no time and were ignored",)
    assert len(untimed.legs[0].times_s) == 0


def test_a_clock_that_was_not_set_is_reported():
    rows = [("RECORD", {"timestamp": 1000 + place, "heart_rate": 100}) for place in range(3)]
    recording = read_fit(fit_file(session(start_time=1000), *rows), LIMITS)

    assert "clock" in recording.problems[-1]


def test_a_position_without_a_fix_is_missing():
    leg = read_fit(fit_file(session(), *records(2, position_lat=0, position_long=0, power=1)), LIMITS).legs[0]

    assert np.isnan(leg.columns["positionLat"]).all() if "positionLat" in leg.columns else True


def test_a_compressed_timestamp_is_read_by_the_second_decoder():
    """The maker's decoder stops at a compressed header; the record must not be lost."""
    data = bytearray(fit_file(session(), *records(1, heart_rate=120)))
    # The record's definition is the last; a compressed header of its local number repeats its fields.
    local = 2
    definition = bytes([0x40 | local, 0, 0, 20, 0, 1, 3, 1, 2])
    stamped = bytes([0x40 | 3, 0, 0, 20, 0, 1, 253, 4, 0x86])
    first = int(START.timestamp()) - 631_065_600
    rows = stamped + bytes([3]) + first.to_bytes(4, "little") + definition
    for place in range(1, 6):
        rows += bytes([0x80 | local << 5 | (first + place) & 0x1F, 140 + place])
    body = data[14:-2] + rows
    data[4:8] = len(body).to_bytes(4, "little")
    recording = read_fit(bytes(data[:14] + body + b"\0\0"), LIMITS)
    leg = recording.legs[0]

    assert leg.columns["heartRate"][-5:].tolist() == [141, 142, 143, 144, 145]
    assert np.diff(leg.times_s)[-4:].tolist() == [1, 1, 1, 1]


def test_pauses_are_read_in_order_of_time_and_the_end_is_none():
    events = [
        timer("start", 30),
        timer("stop", 20),
        timer("start", 0),
        timer("stop_all", 60),
        timer("stop_all", 20),
    ]
    nameless = ("EVENT", {"event": "timer", "event_type": "start"})
    data = fit_file(
        session(), *records(61, power=200), *events, nameless, ("EVENT", {"timestamp": at(5), "event": "lap"})
    )

    assert read_fit(data, LIMITS).legs[0].pauses == (TimeSpan(at(20).timestamp(), at(30).timestamp()),)


def test_a_record_of_another_year_is_ignored_and_counted():
    far = records(1, first_s=400 * 86_400, power=200)
    recording = read_fit(fit_file(session(total_elapsed_time=900.0), *records(900, power=200), *far), LIMITS)

    assert "ignored 1 record with an impossible time" in recording.problems
