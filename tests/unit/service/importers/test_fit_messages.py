"""Two decoders of one format: the same messages under the same names."""

import pytest

from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, ImportLimits, Watch
from coachboard.service.importers.fit_messages import (
    _decode_with_fitdecode,
    _decode_with_garmin,
    is_fit,
    read_messages,
    text_of,
)
from unit.service.importers.fit_files import activity, described, developer_field, fit_file, records, session

DEVELOPER = {
    **developer_field(0, "Power", units="Watts", base_type=0x84, native=7),
    **developer_field(1, "Ground Time", units="ms", base_type=0x84, native=41),
}
FILE = fit_file(
    *described(DEVELOPER),
    *records(5, heart_rate=lambda at: 120 + at, developer_fields={0: 250, 1: 0xFFFF}),
    session(total_elapsed_time=5.0, total_distance=25.0),
    activity(offset_s=3600),
    developer=DEVELOPER,
)


def watch(most=1000):
    return Watch(ImportLimits(), lambda: 0.0, most=most)


def test_both_decoders_read_the_same():
    first, second = _decode_with_garmin(FILE, watch()), _decode_with_fitdecode(FILE, watch())

    assert first.errors == second.errors == ()
    for name, fields in (
        ("record", ("timestamp", "heart_rate")),
        ("session", ("start_time", "sport", "sub_sport", "total_elapsed_time", "total_distance")),
        ("activity", ("timestamp", "local_timestamp")),
        ("field_description", ("field_name", "units", "native_field_num")),
    ):
        rows = [[{key: row.get(key) for key in fields} for row in read.of(name)] for read in (first, second)]
        assert rows[0] == rows[1], name
    assert [row["developer_fields"][0] for row in second.of("record")] == [250] * 5


@pytest.mark.parametrize("decode", [_decode_with_garmin, _decode_with_fitdecode])
def test_both_stop_at_the_limit(decode):
    with pytest.raises(FileTooLarge):
        decode(FILE, watch(most=3))


def test_the_second_is_not_asked_where_the_first_is_content():
    times = iter(range(10))

    read_messages(FILE, ImportLimits(), clock=lambda: next(times))
    assert next(times) == 1


def test_a_file_that_neither_decoder_reads_names_the_fault():
    with pytest.raises(BrokenRecording, match="no readable message"):
        read_messages(FILE[:14], ImportLimits())


def test_a_fit_file_is_known_by_its_head():
    assert is_fit(FILE)
    assert not is_fit(b"<gpx/>")
    assert not is_fit(b"")


def test_damaged_text_after_the_first_element_of_an_array_is_left_out():
    assert text_of(["Tempo ", "\x00\xff"]) == "Tempo"
    assert text_of([" "]) is None
