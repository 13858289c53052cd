"""Bad files and bad names in an archive cost themselves, not their import: on both databases, with the names on the report."""

import io
import os
import zipfile
from pathlib import Path

import pytest

from coachboard.service.importers.archive import find_files
from coachboard.service.importers.errors import FileTooLarge, ImportLimits
from coachboard.service.importers.run import readable_names
from coachboard.service.store import JobKind, JobState, NewUser
from unit.service.importers.xml_files import gpx, gpx_points, segment
from unit.service.test_own_data_jobs import is_done, new_job, ride, worker  # noqa: F401 (a fixture)
from waiting import wait_until

NUL_TEXT = gpx("<name>a\0b</name>" + segment(gpx_points(range(3))))
LONG = "long/" * 2000 + "ride.fit"


def archive(entries):
    """A zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in entries:
            packed.writestr(name, data)
    return file.getvalue()


@pytest.fixture
def run(store, worker):  # noqa: F811
    def run(files):
        store.add_user(NewUser(id="usr_a"))
        job = new_job("usr_a", JobKind.IMPORT, JobState.QUEUED)
        store.add_job(job)
        folder = store.originals.uploads(job.id)
        folder.mkdir(parents=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        worker.submit(job.id)
        wait_until(lambda: is_done(store, job), at_most_s=60)
        return store.job_files(job.id)

    return run


NAMES = {
    "control characters": "new\nline\x1b[31m\u202e.fit",
    "absolute path": "/etc/passwd.fit",
    "path to the folders above": "../../../above.fit",
    "Windows path": "C:\\rides\\..\\a.fit",
    "10,000 characters": LONG,
    "60,000 characters in one name": "x" * 60_000 + ".fit",
    "emoji and right to left": "\U0001f6b4 \u05e9\u05dc\u05d5\u05dd.fit",
    "blanks": "   .fit",
    "a NUL": "rid\0e.fit",
    "a NUL first": "\0.fit",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_bad_name_in_an_archive_is_one_line_of_the_report(run, store, name):
    with_mark = archive([(name.replace("\0", "\x01"), ride(0)), ("good.fit", ride(1))])
    data = with_mark.replace(name.replace("\0", "\x01").encode(), name.encode())
    lines = run({"takeout.zip": data})

    assert [line.outcome for line in lines] == ["imported"] * 2
    assert len(store.activities_of("usr_a", None, None)) == 2
    for line in lines:
        assert len(line.name) <= 301
        assert line.name.endswith(".fit")
        assert line.name.isprintable()


FILES = {
    "empty": b"",
    "no recording": b"\0" * 5000,
    "cut": ride(5)[:200],
    "a NUL in a text": NUL_TEXT,
    "an archive that is none": b"PK\x03\x04nothing",
    "XML without an end": b"<gpx><trk>" * 5000,
}


SUFFIXES = ("fit", "gpx", "tcx", "gpx.gz", "zip", "csv", "xml", "json")


def test_bad_files_of_every_kind_in_an_archive_fail_alone(run, store):
    bad = [(f"{kind}.{suffix}", data) for kind, data in FILES.items() for suffix in SUFFIXES]
    lines = run({"takeout.zip": archive([*bad, ("good.fit", ride(1))])})
    outcomes = {line.name.rpartition("/")[2]: line.outcome for line in lines}

    assert outcomes["good.fit"] == "imported"
    assert len(store.activities_of("usr_a", None, None)) >= 1
    assert all(line.report["notes"] for line in lines if line.outcome == "failed")
    assert sum(outcome == "failed" for outcome in outcomes.values()) > 20


def test_entries_of_one_name_have_a_line_each(run):
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive([("a.fit", ride(0)), ("a.fit", ride(1))])

    assert [line.name for line in run({"two.zip": data})] == ["two.zip/a.fit", "two.zip/a (2).fit"]


def test_a_name_that_is_not_utf_8_is_readable(tmp_path):
    """As of a folder that was unpacked under another code page."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.fit"
    Path(os.fsdecode(path)).write_bytes(ride(0))
    (source,) = find_files([tmp_path], ImportLimits()).sources
    (name,) = readable_names([source.name])

    assert name.encode().endswith(b"caf?.fit")
    assert source.read() == ride(0)


# --- archives of too many files


def many(number):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for place in range(number):
            packed.writestr(f"{place}.fit", b"")
    return file.getvalue()


def test_an_archive_of_too_many_files_is_one_line_that_says_what_to_do(tmp_path):
    (tmp_path / "many.zip").write_bytes(many(60_000))
    (tmp_path / "ride.fit").write_bytes(ride(0))
    found = find_files([tmp_path], ImportLimits())
    by_name = {source.name.rpartition("/")[2]: source for source in found.sources}

    assert by_name.keys() == {"many.zip", "ride.fit"}
    assert by_name["ride.fit"].read() == ride(0)
    with pytest.raises(FileTooLarge, match="more than 50,000 files in one import: import them in parts"):
        by_name["many.zip"].read()


def test_a_folder_of_too_many_files_has_one_line_for_the_rest(tmp_path):
    for place in range(9):
        (tmp_path / f"{place}.fit").write_bytes(b"data")
    sources = find_files([tmp_path], ImportLimits(entries=5)).sources

    assert [source.read() for source in sources[:5]] == [b"data"] * 5
    assert len(sources) == 6
    with pytest.raises(FileTooLarge, match="import them in parts"):
        sources[5].read()
