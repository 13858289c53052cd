"""The database of the cache and of the request log: a SQLite file or PostgreSQL.

A damaged file is quarantined and a new file begun; its content can be fetched again. While the database cannot be used,
each transaction raises `CacheError`: the client then works with what it has in memory.
"""

import logging
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NotSupportedError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from coachboard.database import (
    DAMAGE,
    looking_at,
    postgres_engine,
    put_aside,
    sqlite_engine,
    writing,
)

_LOGGER = logging.getLogger(__name__)

VERSION = 5
"""Raise it with every change of `ENTRIES` or of its content: the tables of earlier versions are deleted."""

PREFIX = "coachboard_cache_"
METADATA = sa.MetaData()
_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite increments only INTEGER keys

ENTRIES = sa.Table(
    f"{PREFIX}{VERSION}_entries",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("month", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fetched_at", sa.Double, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("ids", sa.Text, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),  # the last column: a query without it does not read it
)
"""Months of lists, and single values with the month 0; `ids` are those of the activities of a month."""

LOG = sa.MetaData()
CALLS = sa.Table(
    "coachboard_log_1_calls",
    LOG,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
"""The sliding log of requests; `user_id` is empty for requests that query no user. Versions of the cache share it."""
sa.Index("coachboard_log_1_calls_by_time", CALLS.c.scope, CALLS.c.at)

HOLDS = sa.Table(
    "coachboard_log_1_holds",
    LOG,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),  # its length when it was written
)
"""Moments before which requests wait, after a 429."""

BUSY_S = 10.0
"""How long a transaction waits for a lock before the database counts as unusable."""

RETRY_S = 30.0
"""How long a database that failed is not tried again."""

_CONNECT_S = 3
_PRAGMAS = ("auto_vacuum=INCREMENTAL", "mmap_size=268435456")
_OWN_TABLES = re.compile(rf"{PREFIX}(\d+)_")
_DAMAGE = (*DAMAGE, "no such table", "no such column", "disk i/o error", "could not decode")
"""Parts of the messages of SQLite, and of `DamagedCache`, that tell damage."""
_BUGS = (IntegrityError, DataError, NotSupportedError)  # of this code, in any database


class CacheError(Exception):
    """The database cannot be used at present."""


class DamagedCache(Exception):  # noqa: N818 (named like the state of the file)
    """The file does not hold the tables or the values of this cache."""


class Database:
    """Transactions that read and that write; safe for many threads and several processes."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if self.url.get_backend_name() == "sqlite" and self.url.database in {None, "", ":memory:"}:
            # Threads cannot share a SQLite database in memory; a temporary file has the same effect.
            self._folder = tempfile.TemporaryDirectory(prefix="coachboard-cache-")
            self.url = self.url.set(database=f"{self._folder.name}/cache.db")
        self.path = path_of(self.url)
        self._lock = threading.RLock()
        """Held by the thread that writes or opens: SQLite's own wait polls with growing pauses."""
        self._engine: Engine | None = None
        self._inode: int | None = None
        self._is_closed = False
        self._unusable_until = {"read": 0.0, "write": 0.0}
        self.trouble: str | None = None
        """Why the database cannot be used at present."""
        self.set_aside: Path | None = None
        """The damaged file that this process put aside."""
        with suppress(CacheError), self.reading():
            pass  # opens the database, so that `trouble` is known

    @property
    def name(self) -> str:
        """The address without its password."""
        return self.url.render_as_string(hide_password=True)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._dispose()
        if self._folder is not None:
            self._folder.cleanup()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads; raises `CacheError`."""
        with self._guarded("read"), self._opened().begin() as connection:
            yield connection

    @contextmanager
    def writing(self, part: str = "") -> Iterator[Connection]:
        """A transaction that locks from its start: SQLite as a whole, PostgreSQL a part. Raises `CacheError`.

        A disk that is full takes no writes and still gives what it has: a write that fails stops writes alone.
        """
        with (
            self._guarded("write"),
            nullcontext() if self.path is None else self._lock,
            writing(self._opened()).begin() as connection,
        ):
            if self.path is None:
                lock = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:part, 0))")
                connection.execute(lock, {"part": part})
            yield connection

    def compact(self) -> None:
        """Return the space of deleted rows to the disk; PostgreSQL does so by itself."""
        if self.path is None:
            return
        with (
            suppress(CacheError),
            self._guarded("write"),
            self._lock,
            closing(self._opened().raw_connection()) as raw,
        ):
            # `execute` makes one step, which returns one page; a script runs to its end.
            raw.cursor().executescript("PRAGMA incremental_vacuum")

    @contextmanager
    def _guarded(self, use: str) -> Iterator[None]:
        """Turn a failure of the database into `CacheError`, and do not try again for `RETRY_S`."""
        if time.monotonic() < self._unusable_until[use]:
            raise CacheError(self.trouble)
        handled = sys.exception()
        try:
            yield
        except (DBAPIError, PoolTimeout, DamagedCache, OSError) as error:
            if isinstance(error, _BUGS):
                raise
            if (interrupt := _interrupt_behind(error, handled)) is not None:
                raise interrupt from None
            self._failed(use, error)
            raise CacheError(self.trouble) from error
        else:
            if self.trouble is not None and (use == "write" or not self._unusable_until["write"]):
                self.trouble, self._unusable_until = None, {"read": 0.0, "write": 0.0}
                _LOGGER.info("cache %s is available again", self.name)

    def _failed(self, use: str, error: Exception) -> None:
        with self._lock:
            if self.path is not None and is_damage(error, self.path) and not self._is_closed:
                with suppress(OSError):
                    if self._engine is None or _inode(self.path) == self._inode:  # else another process did
                        self._quarantine(self.path)
                    self._dispose()
                    return
            for name in ("read", "write") if use == "read" or self._engine is None else ("write",):
                self._unusable_until[name] = time.monotonic() + RETRY_S
            if self.trouble is None:
                _LOGGER.warning("cannot use cache %s, continuing in memory: %s", self.name, _words(error))
            self.trouble = _words(error)

    def _quarantine(self, path: Path) -> None:
        if not path.exists():
            return
        self.set_aside = put_aside(path)
        _LOGGER.error(
            "cache %s is damaged; put aside as %s, starting with a new one", self.name, self.set_aside
        )

    def _dispose(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _opened(self) -> Engine:
        if (engine := self._engine) is not None:
            return engine  # without the lock: readers do not wait for the thread that writes
        with self._lock:
            if self._is_closed:
                raise CacheError("the cache is closed")
            if self._engine is None:
                if (path := self.path) is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    if path.exists() and path.stat().st_size and not _is_sound(path):
                        self._quarantine(path)
                engine = _make_engine(self.url)
                try:
                    _create_tables(engine)
                except BaseException:
                    engine.dispose()
                    raise
                sa.event.listen(engine, "checkin", partial(self._close_late, engine))
                self._engine = engine
                self._inode = None if path is None else _inode(path)
            return self._engine

    def _close_late(self, engine: Engine, _: object, record: Any) -> None:
        """Close a connection that was in use when its engine was disposed of: the pool would only forget it."""
        if engine is not self._engine:
            record.invalidate()


def path_of(url: URL) -> Path | None:
    """The SQLite file, None for PostgreSQL."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _inode(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_ino
    return None


def _interrupt_behind(error: BaseException | None, handled: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt during which the error occurred, unless the caller was already handling that interrupt.

    Ctrl+C during SQLAlchemy's check of a free connection to PostgreSQL leaves the reply unread, and the next call fails.
    """
    while error is not None and error is not handled:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__context__
    return None


def _words(error: Exception) -> str:
    """The message of the database, without the statement and its values."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    first = next(iter(str(cause).strip().splitlines()), "")
    return f"{type(cause).__name__}: {first}" if first else type(cause).__name__


def _make_engine(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        lock_timeout = f"-c lock_timeout={int(BUSY_S * 1000)}"
        return postgres_engine(
            url, connect_s=_CONNECT_S, settings=lock_timeout, pool_size=16, max_overflow=16
        )
    return sqlite_engine(url, busy_s=BUSY_S, pragmas=_PRAGMAS, pool_size=16, max_overflow=32)


def _create_tables(engine: Engine) -> None:
    """Create the tables, and delete those of earlier versions; a later version keeps its own."""
    is_sqlite = engine.dialect.name == "sqlite"
    with writing(engine).begin() as connection:
        if not is_sqlite:  # two processes that create the tables at once would collide
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(7205759403792793)"))
        for name in sa.inspect(connection).get_table_names():
            version = _OWN_TABLES.match(name)
            if version is not None and int(version[1]) < VERSION:
                connection.execute(sa.schema.DropTable(sa.Table(name, sa.MetaData())))
        METADATA.create_all(connection)
        LOG.create_all(connection)
        connection.execute(sa.select(ENTRIES).limit(1)).all()  # finds damage
        if is_sqlite:
            connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")


def find_mismatch(path: Path) -> str | None:
    """Why a file is no cache of this version, None where it is one. Reads the file only."""
    try:
        with looking_at(path) as connection:
            names = _tables_in(connection)
            version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    except DBAPIError as error:
        return str(error.orig)
    if names and not any(map(_OWN_TABLES.match, names)):
        return f"contains other tables: {', '.join(names[:3])}"
    return f"of version {version}, not {VERSION}" if names and version != VERSION else None


def _is_sound(path: Path) -> bool:
    """Whether the file is a cache, of whatever version, that can be read."""
    mismatch = find_mismatch(path)
    return mismatch is None or mismatch.startswith("of version")


def _tables_in(connection: Connection) -> list[str]:
    names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for name in names.scalars() if not name.startswith("sqlite_")]


def is_damage(error: Exception, path: Path) -> bool:
    """Whether the file is damaged or deleted."""
    is_gone = not path.exists() and path.parent.is_dir() and isinstance(error, DBAPIError)
    return is_gone or any(sign in str(error).lower() for sign in _DAMAGE)
