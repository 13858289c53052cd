"""The person of a row, from its id alone: a new id names the person, and the directory has the people of the others.

An older id of another program may look as if it named a person, so the directory is asked about each id.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from coachboard.service.ids import person_in
from coachboard.service.store.tables import (
    activities,
    comments,
    directory,
    events,
    jobs,
    metrics,
    notes,
    plan_batches,
    prescriptions,
)
from coachboard.service.store.upsert import chunks, insert_into, upsert

_ROUTED = (activities, prescriptions, notes, events, metrics, jobs, comments, plan_batches)
"""The tables whose rows are asked for by their ids."""


def people_of(connection: sa.Connection, ids: Iterable[str]) -> set[str]:
    """The people who may have rows with these ids."""
    wanted = sorted(set(ids))
    people = {person for person in map(person_in, wanted) if person is not None}
    for chunk in chunks(wanted):
        chosen = sa.select(directory.c.user_id).where(directory.c.id.in_(chunk)).distinct()
        people.update(connection.scalars(chosen))
    return people


def is_among(
    connection: sa.Connection, table: sa.Table, ids: Collection[str], *, column: str = "id"
) -> sa.ColumnElement[bool]:
    """The condition on rows with these ids in that column, which names their people, so that no query asks all."""
    people = sorted(people_of(connection, ids))
    return sa.and_(table.c.user_id.in_(people), table.c[column].in_(sorted(ids)))


def put(
    connection: sa.Connection,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    *,
    kept: Container[str] = (),
) -> None:
    """Write rows of people as `upsert` does, and their people into the directory unless their ids name them."""
    upsert(connection, table, rows, kept=kept)
    if table in _ROUTED:
        values = [{"user_id": row["user_id"], "id": row["id"]} for row in rows]
        values = [value for value in values if person_in(value["id"]) != value["user_id"]]
        if values:
            connection.execute(insert_into(connection, directory).on_conflict_do_nothing(), values)
