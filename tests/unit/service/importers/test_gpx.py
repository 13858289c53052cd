"""GPX files: tracks, segments, extensions, and the figures computed from positions."""

import numpy as np
import pytest

from coachboard.service.importers.errors import EmptyRecording, ImportLimits
from coachboard.service.importers.gpx import read_gpx
from coachboard.wire.enums import Sport, SubSport
from unit.service.importers.xml_files import gpx, gpx_points, segment

LIMITS = ImportLimits()
STEP_M = 11.1195  # 1e-4 degrees of a sphere of 6,371 km


def test_points_with_extensions_become_columns():
    extra = (
        "<ele>500</ele><extensions><power>210</power><t:TrackPointExtension><t:hr>141</t:hr><t:cad>88</t:cad>"
        "<t:atemp>19</t:atemp></t:TrackPointExtension></extensions>"
    )
    data = gpx(
        "<name>Home</name><desc>By the lake</desc><type>9</type>"
        + segment(gpx_points(range(10), lambda _: extra))
    )
    leg = read_gpx(data, LIMITS).legs[0]

    assert {
        name: values[0] for name, values in leg.columns.items() if name in {"power", "heartRate", "cadence"}
    } == {
        "power": 210,
        "heartRate": 141,
        "cadence": 88,
    }
    assert (leg.columns["altitude"][0], leg.columns["temperature"][0]) == (500, 19)
    assert (leg.name, leg.description, leg.sport) == ("Home", "By the lake", Sport.RUNNING)


def test_distance_and_speed_come_from_the_positions():
    leg = read_gpx(gpx(segment(gpx_points(range(20)))), LIMITS).legs[0]

    assert leg.columns["distance"] == pytest.approx(np.arange(20) * STEP_M, abs=0.02)
    assert leg.columns["speed"] == pytest.approx(STEP_M, abs=0.01)


def test_a_recorded_distance_and_speed_stay():
    data = gpx(
        segment(gpx_points(range(9), lambda at: f"<extensions><distance>{at}</distance></extensions>"))
    )
    also = gpx(segment(gpx_points(range(9), lambda _: "<extensions><speed>3</speed></extensions>")))

    assert read_gpx(data, LIMITS).legs[0].columns["distance"].tolist() == list(range(9))
    assert set(read_gpx(also, LIMITS).legs[0].columns["speed"]) == {3}


def test_few_points_have_no_speed():
    assert "speed" not in read_gpx(gpx(segment(gpx_points(range(3)))), LIMITS).legs[0].columns


def test_a_break_between_segments_is_a_pause_without_distance():
    leg = read_gpx(gpx(segment(gpx_points(range(10))) + segment(gpx_points(range(40, 50)))), LIMITS).legs[0]

    assert [pause.length_s for pause in leg.pauses] == [31]
    assert leg.columns["distance"][-1] == pytest.approx(18 * STEP_M, abs=0.02)


def test_a_hole_within_a_segment_is_a_pause():
    leg = read_gpx(gpx(segment(gpx_points([*range(5), *range(100, 105)]))), LIMITS).legs[0]

    assert [pause.length_s for pause in leg.pauses] == [96]


def test_tracks_of_several_days_are_several_sessions():
    days = [segment(gpx_points(range(5), day=day)) for day in (6, 4)]
    recording = read_gpx(gpx(*days), LIMITS)

    assert len(recording.legs) == 2
    assert recording.legs[0].started_s < recording.legs[1].started_s
    assert not recording.is_multisport


def test_points_without_a_time_are_left_out_and_counted():
    untimed = segment('<trkpt lat="46" lon="8"/>' * 3)
    recording = read_gpx(
        gpx("<name>Planned</name>" + untimed, "<name>Ridden</name>" + segment(gpx_points(range(4)))), LIMITS
    )

    assert recording.problems == ("3 of 7 points have no usable time and were ignored",)
    assert recording.legs[0].name == "Ridden"


@pytest.mark.parametrize("body", [gpx(), gpx("<trkseg/>"), gpx(segment('<trkpt lat="46" lon="8"/>'))])
def test_a_file_without_a_timed_point_is_empty(body):
    with pytest.raises(EmptyRecording):
        read_gpx(body, LIMITS)


def test_a_point_without_a_place_keeps_its_values():
    points = gpx_points(range(6)) + "<trkpt lat='x'><time>2026-05-04T06:00:06Z</time><ele>5</ele></trkpt>"
    leg = read_gpx(gpx(segment(points)), LIMITS).legs[0]

    assert np.isnan(leg.columns["positionLat"][-1])
    assert leg.columns["distance"][-1] == leg.columns["distance"][-2]


def test_points_out_of_order_are_sorted():
    recording = read_gpx(gpx(segment(gpx_points([1, 0, 2]))), LIMITS)

    assert np.diff(recording.legs[0].times_s).tolist() == [1, 1]
    assert recording.problems == ("points out of order, sorted by time",)


def test_a_track_without_positions_has_no_distance():
    point = "<trkpt><time>2026-05-04T06:00:00Z</time><extensions><hr>120</hr></extensions></trkpt>"

    assert set(read_gpx(gpx(segment(point)), LIMITS).legs[0].columns) == {"heartRate"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", (Sport.CYCLING, None)),
        ("Mountain Biking", (Sport.CYCLING, SubSport.MOUNTAIN)),
        ("trail_running", (Sport.RUNNING, SubSport.TRAIL)),
        ("rowing", (Sport.ROWING, None)),
        ("cross-country-skiing", (Sport.CROSS_COUNTRY_SKIING, None)),
        ("jkljkl", (None, None)),
        ("", (None, None)),
    ],
)
def test_the_free_text_of_a_type_is_a_sport_where_it_is_known(text, expected):
    leg = read_gpx(gpx(f"<type>{text}</type>" + segment(gpx_points(range(3)))), LIMITS).legs[0]

    assert (leg.sport, leg.sub_sport) == expected
