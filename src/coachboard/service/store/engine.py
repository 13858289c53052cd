"""Open a database of the service: pragmas, words for damage, schema migrations."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from urllib.parse import quote

import sqlalchemy as sa

from coachboard.database import DAMAGE, postgres_engine, sqlite_engine, writing
from coachboard.service.store.originals import file_of, originals_at, trace_beside
from coachboard.service.store.tables import METADATA, users

_MIGRATIONS = Path(__file__).parent / "migrations"
_NUMBERS = (
    "SELECT coalesce((SELECT number FROM stamps WHERE user_id = keys.user_id), 0),"
    " coalesce((SELECT number FROM stamps WHERE user_id = :owner), 0)"
    " FROM keys WHERE id = :key AND revoked_at IS NULL"
)
_NUMBERS_READ = sa.text(_NUMBERS)
_MIGRATION_LOCK = 7_463_001  # any number that nothing else in the database uses

_TOO_NEW = "its schema is of another, probably newer version of Coachboard"

_BUSY_S = 15  # time that a writer waits for another one
_CONNECT_S, _POOL_S, _STATEMENT_S = (
    5,
    5,
    30,
)  # on PostgreSQL: for a connection, for a free one, for a statement
_PRAGMAS = (
    "foreign_keys=ON",
    "cache_size=-8192",  # KB for each of up to 15 connections: of 64 MB each, 300 MB stayed after twelve people
    "temp_store=MEMORY",
)
_BULK_PRAGMAS = (
    "foreign_keys=ON",
    "cache_size=-65536",
    "temp_store=MEMORY",
    "wal_autocheckpoint=16384",  # pages of 4 KB
)


def open_engine(url: str, *, is_bulk: bool = False) -> sa.Engine:
    """An engine for that address; creates the folder of a SQLite file and sets pragmas.

    Bulk writers keep 64 MB of pages, and sync to disk as often, not every 4 MB; a power failure loses the same data.
    """
    address = address_of(url)
    if address.get_backend_name() != "sqlite":
        return _postgres(address)
    if address.database:
        path = file_of(address)
        path.parent.mkdir(parents=True, exist_ok=True)
        _require_content(path)
    engine = sqlite_engine(address, busy_s=_BUSY_S, pragmas=_BULK_PRAGMAS if is_bulk else _PRAGMAS)
    _name_damage(engine)
    return engine


class UnusableFile(sa.exc.OperationalError):
    """The SQLite file is damaged or cannot be opened; the message is one line that says what to do."""


_READ_ONLY = "readonly database"
_UNOPENED = "unable to open database file"
_YOUNG_S = 60.0


def damaged(what: object, said: object) -> UnusableFile:
    """The error of a file or a row that is damaged."""
    text = f"{what} is damaged ({said}): restore it from a backup, or move it away to begin an empty database"
    return UnusableFile(None, None, sqlite3.DatabaseError(text))


def _unopened(path: object) -> UnusableFile:
    text = (
        f"{path}: {_UNOPENED}; check that it is a file, that its folder exists and that you may write to both"
    )
    return UnusableFile(None, None, sqlite3.OperationalError(text))


def _lost(what: object, trace: Path) -> UnusableFile:
    text = (
        f"{what}, but {trace} is there: restore a backup with `coachboard restore`, check COACHBOARD_DATA and "
        "COACHBOARD_DATABASE_URL, or move these files away to begin a new database"
    )
    return UnusableFile(None, None, sqlite3.DatabaseError(text))


def _require_content(path: Path) -> None:
    """Refuse an empty file: it would become an empty database without a word. A young one is about to be filled.

    Beside the files of a database neither a missing nor a young file is filled.
    """
    is_there = path.is_file()
    if not path.exists() or (is_there and path.stat().st_size == 0):
        trace = trace_beside(path)
        if trace is not None:
            raise _lost(
                f"the database {path} is empty" if is_there else f"there is no database at {path}", trace
            )
    if is_there and path.stat().st_size == 0 and time.time() - path.stat().st_mtime > _YOUNG_S:
        raise damaged(path, "the file is empty")


def readable(address: sa.URL) -> sa.URL:
    """The address of a SQLite file that may not be written, for reading alone; every other address as it is.

    SQLite reads the write-ahead log of a killed process without a write; without a log it would make one, unless it
    may take the file as unchangeable.
    """
    if address.get_backend_name() != "sqlite" or address.query or not Path(address.database or "").is_file():
        return address
    path = Path(address.database or "").absolute()
    if _may_write(path) and _may_write(path.parent):
        return address
    log = path.with_name(f"{path.name}-wal")
    option = {"mode": "ro"} if log.exists() and log.stat().st_size else {"immutable": "1"}
    return sa.URL.create("sqlite", database=f"file:{quote(str(path))}", query={"uri": "true", **option})


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _name_damage(engine: sa.Engine) -> None:
    """Give errors of a file the path and what to do; SQLite names neither."""

    def name(context: sa.ExceptionContext) -> UnusableFile | None:
        said = str(context.original_exception)
        if said == _UNOPENED:
            return _unopened(file_of(engine.url))
        if _READ_ONLY in said:
            text = f"{file_of(engine.url)} may not be changed: the file, its folder or the disk is read-only"
            return UnusableFile(None, None, sqlite3.OperationalError(text))
        is_damage = any(sign in said for sign in DAMAGE)
        return damaged(file_of(engine.url), said) if is_damage else None

    sa.event.listen(engine, "handle_error", name)


def _postgres(address: sa.URL) -> sa.Engine:
    """A server that is gone, busy or locked ends a request with an error, not with a wait for ever."""
    settings = "" if "options" in address.query else f"-c statement_timeout={_STATEMENT_S * 1000}"
    return postgres_engine(
        address, connect_s=_CONNECT_S, settings=settings, pool_size=10, max_overflow=20, pool_timeout=_POOL_S
    )


def address_of(url: str) -> sa.URL:
    """The address that a person wrote: a path is a SQLite file, and `postgres://` is what hosting services hand out."""
    if not url.strip():
        raise sa.exc.ArgumentError(
            "the address is empty"
        )  # SQLite would write to a file that it deletes at the end
    scheme, separator, rest = url.partition("://")
    if not separator and not url.startswith(("sqlite:", "postgresql:")):
        return sa.URL.create("sqlite", database=url)
    if scheme in {"postgres", "postgresql"}:
        return sa.make_url(f"postgresql+psycopg://{rest}")
    return sa.make_url(url)


def missing_database(url: str) -> str | None:
    """Where the address finds no database of Coachboard, in words; None if there is one.

    Looks without a change: another program's SQLite file would get tables and a write-ahead log.
    """
    address = address_of(url)
    name = address.database or ""
    if address.get_backend_name() == "sqlite":
        if name in {"", ":memory:"} or name.startswith("file:"):
            return None
        _require_content(Path(name))
        if not Path(name).exists():
            return name
    engine = sa.create_engine(readable(address))
    _name_damage(engine)
    try:
        with engine.connect() as connection:
            has_people = sa.inspect(connection).has_table(users.name)
        return None if has_people else address.render_as_string(hide_password=True)
    finally:
        engine.dispose()


def of_one_statement(engine: sa.Engine) -> sa.Engine:
    """The engine for single statements, which PostgreSQL executes without BEGIN and COMMIT."""
    if engine.dialect.name == "sqlite":
        return writing(engine)
    return engine.execution_options(isolation_level="AUTOCOMMIT")


class Numbers(NamedTuple):
    """The number of a key's owner and that of the person whose rows are read."""

    caller: int
    owner: int


class Pulse:
    """Whether a key is valid and whose rows changed, read with every request.

    SQLite has its own connection for it, without SQLAlchemy: 5 µs instead of 60.
    """

    def __init__(self, database: sa.Engine) -> None:
        self._database = of_one_statement(database)
        self._connection = database.raw_connection() if database.dialect.name == "sqlite" else None
        self._cursor = None if self._connection is None else self._connection.cursor()
        self._lock = Lock()

    def read(self, key_id: str, owner_id: str) -> Numbers | None:
        given = {"key": key_id, "owner": owner_id}
        if self._cursor is None:
            with self._database.connect() as connection:
                row = connection.execute(_NUMBERS_READ, given).one_or_none()
        else:
            with self._lock:
                try:
                    row = self._cursor.execute(_NUMBERS, given).fetchone()
                except sqlite3.DatabaseError as error:
                    raise sa.exc.OperationalError(None, None, error) from error
        return None if row is None else Numbers(*row)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


NEWEST = "0019"
"""The revision of the newest migration; a test compares it with the files."""


def schema_trouble(engine: sa.Engine) -> str | None:
    """Why this version cannot use the schema, in words; None if the schema is the newest or the database is empty."""
    revision = _revision_of(engine)
    if revision is None or revision == NEWEST:
        return None
    if revision > NEWEST:
        return _TOO_NEW
    return (
        f"its schema is {revision}, this version needs {NEWEST}: make a backup, then run `coachboard upgrade`"
    )


def _revision_of(engine: sa.Engine) -> str | None:
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return ",".join(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars())


def is_newest(engine: sa.Engine) -> bool:
    return _revision_of(engine) == NEWEST


def require_people_of_files(engine: sa.Engine) -> None:
    """Refuse a database without people whose stored files exist: they belong to a database that is lost."""
    originals = originals_at(engine.url)
    if originals.is_empty:
        return
    with engine.connect() as connection:
        has_people = sa.inspect(connection).has_table(users.name)
        if not has_people or connection.execute(sa.select(users.c.id).limit(1)).first() is None:
            address = engine.url.render_as_string(hide_password=True).rpartition("@")[2]
            raise _lost(f"the database {address} has no people", originals.folder)


def create_schema(engine: sa.Engine) -> None:
    """Create the tables of an empty database; refuse an older schema, which only `coachboard upgrade` migrates."""
    if is_newest(engine):
        return
    trouble = schema_trouble(engine)
    if trouble is not None:
        raise sa.exc.InvalidRequestError(_with_address(trouble, engine.url))
    migrate(engine)


def _with_address(trouble: str, address: sa.URL) -> str:
    """The command with the file to upgrade: without it, the command upgrades another file than the demo's.

    An address of PostgreSQL contains a password.
    """
    if address.get_backend_name() != "sqlite":
        return trouble
    return trouble.replace("coachboard upgrade", f"coachboard upgrade --db {address}")


def migrate(engine: sa.Engine) -> None:
    """Migrate the schema to its newest version; processes that start together wait for each other."""
    if is_newest(engine):
        return
    from alembic import command  # noqa: PLC0415 (a tenth of a second that a database of today needs not)
    from alembic.config import Config  # noqa: PLC0415 (as above)
    from alembic.util import CommandError  # noqa: PLC0415 (as above)

    with writing(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")  # large tables take their time
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        config.attributes.update(connection=connection, metadata=METADATA)
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise sa.exc.InvalidRequestError(_TOO_NEW) from error


def copy_beside(engine: sa.Engine, stamp: str) -> Path | None:
    """Copy a SQLite file; None for another database."""
    named = engine.url.database or ""
    if engine.dialect.name != "sqlite" or not Path(named).is_file():
        return None
    target = Path(named).with_name(f"{Path(named).name}.set-aside-{stamp}")
    with closing(engine.raw_connection()) as held, closing(sqlite3.connect(target)) as copy:
        assert isinstance(held.driver_connection, sqlite3.Connection)
        held.driver_connection.backup(copy)
    return target
