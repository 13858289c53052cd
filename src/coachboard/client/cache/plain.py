"""The few statements that stand in every reader's way, on SQLite straight to the driver.

SQLAlchemy's way there, through pool, events and results, takes five times as long as SQLite itself.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.sql.base import Executable

_NAMED = sqlite.dialect(paramstyle="named")

Values = Mapping[str, Any]


class Plain:
    """A statement for both: as SQLAlchemy's own, and as SQLite's text; all its values are named parameters."""

    def __init__(self, clause: Executable) -> None:
        self.clause = clause

    @cached_property
    def text(self) -> str:
        assert isinstance(self.clause, sa.ClauseElement)
        compiled = self.clause.compile(dialect=_NAMED)
        assert set(compiled.params.values()) <= {None}, "a value of its own would be lost"
        return str(compiled)


class Asking(Protocol):
    """A transaction for such statements."""

    def rows(self, statement: Plain, values: Values) -> Sequence[Any]:
        """What the statement finds; rows are tuples."""

    def run(self, statement: Plain, values: Values) -> None:
        """Do what the statement says."""


class Through:
    """Statements by way of SQLAlchemy."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, statement: Plain, values: Values) -> Sequence[Any]:
        return self._connection.execute(statement.clause, values).all()

    def run(self, statement: Plain, values: Values) -> None:
        self._connection.execute(statement.clause, values)


class Straight:
    """Statements on a connection of SQLite's driver."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute

    def rows(self, statement: Plain, values: Values) -> Sequence[Any]:
        return self._execute(statement.text, values).fetchall()

    def run(self, statement: Plain, values: Values) -> None:
        self._execute(statement.text, values)


class Lanes:
    """Connections of the driver to one SQLite file; who is done with one leaves it to the next."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._free: list[sqlite3.Connection] = []
        self._is_closed = False

    @contextmanager
    def reading(self) -> Iterator[Straight]:
        """One statement, which is its own transaction."""
        connection = self._take()
        try:
            yield Straight(connection)
        finally:
            self._give(connection)

    @contextmanager
    def writing(self) -> Iterator[Straight]:
        """A transaction that owns the file from its start."""
        connection = self._take()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield Straight(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._give(connection)

    def close(self) -> None:
        """Let go of all connections; of one in use when it is done with."""
        with self._lock:
            self._is_closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            connection = self._free.pop() if self._free else None
        return connection or self._connect()

    def _give(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._is_closed:
                self._free.append(connection)
                return
        connection.close()
