"""Files that cannot be used: what is wrong with them, and where they go.

Of a cache's former files the newest is kept, for who wants to see what became of it. A file that was never one of
ours is somebody's, and stays.
"""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from coachboard.client.cache.tables import BUDGET_PREFIX, PREFIX, Schema

APPLICATION_ID = int.from_bytes(b"cbch")
"""Stands in the head of every file of ours, where it can be read whatever else is damaged."""

_MAGIC = b"SQLite format 3\x00"
_ID_AT = slice(68, 72)
_OTHER = "not a database of version"
_DAMAGE = ("malformed", "not a database", "no such table", "no such column", "disk i/o error")


class OtherVersion(sqlite3.DatabaseError):
    """The file is the cache of another version of Coachboard."""


def oddity_of(path: Path, schema: Schema) -> str | None:
    """Why a file is none of this version, None where it is one; a look that changes nothing."""
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head not in {b"", _MAGIC}:
        return "not an SQLite file"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return oddity_in(connection, schema)
    except sqlite3.Error as error:
        return str(error)


def oddity_in(connection: Any, schema: Schema) -> str | None:
    """The same of a file that is open."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    names = _tables_in(connection)
    if not any(name.startswith(schema.prefix) for name in names):
        return f"contains other tables: {', '.join(names[:3])}" if names else None
    return None if found == schema.version else f"{_OTHER} {schema.version}: {found}"


def _tables_in(connection: Any) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def check_version(path: Path, schema: Schema, *, takes_over: bool) -> None:
    """Raise `OtherVersion` where a file is another version's and is to stay so."""
    if not takes_over and (oddity_of(path, schema) or "").startswith(_OTHER):
        raise OtherVersion("another version of Coachboard is using this file")


def is_damage(error: Exception, path: Path) -> bool:
    """Whether the file is to be given up; one that somebody deleted is gone already."""
    return not path.exists() or any(sign in str(error).lower() for sign in _DAMAGE)


def set_aside(path: Path) -> Path:
    """Rename a cache that cannot be used, its side files with it, and say where it went."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    target = path.with_name(f"{path.name}.set-aside-{stamp}")
    for suffix in _SIDES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(target.with_name(target.name + suffix))
    for former in path.parent.glob(f"{path.name}.set-aside-*"):
        if former != target and not former.name.endswith(_SIDES[1:]) and _was_ours(former):
            for suffix in _SIDES:
                former.with_name(former.name + suffix).unlink(missing_ok=True)
    return target


_SIDES = ("", "-wal", "-shm")


def _was_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_ID_AT.stop)
        if head[_ID_AT] == APPLICATION_ID.to_bytes(4):
            return True
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return any(name.startswith((PREFIX, BUDGET_PREFIX)) for name in _tables_in(connection))
    except (OSError, sqlite3.Error):
        return False
