"""The version number of each person's last change, which caches compare; a change of their plan alone is marked."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import sqlalchemy as sa

from coachboard.service.store.tables import stamps
from coachboard.service.store.upsert import upsert


def put(connection: sa.Connection, people: Iterable[str], number: int, *, is_plan: bool = False) -> None:
    """Stamp these people with a change; `is_plan` if it changed planned workouts, notes and events alone."""
    rows = [{"user_id": person, "number": number, "unplanned_number": number} for person in sorted(people)]
    upsert(connection, stamps, rows, kept=("unplanned_number",) if is_plan else ())


def changed_since(connection: sa.Connection, number: int, people: AbstractSet[str]) -> dict[str, bool]:
    """The people of this set whose stamp is higher than the number, each with whether the plan alone has changed."""
    is_plan = sa.func.coalesce(stamps.c.unplanned_number, stamps.c.number) <= number
    chosen = sa.select(stamps.c.user_id, is_plan.label("is_plan")).where(stamps.c.number > number)
    is_plan_by_person = {row.user_id: bool(row.is_plan) for row in connection.execute(chosen)}
    return {user_id: is_plan_by_person[user_id] for user_id in sorted(is_plan_by_person) if user_id in people}
