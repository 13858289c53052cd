"""Where recordings lie: files, folders, zip archives and gzip files, one inside the other, within limits."""

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO

from coachboard.service.importers.errors import BrokenRecording, Limits, RecordingError, TooLarge

_ORDER = {".fit": 0, ".tcx": 1, ".gpx": 2}
"""Of one ride in several formats the richest is read first and kept."""
_PACKED = frozenset({".gz", ".zip"})
_BAD_ZIP = (zipfile.BadZipFile, NotImplementedError, OSError, RuntimeError, ValueError, EOFError, zlib.error)
"""What zipfile raises for damage, encryption (RuntimeError) and methods that it does not know."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file that may be a recording; reading it may raise a `RecordingError`."""

    name: str
    read: Callable[[], bytes]


def find_sources(paths: Iterable[Path], limits: Limits) -> list[Source]:
    """All that could be a recording, FIT before TCX before GPX, else by name."""
    finder = _Finder(limits)
    found = [source for path in paths for source in finder.in_path(path)]
    return sorted(found, key=lambda source: (_ORDER.get(_suffix(source.name), 9), source.name))


def _suffix(name: str) -> str:
    """The suffix that says the format: that before .gz."""
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix == ".gz" else path.suffix


def _is_candidate(name: str) -> bool:
    return PurePath(name.lower()).suffix in _PACKED or _suffix(name) in _ORDER


class _Finder:
    """Walks what it is given and counts what that costs over the whole run."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0
        self._entries = 0

    def in_path(self, path: Path) -> Iterator[Source]:
        if not path.is_dir():
            yield from self._of_path(path)
            return
        # Links to folders are not followed: they can lead round in circles.
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                if _is_candidate(name):
                    yield from self._of_path(Path(folder) / name)

    def _of_path(self, path: Path) -> Iterator[Source]:
        if _is_special(path):
            yield Source(str(path), _raising(BrokenRecording("not a regular file")))
        elif path.suffix.lower() == ".zip":
            # Read where it lies: exports of many years do not fit into memory.
            yield from self._opened(str(path), lambda: path, depth=1)
        else:
            yield from self._of_file(str(path), lambda: self._read_file(path))

    def _of_file(self, name: str, read: Callable[[], bytes]) -> Iterator[Source]:
        try:
            self._count_entry()
        except RecordingError as fault:
            yield Source(name, _raising(fault))
            return
        if name.lower().endswith(".gz"):
            yield Source(name, lambda: self._unpack_gzip(read()))
        else:
            yield Source(name, read)

    def _opened(self, name: str, place: Callable[[], Path | IO[bytes]], *, depth: int) -> Iterator[Source]:
        """What an archive holds; a fault waits until somebody reads."""
        try:
            self._count_entry()
            if depth > self._limits.nesting:
                raise TooLarge(f"archives nested more than {self._limits.nesting} deep in each other")
            archive = zipfile.ZipFile(place())
        except RecordingError as fault:
            yield Source(name, _raising(fault))
            return
        except _BAD_ZIP as error:
            yield Source(name, _raising(BrokenRecording(f"not readable as a zip archive ({error})")))
            return
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            if not entry.is_dir() and _is_candidate(entry.filename):
                yield from self._of_entry(f"{name}/{entry.filename}", archive, entry, depth=depth)

    def _of_entry(
        self, name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, *, depth: int
    ) -> Iterator[Source]:
        if entry.filename.lower().endswith(".zip"):
            yield from self._opened(name, partial(self._unpack_archive, archive, entry), depth=depth + 1)
        else:
            read = partial(self._read_entry, archive, entry, self._limits.file_bytes)
            yield from self._of_file(name, read)

    def _unpack_archive(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
        return BytesIO(self._read_entry(archive, entry, self._limits.inner_archive_bytes))

    def _read_file(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                return self._bounded(file, self._limits.file_bytes)
        except OSError as error:
            raise BrokenRecording(f"could not be opened ({error.strerror or error})") from error

    def _read_entry(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
        try:
            with archive.open(entry) as file:
                return self._bounded(file, most)
        except _BAD_ZIP as error:
            raise BrokenRecording(f"could not be unpacked ({error})") from error

    def _unpack_gzip(self, data: bytes) -> bytes:
        most = self._limits.file_bytes
        # 31: a gzip header is expected. Only the first member counts; recordings are never written in several.
        unpacker = zlib.decompressobj(31)
        try:
            unpacked = unpacker.decompress(data, most + 1)
        except zlib.error as error:
            raise BrokenRecording(f"not readable as gzip ({error})") from error
        return self._counted(unpacked, most)

    def _bounded(self, file: IO[bytes], most: int) -> bytes:
        # The size in an archive's directory is what its maker claims; only what is read counts.
        return self._counted(file.read(most + 1), most)

    def _counted(self, data: bytes, most: int) -> bytes:
        if len(data) > most:
            raise TooLarge(f"larger than {most / 1e6:g} MB")
        self._bytes += len(data)
        if self._bytes > self._limits.total_bytes:
            raise TooLarge(f"all files together are larger than {self._limits.total_bytes / 1e6:g} MB")
        return data

    def _count_entry(self) -> None:
        self._entries += 1
        if self._entries > self._limits.entries:
            raise TooLarge(f"more than {self._limits.entries:,} files")


def _is_special(path: Path) -> bool:
    """Whether it is a pipe, a socket or a device: opening one may wait for ever, reading one may never end."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False  # what is gone or forbidden says so when it is opened


def _raising(fault: RecordingError) -> Callable[[], bytes]:
    def read() -> bytes:
        raise fault

    return read
