"""Which device files were read already, so that reading one again changes nothing."""

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from coachboard.service.store.records import Recording
from coachboard.service.store.tables import activities, recordings
from coachboard.service.store.upsert import upsert

_AT_ONCE = 500  # values in one statement


def put(connection: sa.Connection, recording: Recording) -> None:
    row = {
        "user_id": recording.user_id,
        "digest": recording.digest,
        "file_name": recording.file_name,
        "activity_ids": orjson.dumps(recording.activity_ids).decode(),
        "imported_at": int(recording.imported_at.timestamp()),
    }
    upsert(connection, recordings, [row])


def forget(connection: sa.Connection, activity_ids: AbstractSet[str]) -> None:
    """Drop what is known of the files of these activities; to be done while the activities are there."""
    chosen = sorted(activity_ids)
    for start in range(0, len(chosen), _AT_ONCE):
        owners = sa.select(activities.c.user_id).where(activities.c.id.in_(chosen[start : start + _AT_ONCE]))
        held = sa.select(recordings.c.user_id, recordings.c.digest, recordings.c.activity_ids).where(
            recordings.c.user_id.in_(owners)
        )
        gone = [
            {"of_user": row.user_id, "of_digest": row.digest}
            for row in connection.execute(held).all()
            if not activity_ids.isdisjoint(orjson.loads(row.activity_ids))
        ]
        if gone:
            connection.execute(_FORGET, gone)


_FORGET = sa.delete(recordings).where(
    recordings.c.user_id == sa.bindparam("of_user"), recordings.c.digest == sa.bindparam("of_digest")
)


def find(connection: sa.Connection, user_id: str, digest: str) -> Recording | None:
    is_meant = sa.and_(recordings.c.user_id == user_id, recordings.c.digest == digest)
    row = connection.execute(sa.select(recordings).where(is_meant)).one_or_none()
    return None if row is None else _read(row)


def every(connection: sa.Connection, user_id: str) -> list[Recording]:
    chosen = sa.select(recordings).where(recordings.c.user_id == user_id).order_by(recordings.c.digest)
    return [_read(row) for row in connection.execute(chosen)]


def _read(row: sa.Row[Any]) -> Recording:
    imported_at = datetime.fromtimestamp(row.imported_at, UTC)
    activity_ids = tuple(orjson.loads(row.activity_ids))
    return Recording(row.digest, row.user_id, row.file_name, activity_ids, imported_at)
