"""The tables of the cache and of the request log, and the quarantine of SQLite files that do not hold them.

There are no migrations: a cache of another version is quarantined and filled again. The request log has its own
file and version, so that an upgrade does not forget the requests of the last minute.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

VERSION = 2
"""Raise it with every change of the tables or of their content: a file of another version is quarantined."""

PREFIX = "coachboard_cache_"
_PREFIX = f"{PREFIX}{VERSION}_"  # PostgreSQL holds several versions next to each other

METADATA = sa.MetaData()

_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite increments only INTEGER keys

LISTS = sa.Table(
    f"{_PREFIX}lists",
    METADATA,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("resource", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False, default=0),
    sa.Column("bytes", sa.BigInteger, nullable=False, default=0),
    sa.Column("used_at", sa.Double, nullable=False),
    sa.UniqueConstraint("scope", "resource", "user_id"),
)
"""One list of one user; `version` counts the changes, so that decoded rows stay valid until the next change."""

SPANS = sa.Table(
    f"{_PREFIX}spans",
    METADATA,
    sa.Column("list_id", sa.BigInteger, primary_key=True),
    sa.Column("first_day", sa.Integer, primary_key=True),
    sa.Column("last_day", sa.Integer, nullable=False),
    sa.Column("fetched_at", sa.Double, nullable=False),
    sa.Column("fetched_on", sa.Integer, nullable=False),
)

ITEMS = sa.Table(
    f"{_PREFIX}items",
    METADATA,
    sa.Column("list_id", sa.BigInteger, primary_key=True),
    sa.Column("item_id", sa.Text, primary_key=True),
    sa.Column("day", sa.Integer, nullable=False),
    sa.Column("rank", sa.BigInteger, nullable=False),
    sa.Column("is_odd", sa.Boolean, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("nested", sa.LargeBinary, nullable=True),
)
"""The rows as received; the large nested lists are in their own column, because most readers skip them."""
sa.Index(f"{_PREFIX}items_by_day", ITEMS.c.list_id, ITEMS.c.day)

BLOBS = sa.Table(
    f"{_PREFIX}blobs",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("fetched_at", sa.Double, nullable=False),
    sa.Column("used_at", sa.Double, nullable=False),
)
"""Resources without days: users, profiles, streams, derived results."""

BUDGET_VERSION = 1
"""Raise it with every change of the two tables below: processes of two versions then share no budget."""

BUDGET_METADATA = sa.MetaData()
BUDGET_PREFIX = "coachboard_budget_"
_BUDGET_PREFIX = f"{BUDGET_PREFIX}{BUDGET_VERSION}_"

CALLS = sa.Table(
    f"{_BUDGET_PREFIX}calls",
    BUDGET_METADATA,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
"""The sliding log of requests; `user_id` is empty for requests that query no user."""
sa.Index(f"{_BUDGET_PREFIX}calls_by_time", CALLS.c.scope, CALLS.c.at)

HOLDS = sa.Table(
    f"{_BUDGET_PREFIX}holds",
    BUDGET_METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),  # its length when it was written
)
"""Moments before which requests wait: after a 429, or while another process fetches the same."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one file."""

    metadata: sa.MetaData
    prefix: str
    version: int
    probe: sa.Table  # read when the file is opened, to find damage


CACHE = Schema(METADATA, PREFIX, VERSION, ITEMS)
BUDGET = Schema(BUDGET_METADATA, BUDGET_PREFIX, BUDGET_VERSION, CALLS)

APPLICATION_ID = int.from_bytes(b"cbch")
"""In the header of each file of Coachboard, where it is readable whatever else is damaged."""

_MAGIC = b"SQLite format 3\x00"
_ID_AT = slice(68, 72)
_SIDES = ("", "-wal", "-shm")
_OTHER = "not a database of version"
_DAMAGE = (
    "malformed", "not a database", "no such table", "no such column", "disk i/o error", "could not decode",
)  # fmt: skip
"""Parts of the messages of SQLite, and of `CacheFileError`, that tell damage."""
_OUR_TABLES = re.compile(f"{PREFIX}|{BUDGET_PREFIX}")


class CacheFileError(Exception):
    """The file does not hold the tables or the values of this cache."""


class OtherVersion(CacheFileError):  # noqa: N818 (shown as a notice)
    """The file is the cache of another version of Coachboard."""


def find_mismatch(path: Path, schema: Schema) -> str | None:
    """Why a file does not hold the schema, None where it does. Reads the file only."""
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head not in {b"", _MAGIC}:
        return "not an SQLite file"
    try:
        with _reading(path) as connection:
            return find_mismatch_in(connection, schema)
    except DBAPIError as error:
        return str(error.orig)


def find_mismatch_in(connection: Connection, schema: Schema) -> str | None:
    """The same for an open file."""
    found = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    names = _tables_in(connection)
    if not any(name.startswith(schema.prefix) for name in names):
        return f"contains other tables: {', '.join(names[:3])}" if names else None
    return None if found == schema.version else f"{_OTHER} {schema.version}: {found}"


@contextmanager
def _reading(path: Path) -> Iterator[Connection]:
    """A connection that cannot write: a look at a file that is no cache must not change it."""
    url = URL.create("sqlite", database=path.absolute().as_uri(), query={"mode": "ro", "uri": "true"})
    with sa.create_engine(url, poolclass=NullPool).connect() as connection:
        yield connection


def _tables_in(connection: Connection) -> list[str]:
    names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    return list(names.scalars())


def check_version(path: Path, schema: Schema, *, takes_over: bool) -> None:
    """Raise `OtherVersion` for a file of another version, unless the caller takes the file over."""
    if not takes_over and (find_mismatch(path, schema) or "").startswith(_OTHER):
        raise OtherVersion("another version of Coachboard is using this file")


def is_of_other_version(error: Exception) -> bool:
    """Whether the file is sound and belongs to another version of Coachboard."""
    return _OTHER in str(error)


def require_types(row: Sequence[Any], *types: type | UnionType) -> None:
    """Raise an error of a damaged file for a value of another type, with which each page failed until it was deleted."""
    for value, kind in zip(row, types, strict=True):
        if not isinstance(value, kind):
            raise CacheFileError(f"malformed row: {type(value).__name__} in place of {kind}")


def is_damage(error: Exception, path: Path) -> bool:
    """Whether the file is damaged or deleted."""
    return not path.exists() or any(sign in str(error).lower() for sign in _DAMAGE)


def quarantine(path: Path) -> Path:
    """Rename a file that cannot be used, and return its new path.

    Other caches that were renamed before are deleted. A file that was never a cache belongs to the user, and stays.
    """
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    target = path.with_name(f"{path.name}.set-aside-{stamp}")
    for suffix in _SIDES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(target.with_name(target.name + suffix))
    for former in path.parent.glob(f"{path.name}.set-aside-*"):
        if former != target and not former.name.endswith(_SIDES[1:]) and _was_a_cache(former):
            for suffix in _SIDES:
                former.with_name(former.name + suffix).unlink(missing_ok=True)
    return target


def _was_a_cache(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(_ID_AT.stop)
        if head[_ID_AT] == APPLICATION_ID.to_bytes(4):
            return True
        with _reading(path) as connection:
            return any(map(_OUR_TABLES.match, _tables_in(connection)))
    except (OSError, DBAPIError):
        return False
