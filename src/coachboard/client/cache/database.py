"""The database of the cache: a SQLite file or PostgreSQL, and memory while neither can be used.

A damaged file is quarantined and a new file begun; its content can be fetched again. On a full disk, a missing
right or a lost server the cache continues in memory, and moves back when its database works again.
"""

import logging
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache, wraps
from pathlib import Path
from queue import Empty, SimpleQueue
from types import UnionType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NotSupportedError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool, StaticPool
from sqlalchemy.util import queue as sqlalchemy_queue

from coachboard.client.cache.schema import (
    APPLICATION_ID,
    BLOBS,
    BUDGET,
    CACHE,
    CacheFileError,
    Schema,
    check_version,
    find_mismatch_in,
    is_damage,
    is_of_other_version,
    quarantine,
    require_types,
)
from coachboard.write_ahead import use_write_ahead_log

_LOGGER = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

BUDGET_SUFFIX = "-budget"
"""The file name of the request log is that of the cache with this suffix."""

BUSY_S = 10.0
"""How long a transaction waits for a lock before the database counts as unusable."""

RETRY_S = 30.0
"""How long the cache stays in memory before it tries its own database again."""

_PLACES = 4_096
"""Places for the number of the last write of each part; parts that share a place change together."""

_CONNECT_S = 3
_WHOLE_CACHE = 7205759403792793  # the advisory lock of PostgreSQL for the whole cache
_MAX_MOVES = 5
_LOST = (DBAPIError, PoolTimeout, CacheFileError)
_UNUSABLE = (*_LOST, OSError)
_BUGS = (IntegrityError, DataError, NotSupportedError)  # of this code, in any database


class CacheLost(Exception):  # noqa: N818 (never shown: the caller repeats the read)
    """The cache moved to another database during a transaction; repeat the transaction."""


def retry_if_lost(read: Callable[[], T]) -> T:
    """Read, and repeat the read if the cache moved meanwhile."""
    for _ in range(_MAX_MOVES):
        try:
            return read()
        except CacheLost:
            continue
    return read()


def steady(method: Callable[P, T]) -> Callable[P, T]:
    """A method of one transaction, repeated if the cache moved meanwhile."""

    @wraps(method)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        return retry_if_lost(lambda: method(*args, **kwargs))

    return done


class CacheMoment(NamedTuple):
    """A moment of the cache, to ask later which parts have not changed since."""

    database: object
    moves: int
    foreign_writes: int  # a number that every write of another process changes
    whole_writes: int
    writes: int


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """The database in use; each move of the cache opens another."""

    engine: Engine
    writes: Engine
    """The engine for transactions that write; for a SQLite file it has one connection."""
    is_sqlite: bool
    is_memory: bool = False
    inode: int | None = None  # of the file

    def dispose(self) -> None:
        self.engine.dispose()
        self.writes.dispose()


Later = Callable[[Hashable, Callable[[], object]], None]
"""Runs a job in the background, unless a job with the same key waits or runs."""


def _at_once(_key: Hashable, job: Callable[[], object]) -> None:
    job()


class Database:
    """Transactions that read and that write; safe for many threads and several processes."""

    def __init__(
        self, url: str | URL, *, schema: Schema = CACHE, busy_s: float = BUSY_S, later: Later = _at_once
    ) -> None:
        """The database of the address; `later` runs a job in the background."""
        self.url = make_url(url)
        self._schema = schema
        self._busy_s = busy_s
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if self.url.get_backend_name() == "sqlite" and self.url.database in {None, "", ":memory:"}:
            # Threads cannot share a SQLite database in memory; a temporary file has the same effect.
            self._folder = tempfile.TemporaryDirectory(prefix="coachboard-cache-")
            self.url = self.url.set(database=f"{self._folder.name}/cache.db")
        self._write_lock = threading.Lock()
        self._writes = self._whole_writes = 0
        self._last_writes = [0] * _PLACES
        self._moving = threading.RLock()
        self._later = later
        self._is_closed = False
        self._try_at = 0.0
        self.trouble: str | None = None
        """Why the database of the address cannot be used at present."""
        self.set_aside: Path | None = None
        """The damaged file that this process put aside."""
        self.moves = 0
        """How often the cache has moved: data read before a move may be missing after it."""
        try:
            self._open = self._opened(takes_over=True)
        except _UNUSABLE as error:
            self._open = self._in_memory(error)

    def __repr__(self) -> str:
        return f"Database({self.name!r})"

    @property
    def name(self) -> str:
        """The address without its password."""
        return self.url.render_as_string(hide_password=True)

    def for_budget(self) -> "Database":
        """The database of the request log: on PostgreSQL the same, on SQLite a file of its own.

        A version of Coachboard that quarantines the cache would otherwise forget the requests of the last minute.
        """
        path = self.path
        if path is None:
            return self
        beside = self.url.set(database=f"{path}{BUDGET_SUFFIX}")
        return Database(beside, schema=BUDGET, busy_s=self._busy_s, later=self._later)

    def close(self) -> None:
        with self._moving:
            self._is_closed = True
            # SQLite ends the process if one thread closes the connection in memory while another one uses it.
            with self._write_lock if self._open.is_memory else nullcontext():
                self._open.dispose()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def engines(self) -> tuple[Engine, Engine]:
        """The engines in use, for reads and for writes."""
        return self._open.engine, self._open.writes

    @property
    def path(self) -> Path | None:
        """The SQLite file, None for PostgreSQL."""
        return path_of(self.url)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads."""
        with self._watching() as used:
            lock = self._write_lock if used.is_memory else nullcontext()
            with lock, used.engine.begin() as connection:
                yield connection

    def rows(
        self, query: sa.Select[Any], values: Mapping[str, Any], *types: type | UnionType
    ) -> list[tuple[Any, ...]]:
        """The rows of one query, which needs no transaction; columns of other types are damage.

        A transaction of SQLAlchemy took 91 us for a profile, SQLite itself 5 us; a rerun of a page has eight such reads.
        """
        with self._watching() as used:
            found: list[tuple[Any, ...]]
            if used.is_sqlite and not used.is_memory:
                text, fixed = _as_sqlite(query)
                with _cursor(used.engine) as cursor:
                    cursor.execute(text, {**fixed, **values})
                    found = list(cursor.fetchall())
            else:
                with self._write_lock if used.is_memory else nullcontext(), used.engine.begin() as connection:
                    found = list(map(tuple, connection.execute(query, values)))
            for row in found if types else ():
                require_types(row, *types)
            return found

    @contextmanager
    def writing(self, part: str = "") -> Iterator[Connection]:
        """A transaction that locks a part of the cache from its start, the whole cache without a name.

        It cannot fail half-way because another transaction wrote the same rows. SQLite has one writer anyway.
        """
        # Threads wait for the lock; SQLite's own wait polls with growing pauses and is for other processes.
        with self._watching() as used, self._write_lock if used.is_sqlite else nullcontext():
            try:
                with used.writes.begin() as connection:
                    if not used.is_sqlite:
                        _lock_part(connection, part)
                    yield connection
            finally:
                self._note_write(part)

    def _note_write(self, part: str) -> None:
        self._writes += 1
        if part:
            self._last_writes[hash(part) % _PLACES] = self._writes
        else:
            self._whole_writes += 1

    def moment(self) -> CacheMoment | None:
        """The present moment; None while this process writes, and on PostgreSQL, which does not count its writes.

        SQLite's `data_version` counts the writes of other connections: as one connection makes all writes of this
        process, these are the writes of other processes.
        """
        with suppress(CacheLost), self._watching() as used:
            if not used.is_sqlite or not self._write_lock.acquire(blocking=False):
                return None
            try:
                foreign_writes = 0 if used.is_memory else _data_version(used.writes)
                return CacheMoment(self, self.moves, foreign_writes, self._whole_writes, self._writes)
            finally:
                self._write_lock.release()
        return None

    def is_unchanged(self, parts: Iterable[str], since: CacheMoment | None) -> bool:
        """Whether no process has written to these parts since that moment; false if that is unknown."""
        now = self.moment()
        if now is None or since is None or now[:-1] != since[:-1]:
            return False
        return all(self._last_writes[hash(part) % _PLACES] <= since.writes for part in parts)

    @steady
    def compact(self) -> None:
        """Return the space of deleted rows to the disk; PostgreSQL does so by itself."""
        with self._watching() as used:
            if not used.is_sqlite:
                return
            with self._write_lock, _cursor(used.writes) as cursor:
                # `execute` makes one step, which returns one page; a script runs to its end.
                cursor.executescript("PRAGMA incremental_vacuum")

    def try_again(self) -> bool:
        """Move back from memory if the database of the address can be used again."""
        with self._moving:
            if not self._open.is_memory or self._is_closed:
                return True
            memory = self._open
            try:
                self._move(self._opened(takes_over=False))
            except _UNUSABLE as error:
                self.trouble = _words(error)
                self._try_at = time.monotonic() + RETRY_S
                return False
            with self._write_lock:  # a transaction in memory ends first
                memory.dispose()
            self.trouble = None
            _LOGGER.info("cache %r is available again", self)
            return True

    @contextmanager
    def _watching(self) -> Iterator[OpenDatabase]:
        """Move the cache if its database fails during a transaction; raises `CacheLost` after the move."""
        used = self._open
        if used.is_memory and time.monotonic() > self._try_at:
            self._try_at = time.monotonic() + RETRY_S
            # PostgreSQL may take three seconds to refuse: a page must not wait for that.
            self._later(self, self.try_again)
        handled = sys.exception()
        try:
            yield used
        except _LOST as error:
            interrupt = _interrupt_behind(error, handled)
            if interrupt is not None:
                raise interrupt from None
            if isinstance(error, _BUGS) or (used.is_memory and used is self._open):
                raise
            self._leave(used, error)
            raise CacheLost from error

    def _leave(self, used: OpenDatabase, error: Exception) -> None:
        with self._moving:
            if self._open is not used:
                return
            used.dispose()
            path = self.path
            if self._is_closed:  # a new attempt would create the folder of a temporary cache again
                raise error
            try:
                if path is None or not is_damage(error, path):
                    raise error
                if _inode(path) == used.inode:  # else another process has put the damaged file aside
                    self._quarantine(path, error, takes_over=False)
                self._move(self._opened(takes_over=False))
            except _UNUSABLE as trouble:
                self._move(self._in_memory(trouble))

    def _quarantine(self, path: Path, error: Exception, *, takes_over: bool) -> None:
        if not path.exists():
            return
        check_version(path, self._schema, takes_over=takes_over)
        target = quarantine(path)
        if is_of_other_version(error):
            _LOGGER.info("cache %r is of another version; put aside as %s", self, target)
        else:
            self.set_aside = target
            _LOGGER.error("cache %r is damaged; put aside as %s, starting with a new one", self, target)

    def _opened(self, *, takes_over: bool) -> OpenDatabase:
        """The database of the address with its tables; a damaged file is quarantined first.

        A file of another version is quarantined only when this process starts: two versions that run at once
        would otherwise quarantine each other's file in turns.
        """
        path = self.path
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _open_database(self.url, self._schema, self._busy_s)
        except (sa.exc.DatabaseError, CacheFileError) as error:
            if path is None or not is_damage(error, path):
                raise
            self._quarantine(path, error, takes_over=takes_over)
            return _open_database(self.url, self._schema, self._busy_s)

    def _in_memory(self, error: Exception) -> OpenDatabase:
        self.trouble = _words(error)
        self._try_at = time.monotonic() + RETRY_S
        _LOGGER.warning("cannot use cache %r, using memory instead: %s", self, self.trouble)
        return _open_memory()

    def _move(self, to: OpenDatabase) -> None:
        self._open = to
        self.moves += 1


@contextmanager
def _cursor(engine: Engine) -> Iterator[DBAPICursor]:
    """A cursor of the driver, without a transaction; errors of the driver become those of SQLAlchemy."""
    driver = engine.dialect.loaded_dbapi
    try:
        with closing(engine.raw_connection()) as raw:
            yield raw.cursor()
    except driver.Error as error:
        raise DBAPIError.instance(None, None, error, driver.Error) from error


def _data_version(writes: Engine) -> int:
    with _cursor(writes) as cursor:
        cursor.execute("PRAGMA data_version")
        ((version,),) = cursor.fetchall()
        return int(version)


@cache
def _as_sqlite(query: sa.Select[Any]) -> tuple[str, dict[str, Any]]:
    """The query as text with the values that are part of it. Queries are constants of their modules."""
    compiled = query.compile(dialect=sqlite.dialect(paramstyle="named"))
    return str(compiled), compiled.params


def _inode(path: Path | None) -> int | None:
    with suppress(OSError):
        return None if path is None else path.stat().st_ino
    return None


def path_of(url: URL) -> Path | None:
    """The SQLite file, None for PostgreSQL."""
    is_file = url.get_backend_name() == "sqlite" and url.database
    return Path(str(url.database)) if is_file else None


class _FreeConnections(sqlalchemy_queue.QueueCommon[ConnectionPoolEntry]):
    """The free connections of a pool, without a lock in Python.

    SQLAlchemy's queue holds its lock for several lines of Python. With 12 clients on a busy machine 74 of 200 threads
    waited for this lock, and no page was drawn for minutes.
    """

    def __init__(self, maxsize: int = 0, use_lifo: bool = False) -> None:  # noqa: FBT001, FBT002 (SQLAlchemy's signature)
        self.maxsize, self.use_lifo = maxsize, use_lifo
        self._free: SimpleQueue[ConnectionPoolEntry] = SimpleQueue()

    def qsize(self) -> int:
        return self._free.qsize()

    def put(self, item: ConnectionPoolEntry, block: bool = True, timeout: float | None = None) -> None:  # noqa: ARG002, FBT001, FBT002
        if self._free.qsize() >= self.maxsize:
            raise sqlalchemy_queue.Full
        self._free.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> ConnectionPoolEntry:  # noqa: FBT001, FBT002
        try:
            return self._free.get(block, timeout)
        except Empty:
            raise sqlalchemy_queue.Empty from None


class _Pool(QueuePool):
    """A pool of connections with another queue."""

    _queue_class = _FreeConnections


def _interrupt_behind(error: BaseException | None, handled: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt during which the error occurred, unless the caller was already handling that interrupt.

    Ctrl+C during SQLAlchemy's check of a free connection to PostgreSQL leaves the reply unread, and the next call fails.
    A sync took this error for a lost database and did not end.
    """
    while error is not None and error is not handled:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__context__
    return None


def _words(error: Exception) -> str:
    """The message of the database, without the statement and its values."""
    said = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    first = next(iter(str(said).strip().splitlines()), "")
    return f"{type(said).__name__}: {first}" if first else type(said).__name__


def _open_database(url: URL, schema: Schema, busy_s: float) -> OpenDatabase:
    if url.get_backend_name() == "sqlite":
        arguments = _sqlite_arguments(busy_s)
        engine, writes = (
            sa.create_engine(url, poolclass=_Pool, pool_size=most, max_overflow=more, connect_args=arguments)
            for most, more in ((16, 32), (1, 0))
        )
        used = OpenDatabase(_tuned(engine, busy_s), _writing(_tuned(writes, busy_s)), is_sqlite=True)
    else:
        engine = _postgres(url, busy_s)
        used = OpenDatabase(engine, _writing(engine), is_sqlite=False)
    try:
        _create_tables(used, (schema,) if used.is_sqlite else (CACHE, BUDGET), schema)
    except BaseException:
        used.dispose()
        raise
    return replace(used, inode=_inode(path_of(url)))


def _open_memory() -> OpenDatabase:
    """A database in memory, for the cache and the request log: one connection, one transaction at a time."""
    engine = sa.create_engine("sqlite://", poolclass=StaticPool, connect_args=_sqlite_arguments(BUSY_S))
    used = OpenDatabase(_tuned(engine, BUSY_S), _writing(engine), is_sqlite=True, is_memory=True)
    _create_tables(used, (CACHE, BUDGET), CACHE)
    return used


def _create_tables(used: OpenDatabase, schemas: tuple[Schema, ...], schema: Schema) -> None:
    with used.writes.begin() as connection:
        if not used.is_sqlite:  # two processes that create the tables at once would collide
            _lock_part(connection, "")
        elif not used.is_memory:
            _claim_file(connection, schema)
        for one in schemas:
            one.metadata.create_all(connection)
        connection.execute(sa.select(schema.probe).limit(1)).all()
        if CACHE in schemas:  # former versions stored frames of long lists here, which nothing reads
            connection.execute(sa.delete(BLOBS).where(BLOBS.c.kind.startswith("frame ")))


def _claim_file(connection: Connection, schema: Schema) -> None:
    mismatch = find_mismatch_in(connection, schema)
    if mismatch is not None:
        raise CacheFileError(f"not a database of this cache: {mismatch}")
    connection.exec_driver_sql(f"PRAGMA user_version = {schema.version}")
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def _lock_part(connection: Connection, part: str) -> None:
    """On PostgreSQL, lock a part of the cache, or all of it, until the end of the transaction."""
    if not part:
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_WHOLE_CACHE})"))
        return
    locks = f"pg_advisory_xact_lock_shared({_WHOLE_CACHE}), pg_advisory_xact_lock(hashtextextended(:part, 0))"
    connection.execute(sa.text(f"SELECT {locks}"), {"part": part})


def _postgres(url: URL, busy_s: float) -> Engine:
    arguments = {"connect_timeout": _CONNECT_S, "options": f"-c lock_timeout={int(busy_s * 1000)}"}
    return sa.create_engine(url, pool_size=16, max_overflow=16, pool_pre_ping=True, connect_args=arguments)


def _sqlite_arguments(busy_s: float) -> dict[str, Any]:
    return {"timeout": busy_s, "check_same_thread": False, "isolation_level": None}


def _writing(engine: Engine) -> Engine:
    return engine.execution_options(coachboard_writes=True)


def _tuned(engine: Engine, busy_s: float) -> Engine:
    sa.event.listen(engine, "connect", lambda connection, _: _set_pragmas(connection, busy_s))
    sa.event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, busy_s: float) -> None:
    # auto_vacuum has an effect only before the first write, and the change to WAL is a write.
    for pragma in ("auto_vacuum=INCREMENTAL", "synchronous=NORMAL", "mmap_size=268435456"):
        connection.execute(f"PRAGMA {pragma}")
    use_write_ahead_log(connection, busy_s=busy_s)


def _begin(connection: Connection) -> None:
    # The driver begins no transaction (isolation_level None). A writer asks for its lock at the start.
    writes = connection.get_execution_options().get("coachboard_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
