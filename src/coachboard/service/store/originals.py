"""Imported files, stored unchanged, uploads until their import ends, and the traces of a database that was lost.

The folder is next to a database of SQLite, else in the data folder.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO
from urllib.parse import unquote

import sqlalchemy as sa

from coachboard.settings import KEYS_FOLDER, Settings

FOLDER_MODE, FILE_MODE = 0o700, 0o600

_BESIDE = ".files"
"""End of the name of the folder of a SQLite file's originals."""
_OF_DATA_FOLDER = frozenset({"files", "invitation.secret", KEYS_FOLDER})
"""Names in the data folder that only a service with people makes."""
_OF_DASHBOARD = frozenset({"cache.db", "dashboard.db"})
"""Databases that a dashboard over the service of another machine makes too."""

_REPAIR = "restore it from a backup, or import the file with `coachboard import --again`"


class OriginalLost(Exception):  # noqa: N818 (what happened)
    """A stored file is missing or damaged."""


class Originals:
    """Stored files by person and digest. Only the service's user can read them: they contain places and heart rates."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def is_empty(self) -> bool:
        return not _has_content(self.folder)

    def put(self, user_id: str, digest: str, data: bytes) -> None:
        """Store a file. A second call repairs it and renews its date: files of a day ago without a row are removed."""
        path = self.path(user_id, digest)
        with suppress(OriginalLost):
            self.read(user_id, digest)
            os.utime(path)
            return
        if path.is_dir():
            path.rename(path.with_name(f".{path.name}.{token_hex(6)}"))
        with replacing(path) as file:
            file.write(data)

    def read(self, user_id: str, digest: str) -> bytes:
        """The bytes of a stored file; raises `OriginalLost` if it is missing or damaged.

        Half of a file may be readable: the session would change without a word.
        """
        path = self.path(user_id, digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise OriginalLost(f"the original file is missing: {_REPAIR}") from error
        except OSError as error:
            raise OriginalLost(f"the original file cannot be read ({error.strerror}): {_REPAIR}") from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise OriginalLost(f"the original file is damaged: {_REPAIR}")
        return data

    def remove(self, user_id: str, digest: str) -> None:
        self.path(user_id, digest).unlink(missing_ok=True)

    def remove_person(self, user_id: str) -> None:
        shutil.rmtree(self.folder / _name_of(user_id), ignore_errors=True)

    def stored(self, user_id: str) -> list[Path]:
        """All files of a person, also halves that a killed process left."""
        folder = self.folder / _name_of(user_id)
        return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []

    def path(self, user_id: str, digest: str) -> Path:
        return self.folder / _name_of(user_id) / digest

    def uploads(self, job_id: str) -> Path:
        """The folder of the files of an unfinished import, or of a file that replaces another."""
        return self.folder / "uploads" / job_id

    def upload_folders(self) -> list[Path]:
        """The folders of all imports that have files waiting."""
        folder = self.folder / "uploads"
        return sorted(folder.iterdir()) if folder.is_dir() else []


def file_of(address: sa.URL) -> Path:
    """The file of a SQLite address; `file:/folder/store.db?uri=true` is SQLite's syntax for an address with options."""
    named = address.database or ""
    return Path(unquote(named.removeprefix("file:")) if named.startswith("file:") else named)


def originals_at(address: sa.URL) -> Originals:
    """The stored files of a database: next to a SQLite file, else in the data folder."""
    named, path = address.database or "", file_of(address)
    is_file = address.get_backend_name() == "sqlite" and named and ":memory:" not in named
    return Originals(path.with_name(f"{path.name}{_BESIDE}") if is_file else Settings().data / "files")


def trace_beside(path: Path) -> Path | None:
    """A file or folder that only a SQLite database with people leaves, at this path or in the data folder.

    With a trace, a missing database was lost: an empty one in its place would hide that.
    """
    folder = path.parent
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    own = [f"{path.name}.set-aside-"]
    # Two processes that make a database together see each other's logs beside an empty file.
    if not path.exists():
        own += [f"{path.name}-wal", f"{path.name}-journal"]
    traces = [each for each in there if each.name.startswith(tuple(own))]
    traces += [
        each for each in there if each.name.endswith(_BESIDE) and not _has_content(each.with_suffix(""))
    ]
    if folder.resolve() == Settings().data.resolve() and not _has_database(there):
        traces += [each for each in there if each.name in _OF_DATA_FOLDER or each.suffix == ".backup"]
    return next(filter(_has_content, traces), None)


def _has_database(there: list[Path]) -> bool:
    return any(
        each.suffix == ".db" and each.name not in _OF_DASHBOARD and _has_content(each) for each in there
    )


def _has_content(path: Path) -> bool:
    """Whether the file has a byte, or a file in the folder has."""
    if path.is_dir():
        return any(each.is_file() and each.stat().st_size for each in path.rglob("*"))
    return path.is_file() and path.stat().st_size > 0


def _name_of(user_id: str) -> str:
    # An id may be any text; a path with it could leave the folder.
    return hashlib.sha256(user_id.encode()).hexdigest()[:20]


def make_folder(folder: Path) -> None:
    """Create a folder that only this user can enter, and its missing parents."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            missing.mkdir(mode=FOLDER_MODE, exist_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write to a temporary file and rename it at the end: a kill leaves no partial file."""
    make_folder(path.parent)
    partial = path.with_name(f".{path.name[:40]}.{token_hex(6)}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
