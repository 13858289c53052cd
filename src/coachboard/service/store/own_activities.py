"""Statements for an owner's changes to activities: corrections, deletion, and the import id."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store.records import StoredActivity
from coachboard.service.store.tables import activities

_SHOWN = (
    activities.c.id,
    activities.c.user_id,
    activities.c.body,
    activities.c.parts,
    activities.c.corrections,
    activities.c.athlete,
    activities.c.deleted_at,
)


def find(connection: sa.Connection, user_id: str, activity_id: str) -> StoredActivity | None:
    is_meant = sa.and_(activities.c.user_id == user_id, activities.c.id == activity_id)
    row = connection.execute(sa.select(*_SHOWN).where(is_meant)).one_or_none()
    return None if row is None else _read(row)


def ids(connection: sa.Connection, user_id: str) -> list[str]:
    is_meant = sa.and_(activities.c.user_id == user_id, activities.c.deleted_at.is_(None))
    by_age = (activities.c.moment.desc(), activities.c.id.desc())
    return list(connection.scalars(sa.select(activities.c.id).where(is_meant).order_by(*by_age)))


def deleted(connection: sa.Connection, user_id: str) -> list[StoredActivity]:
    is_meant = sa.and_(activities.c.user_id == user_id, activities.c.deleted_at.is_not(None))
    chosen = sa.select(*_SHOWN).where(is_meant).order_by(activities.c.deleted_at.desc(), activities.c.id)
    return [_read(row) for row in connection.execute(chosen)]


def deleted_before(connection: sa.Connection, moment: datetime) -> list[StoredActivity]:
    chosen = sa.select(*_SHOWN).where(activities.c.deleted_at < int(moment.timestamp()))
    return [_read(row) for row in connection.execute(chosen)]


def change(connection: sa.Connection, seen: StoredActivity, row: Mapping[str, Any]) -> bool:
    """Update an activity unless its corrections, parts or deletion changed since it was read."""
    before = encoded({"corrections": seen.corrections, "parts": seen.parts, "deleted_at": seen.deleted_at})
    is_same = [activities.c[name].is_not_distinct_from(value) for name, value in before.items()]
    is_meant = sa.and_(activities.c.user_id == seen.user_id, activities.c.id == seen.id, *is_same)
    return connection.execute(sa.update(activities).where(is_meant).values(dict(row))).rowcount > 0


def encoded(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns as stored: empty corrections and parts are null, times are seconds."""
    texts = {
        name: orjson.dumps(columns[name]).decode() if columns[name] else None
        for name in ("corrections", "parts")
        if name in columns
    }
    if "deleted_at" not in columns:
        return texts
    moment: datetime | None = columns["deleted_at"]
    return {**texts, "deleted_at": None if moment is None else int(moment.timestamp())}


def corrections_of(
    connection: sa.Connection, user_id: str, activity_ids: Sequence[str]
) -> dict[str, dict[str, Any]]:
    is_meant = sa.and_(
        activities.c.user_id == user_id,
        activities.c.id.in_(activity_ids),
        activities.c.corrections.is_not(None),
    )
    chosen = sa.select(activities.c.id, activities.c.corrections).where(is_meant)
    return {row.id: orjson.loads(row.corrections) for row in connection.execute(chosen)}


def of_file(connection: sa.Connection, user_id: str, digest: str) -> list[StoredActivity]:
    """The person's activities that were read from a file."""
    is_meant = sa.and_(activities.c.user_id == user_id, activities.c.parts.contains(digest, autoescape=True))
    return [_read(row) for row in connection.execute(sa.select(*_SHOWN).where(is_meant))]


def with_correction(connection: sa.Connection, user_id: str, name: str) -> list[StoredActivity]:
    """The person's activities whose corrections have that name, without deleted ones."""
    is_meant = sa.and_(
        activities.c.user_id == user_id,
        activities.c.deleted_at.is_(None),
        activities.c.corrections.contains(f'"{name}":', autoescape=True),
    )
    matches = [_read(row) for row in connection.execute(sa.select(*_SHOWN).where(is_meant))]
    return [row for row in matches if name in row.corrections]


def is_used(connection: sa.Connection, user_id: str, digest: str) -> bool:
    """Whether an activity of the person was read from that file."""
    is_meant = sa.and_(activities.c.user_id == user_id, activities.c.parts.contains(digest, autoescape=True))
    return connection.scalar(sa.select(sa.exists().where(is_meant))) or False


def remove_import(connection: sa.Connection, table: sa.Table, user_id: str, import_id: str) -> int:
    is_meant = sa.and_(table.c.user_id == user_id, table.c.import_id == import_id)
    return connection.execute(sa.delete(table).where(is_meant)).rowcount


def remove(connection: sa.Connection, table: sa.Table, user_id: str, row_ids: Iterable[str]) -> None:
    for row_id in row_ids:
        is_meant = sa.and_(table.c.user_id == user_id, table.c.id == row_id)
        connection.execute(sa.delete(table).where(is_meant))


def body_of(connection: sa.Connection, table: sa.Table, user_id: str, row_id: str) -> bytes | None:
    is_meant = sa.and_(table.c.user_id == user_id, table.c.id == row_id)
    body: bytes | None = connection.scalar(sa.select(table.c.body).where(is_meant))
    return body


def _read(row: Any) -> StoredActivity:
    parts: Iterable[Sequence[Any]] = orjson.loads(row.parts) if row.parts else ()
    return StoredActivity(
        row.id,
        row.user_id,
        bytes(row.body),
        tuple((digest, place) for digest, place in parts),
        orjson.loads(row.corrections) if row.corrections else {},
        row.athlete,
        None if row.deleted_at is None else datetime.fromtimestamp(row.deleted_at, UTC),
    )
