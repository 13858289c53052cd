"""Request counters shared by several processes: a row per counter, a statement per request."""

import sqlalchemy as sa

from coachboard.service.store.tables import counters
from coachboard.service.store.upsert import insert_into


def count(connection: sa.Connection, name: str, window: int) -> int:
    """Increment the counter of that window; returns the new value."""
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
    """Delete counters of past windows; otherwise the table grows with every user."""
    connection.execute(sa.delete(counters).where(counters.c.window < window))
