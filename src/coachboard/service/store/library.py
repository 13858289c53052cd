"""Workouts of libraries: private ones of a person, and those that the coaches of a workspace share."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store.tables import library_workouts


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


def visible_to(
    connection: sa.Connection, user_id: str, workspaces: Collection[str]
) -> Sequence[StoredWorkout]:
    """The private workouts of a person and those of the workspaces."""
    is_meant = sa.or_(
        library_workouts.c.user_id == user_id, library_workouts.c.workspace_id.in_(sorted(workspaces))
    )
    return [_stored(row) for row in connection.execute(sa.select(library_workouts).where(is_meant))]


def find(connection: sa.Connection, workout_id: str) -> StoredWorkout | None:
    chosen = sa.select(library_workouts).where(library_workouts.c.id == workout_id)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else _stored(row)


def count(connection: sa.Connection, user_id: str | None, workspace_id: str | None) -> int:
    """The number of workouts in the private library of a person, or in that of a workspace."""
    owner = (
        library_workouts.c.user_id == user_id
        if workspace_id is None
        else library_workouts.c.workspace_id == workspace_id
    )
    return connection.scalar(sa.select(sa.func.count()).where(owner)) or 0


def add(connection: sa.Connection, workout: StoredWorkout) -> None:
    connection.execute(sa.insert(library_workouts).values(_values(workout)))


def replace(connection: sa.Connection, seen: StoredWorkout, workout: StoredWorkout) -> bool:
    """Write a workout over the version that the caller read; False if it is another one by now."""
    changed = sa.update(library_workouts).where(_is_version(seen)).values(_values(workout))
    return connection.execute(changed).rowcount > 0


def remove(connection: sa.Connection, seen: StoredWorkout) -> bool:
    """Delete the version that the caller read; False if it is another one by now."""
    return connection.execute(sa.delete(library_workouts).where(_is_version(seen))).rowcount > 0


def _is_version(seen: StoredWorkout) -> sa.ColumnElement[bool]:
    return sa.and_(library_workouts.c.id == seen.id, library_workouts.c.updated_at == seen.updated_at)


def _values(workout: StoredWorkout) -> dict[str, Any]:
    return {
        "id": workout.id,
        "user_id": workout.user_id,
        "workspace_id": workout.workspace_id,
        "creator_id": workout.creator_id,
        "updated_at": workout.updated_at,
        "body": orjson.dumps(dict(workout.fields)),
    }


def _stored(row: sa.Row[Any]) -> StoredWorkout:
    return StoredWorkout(
        row.id, row.user_id, row.workspace_id, row.creator_id, row.updated_at, orjson.loads(bytes(row.body))
    )
