"""TCX files: laps, extensions, multisport sessions, damage."""

import pytest

from coachboard.service.importers.errors import BrokenRecording, EmptyRecording, ImportLimits
from coachboard.service.importers.tcx import read_tcx
from coachboard.wire.enums import Sport
from unit.service.importers.xml_files import TCX, clock, tcx, tcx_lap, tcx_points

LIMITS = ImportLimits()


def ridden(second):
    return (
        f"<Position><LatitudeDegrees>{46 + second / 1e4}</LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees></Position>"
        f"<AltitudeMeters>{500 + second}</AltitudeMeters><DistanceMeters>{5 * second}</DistanceMeters>"
        "<HeartRateBpm><Value>140</Value></HeartRateBpm><Cadence>90</Cadence>"
        f"<Extensions><x:TPX><x:Speed>5.0</x:Speed><x:Watts>{200 + second}</x:Watts></x:TPX></Extensions>"
    )


def test_points_with_extensions_become_columns():
    leg = read_tcx(tcx(tcx_lap(0, 3, tcx_points(range(3), ridden))), LIMITS).legs[0]

    assert {name: values[0] for name, values in leg.columns.items()} == {
        "positionLat": 46,
        "positionLong": 8,
        "altitude": 500,
        "distance": 0,
        "heartRate": 140,
        "cadence": 90,
        "speed": 5,
        "power": 200,
    }
    assert leg.sport is Sport.CYCLING


def test_figures_are_summed_over_the_laps():
    more = (
        "<DistanceMeters>100</DistanceMeters><MaximumSpeed>{}</MaximumSpeed><Calories>5</Calories>"
        "<MaximumHeartRateBpm><Value>{}</Value></MaximumHeartRateBpm>"
        "<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>"
    )
    laps = [
        tcx_lap(0, 30.5, tcx_points([0]), more.format(7, 150)),
        tcx_lap(40, 20, tcx_points([40]), more.format(9, 140)),
    ]
    leg = read_tcx(tcx(*laps, more="<Notes> With the club </Notes>"), LIMITS).legs[0]

    assert leg.figures == {
        "effective_duration": 50.5,
        "distance": 200,
        "calories": 10,
        "max_speed": 9,
        "max_heart_rate": 150,
    }
    assert [(lap.span.length_s, lap.intensity, lap.trigger) for lap in leg.laps] == [
        (30.5, "active", "manual"),
        (20, "active", "manual"),
    ]
    assert leg.description == "With the club"


def test_a_lap_without_points_is_still_a_session_and_one_without_a_start_is_no_lap():
    lap = "<Lap><TotalTimeSeconds>5</TotalTimeSeconds></Lap>"
    leg = read_tcx(tcx(tcx_lap(0, 60), lap, sport="Running"), LIMITS).legs[0]

    assert (len(leg.times_s), len(leg.laps), leg.sport) == (0, 1, Sport.RUNNING)


def test_a_multisport_session_has_its_activities_as_legs():
    legs = "".join(
        f'<{tag}><Activity Sport="{sport}">{tcx_lap(start, 5, tcx_points(range(start, start + 5)))}</Activity></{tag}>'
        for tag, sport, start in (("NextSport", "Running", 10), ("FirstSport", "Biking", 0))
    )
    recording = read_tcx(TCX.format(f"<MultiSportSession>{legs}</MultiSportSession>").encode(), LIMITS)

    assert recording.is_multisport
    assert [leg.sport for leg in recording.legs] == [Sport.CYCLING, Sport.RUNNING]


def test_a_file_of_two_rides_is_no_multisport_session():
    rides = "".join(f'<Activity Sport="Other">{tcx_lap(start, 5)}</Activity>' for start in (0, 100))
    recording = read_tcx(TCX.format(rides).encode(), LIMITS)

    assert (len(recording.legs), recording.is_multisport, recording.legs[0].sport) == (2, False, None)


def test_points_without_a_time_are_left_out_and_counted():
    points = tcx_points([0, 1]) + "<Trackpoint><Time>noon</Time></Trackpoint><Trackpoint/>"
    recording = read_tcx(tcx(tcx_lap(0, 2, points)), LIMITS)

    assert len(recording.legs[0].times_s) == 2
    assert recording.problems == ("2 of 4 points have no usable time and were ignored",)


def test_an_offset_in_the_times_is_the_local_one():
    data = tcx(tcx_lap(0, 2, tcx_points([0]))).replace(clock(0).encode(), clock(0, zone="+02:00").encode())

    assert read_tcx(data, LIMITS).utc_offset_min == 120


def test_a_hole_is_a_pause():
    leg = read_tcx(tcx(tcx_lap(0, 200, tcx_points([0, 1, 100, 101]))), LIMITS).legs[0]

    assert [pause.length_s for pause in leg.pauses] == [99]


def test_a_truncated_file_keeps_the_points_before_its_end():
    data = tcx(tcx_lap(0, 9, tcx_points(range(9), ridden)))
    recording = read_tcx(data[: data.rindex(b"<Trackpoint>") + 30], LIMITS)

    assert len(recording.legs[0].times_s) == 8
    assert "damaged" in recording.problems[0]


@pytest.mark.parametrize("body", [b"<TrainingCenterDatabase", b"", b"\xff\xfe"])
def test_a_file_that_is_no_xml_is_broken(body):
    with pytest.raises((BrokenRecording, EmptyRecording)):
        read_tcx(body, LIMITS)


def test_a_course_is_empty():
    with pytest.raises(EmptyRecording):
        read_tcx(b"<TrainingCenterDatabase><Courses/></TrainingCenterDatabase>", LIMITS)
