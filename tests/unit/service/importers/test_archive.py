"""Files, folders and archives, and the limits against bombs."""

import gzip
import os
import random
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from coachboard.service.importers.archive import find_sources
from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, ImportLimits

SMALL = ImportLimits(
    file_bytes=1000, inner_archive_bytes=1500, total_bytes=3000, entries=5, listed=9, nesting=2
)


def zipped(**entries):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "."), data)
    return buffer.getvalue()


def written(folder, name, data=b"data"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_folder_is_walked_and_fit_goes_first(tmp_path):
    for name in ("a.gpx", "sub/b.fit", "c.TCX", "d.fit.gz", "notes.txt", "e.gpx.gz"):
        written(tmp_path, name, gzip.compress(b"data") if name.endswith("gz") else b"data")
    sources = find_sources([tmp_path], ImportLimits())

    assert [source.name.removeprefix(f"{tmp_path}/") for source in sources] == [
        "d.fit.gz", "sub/b.fit", "c.TCX", "a.gpx", "e.gpx.gz",
    ]  # fmt: skip
    assert {source.read() for source in sources} == {b"data"}


def test_a_file_named_by_hand_is_read_under_any_name(tmp_path):
    (source,) = find_sources([written(tmp_path, "ride.bin")], ImportLimits())

    assert source.read() == b"data"


def test_archives_within_archives_are_opened(tmp_path):
    inner = zipped(b__fit=b"inner", readme__txt=b"")
    path = written(
        tmp_path, "all.zip", zipped(a__gpx=b"outer", more__zip=inner, c__fit__gz=gzip.compress(b"packed"))
    )
    sources = {
        source.name.removeprefix(f"{path}/"): source.read() for source in find_sources([path], ImportLimits())
    }

    assert sources == {"more.zip/b.fit": b"inner", "c.fit.gz": b"packed", "a.gpx": b"outer"}


def test_archives_too_deep_in_each_other_are_refused(tmp_path):
    data = zipped(a__fit=b"data")
    for _ in range(3):
        data = zipped(next__zip=data)
    (source,) = find_sources([written(tmp_path, "deep.zip", data)], SMALL)

    with pytest.raises(FileTooLarge, match="more than 2 deep"):
        source.read()


@pytest.mark.parametrize("name", ["bomb.fit", "bomb.fit.gz", "bomb.zip", "nested.zip"])
def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, name):
    zeros = bytes(2000)
    data = {
        "bomb.fit": zeros,
        "bomb.fit.gz": gzip.compress(zeros),
        "bomb.zip": zipped(a__fit=zeros),
        "nested.zip": zipped(a__zip=zeros),
    }[name]
    (source,) = find_sources([written(tmp_path, name, data)], SMALL)

    with pytest.raises(FileTooLarge, match="larger than"):
        source.read()


def test_a_bomb_costs_no_more_than_the_limit(tmp_path):
    """A gigabyte of zeros packs into a megabyte; no more of it may be unpacked than the limit."""
    path = written(tmp_path, "bomb.fit.gz", gzip.compress(bytes(200_000_000), compresslevel=1))
    (source,) = find_sources([path], ImportLimits(file_bytes=2_000_000))

    with pytest.raises(FileTooLarge, match="2 MB"):
        source.read()


def test_all_files_together_are_limited(tmp_path):
    path = written(tmp_path, "many.zip", zipped(**{f"f{place}__fit": bytes(900) for place in range(4)}))
    sources = find_sources([path], SMALL)

    with pytest.raises(FileTooLarge, match="all files together"):
        [source.read() for source in sources]


def test_the_number_of_files_is_limited(tmp_path):
    path = written(tmp_path, "many.zip", zipped(**{f"f{place}__fit": b"" for place in range(9)}))

    with pytest.raises(FileTooLarge, match="more than 5 files"):
        [source.read() for source in find_sources([path], SMALL)]


@pytest.mark.parametrize("is_inner", [False, True])
def test_a_long_list_of_files_is_refused_before_it_is_read(tmp_path, is_inner):
    """18 MB of empty entries took 165 MB of memory, and pack into 18 kB inside another archive."""
    data = zipped(**{f"{place}__txt": b"" for place in range(20_000)})
    assert len(data) > 1_000_000
    path = written(tmp_path, "many.zip", zipped(inner__zip=data) if is_inner else data)
    tracemalloc.start()
    (source,) = find_sources([path], ImportLimits(directory_bytes=1_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    with pytest.raises(FileTooLarge, match="whose list of files is larger than 1 MB"):
        source.read()
    assert peak < 5_000_000


def test_the_names_in_all_archives_together_are_limited(tmp_path):
    for name in ("a", "b"):
        written(tmp_path, f"{name}.zip", zipped(ride__fit=b"", **{f"{n}__txt": b"" for n in range(5)}))
    first, second = find_sources([tmp_path], SMALL)

    assert first.read() == b""
    with pytest.raises(FileTooLarge, match="list more than 9 files"):
        second.read()


@pytest.mark.parametrize(
    ("name", "data"), [("a.zip", b"PK\x03\x04 no"), ("a.fit.gz", b"no gzip"), ("a.zip", b"")]
)
def test_a_damaged_archive_is_reported(tmp_path, name, data):
    (source,) = find_sources([written(tmp_path, name, data)], ImportLimits())

    with pytest.raises(BrokenRecording):
        source.read()


def test_a_damaged_entry_leaves_the_others_alone(tmp_path):
    data = bytearray(zipped(a__fit=b"first" * 50, b__fit=b"second" * 50))
    at = data.index(b"a.fit") + 5
    data[at : at + 8] = b"\xff" * 8
    first, second = find_sources([written(tmp_path, "half.zip", bytes(data))], ImportLimits())

    assert second.read() == b"second" * 50
    with pytest.raises(BrokenRecording):
        first.read()


def test_an_encrypted_entry_is_reported_as_unreadable(tmp_path):
    data = bytearray(zipped(a__fit=b"data"))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    (source,) = find_sources([written(tmp_path, "secret.zip", bytes(data))], ImportLimits())

    with pytest.raises(BrokenRecording, match="could not be unpacked"):
        source.read()


def test_a_missing_file_is_reported(tmp_path):
    path = written(tmp_path, "a.fit")
    (source,) = find_sources([path], ImportLimits())
    path.unlink()

    with pytest.raises(BrokenRecording, match="could not be opened"):
        source.read()


def test_links_to_folders_are_not_followed(tmp_path):
    written(tmp_path, "a.fit")
    (tmp_path / "round").symlink_to(tmp_path)

    assert len(find_sources([tmp_path], ImportLimits())) == 1


@pytest.mark.parametrize("name", ["pipe.fit", "pipe.zip", "pipe.gpx.gz"])
def test_a_named_pipe_is_reported_as_no_file_without_a_wait(tmp_path, name):
    """Opening a pipe that nobody writes to never returns."""
    os.mkfifo(tmp_path / name)
    (tmp_path / "link.fit").symlink_to(tmp_path / name)
    written(tmp_path, "ride.tcx")
    *pipes, ride = sorted(find_sources([tmp_path], ImportLimits()), key=lambda source: source.name)
    (by_hand,) = find_sources([tmp_path / name], ImportLimits())

    assert ride.read() == b"data"
    assert len(pipes) == 2
    for source in (*pipes, by_hand):
        with pytest.raises(BrokenRecording, match="not a regular file"):
            source.read()


def test_a_device_is_reported_as_no_file():
    (source,) = find_sources([Path("/dev/zero")], ImportLimits())

    with pytest.raises(BrokenRecording, match="not a regular file"):
        source.read()


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_one_archive_is_open_at_a_time(tmp_path):
    """1,300 archives in a folder exhausted the process's file descriptors."""
    for place in range(40):
        written(
            tmp_path, f"{place}.zip", zipped(a__fit=b"fit", b__gpx=b"gpx", more__zip=zipped(c__fit=b"in"))
        )
    before = open_files()
    sources = find_sources([tmp_path], ImportLimits())
    opened = [(source.read(), open_files() - before) for source in sources]

    assert len(opened) == 120
    assert max(count for _, count in opened) <= 3


def test_an_inner_archive_takes_no_memory(tmp_path):
    """Six inner archives of 480 MB took 3.4 GB."""
    inner = zipped(a__fit=b"fit", noise__bin=random.Random(1).randbytes(8_000_000))
    path = written(tmp_path, "all.zip", zipped(**{f"{place}__zip": inner for place in range(4)}))
    del inner
    tracemalloc.start()
    read = [source.read() for source in find_sources([path], ImportLimits())]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert read == [b"fit"] * 4
    assert peak < 5_000_000
