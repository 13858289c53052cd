"""The cache's database: a SQLite file, or PostgreSQL beside whatever else lives there.

A file that is damaged or of another version is set aside and a new one begun; what was in it can be fetched.
"""

import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DatabaseError

from coachboard.client.cache.tables import ITEMS, METADATA, VERSION

T = TypeVar("T")

_BUSY_S = 30.0
_WHOLE = 7205759403792793  # a number of our own among PostgreSQL's advisory locks
_DAMAGE = ("malformed", "not a database", "no such table", "no such column", "disk i/o error")


class CacheLost(Exception):  # noqa: N818 (what happened; the reader asks again, nobody is shown it)
    """The file was damaged and has been set aside: the same again finds an empty cache."""


def again_if_lost(read: Callable[[], T]) -> T:
    """Do it, and once more where the cache was lost on the way."""
    try:
        return read()
    except CacheLost:
        return read()


class Database:
    """The engine with its two kinds of transaction; safe for many threads and several processes."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if self.is_sqlite and self.url.database in {None, "", ":memory:"}:
            # Many threads cannot share a database in memory; a file of one's own does the same.
            self._folder = tempfile.TemporaryDirectory(prefix="coachboard-cache-")
            self.url = self.url.set(database=f"{self._folder.name}/cache.db")
        self._write_lock = threading.Lock()
        self.engine = self._open()

    def __repr__(self) -> str:
        return f"Database({self.url.render_as_string(hide_password=True)!r})"

    def close(self) -> None:
        self.engine.dispose()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def path(self) -> Path | None:
        """The SQLite file, None for PostgreSQL."""
        return Path(self.url.database) if self.is_sqlite and self.url.database else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One view of the cache that does not change while it is read."""
        with self._watching() as engine, engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, name: str = "") -> Iterator[Connection]:
        """A transaction that never has to be repeated: it owns from its start what it is to write.

        That is the part of the cache under that name, the whole without one. SQLite has one writer anyway.
        """
        # Threads queue here; SQLite's own waiting polls with growing pauses and is for other processes.
        lock = self._write_lock if self.is_sqlite else nullcontext()
        with (
            self._watching() as engine,
            lock,
            engine.execution_options(coachboard_writes=True).begin() as connection,
        ):
            if not self.is_sqlite:
                _lock_part(connection, name)
            yield connection

    def compact(self) -> None:
        """Give back the room of what was deleted; PostgreSQL does so by itself."""
        if not self.is_sqlite:
            return
        with self._write_lock:
            raw = self.engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA incremental_vacuum").fetchall()
            finally:
                raw.close()

    def _open(self) -> Engine:
        engine = self._build()
        try:
            self._prepare(engine)
        except (DatabaseError, sqlite3.DatabaseError) as error:
            engine.dispose()
            if self.path is None or not _is_damage(error):
                raise
            set_aside(self.path)
            engine = self._build()
            self._prepare(engine)
        return engine

    @contextmanager
    def _watching(self) -> Iterator[Engine]:
        engine = self.engine
        try:
            yield engine
        except (DatabaseError, sqlite3.DatabaseError) as error:
            if self.path is None or not _is_damage(error):
                raise
            self._rebuild(engine)
            raise CacheLost from error

    def _rebuild(self, damaged: Engine) -> None:
        with self._write_lock:
            if self.engine is damaged and self.path is not None:
                damaged.dispose()
                set_aside(self.path)
                self.engine = self._open()

    def _build(self) -> Engine:
        if not self.is_sqlite:
            return sa.create_engine(self.url, pool_size=16, max_overflow=16, pool_pre_ping=True)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return _watched(sa.create_engine(self.url, pool_size=16, max_overflow=32, connect_args=_SQLITE))

    def _prepare(self, engine: Engine) -> None:
        with engine.execution_options(coachboard_writes=True).begin() as connection:
            if self.is_sqlite:
                _check_version(connection)
            else:  # two processes that create the tables at once would collide
                _lock_part(connection, "")
            METADATA.create_all(connection)
            connection.execute(sa.select(ITEMS.c.day).limit(1)).all()


def _lock_part(connection: Connection, name: str) -> None:
    """Own a part of the cache until the end of the transaction; who owns the whole keeps all others out."""
    if not name:
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_WHOLE})"))
        return
    connection.execute(
        sa.text(
            f"SELECT pg_advisory_xact_lock_shared({_WHOLE}), pg_advisory_xact_lock(hashtextextended(:name, 0))"
        ),
        {"name": name},
    )


def _check_version(connection: Connection) -> None:
    found = connection.exec_driver_sql("PRAGMA user_version").scalar()
    tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()
    if tables and found != VERSION:
        raise sqlite3.DatabaseError(f"not a database of version {VERSION}: {found}")
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")


def _is_damage(error: Exception) -> bool:
    return any(sign in str(error).lower() for sign in _DAMAGE)


_SQLITE = {"timeout": _BUSY_S, "check_same_thread": False, "isolation_level": None}


def _watched(engine: Engine) -> Engine:
    sa.event.listen(engine, "connect", _tune)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _tune(connection: Any, _record: object) -> None:
    # Room is given back only where this stands before the first write, and WAL is one.
    for pragma in ("auto_vacuum=INCREMENTAL", "synchronous=NORMAL", "mmap_size=268435456"):
        connection.execute(f"PRAGMA {pragma}")
    _use_wal(connection)


def _use_wal(connection: Any) -> None:
    # The change to WAL does not wait for its lock as all else does, and several processes may begin at once.
    give_up_at = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(0.01)
        else:
            return


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
