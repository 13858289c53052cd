"""The cache's tables and its engine: a SQLite file, or PostgreSQL beside whatever else lives there.

No migrations: a cache of another version is set aside and filled again.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DatabaseError

VERSION = 1
"""Raised with every change of the tables or of what stands in them."""

_BUSY_S = 30.0
_PREFIX = f"coachboard_cache_{VERSION}_"  # versions live side by side on PostgreSQL

METADATA = sa.MetaData()

_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite counts up INTEGER keys alone

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
"""One list of one user; `version` counts the changes, so that what was decoded from it can be kept."""

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
"""The rows as they came; the large nested lists stand apart, because most readers need the rest alone."""
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
"""What is kept whole: streams, profiles, derived results."""

CALLS = sa.Table(
    f"{_PREFIX}calls",
    METADATA,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
"""The budget's sliding log; `user_id` is empty for calls that queried no user."""
sa.Index(f"{_PREFIX}calls_by_time", CALLS.c.scope, CALLS.c.at)

HOLDS = sa.Table(
    f"{_PREFIX}holds",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),
)
"""Moments before which something is not to be done: calls after a 429, a fetch that another process does."""

META = sa.Table(
    f"{_PREFIX}meta",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


class Database:
    """The engine with its two kinds of transaction; safe for many threads and several processes."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._write_lock = threading.Lock()
        self.engine = self._open()

    def __repr__(self) -> str:
        return f"Database({self.url.render_as_string(hide_password=True)!r})"

    def close(self) -> None:
        self.engine.dispose()

    @property
    def path(self) -> Path | None:
        """The SQLite file, None for memory and for PostgreSQL."""
        name = self.url.database
        return Path(name) if self.is_sqlite and name and name != ":memory:" else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One view of the cache that does not change while it is read."""
        with self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that owns the write side from its start, so that it never has to be repeated."""
        if not self.is_sqlite:
            with self.engine.begin() as connection:
                yield connection
            return
        # Threads queue here; SQLite's own waiting polls with growing pauses and is for other processes.
        with self._write_lock, self._writer.begin() as connection:
            yield connection

    def compact(self) -> None:
        """Give back the room of what was deleted; PostgreSQL does so by itself."""
        if self.is_sqlite:
            with self._write_lock, self.engine.connect() as connection:
                autocommit = connection.execution_options(isolation_level="AUTOCOMMIT")
                autocommit.exec_driver_sql("PRAGMA incremental_vacuum").all()

    def _open(self) -> Engine:
        engine = self._build()
        try:
            self._prepare(engine)
        except (DatabaseError, sqlite3.DatabaseError):
            engine.dispose()
            if self.path is None:
                raise
            set_aside(self.path)
            engine = self._build()
            self._prepare(engine)
        self._writer = engine.execution_options(coachboard_writes=True)
        return engine

    def _build(self) -> Engine:
        if not self.is_sqlite:
            return sa.create_engine(self.url, pool_size=16, max_overflow=16, pool_pre_ping=True)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return _watched(sa.create_engine(self.url, pool_size=16, max_overflow=32, connect_args=_SQLITE))

    def _prepare(self, engine: Engine) -> None:
        if self.is_sqlite:
            self._check_version(engine)
        with engine.begin() as connection:
            if not self.is_sqlite:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7205759403792793)"))
            METADATA.create_all(connection)
            # A first read and write finds damage now rather than on a page.
            connection.execute(sa.select(sa.func.count()).select_from(ITEMS).limit(1)).scalar()

    def _check_version(self, engine: Engine) -> None:
        with engine.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA user_version").scalar()
            tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()
            if tables and found != VERSION:
                raise sqlite3.DatabaseError(f"a cache of version {found}")
            connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")


_SQLITE = {"timeout": _BUSY_S, "check_same_thread": False, "isolation_level": None}


def _watched(engine: Engine) -> Engine:
    sa.event.listen(engine, "connect", _tune)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _tune(connection: Any, _record: object) -> None:
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "mmap_size=268435456",
        "auto_vacuum=INCREMENTAL",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # The driver begins no transaction of its own (isolation_level None): a writer asks for its lock at once.
    writes = connection.get_execution_options().get("coachboard_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def set_aside(path: Path) -> Path:
    """Rename a cache that cannot be used, its side files with it, and say where it went."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    target = path.with_name(f"{path.name}.set-aside-{stamp}")
    for suffix in ("", "-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(target.with_name(target.name + suffix))
    return target
