"""XML of strangers: entities, network, bombs."""

import http.server
import threading

import pytest

from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, ImportLimits, RecordingError
from coachboard.service.importers.xml_tree import number, read_time, read_tree

LAUGHS = (
    '<!DOCTYPE gpx [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><gpx>&i;</gpx>"
)


def test_a_billion_laughs_are_refused():
    with pytest.raises(BrokenRecording, match="document type"):
        read_tree(LAUGHS.encode(), ImportLimits())


def test_a_file_of_the_machine_is_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("top secret")
    body = f'<!DOCTYPE gpx [<!ENTITY x SYSTEM "file://{secret}">]><gpx>&x;</gpx>'

    with pytest.raises(BrokenRecording) as raised:
        read_tree(body.encode(), ImportLimits())
    assert "top secret" not in str(raised.value)


def test_nothing_is_fetched_from_the_network():
    asked = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    server = http.server.HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/gpx.dtd"
        body = f'<!DOCTYPE gpx SYSTEM "{address}" [<!ENTITY % x SYSTEM "{address}"> %x;]><gpx/>'
        with pytest.raises(RecordingError):
            read_tree(body.encode(), ImportLimits())
    finally:
        server.shutdown()
        server.server_close()

    assert asked == []


def test_too_many_elements_are_refused():
    with pytest.raises(FileTooLarge, match="more than 100 parts"):
        read_tree(b"<gpx>" + b"<a/>" * 200 + b"</gpx>", ImportLimits(elements=100))


def test_a_depth_that_no_recording_has_is_cut_off():
    root, problems = read_tree(b"<gpx>" + b"<a>" * 100_000, ImportLimits())

    assert root is not None
    assert "damaged" in problems[0]


def test_a_reader_that_takes_too_long_is_stopped():
    times = iter(range(0, 10_000, 100))

    with pytest.raises(FileTooLarge, match="longer than 120 s"):
        read_tree(b"<gpx>" + b"<a/>" * 5000 + b"</gpx>", ImportLimits(), clock=lambda: next(times))


@pytest.mark.parametrize("body", [b"", b"   ", b"no xml", b"\x00\x01\x02"])
def test_a_file_that_is_no_xml_is_broken(body):
    with pytest.raises(BrokenRecording):
        read_tree(body, ImportLimits())


@pytest.mark.parametrize(
    ("text", "value"), [("5.5", 5.5), (" 7 ", 7), ("", None), (None, None), ("x", None), ("1e999", None)]
)
def test_numbers_are_finite_or_missing(text, value):
    assert number(text) == value


def test_a_nan_is_missing():
    assert number("nan") is None


def test_a_time_without_a_zone_is_utc():
    assert read_time("2026-05-04T06:00:00") == read_time("2026-05-04T06:00:00.000Z")
    assert read_time("yesterday") is None
    assert read_time(None) is None
