"""How much the cache holds of one service under one key, and how old that is."""

from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.tables import BLOBS, LISTS, SPANS


@dataclass(frozen=True, slots=True)
class Holding:
    """Bytes, and when the oldest and the newest part was fetched; None where nothing is held."""

    size_bytes: int
    oldest: datetime | None
    newest: datetime | None


@steady
def holding_of(database: Database, scope: str) -> Holding:
    """What is held under a scope."""
    with database.reading() as connection:
        size = sum(int(connection.execute(query, {"scope": scope}).scalar_one()) for query in _SIZES)
        oldest, newest = connection.execute(_AGES, {"scope": scope}).one()
    return Holding(size, _moment(oldest), _moment(newest))


def _moment(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)


_MINE: sa.BindParameter[str] = sa.bindparam("scope")
_SIZES = tuple(
    sa.select(sa.func.coalesce(sa.func.sum(table.c.bytes), 0)).where(table.c.scope == _MINE)
    for table in (LISTS, BLOBS)
)
_FETCHED = sa.union_all(
    sa.select(SPANS.c.fetched_at).join(LISTS, LISTS.c.id == SPANS.c.list_id).where(LISTS.c.scope == _MINE),
    sa.select(BLOBS.c.fetched_at).where(BLOBS.c.scope == _MINE),
).subquery()
_AGES = sa.select(sa.func.min(_FETCHED.c.fetched_at), sa.func.max(_FETCHED.c.fetched_at))
