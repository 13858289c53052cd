"""Inserting rows that may stand there already, in the words of either database."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

Insert = postgresql.Insert | sqlite.Insert

_CHUNK = 2_000


def insert_into(connection: sa.Connection, table: sa.Table) -> Insert:
    """An insert with `ON CONFLICT`, which Core leaves to the dialects."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def upsert(connection: sa.Connection, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the rows; one with the same primary key is replaced, and what hangs on it stays."""
    statement = insert_into(connection, table)
    replaced = {
        column.name: statement.excluded[column.name] for column in table.columns if not column.primary_key
    }
    statement = statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=replaced)
    remaining = iter(rows)
    while chunk := list(islice(remaining, _CHUNK)):
        connection.execute(statement, chunk)
