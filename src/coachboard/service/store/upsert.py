"""Insert or replace rows in the dialect of either database."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

Insert = postgresql.Insert | sqlite.Insert

T = TypeVar("T")


def chunks(values: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """The values in lists for one statement each, which takes a limited number of parameters."""
    remaining = iter(values)
    while chunk := list(islice(remaining, size)):
        yield chunk


def insert_into(connection: sa.Connection, table: sa.Table) -> Insert:
    """An insert with `ON CONFLICT`, which SQLAlchemy Core has in the dialects only."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def upsert(
    connection: sa.Connection,
    table: sa.Table,
    rows: Iterable[Mapping[str, Any]],
    *,
    kept: Container[str] = (),
) -> None:
    """Write the rows, all with the same keys.

    Replaces these columns of a row with the same primary key, except those in `kept`.
    """
    statement: Insert | None = None
    for chunk in chunks(rows, 2_000):
        if statement is None:
            statement = _replacing(connection, table, [name for name in chunk[0] if name not in kept])
        connection.execute(statement, chunk)


def _replacing(connection: sa.Connection, table: sa.Table, names: Iterable[str]) -> Insert:
    statement = insert_into(connection, table)
    keys = {column.name for column in table.primary_key}
    # Columns that the rows do not name, such as a person's corrections, survive a second import.
    replaced = {name: statement.excluded[name] for name in names if name not in keys}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=replaced)
