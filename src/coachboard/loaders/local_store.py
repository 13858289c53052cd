"""The dashboard's own database: settings, invitations, snoozed flags, reviews, visits, keys of OpenID Connect identities.

A small database separate from the client's cache, so that clearing the cache deletes none of it.
Every row belongs to the fingerprint of one key at one service address.
"""

import hashlib
import logging
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Dialect,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    event,
    make_url,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.schema import CreateIndex, CreateTable

from coachboard.database import (
    looking_at,
    postgres_engine,
    put_aside,
    put_aside_before,
    sqlite_engine,
    writing,
)
from coachboard.plain_text import first_line

_LOGGER = logging.getLogger(__name__)

METADATA = MetaData()

PREFERENCES = Table(
    "dashboard_preferences",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("body", Text, nullable=False),
)

LEDGER = Table(
    "dashboard_invitations",
    METADATA,
    Column("owner", String(64), primary_key=True),
    # One press of the button for one address: a second run with the same token sends nothing.
    Column("token", String(80), primary_key=True),
    Column("sent_at", DateTime, nullable=False, index=True),
    Column("sent_by", Text, nullable=False),
    Column("workspace_id", Text, nullable=False),
    Column("workspace_name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("with_mail", Boolean, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("code", Text),
    Column("expires_at", DateTime),
    Column("extensions", Integer, nullable=False, default=0),
    Column("says", Text),
)

SNOOZED_FLAGS = Table(
    "dashboard_put_off_flags",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("user_id", String(100), primary_key=True),
    Column("rule_id", String(64), primary_key=True),
    Column("until", Date, nullable=False),
    Column("reason", Text, nullable=False),
    Column("put_off_at", DateTime, nullable=False),
)

REVIEWS = Table(
    "dashboard_reviews",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("user_id", String(100), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("remark", Text, nullable=False),
    Column("reviewed_at", DateTime, nullable=False),
)

VISITS = Table(
    "dashboard_visits",
    METADATA,
    Column("owner", String(64), primary_key=True),
    Column("since", DateTime),  # the end of the previous visit
    Column("seen_at", DateTime, nullable=False),
    Column("before", Text, nullable=False),  # the roster's data at the end of the previous visit
    Column("latest", Text, nullable=False),
)

IDENTITY_KEYS = Table(
    "dashboard_identity_keys",
    METADATA,
    Column("identity", String(64), primary_key=True),
    Column("sealed_key", LargeBinary, nullable=False),
)


def fingerprint(base_url: str, api_key: str) -> str:
    """A digest that represents a key at an address in files and tables; the key cannot be recovered."""
    text = f"coachboard dashboard\0{base_url.rstrip('/')}\0{api_key}"
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=4)
def beside_cache(cache_url: str) -> URL:
    """The address of this store: `dashboard.db` in the cache's folder, or the cache's PostgreSQL database."""
    url = make_url(cache_url)
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        return url.set(database=str(Path(url.database).with_name("dashboard.db")))
    return url


class StoreUnreachable(Exception):  # noqa: N818 (what happened, as in the client's errors)
    """The store is unavailable: its server is down, or its disk is full."""


_CHANGES: Counter[str] = Counter()


def note_change(owner: str) -> None:
    """Count a change of this key's rows, so that open pages show it at their next run."""
    _CHANGES[owner] += 1


def changes(owner: str) -> int:
    """How often this process has changed the rows of this key."""
    return _CHANGES[owner]


@contextmanager
def asked() -> Iterator[None]:
    """Raise `StoreUnreachable` for a fault of the store itself: its server, its disk, its file or a row that is damaged."""
    try:
        yield
    except (IntegrityError, DataError, ProgrammingError, NotSupportedError):
        raise
    except (DatabaseError, PoolTimeout, sqlite3.Error, ValueError) as error:
        _LOGGER.warning("cannot use the dashboard's database: %s", str(error.args[0]).splitlines()[0])
        raise StoreUnreachable from error


@contextmanager
def changing(engine: Engine, owner: str) -> Iterator[Connection]:
    """A transaction that changes rows of this key; raises `StoreUnreachable`."""
    with asked(), writing(engine).begin() as connection:
        yield connection
    note_change(owner)


def open_store(cache_url: str) -> Engine:
    """Open the store, and create its folder and tables if missing; raises `StoreUnreachable`."""
    engine = store_at(cache_url)
    try:
        with asked():
            METADATA.create_all(engine)
    except StoreUnreachable:
        engine.dispose()
        raise
    return engine


def store_at(cache_url: str) -> Engine:
    """The store before its first connection; each use raises `StoreUnreachable` while it fails."""
    url = beside_cache(cache_url)
    if url.get_backend_name() == "sqlite":
        return _file_engine(url)
    return postgres_engine(url, connect_s=_CONNECT_S)


@lru_cache(maxsize=4)
def _each_column(dialect: Dialect) -> str:
    """Names each column of each table and reads no row: one query instead of seven."""
    each = (
        select(text("1")).where(text("1 = 0"), *(column.is_(None) for column in table.c))
        for table in METADATA.sorted_tables
    )
    return str(union_all(*each).compile(dialect=dialect))


def trouble_of(engine: Engine) -> str | None:
    """Why the store cannot be used at present; None if it can.

    Each page run asks this: through a transaction of SQLAlchemy, the query took 4 % of a rerun of the roster.
    """
    driver = engine.dialect.loaded_dbapi
    try:
        with closing(engine.raw_connection()) as connection:
            connection.cursor().execute(_each_column(engine.dialect))
    except (driver.Error, PoolTimeout) as error:
        return first_line(error)
    return None


def quarantined(cache_url: str) -> Path | None:
    """The newest damaged file that was put aside, which an administrator can try to repair."""
    url = beside_cache(cache_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    path = Path(str(url.database))
    return max(put_aside_before(path), default=None)


def _file_engine(url: URL) -> Engine:
    path = Path(url.database or "")
    with suppress(OSError):  # opening the file then says why it cannot be used
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = sqlite_engine(url, busy_s=_BUSY_S, set_up=_create_tables)
    event.listen(
        engine, "handle_error", lambda context: _quarantine(engine, path, context.original_exception)
    )
    return engine


_QUARANTINE_LOCK = threading.Lock()


def _quarantine(engine: Engine, path: Path, error: BaseException) -> None:
    """Rename a damaged file, with which every page failed until it was deleted; the next connection makes a new one."""
    if not isinstance(error, sqlite3.DatabaseError):
        return
    with _QUARANTINE_LOCK:
        if path.is_file() and _is_damaged(path):
            engine.dispose()
            target = put_aside(path)
            _LOGGER.error(
                "the dashboard's database is damaged; put aside as %s, starting with a new one", target
            )


def _is_damaged(path: Path) -> bool:
    """A fresh look: another thread may have put the damaged file aside already."""
    try:
        with looking_at(path) as connection:
            return connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok"
    except OperationalError:  # locked, no right to read, no space: not damaged
        return False
    except DatabaseError:
        return True


_CONNECT_S, _BUSY_S = 3, 5
_SQLITE = sqlite.dialect()


def _create_tables(connection: sqlite3.Connection) -> None:
    for table in METADATA.sorted_tables:
        connection.execute(str(CreateTable(table, if_not_exists=True).compile(dialect=_SQLITE)))
        for index in table.indexes:
            connection.execute(str(CreateIndex(index, if_not_exists=True).compile(dialect=_SQLITE)))
