"""The cache's database: a SQLite file, or PostgreSQL beside whatever else lives there.

A file that is damaged or of another version is set aside and a new one begun; what was in it can be fetched.
Where there is no room, no right or no server, the cache goes on in memory until its own place can be used again.
"""

import logging
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NotSupportedError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from coachboard.client.cache.aside import check_version, is_damage, set_aside
from coachboard.client.cache.engines import BUSY_S, Place, lock_part, memory_place, open_place, path_of
from coachboard.client.cache.plain import Asking, Through
from coachboard.client.cache.tables import BUDGET, CACHE, Schema

_LOGGER = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

BUDGET_SUFFIX = "-budget"
"""What the file of the budget's log is called after that of the cache."""

RETRY_S = 30.0
"""How long the cache stays in memory before its own place is tried again."""

_MOST_MOVES = 5
_OURS = (  # mistakes of this code, which no other place mends
    IntegrityError,
    DataError,
    NotSupportedError,
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.NotSupportedError,
)


class CacheLost(Exception):  # noqa: N818 (what happened; the reader asks again, nobody is shown it)
    """The cache has moved on the way: the same again finds what is there now."""


def again_if_lost(read: Callable[[], T]) -> T:
    """Do it, and again where the cache was lost on the way."""
    for _ in range(_MOST_MOVES):
        try:
            return read()
        except CacheLost:
            continue
    return read()


def steady(method: Callable[P, T]) -> Callable[P, T]:
    """A method of one transaction, which is done again where the cache was lost in the middle of it."""

    @wraps(method)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        return again_if_lost(lambda: method(*args, **kwargs))

    return done


class Database:
    """The two kinds of transaction; safe for many threads and several processes."""

    def __init__(self, url: str | URL, *, schema: Schema = CACHE, busy_s: float = BUSY_S) -> None:
        self.url = make_url(url)
        self._schema = schema
        self._busy_s = busy_s
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if self.url.get_backend_name() == "sqlite" and self.url.database in {None, "", ":memory:"}:
            # Many threads cannot share a database in memory; a file of one's own does the same.
            self._folder = tempfile.TemporaryDirectory(prefix="coachboard-cache-")
            self.url = self.url.set(database=f"{self._folder.name}/cache.db")
        self._write_lock = threading.Lock()
        self._moving = threading.RLock()
        self._is_closed = False
        self._try_at = 0.0
        self.trouble: str | None = None
        """Why the cache's own place cannot be used at present."""
        self.moves = 0
        """How often the cache has moved: what was read before belongs to what was there before."""
        try:
            self.place = open_place(self.url, schema, busy_s=busy_s)
        except (DBAPIError, sqlite3.Error, OSError) as error:
            self.place = self._resorted(error)

    def __repr__(self) -> str:
        return f"Database({self.url.render_as_string(hide_password=True)!r})"

    def for_budget(self) -> "Database":
        """Where the budget's log stands: on PostgreSQL here, beside a SQLite file in one of its own.

        There another version of the cache, which sets this file aside, finds it as before.
        """
        path = self.path
        if path is None:
            return self
        beside = self.url.set(database=f"{path}{BUDGET_SUFFIX}")
        return Database(beside, schema=BUDGET, busy_s=self._busy_s)

    def close(self) -> None:
        with self._moving:
            self._is_closed = True
            self.place.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def engine(self) -> Engine:
        """The engine in use."""
        return self.place.engine

    @property
    def path(self) -> Path | None:
        """The SQLite file, None for PostgreSQL."""
        return path_of(self.url)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One view of the cache that does not change while it is read."""
        with self._watching() as place:
            lock = self._write_lock if place.is_memory else nullcontext()
            with lock, place.engine.begin() as connection:
                yield connection

    @contextmanager
    def writing(self, name: str = "") -> Iterator[Connection]:
        """A transaction that never has to be repeated: it owns from its start what it is to write.

        That is the part of the cache under that name, the whole without one. SQLite has one writer anyway.
        """
        with self._watching() as place:
            # Threads queue here; SQLite's own waiting polls with growing pauses and is for other processes.
            lock = self._write_lock if place.is_sqlite else nullcontext()
            with lock, place.writes.begin() as connection:
                if not place.is_sqlite:
                    lock_part(connection, name)
                yield connection

    @contextmanager
    def asking(self) -> Iterator[Asking]:
        """As `reading`, for one plain statement."""
        with self._watching() as place:
            if place.lanes is not None:
                with place.lanes.reading() as straight:
                    yield straight
                return
        with self.reading() as connection:
            yield Through(connection)

    @contextmanager
    def noting(self, name: str) -> Iterator[Asking]:
        """As `writing`, for plain statements."""
        with self._watching() as place:
            if place.lanes is not None:
                with self._write_lock, place.lanes.writing() as straight:
                    yield straight
                return
        with self.writing(name) as connection:
            yield Through(connection)

    @steady
    def compact(self) -> None:
        """Give back the room of what was deleted; PostgreSQL does so by itself."""
        with self._watching() as place:
            if not place.is_sqlite:
                return
            with self._write_lock:
                raw = place.engine.raw_connection()
                try:
                    # `execute` takes one step of it, which gives back one page; a script runs to its end.
                    raw.cursor().executescript("PRAGMA incremental_vacuum")
                finally:
                    raw.close()

    def try_again(self) -> bool:
        """Move back from memory where the cache's own place can be used again."""
        with self._moving:
            if not self.place.is_memory or self._is_closed:
                return True
            try:
                self._move_home()
            except (DBAPIError, sqlite3.Error, OSError) as error:
                self.trouble = _words(error)
                self._try_at = time.monotonic() + RETRY_S
                return False
            self.trouble = None
            _LOGGER.info("cache %r is available again", self)
            return True

    def _move_home(self) -> None:
        memory, home = self.place, self._opened_again()
        self._move(home)
        with self._write_lock:  # so that nobody is in the middle of it
            memory.close()

    @contextmanager
    def _watching(self) -> Iterator[Place]:
        place = self.place
        if place.is_memory and time.monotonic() > self._try_at:
            self._try_at = time.monotonic() + RETRY_S
            threading.Thread(target=self.try_again, name="coachboard-cache", daemon=True).start()
        try:
            yield place
        except (DBAPIError, PoolTimeout, sqlite3.Error) as error:
            if isinstance(error, _OURS) or (place.is_memory and place is self.place):
                raise
            self._leave(place, error)
            raise CacheLost from error

    def _leave(self, place: Place, error: Exception) -> None:
        with self._moving:
            if self.place is not place:
                return
            place.close()
            path = self.path
            try:
                if path is None or not is_damage(error, path):
                    raise error
                if path.exists():
                    check_version(path, self._schema, takes_over=False)
                    set_aside(path)
                self._move(self._opened_again())
            except (DBAPIError, PoolTimeout, sqlite3.Error, OSError) as trouble:
                self._move(self._resorted(trouble))

    def _opened_again(self) -> Place:
        return open_place(self.url, self._schema, busy_s=self._busy_s, takes_over=False)

    def _resorted(self, error: Exception) -> Place:
        self.trouble = _words(error)
        self._try_at = time.monotonic() + RETRY_S
        _LOGGER.warning("cannot use cache %r, using memory instead: %s", self, self.trouble)
        return memory_place()

    def _move(self, place: Place) -> None:
        self.place = place
        self.moves += 1


def _words(error: Exception) -> str:
    """What the database said, without the statement and its values."""
    said = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    first = next(iter(str(said).strip().splitlines()), "")
    return f"{type(said).__name__}: {first}" if first else type(said).__name__
