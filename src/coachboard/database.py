"""Engines, waits, damage and full disks, for every database: the service's, the cache's and the dashboard's own.

On SQLite readers and the writer do not block each other, and a second process waits instead of failing. A server that
is gone or busy ends a use with an error, not with a wait for ever.
"""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.pool import NullPool

DAMAGE = ("malformed", "not a database")
"""Parts of SQLite's messages about a damaged file."""

FULL_DISK = "the disk is full"

_WRITES = "coachboard_writes"
_AGAIN_S = 0.01
_SIDES = ("", "-wal", "-shm")  # the files of a SQLite database
_ERRNOS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
)  # no space, and the limits of a user and of a process
_SQLITE_CODES = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
)  # the file and its log; their index
_POSTGRES_CODE = "53100"
_LEAST_FREE_BYTES = 1_000_000


def sqlite_engine(
    url: URL | str,
    *,
    busy_s: float,
    pragmas: Sequence[str] = (),
    set_up: Callable[[Any], object] | None = None,
    **pool: int,
) -> Engine:
    """An engine whose connections wait `busy_s` for a lock; `set_up` gets each new connection of the driver.

    The pragmas come before the first write, which some of them need. Transactions of `writing(engine)` lock at their start.
    """

    def connect(connection: Any, _record: object) -> None:
        for pragma in ("synchronous=NORMAL", *pragmas):
            connection.execute(f"PRAGMA {pragma}")
        use_write_ahead_log(connection, busy_s=busy_s)
        if set_up is not None:
            set_up(connection)

    # The driver would begin transactions itself, too late for reads and never for DDL.
    arguments = {"timeout": busy_s, "check_same_thread": False, "isolation_level": None}
    engine = sa.create_engine(url, connect_args=arguments, **pool)
    sa.event.listen(engine, "connect", connect)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    # Lock before reading: a transaction that reads first may fail to get the lock for its write.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def postgres_engine(url: URL | str, *, connect_s: int, settings: str = "", **pool: int) -> Engine:
    """An engine that waits `connect_s` for a connection; `settings` are options of the server, such as `-c lock_timeout=1`."""
    arguments: dict[str, Any] = {"connect_timeout": connect_s}
    if settings:
        arguments["options"] = settings
    return sa.create_engine(url, pool_pre_ping=True, connect_args=arguments, **pool)


def writing(engine: Engine) -> Engine:
    """The engine for transactions that write."""
    return engine.execution_options(**{_WRITES: True})


def use_write_ahead_log(connection: Any, *, busy_s: float) -> None:
    """Set WAL mode for the database of this connection; several processes may do so at the same time.

    SQLite does not always wait for a lock when the mode changes, so this function retries. Raises
    `sqlite3.OperationalError` after `busy_s`.
    """
    give_up_at = time.monotonic() + busy_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up_at:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


@contextmanager
def looking_at(path: Path) -> Iterator[Connection]:
    """A connection to a SQLite file that cannot change it, whatever the file is."""
    url = URL.create("sqlite", database=path.absolute().as_uri(), query={"mode": "ro", "uri": "true"})
    with sa.create_engine(url, poolclass=NullPool).connect() as connection:
        yield connection


def put_aside(path: Path) -> Path:
    """Rename a SQLite file that cannot be used, with its logs, and return its new path."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    target = path.with_name(f"{path.name}.set-aside-{stamp}")
    for suffix in _SIDES:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(target.with_name(target.name + suffix))
    return target


def put_aside_before(path: Path) -> list[Path]:
    """The files that took the place of this one and were put aside, without their logs."""
    files = path.parent.glob(f"{path.name}.set-aside-*")
    return [file for file in files if not file.name.endswith(_SIDES[1:])]


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is the cause, in any of the errors that led to this one."""
    while error is not None:
        own = getattr(error, "orig", None) or error
        if isinstance(own, OSError) and own.errno in _ERRNOS:
            return True
        if isinstance(own, sqlite3.Error) and getattr(own, "sqlite_errorcode", None) in _SQLITE_CODES:
            return True
        if getattr(own, "sqlstate", None) == _POSTGRES_CODE:
            return True
        error = error.__cause__ or error.__context__
    return False


def has_no_room(folder: Path) -> bool:
    """Whether the disk of the folder has less than 1 MB free; a folder that is missing lies on its parent's disk."""
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), None)
    return there is not None and shutil.disk_usage(there).free < _LEAST_FREE_BYTES
