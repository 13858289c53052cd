"""Plans of several weeks, private or of a workspace, and the calendars that have one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store.tables import plan_uses, training_plans


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan with its fields by the names of the wire; `user_id` or `workspace_id` says whose it is.

    `changed_at` is in seconds since 1970; `version` counts the changes.
    """

    id: str
    user_id: str | None
    workspace_id: str | None
    changed_by: str
    changed_at: int
    version: int
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlanUse:
    """A calendar that got a plan from a batch, and the first day of the plan on it."""

    user_id: str
    batch_id: str
    first_day: date


class TrainingPlans:
    """Reads and writes of plans in one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def visible_to(self, user_id: str, workspaces: Collection[str]) -> Sequence[StoredPlan]:
        """The private plans of a person and those of the workspaces."""
        is_meant = sa.or_(
            training_plans.c.user_id == user_id, training_plans.c.workspace_id.in_(sorted(workspaces))
        )
        return [_stored(row) for row in self._connection.execute(sa.select(training_plans).where(is_meant))]

    def find(self, plan_id: str) -> StoredPlan | None:
        """The plan of any person or workspace."""
        chosen = sa.select(training_plans).where(training_plans.c.id == plan_id)
        row = self._connection.execute(chosen).one_or_none()
        return None if row is None else _stored(row)

    def count(self, user_id: str | None, workspace_id: str | None) -> int:
        """The number of private plans of a person, or of those of a workspace."""
        is_meant = (
            training_plans.c.user_id == user_id
            if workspace_id is None
            else training_plans.c.workspace_id == workspace_id
        )
        return self._connection.scalar(sa.select(sa.func.count()).where(is_meant)) or 0

    def add(self, plan: StoredPlan) -> None:
        self._connection.execute(sa.insert(training_plans).values(_values(plan)))

    def replace(self, seen: StoredPlan, plan: StoredPlan) -> bool:
        """Write a plan over the version that the caller read; False if it is another one by now."""
        changed = sa.update(training_plans).where(_is_version(seen)).values(_values(plan))
        return self._connection.execute(changed).rowcount > 0

    def remove(self, seen: StoredPlan) -> bool:
        """Delete the version that the caller read, not what it wrote on calendars; False if it is another one by now."""
        return self._connection.execute(sa.delete(training_plans).where(_is_version(seen))).rowcount > 0

    def add_uses(self, plan_id: str, uses: Iterable[PlanUse]) -> None:
        values = [
            {
                "plan_id": plan_id,
                "user_id": use.user_id,
                "batch_id": use.batch_id,
                "first_day": use.first_day,
            }
            for use in uses
        ]
        if values:
            self._connection.execute(sa.insert(plan_uses), values)

    def uses_of(self, plan_id: str) -> list[PlanUse]:
        """The calendars to which a plan was applied, in no order; an application may have been undone since."""
        chosen = sa.select(plan_uses).where(plan_uses.c.plan_id == plan_id)
        return [PlanUse(row.user_id, row.batch_id, row.first_day) for row in self._connection.execute(chosen)]


def _is_version(seen: StoredPlan) -> sa.ColumnElement[bool]:
    return sa.and_(training_plans.c.id == seen.id, training_plans.c.version == seen.version)


def _values(plan: StoredPlan) -> dict[str, Any]:
    return {
        "id": plan.id,
        "user_id": plan.user_id,
        "workspace_id": plan.workspace_id,
        "changed_by": plan.changed_by,
        "changed_at": plan.changed_at,
        "version": plan.version,
        "body": orjson.dumps(dict(plan.fields)),
    }


def _stored(row: sa.Row[Any]) -> StoredPlan:
    return StoredPlan(
        row.id,
        row.user_id,
        row.workspace_id,
        row.changed_by,
        row.changed_at,
        row.version,
        orjson.loads(bytes(row.body)),
    )
