"""Find recordings: files, folders, zip archives and gzip files, one inside the other, within limits.

Archives are opened one at a time. All of them open at once would exhaust file descriptors, and inner archives in memory
took 3.4 GB for six of 480 MB.
"""

import os
import stat
import struct
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import IO

from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, ImportLimits, RecordingError

_ORDER = {".fit": 0, ".tcx": 1, ".gpx": 2}
"""The importer reads the richest of several formats of one ride first, and keeps that."""
_PACKED = frozenset({".gz", ".zip"})
_BAD_ZIP = (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError, struct.error, zlib.error)
"""The errors of zipfile for damage, encryption (RuntimeError) and methods that it does not know."""

Opened = Callable[[], AbstractContextManager[IO[bytes]]]
_Chain = tuple[Path, tuple[int, ...]]
"""Where an archive is: the file, and the places of the archives in each other."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that may hold a person's data; reading it may raise a `RecordingError`.

    `read` gives at most `Limits.file_bytes`; `stream`, where it is set, reads a file of any size in pieces.
    A file `of_export` lies beside the main file of a service's export: one of another kind is skipped.
    """

    name: str
    read: Callable[[], bytes]
    stream: Opened | None = None
    of_export: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The files to import in their order, and the number of other files beside them."""

    sources: list[SourceFile]
    others: int


def find_sources(paths: Iterable[Path], limits: ImportLimits) -> list[SourceFile]:
    """All that could be a recording, FIT before TCX before GPX, else by name."""
    return find_files(paths, limits).sources


def find_files(
    paths: Iterable[Path], limits: ImportLimits, is_wanted: Callable[[str], bool] = lambda _name: False
) -> Found:
    """All recordings and the other files that are wanted by their name."""
    finder = _Finder(limits, is_wanted)
    recordings = [source for path in paths for source in finder.in_path(path)]
    recordings.sort(key=lambda source: (_ORDER.get(_suffix(source.name), 9), source.name))
    return Found(recordings, finder.others)


def is_candidate(name: str, is_wanted: Callable[[str], bool]) -> bool:
    """Whether a file of that name may be a recording or an archive, or is wanted; macOS writes `._a.fit` beside a.fit."""
    path = PurePath(name.lower())
    is_recording = path.suffix in _PACKED or _suffix(name) in _ORDER
    return not path.name.startswith("._") and (is_recording or is_wanted(name))


def _suffix(name: str) -> str:
    """The suffix that says the format: that before .gz."""
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix == ".gz" else path.suffix


class _Finder:
    """Walks files and folders, counts what that costs over the whole run, and opens one archive at a time."""

    def __init__(self, limits: ImportLimits, is_wanted: Callable[[str], bool]) -> None:
        self._limits = limits
        self._is_wanted = is_wanted
        self._bytes = 0
        self._entries = 0
        self._listed = 0
        self.others = 0
        self._archives = _Archives(self._unpack, limits.directory_bytes)

    def _is_candidate(self, name: str) -> bool:
        is_it = is_candidate(name, self._is_wanted)
        self.others += not is_it
        return is_it

    def in_path(self, path: Path) -> Iterator[SourceFile]:
        if not path.is_dir():
            yield from self._of_path(path)
            return
        # Links to folders are not followed: they can lead round in circles.
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                if self._is_candidate(name):
                    yield from self._of_path(Path(folder) / name)

    def _of_path(self, path: Path) -> Iterator[SourceFile]:
        if _is_special(path):
            yield SourceFile(str(path), _raising(BrokenRecording("not a regular file")))
        elif path.suffix.lower() == ".zip":
            yield from self._in_archive(str(path), (path, ()))
        else:
            yield from self._of_file(str(path), partial(_open_file, path))

    def _of_file(self, name: str, opened: Opened) -> Iterator[SourceFile]:
        self._entries += 1
        if self._entries > self._limits.entries:
            # A line for the first one only: 20,000 equal lines say no more.
            if self._entries == self._limits.entries + 1:
                yield SourceFile(name, _raising(self._too_many("from here on the folder holds")))
            return
        read = partial(self._read, opened)
        if name.lower().endswith(".gz"):
            yield SourceFile(name, lambda: self._unpack_gzip(read()))
        else:
            yield SourceFile(name, read, opened)

    def _in_archive(self, name: str, chain: _Chain) -> Iterator[SourceFile]:
        """The files in an archive. A fault of the archive waits until it is read."""
        self._entries += 1
        try:
            if len(chain[1]) >= self._limits.nesting:
                raise FileTooLarge(f"archives nested more than {self._limits.nesting} deep in each other")
            entries = self._archives.at(chain).infolist()
            self._count_listed(len(entries))
        except RecordingError as fault:
            yield SourceFile(name, _raising(fault))
            return
        except _BAD_ZIP as error:
            yield SourceFile(name, _raising(BrokenRecording(f"not readable as a zip archive ({error})")))
            return
        # Names and places alone: the entries of 100,000 files would keep every archive's directory in memory. The
        # original name: zipfile ends a name before its first NUL, which may hide the suffix.
        names = [(entry.orig_filename, place) for place, entry in enumerate(entries)]
        del entries
        wanted = [
            (inner, place)
            for inner, place in sorted(names)
            if not inner.endswith("/") and self._is_candidate(inner)
        ]
        if self._entries + len(wanted) > self._limits.entries:
            yield SourceFile(name, _raising(self._too_many("the archive holds")))
            return
        for inner, place in wanted:
            yield from self._of_entry(f"{name}/{inner}", chain, place)

    def _of_entry(self, name: str, chain: _Chain, place: int) -> Iterator[SourceFile]:
        if name.lower().endswith(".zip"):
            yield from self._in_archive(name, (chain[0], (*chain[1], place)))
        else:
            yield from self._of_file(name, partial(self._open_entry, chain, place))

    @contextmanager
    def _open_entry(self, chain: _Chain, place: int) -> Iterator[IO[bytes]]:
        try:
            archive = self._archives.at(chain)
            with archive.open(archive.infolist()[place]) as file:
                yield file
        except _BAD_ZIP as error:
            raise BrokenRecording(f"could not be unpacked ({error})") from error

    def _read(self, opened: Opened) -> bytes:
        with opened() as file:
            return self._bounded(file, self._limits.file_bytes)

    def _unpack(self, archive: zipfile.ZipFile, place: int) -> IO[bytes]:
        """An inner archive on disk; raises `FileTooLarge` for one that unpacks to more than the limit."""
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115 (closed with its archive)
        try:
            with archive.open(archive.infolist()[place]) as file:
                self._copy(file, unpacked)
        except _BAD_ZIP as error:
            unpacked.close()
            raise BrokenRecording(f"could not be unpacked ({error})") from error
        except BaseException:
            unpacked.close()
            raise
        unpacked.seek(0)
        return unpacked

    def _copy(self, file: IO[bytes], target: IO[bytes]) -> None:
        most, size = self._limits.inner_archive_bytes, 0
        while piece := file.read(_PIECE):
            size += len(piece)
            if size > most:
                raise FileTooLarge(f"larger than {most / 1e6:g} MB")
            self._count_bytes(len(piece))
            target.write(piece)

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
        # An archive's directory may claim any size: count the bytes that were read.
        return self._counted(file.read(most + 1), most)

    def _counted(self, data: bytes, most: int) -> bytes:
        if len(data) > most:
            raise FileTooLarge(f"larger than {most / 1e6:g} MB")
        self._count_bytes(len(data))
        return data

    def _count_bytes(self, number: int) -> None:
        self._bytes += number
        if self._bytes > self._limits.total_bytes:
            raise FileTooLarge(f"all files together are larger than {self._limits.total_bytes / 1e6:g} MB")

    def _too_many(self, where: str) -> FileTooLarge:
        most = self._limits.entries
        return FileTooLarge(f"{where} more than {most:,} files in one import: import them in parts")

    def _count_listed(self, number: int) -> None:
        self._listed += number
        if self._listed > self._limits.listed:
            raise FileTooLarge(f"archives that list more than {self._limits.listed:,} files")


_PIECE = 1 << 20


class _Archives:
    """The archive in use and those that it lies in; opening another one closes them."""

    def __init__(
        self, unpack: Callable[[zipfile.ZipFile, int], IO[bytes]], most_directory_bytes: int
    ) -> None:
        self._unpack = unpack
        self._most_directory_bytes = most_directory_bytes
        self._path: Path | None = None
        self._places: list[int] = []
        self._open: list[tuple[zipfile.ZipFile, IO[bytes]]] = []
        weakref.finalize(self, _close, self._open, 0)

    def at(self, chain: _Chain) -> zipfile.ZipFile:
        """The archive at the end of the chain, open."""
        path, places = chain
        same = [opened == wanted for opened, wanted in zip(self._places, places, strict=False)]
        shared = [*same, False].index(False) if path == self._path else 0
        _close(self._open, shared + 1 if path == self._path else 0)
        self._path, self._places = path, self._places[:shared]
        if not self._open:
            self._add(path.open("rb"))
        for place in places[len(self._places) :]:
            self._add(self._unpack(self._open[-1][0], place))
            self._places.append(place)
        return self._open[-1][0]

    def _add(self, file: IO[bytes]) -> None:
        try:
            _check_directory(file, self._most_directory_bytes)
            self._open.append((zipfile.ZipFile(file), file))
        except BaseException:
            file.close()
            raise


_DIRECTORY_SIZE = 5
"""The place of the directory's size in the end record, as zipfile's private function returns it."""


def _check_directory(file: IO[bytes], most: int) -> None:
    """Refuse an archive before its list of files is in memory.

    500 MB of empty entries pack into 500 kB inside another archive, and took 4 GB of memory.
    """
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined] # noqa: SLF001 (what zipfile itself will read)
    if end is not None and end[_DIRECTORY_SIZE] > most:
        raise FileTooLarge(f"an archive whose list of files is larger than {most / 1e6:g} MB")


def _close(archives: list[tuple[zipfile.ZipFile, IO[bytes]]], kept: int) -> None:
    while len(archives) > kept:
        archive, file = archives.pop()
        archive.close()
        file.close()


@contextmanager
def _open_file(path: Path) -> Iterator[IO[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise BrokenRecording(f"could not be opened ({error.strerror or error})") from error
    with file:
        yield file


def _is_special(path: Path) -> bool:
    """Whether it is a pipe, a socket or a device: opening one may wait for ever, reading one may never end."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False  # opening the file reports that it is absent or forbidden


def _raising(fault: RecordingError) -> Callable[[], bytes]:
    def read() -> bytes:
        raise fault

    return read
