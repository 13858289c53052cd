"""Workouts and plans of several weeks to plan from: private ones of a person, and those that a workspace's coaches share."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Generic, TypeVar

import orjson
import sqlalchemy as sa

from coachboard.service.store.tables import library_workouts, plan_uses, training_plans


@dataclass(frozen=True, slots=True)
class StoredWorkout:
    """A workout with its fields by the names of the wire; `user_id` or `workspace_id` says whose it is.

    `updated_at`, in microseconds since 1970, is another number after each change.
    """

    id: str
    user_id: str | None
    workspace_id: str | None
    creator_id: str
    updated_at: int
    fields: Mapping[str, Any]


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


R = TypeVar("R", StoredWorkout, StoredPlan)


class _SharedRows(Generic[R]):
    """Reads and writes of one table in one transaction; a column for each field of a row, `body` has its `fields`."""

    def __init__(self, connection: sa.Connection, table: sa.Table, kind: type[R], *, version: str) -> None:
        self._connection = connection
        self._table = table
        self._kind: type[R] = kind
        self._version = version

    def visible_to(self, user_id: str, workspaces: Collection[str]) -> Sequence[R]:
        """The private rows of a person and those of the workspaces."""
        columns = self._table.c
        is_meant = sa.or_(columns.user_id == user_id, columns.workspace_id.in_(sorted(workspaces)))
        return [self._stored(row) for row in self._connection.execute(sa.select(self._table).where(is_meant))]

    def find(self, row_id: str) -> R | None:
        """The row of any person or workspace."""
        chosen = sa.select(self._table).where(self._table.c.id == row_id)
        row = self._connection.execute(chosen).one_or_none()
        return None if row is None else self._stored(row)

    def count(self, user_id: str | None, workspace_id: str | None) -> int:
        """The number of private rows of a person, or of those of a workspace."""
        columns = self._table.c
        is_meant = (
            columns.user_id == user_id if workspace_id is None else columns.workspace_id == workspace_id
        )
        return self._connection.scalar(sa.select(sa.func.count()).where(is_meant)) or 0

    def add(self, row: R) -> None:
        self._connection.execute(sa.insert(self._table).values(_values(row)))

    def replace(self, seen: R, row: R) -> bool:
        """Write a row over the version that the caller read; False if it is another one by now."""
        changed = sa.update(self._table).where(self._is_version(seen)).values(_values(row))
        return self._connection.execute(changed).rowcount > 0

    def remove(self, seen: R) -> bool:
        """Delete the version that the caller read; False if it is another one by now."""
        return self._connection.execute(sa.delete(self._table).where(self._is_version(seen))).rowcount > 0

    def _is_version(self, seen: R) -> sa.ColumnElement[bool]:
        columns = self._table.c
        return sa.and_(columns.id == seen.id, columns[self._version] == getattr(seen, self._version))

    def _stored(self, row: sa.Row[Any]) -> R:
        columns = {part.name: getattr(row, part.name) for part in fields(self._kind) if part.name != "fields"}
        return self._kind(**columns, fields=orjson.loads(bytes(row.body)))


def _values(row: StoredWorkout | StoredPlan) -> dict[str, Any]:
    columns = {part.name: getattr(row, part.name) for part in fields(row) if part.name != "fields"}
    return {**columns, "body": orjson.dumps(dict(row.fields))}


class Workouts(_SharedRows[StoredWorkout]):
    """The workouts of libraries."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, library_workouts, StoredWorkout, version="updated_at")


class TrainingPlans(_SharedRows[StoredPlan]):
    """Plans of several weeks, and the calendars that have one; to delete a plan leaves calendars as they are."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, training_plans, StoredPlan, version="version")

    def add_uses(self, plan_id: str, uses: Iterable[PlanUse]) -> None:
        values = [
            {"plan_id": plan_id, "user_id": use.user_id, "batch_id": use.batch_id, "first_day": use.first_day}
            for use in uses
        ]
        if values:
            self._connection.execute(sa.insert(plan_uses), values)

    def uses_of(self, plan_id: str) -> list[PlanUse]:
        """The calendars to which a plan was applied, in no order; an application may have been undone since."""
        chosen = sa.select(plan_uses).where(plan_uses.c.plan_id == plan_id)
        return [PlanUse(row.user_id, row.batch_id, row.first_day) for row in self._connection.execute(chosen)]
