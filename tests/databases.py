"""Empty databases for tests: a SQLite file, or a PostgreSQL database of its own where a server is given."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from coachboard.service.store.tables import METADATA

SERVER = os.environ.get("COACHBOARD_TEST_POSTGRES_URL")

_POSTGRES = (pytest.param("postgres", marks=pytest.mark.postgres),) if SERVER else ()
DATABASES = ("sqlite", *_POSTGRES)
"""Parameters of a fixture that runs each test on both, where there is a PostgreSQL."""

REPLY_DATABASES = (
    "sqlite",
    *(pytest.param(*kind.values, marks=(*kind.marks, pytest.mark.slow)) for kind in _POSTGRES),
)
"""The same for tests of whole replies: the tests of the stores run the statements on PostgreSQL in `make test`."""


@contextmanager
def empty_database(kind: str, folder: Path, template: str | None = None) -> Iterator[str]:
    """The address of an empty database, or of a copy of the template; gone afterwards.

    The files of one of PostgreSQL are in the folder too.
    """
    if kind == "sqlite":
        if template:
            shutil.copy(str(sa.make_url(template).database), folder / "store.db")
        yield f"sqlite:///{folder / 'store.db'}"
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COACHBOARD_DATA", str(folder))
        with _empty_postgres(template) as url:
            yield url


@contextmanager
def _empty_postgres(template: str | None) -> Iterator[str]:
    assert SERVER, "COACHBOARD_TEST_POSTGRES_URL is not set"
    name = f"test_{secrets.token_hex(8)}"
    engine = sa.create_engine(SERVER, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            of = f" TEMPLATE {sa.make_url(template).database}" if template else ""
            connection.exec_driver_sql(f"CREATE DATABASE {name}{of}")
        yield sa.make_url(SERVER).set(database=name).render_as_string(hide_password=False)
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        engine.dispose()


@contextmanager
def connected(url: str) -> Iterator[sa.Connection]:
    """A connection of the test's own to a database, in one transaction that is committed at the end."""
    database = sa.create_engine(url)
    try:
        with database.begin() as connection:
            yield connection
    finally:
        database.dispose()


@contextmanager
def statements_sent(url: str) -> Iterator[list[tuple[str, Any]]]:
    """Each statement to this database within the block, and its (first) parameters.

    Threads of other tests send theirs to other databases meanwhile.
    """
    sent = list[tuple[str, Any]]()

    def note(
        connection: sa.Connection, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool
    ) -> None:
        if connection.engine.url.database == sa.make_url(url).database:
            sent.append((statement, parameters[0] if many else parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def content(url: str) -> dict[str, list[str]]:
    """All rows of all tables of Coachboard that the database has."""
    with connected(url) as connection:
        there = sa.inspect(connection)
        return {
            table.name: sorted(map(repr, connection.execute(_there(connection, table)).all()))
            for table in METADATA.sorted_tables
            if there.has_table(table.name)
        }


def _there(connection: sa.Connection, table: sa.Table) -> sa.Select:
    """The columns of today that the table has: an older schema lacks some."""
    names = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
    return sa.select(*(column for column in table.c if column.name in names))
