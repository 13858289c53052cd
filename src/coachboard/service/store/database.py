"""A database of the store: reads and writes in one short transaction per call, from any thread."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import local
from typing import Any, Self

import sqlalchemy as sa

from coachboard.database import writing
from coachboard.service.store import directory, engine, stamps
from coachboard.service.store.tables import activities

Row = dict[str, Any]


class StoreDatabase:
    """The connections, and the number of each person, which every change of their rows counts up."""

    def __init__(self, database: sa.Engine) -> None:
        self._readers = database
        self._writers = writing(database)
        self._counting = engine.of_one_statement(database)
        self._pulse = engine.Pulse(database)
        self._own = local()

    @classmethod
    def open(cls, url: str, *, is_bulk: bool = False, upgrades: bool = False) -> Self:
        """Open the database at that address and create missing tables; with `upgrades`, migrate an older schema.

        With `is_bulk` SQLite writes many rows faster and reads slower.
        """
        database = engine.open_engine(url, is_bulk=is_bulk)
        try:
            engine.require_people_of_files(database)
            (engine.migrate if upgrades else engine.create_schema)(database)
        except BaseException:
            database.dispose()
            raise
        return cls(database)

    def close(self) -> None:
        self._pulse.close()
        self._readers.dispose()

    def trouble(self) -> str | None:
        """Why the service cannot answer from this database at present; None if it can."""
        try:
            if engine.is_newest(self._readers):
                return None
            return engine.schema_trouble(self._readers) or "it has no tables of Coachboard"
        except sa.exc.SQLAlchemyError:
            return "it is not reachable"

    def copy_beside(self, now: datetime) -> Path | None:
        """Copy the SQLite file to a file named after the time; None for another database."""
        return engine.copy_beside(self._readers, f"{now:%Y%m%d-%H%M%S}")

    @property
    def url(self) -> str:
        """The address, with its password, for another process."""
        return self._readers.url.render_as_string(hide_password=False)

    @property
    def is_local(self) -> bool:
        """Whether reads are too short for a thread: SQLite answers within the process."""
        return self._readers.dialect.name == "sqlite"

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._readers.connect() as connection:
            yield connection

    @contextmanager
    def _changing(
        self, people: AbstractSet[str] = frozenset(), *, planned: AbstractSet[str] = frozenset()
    ) -> Iterator[sa.Connection]:
        """A transaction that changes rows of these people, and only the plans of the `planned` ones.

        The caller may extend the sets until the end.
        """
        with self._writers.begin() as connection:
            yield connection
            # Last, so that on PostgreSQL long imports for one person do not wait for each other on this row.
            stamps.put(connection, people, planned=planned)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all rows that this thread puts in the block in one transaction."""
        self._own.gathered = gathered = list[tuple[str, sa.Table, list[Row]]]()
        try:
            yield
        finally:
            del self._own.gathered
        with self._changing({user_id for user_id, _, _ in gathered}) as connection:
            for _, table, rows in gathered:
                directory.put(connection, table, rows)

    def _put(self, user_id: str, table: sa.Table, rows: list[Row]) -> None:
        # Serialise the rows before taking the lock for which other writers wait.
        if not rows:
            return
        gathered = getattr(self._own, "gathered", None)
        if gathered is not None:
            gathered.append((user_id, table, rows))
            return
        with self._changing({user_id}) as connection:
            directory.put(connection, table, rows)

    def pulse(self, key_id: str, owner_id: str) -> engine.Numbers | None:
        """The numbers of the key's owner and of another person; None if the key is not valid."""
        return self._pulse.read(key_id, owner_id)

    def look(self, since: str, people: AbstractSet[str]) -> stamps.Look:
        """The stamp of these people, and those whose rows changed after an earlier stamp."""
        with self._reading() as connection:
            return stamps.look(connection, since, people)


def owner_of(connection: sa.Connection, activity_id: str) -> str | None:
    """The person of an activity; None if there is no such activity."""
    is_meant = directory.is_among(connection, activities, [activity_id])
    return connection.scalar(sa.select(activities.c.user_id).where(is_meant))
