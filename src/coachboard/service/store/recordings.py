"""Which device files were read already, so that reading one again changes nothing."""

from datetime import UTC, datetime

import orjson
import sqlalchemy as sa

from coachboard.service.store.records import Recording
from coachboard.service.store.tables import recordings
from coachboard.service.store.upsert import upsert


def put(connection: sa.Connection, recording: Recording) -> None:
    row = {
        "user_id": recording.user_id,
        "digest": recording.digest,
        "file_name": recording.file_name,
        "activity_ids": orjson.dumps(recording.activity_ids).decode(),
        "imported_at": int(recording.imported_at.timestamp()),
    }
    upsert(connection, recordings, [row])


def find(connection: sa.Connection, user_id: str, digest: str) -> Recording | None:
    is_meant = sa.and_(recordings.c.user_id == user_id, recordings.c.digest == digest)
    row = connection.execute(sa.select(recordings).where(is_meant)).one_or_none()
    if row is None:
        return None
    imported_at = datetime.fromtimestamp(row.imported_at, UTC)
    activity_ids = tuple(orjson.loads(row.activity_ids))
    return Recording(row.digest, row.user_id, row.file_name, activity_ids, imported_at)
