"""A database opened for the store: who reads and who changes it, in one short transaction a call, from any thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import local
from typing import Any, Self

import sqlalchemy as sa

from coachboard.service.store import engine
from coachboard.service.store.tables import changes
from coachboard.service.store.upsert import upsert

Row = dict[str, Any]


class Database:
    """The connections to it, and the number that every change counts up."""

    def __init__(self, database: sa.Engine) -> None:
        self._readers = database
        self._writers = engine.writing(database)
        self._counting = engine.of_one_statement(database)
        self._pulse = engine.Pulse(database)
        self._own = local()

    @classmethod
    def open(cls, url: str, *, is_bulk: bool = False) -> Self:
        """Open the database at that address, made and brought to the newest schema where need be.

        Who writes much and reads little opens it in bulk.
        """
        database = engine.open_engine(url, is_bulk=is_bulk)
        try:
            engine.migrate(database)
        except BaseException:
            database.dispose()
            raise
        return cls(database)

    def close(self) -> None:
        self._pulse.close()
        self._readers.dispose()

    def copy_beside(self, now: datetime) -> Path | None:
        """Copy the whole database beside itself, named after the moment; None where it is no file of SQLite's."""
        return engine.copy_beside(self._readers, f"{now:%Y%m%d-%H%M%S}")

    @property
    def url(self) -> str:
        """The address that another process can open the same store by, its password included."""
        return self._readers.url.render_as_string(hide_password=False)

    @property
    def is_local(self) -> bool:
        """Whether reads are too short to be worth a thread: SQLite answers within the process."""
        return self._readers.dialect.name == "sqlite"

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._readers.connect() as connection:
            yield connection

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        with self._writers.begin() as connection:
            yield connection
            # Last, so that on PostgreSQL long imports do not wait for each other on this one row.
            connection.execute(sa.update(changes).values(number=changes.c.number + 1))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write what this thread puts meanwhile at the end, in one transaction: all of it or none."""
        self._own.gathered = gathered = list[tuple[sa.Table, list[Row]]]()
        try:
            yield
        finally:
            del self._own.gathered
        with self._changing() as connection:
            for table, found in gathered:
                upsert(connection, table, found)

    def _put(self, table: sa.Table, found: list[Row]) -> None:
        # The rows are made before the lock is taken that other writers wait for.
        gathered = getattr(self._own, "gathered", None)
        if gathered is not None:
            gathered.append((table, found))
            return
        with self._changing() as connection:
            upsert(connection, table, found)

    def version(self) -> int:
        """A number that every change to the store counts up."""
        return self._pulse.version()
