"""The version number of each person's last change, which caches compare."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import sqlalchemy as sa

from coachboard.service.store.tables import stamps
from coachboard.service.store.upsert import upsert


def put(connection: sa.Connection, people: Iterable[str], number: int) -> None:
    upsert(connection, stamps, [{"user_id": person, "number": number} for person in sorted(people)])


def changed_since(connection: sa.Connection, number: int, people: AbstractSet[str]) -> list[str]:
    """The people of this set whose stamp is higher than the number."""
    chosen = sa.select(stamps.c.user_id).where(stamps.c.number > number)
    return sorted(user_id for user_id in connection.scalars(chosen) if user_id in people)
