"""Faults of the database of a client's cache."""

import sqlalchemy as sa


def spoil(database, pragma):
    """Have SQLite refuse what it refuses on a full disk (`max_page_count=1`) or in a read-only folder (`query_only=1`)."""
    engine = database._engine
    sa.event.listen(engine, "connect", lambda raw, _: raw.execute(f"PRAGMA {pragma}"))
    engine.dispose()
