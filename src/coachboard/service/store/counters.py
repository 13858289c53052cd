"""Counters of requests that several processes share: one row a counter, one statement a request."""

import sqlalchemy as sa

from coachboard.service.store.tables import counters
from coachboard.service.store.upsert import insert_into


def count(connection: sa.Connection, name: str, window: int) -> int:
    """Count one more in that window; gives the number so far, this one included."""
    statement = insert_into(connection, counters).values(name=name, window=window, used=1)
    is_same = counters.c.window == statement.excluded.window
    used = sa.case((is_same, counters.c.used + 1), else_=1)
    so_far: int = connection.execute(
        statement.on_conflict_do_update(
            index_elements=["name"], set_={"used": used, "window": statement.excluded.window}
        ).returning(counters.c.used)
    ).scalar_one()
    return so_far


def forget_before(connection: sa.Connection, window: int) -> None:
    """Drop counters of windows that are over, lest the table grow with every user ever asked for."""
    connection.execute(sa.delete(counters).where(counters.c.window < window))
