"""Any bytes give a recording or a typed error, never a crash."""

import contextlib
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.errors import (
    BrokenRecording,
    ImportLimits,
    RecordingError,
    UnknownFormat,
)
from coachboard.service.importers.reading import errors_as_broken_recording, read_recording
from coachboard.service.importers.summary import Identity, read_activity
from unit.service.importers.fit_files import (
    activity,
    described,
    developer_field,
    fit_file,
    records,
    session,
    timer,
)
from unit.service.importers.xml_files import gpx, gpx_points, segment, tcx, tcx_lap, tcx_points

ATHLETE = AthleteValues(250, 20_000, 4, 190, 50, 70)
DEVELOPER = developer_field(0, "Power", units="Watts", native=7)
FILES = [
    fit_file(
        *described(DEVELOPER),
        *records(
            40, power=200, distance=lambda at: 5.0 * at, enhanced_altitude=500.0, developer_fields={0: 210.0}
        ),
        timer("start", 0),
        timer("stop_all", 30),
        ("LAP", {"start_time": 1_000_000_000, "total_elapsed_time": 20.0}),
        ("LENGTH", {"start_time": 1_000_000_000, "total_elapsed_time": 20.0}),
        ("WORKOUT_STEP", {"message_index": 0, "duration_type": "time", "duration_value": 5000}),
        session(total_elapsed_time=40.0),
        activity(offset_s=3600),
        developer=DEVELOPER,
    ),
    tcx(tcx_lap(0, 20, tcx_points(range(20), lambda at: f"<Cadence>{at}</Cadence>"))),
    gpx("<type>1</type>" + segment(gpx_points(range(20), lambda at: f"<ele>{at}</ele>"))),
]


def read_whole(data):
    with contextlib.suppress(RecordingError):
        recording = read_recording(data, ImportLimits(seconds=20))
        for leg in recording.legs:
            identity = Identity(id="act_1", utc_offset_min=recording.utc_offset_min)
            read_activity(leg, identity, lambda sport, day: ATHLETE)
        return recording
    return None


@given(st.binary(max_size=400))
def test_random_bytes(data):
    read_whole(data)


@given(st.sampled_from([b"\x0e\x20\x5c\x08", b"\x0c\x10\x5c\x08"]), st.binary(max_size=400))
def test_random_bytes_behind_a_fit_header(head, data):
    read_whole(head + len(data).to_bytes(4, "little") + b".FIT" + data)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.sampled_from(FILES),
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=12),
    st.integers(0, 300),
)
def test_files_with_bytes_changed_and_cut(data, changes, cut):
    changed = bytearray(data[: len(data) - cut])
    for place, value in changes:
        if changed:
            changed[place % len(changed)] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_whole(bytes(changed))


@pytest.mark.parametrize("data", FILES)
def test_the_files_themselves_are_read(data):
    assert read_whole(data).legs


def test_a_file_of_another_format_is_named_as_such():
    with pytest.raises(UnknownFormat, match="neither FIT nor TCX nor GPX"):
        read_recording(b"<html></html>", ImportLimits())
    with pytest.raises(UnknownFormat, match="empty"):
        read_recording(b"", ImportLimits())


def test_a_surprise_is_an_error_of_the_file():
    with (
        pytest.raises(BrokenRecording, match=r"is not plausible \(KeyError: 'x'\)"),
        errors_as_broken_recording(),
    ):
        raise KeyError("x")


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_no_device_writes_is_named(time):
    with pytest.raises(BrokenRecording, match="impossible times"):
        read_recording(gpx(segment(f'<trkpt lat="46" lon="8"><time>{time}</time></trkpt>')), ImportLimits())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_a_track_may_be_in_any_encoding(encoding):
    text = gpx("<name>Über</name>" + segment(gpx_points(range(3)))).decode()
    text = text.replace(
        '<?xml version="1.0"?>', f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    )

    assert read_recording(text.encode(encoding), ImportLimits()).legs[0].name == "Über"
