"""The engines behind a cache: a SQLite file, PostgreSQL, or memory where neither can be used."""

import sqlite3
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.pool import StaticPool

from coachboard.client.cache.aside import APPLICATION_ID, check_version, is_damage, oddity_in, set_aside
from coachboard.client.cache.plain import Lanes
from coachboard.client.cache.tables import BUDGET, CACHE, Schema
from coachboard.write_ahead import use_write_ahead_log

BUSY_S = 10.0
"""How long a transaction waits for another's before the cache counts as unusable."""

_CONNECT_S = 3
_WHOLE = 7205759403792793  # a number of our own among PostgreSQL's advisory locks


@dataclass(frozen=True, slots=True)
class Place:
    """Where the cache is at present; a new one each time it moves."""

    engine: Engine
    is_sqlite: bool
    is_memory: bool = False
    lanes: Lanes | None = None
    """The short way into a SQLite file."""
    writes: Engine = field(init=False)
    """The same for transactions that write; made once, as it takes as long as one of them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "writes", self.engine.execution_options(coachboard_writes=True))

    def close(self) -> None:
        self.engine.dispose()
        if self.lanes is not None:
            self.lanes.close()


def open_place(url: URL, schema: Schema = CACHE, *, busy_s: float = BUSY_S, takes_over: bool = True) -> Place:
    """The database of that address with its tables; a damaged file is set aside first.

    One of another version is only where this is to take over: two that run would else do so by turns.
    """
    path = path_of(url)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _opened(url, schema, busy_s)
    except (sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
        if path is None or not is_damage(error, path):
            raise
        if path.exists():
            check_version(path, schema, takes_over=takes_over)
            set_aside(path)
        return _opened(url, schema, busy_s)


def memory_place() -> Place:
    """A database in memory: one connection, for one transaction at a time."""
    engine = _watched(
        sa.create_engine("sqlite://", poolclass=StaticPool, connect_args=_sqlite_arguments(BUSY_S)), BUSY_S
    )
    place = Place(engine, is_sqlite=True, is_memory=True)
    _prepare(place, CACHE)
    return place


def path_of(url: URL) -> Path | None:
    """The SQLite file, None for PostgreSQL."""
    is_file = url.get_backend_name() == "sqlite" and url.database
    return Path(str(url.database)) if is_file else None


def lock_part(connection: Connection, name: str) -> None:
    """On PostgreSQL, own a part of the cache until the end of the transaction.

    Who owns the whole, which has no name, keeps all others out.
    """
    if not name:
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_WHOLE})"))
        return
    connection.execute(
        sa.text(
            f"SELECT pg_advisory_xact_lock_shared({_WHOLE}), pg_advisory_xact_lock(hashtextextended(:name, 0))"
        ),
        {"name": name},
    )


def _opened(url: URL, schema: Schema, busy_s: float) -> Place:
    if url.get_backend_name() == "sqlite":
        engine = _build_sqlite(url, busy_s)
        place = Place(engine, is_sqlite=True, lanes=Lanes(partial(_connect, engine, busy_s)))
    else:
        place = Place(_build_postgres(url, busy_s), is_sqlite=False)
    try:
        _prepare(place, schema)
    except BaseException:
        place.close()
        raise
    return place


def _build_postgres(url: URL, busy_s: float) -> Engine:
    arguments = {"connect_timeout": _CONNECT_S, "options": f"-c lock_timeout={int(busy_s * 1000)}"}
    return sa.create_engine(url, pool_size=16, max_overflow=16, pool_pre_ping=True, connect_args=arguments)


def _build_sqlite(url: URL, busy_s: float) -> Engine:
    engine = sa.create_engine(url, pool_size=16, max_overflow=32, connect_args=_sqlite_arguments(busy_s))
    return _watched(engine, busy_s)


def _sqlite_arguments(busy_s: float) -> dict[str, Any]:
    return {"timeout": busy_s, "check_same_thread": False, "isolation_level": None}


def _prepare(place: Place, schema: Schema) -> None:
    with place.writes.begin() as connection:
        if place.lanes is not None:
            _claim_file(connection, schema)
        elif not place.is_sqlite:  # two processes that create the tables at once would collide
            lock_part(connection, "")
        # A file has its own tables alone; what is no file serves for both.
        for one in (schema,) if place.lanes is not None else (CACHE, BUDGET):
            one.metadata.create_all(connection)
        connection.execute(sa.select(schema.probe).limit(1)).all()


def _claim_file(connection: Connection, schema: Schema) -> None:
    oddity = oddity_in(connection.connection.dbapi_connection, schema)
    if oddity is not None:
        raise sqlite3.DatabaseError(f"not a database of this cache: {oddity}")
    connection.exec_driver_sql(f"PRAGMA user_version = {schema.version}")
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def _connect(engine: Engine, busy_s: float) -> sqlite3.Connection:
    """A connection of the driver itself, as the engine's are."""
    places, options = engine.dialect.create_connect_args(engine.url)
    connect = engine.dialect.loaded_dbapi.connect
    connection: sqlite3.Connection = connect(*places, **{**options, **_sqlite_arguments(busy_s)})
    _tune(connection, busy_s)
    return connection


def _watched(engine: Engine, busy_s: float) -> Engine:
    sa.event.listen(engine, "connect", lambda connection, _: _tune(connection, busy_s))
    sa.event.listen(engine, "begin", _begin)
    return engine


def _tune(connection: Any, busy_s: float) -> None:
    # Room is given back only where this stands before the first write, and WAL is one.
    for pragma in ("auto_vacuum=INCREMENTAL", "synchronous=NORMAL", "mmap_size=268435456"):
        connection.execute(f"PRAGMA {pragma}")
    use_write_ahead_log(connection, busy_s=busy_s)


def _begin(connection: Connection) -> None:
    # The driver begins no transaction of its own (isolation_level None): a writer asks for its lock at once.
    writes = connection.get_execution_options().get("coachboard_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
