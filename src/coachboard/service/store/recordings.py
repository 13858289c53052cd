"""Files that were imported, so that importing one again changes nothing."""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store.records import ImportedFile
from coachboard.service.store.tables import recordings
from coachboard.service.store.upsert import upsert


def put(connection: sa.Connection, recording: ImportedFile, import_id: str | None = None) -> None:
    row = {
        "user_id": recording.user_id,
        "digest": recording.digest,
        "file_name": recording.file_name,
        "activity_ids": orjson.dumps(recording.activity_ids).decode(),
        "imported_at": int(recording.imported_at.timestamp()),
        "import_id": import_id,
    }
    upsert(connection, recordings, [row], kept={"import_id"})


def remove_import(connection: sa.Connection, user_id: str, import_id: str) -> list[str]:
    """Delete the records of an import's files; returns their digests."""
    is_meant = sa.and_(recordings.c.user_id == user_id, recordings.c.import_id == import_id)
    gone = sa.delete(recordings).where(is_meant).returning(recordings.c.digest)
    return list(connection.scalars(gone))


def forget(connection: sa.Connection, user_id: str, activity_ids: AbstractSet[str]) -> None:
    """Delete the records of the files of these activities of a person."""
    held = sa.select(recordings.c.digest, recordings.c.activity_ids).where(recordings.c.user_id == user_id)
    for row in connection.execute(held).all():
        if not activity_ids.isdisjoint(orjson.loads(row.activity_ids)):
            is_meant = sa.and_(recordings.c.user_id == user_id, recordings.c.digest == row.digest)
            connection.execute(sa.delete(recordings).where(is_meant))


def find(connection: sa.Connection, user_id: str, digest: str) -> ImportedFile | None:
    is_meant = sa.and_(recordings.c.user_id == user_id, recordings.c.digest == digest)
    row = connection.execute(sa.select(recordings).where(is_meant)).one_or_none()
    return None if row is None else _read(row)


def every(connection: sa.Connection, user_id: str) -> list[ImportedFile]:
    chosen = sa.select(recordings).where(recordings.c.user_id == user_id).order_by(recordings.c.digest)
    return [_read(row) for row in connection.execute(chosen)]


def _read(row: sa.Row[Any]) -> ImportedFile:
    imported_at = datetime.fromtimestamp(row.imported_at, UTC)
    activity_ids = tuple(orjson.loads(row.activity_ids))
    return ImportedFile(row.digest, row.user_id, row.file_name, activity_ids, imported_at)
