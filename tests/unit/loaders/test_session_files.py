"""A session as GPX and TCX: the structure that other programs expect, and the values when the importer reads it."""

import re
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from lxml import etree

import rides
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity import session_files as files
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.reading import read_recording
from coachboard.wire.enums import Sport, SubSport
from coachboard.wire.streams import ActivityStreams

NAMES = {"g": files.GPX, "x": files.TRACK_POINT, "p": files.POWER, "t": files.TCX, "a": files.ACTIVITY}
TPX_ORDER = ["atemp", "hr", "cad", "speed"]
LAP_ORDER = ["TotalTimeSeconds", "DistanceMeters", "Calories", "Intensity", "TriggerMethod", "Track"]
POINT_ORDER = [
    "Time",
    "Position",
    "AltitudeMeters",
    "DistanceMeters",
    "HeartRateBpm",
    "Cadence",
    "Extensions",
]
HOSTILE = "<b>Ride</b> & ]]> \x00\x07\ud800\ufffe=1+1 \u202eevil"


def ride(**columns):
    """Ten minutes with every value of both formats."""
    t = np.arange(600.0)
    usual = {
        "altitude": 500 + np.round(10 * np.sin(t / 50), 1),
        "temperature": 18 + t // 300,
        "cadence": 80 + t % 9,
        "power": 200 + t % 50,
        "positionLat": 47.3 + np.round(t * 1e-5, 7),
        "positionLong": 8.5 + np.round(t * 1e-5, 7),
        "speed": np.full(600, 1.346),
        "distance": np.round(t * 1.346, 2),
    }
    return rides.streams(600, **{**usual, **columns})


def written(write, activity=None, streams=None):
    return write(activity or rides.activity(), SessionStreams.from_streams(streams or ride()))


def read_back(data):
    (leg,) = read_recording(data, ImportLimits()).legs
    return leg


def locals_of(element):
    return [etree.QName(child).localname for child in element]


@pytest.mark.parametrize(("write", "extra"), [(files.gpx, {"temperature"}), (files.tcx, set())])
def test_the_importer_reads_the_same_values(write, extra):
    streams = ride()
    leg = read_back(written(write, streams=streams))
    names = {"altitude", "cadence", "power", "positionLat", "positionLong", "speed", "distance", "heartRate"}

    assert leg.sport is Sport.CYCLING
    assert leg.columns.keys() == names | extra
    for name in leg.columns:
        assert leg.columns[name] == pytest.approx(streams.columns[name], abs=1e-9), name
    assert leg.times_s[0] == rides.START.timestamp()
    assert np.diff(leg.times_s) == pytest.approx(1)


def test_a_gpx_file_has_the_structure_of_its_schema():
    root = etree.fromstring(written(files.gpx))
    (point, *_) = root.findall("g:trk/g:trkseg/g:trkpt", NAMES)
    extension = point.find("g:extensions/x:TrackPointExtension", NAMES)

    assert (root.tag, root.get("version")) == (f"{{{files.GPX}}}gpx", "1.1")
    assert locals_of(root.find("g:trk", NAMES)) == ["name", "type", "trkseg"]
    assert locals_of(point) == ["ele", "time", "extensions"]
    assert locals_of(extension) == TPX_ORDER
    assert extension.find("x:hr", NAMES).text == "139"
    assert point.find("g:extensions/p:PowerInWatts", NAMES).text == "200"
    assert point.find("g:time", NAMES).text == "2026-03-03T08:00:00Z"


def test_a_tcx_file_has_the_structure_of_its_schema():
    laps = (rides.provider_lap(0, 200), rides.provider_lap(200, 600))
    root = etree.fromstring(written(files.tcx, rides.activity(provider_laps=laps, calories=301)))
    (activity,) = root.findall("t:Activities/t:Activity", NAMES)
    found = activity.findall("t:Lap", NAMES)
    points = [lap.findall("t:Track/t:Trackpoint", NAMES) for lap in found]

    assert activity.get("Sport") == "Biking"
    assert locals_of(activity) == ["Id", "Lap", "Lap", "Notes"]
    assert [locals_of(lap) for lap in found] == [LAP_ORDER] * 2
    assert [lap.get("StartTime") for lap in found] == ["2026-03-03T08:00:00Z", "2026-03-03T08:03:20Z"]
    assert [lap.find("t:TotalTimeSeconds", NAMES).text for lap in found] == ["200", "400"]
    assert [len(each) for each in points] == [200, 400]
    assert sum(int(lap.find("t:Calories", NAMES).text) for lap in found) == 301
    assert locals_of(points[0][0]) == POINT_ORDER
    assert locals_of(points[0][0].find("t:Extensions/a:TPX", NAMES)) == ["Speed", "Watts"]


def test_strides_of_a_run_are_run_cadence():
    root = etree.fromstring(written(files.tcx, rides.activity(sport=Sport.RUNNING)))

    assert root.find(".//t:Activity", NAMES).get("Sport") == "Running"
    assert root.find(".//t:Cadence", NAMES) is None
    assert root.find(".//a:TPX/a:RunCadence", NAMES).text == "80"


def test_a_stop_begins_a_segment_and_stays_a_pause():
    streams = ride()
    moved = streams.timestamps + np.where(np.arange(600) >= 300, 900_000, 0).astype("timedelta64[ms]")
    streams = replace(streams, timestamps=moved)
    root = etree.fromstring(written(files.gpx, streams=streams))

    assert [len(segment) for segment in root.findall("g:trk/g:trkseg", NAMES)] == [300, 300]
    for write in (files.gpx, files.tcx):
        (pause,) = read_back(written(write, streams=streams)).pauses
        assert pause.length_s == 901


def test_values_that_a_format_cannot_have_are_left_out():
    heart, power, lat = np.full(600, 140.0), np.full(600, 200.0), 47.3 + np.arange(600) * 1e-5
    heart[3], heart[4], power[5], lat[6], lat[7] = np.nan, 300, -5, np.nan, 91
    streams = ride(heartRate=rides.beats() * 0 + heart, power=power, positionLat=lat)
    gpx, tcx = (read_back(written(write, streams=streams)) for write in (files.gpx, files.tcx))

    assert len(gpx.times_s) == 598
    assert len(tcx.times_s) == 600
    assert np.flatnonzero(np.isnan(tcx.columns["heartRate"])).tolist() == [3, 4]
    assert np.flatnonzero(np.isnan(tcx.columns["power"])).tolist() == [5]
    assert np.flatnonzero(np.isnan(tcx.columns["positionLat"])).tolist() == [6, 7]


@pytest.mark.parametrize("write", [files.gpx, files.tcx])
def test_a_hostile_name_is_text(write):
    activity = rides.activity(name=HOSTILE, description="a\x0bb\nc")
    data = written(write, activity)
    root = etree.fromstring(data)
    tag = "g:trk/g:name" if write is files.gpx else ".//t:Notes"

    assert root.find(tag, NAMES).text.split("\n")[0] == "<b>Ride</b> & ]]> =1+1 evil"
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", data)
    assert read_back(data).description.endswith("ab\nc")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Morning ride", "2026-03-03-morning-ride"),
        (None, "2026-03-03"),
        ("../../etc/passwd\x00", "2026-03-03-etc-passwd"),
        ('CON: "a|b"?*\r\n', "2026-03-03-con-a-b"),
        ("Jízda 🚴 po Praze", "2026-03-03-jízda-po-praze"),
        ("x" * 300, "2026-03-03-" + "x" * 60),
    ],
)
def test_a_file_name_is_one_that_every_system_takes(name, stem):
    assert files.file_stem(rides.activity(name=name)) == stem
    assert files.file_stem(rides.activity(started_at=None, started_at_local=None, name=None)) == "session"


def test_a_virtual_ride_keeps_its_kind():
    """The place of a game is no place: programs must not read a time zone from it."""
    root = etree.fromstring(written(files.gpx, rides.activity(sub_sport=SubSport.VIRTUAL_ACTIVITY)))

    assert root.find("g:trk/g:type", NAMES).text == "VirtualRide"


def test_the_reasons_why_a_format_is_missing():
    activity, whole = rides.activity(), SessionStreams.from_streams(ride())
    indoors = SessionStreams.from_streams(ride(positionLat=None, positionLong=None))
    untimed = SessionStreams.from_streams(ActivityStreams(ride().columns))
    bare = rides.activity(started_at=None)

    assert (files.why_no_gpx(activity, whole), files.why_no_tcx(activity, whole)) == (None, None)
    assert (files.why_no_gpx(activity, indoors), files.why_no_tcx(activity, indoors)) == (
        "no positions recorded",
        None,
    )
    assert (files.why_no_gpx(activity, None), files.why_no_tcx(activity, None)) == (
        "no positions recorded",
        "no recording",
    )
    assert files.why_no_tcx(activity, untimed) is None
    assert files.why_no_tcx(bare, untimed) == "no start time"


def test_fractions_of_a_second_stay():
    streams = ride()
    streams = replace(streams, timestamps=streams.timestamps + np.timedelta64(250, "ms"))
    leg = read_back(written(files.tcx, rides.activity(start=rides.START + timedelta(hours=2)), streams))

    assert leg.times_s[1] == rides.START.timestamp() + 1.25
