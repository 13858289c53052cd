"""Rows of the store as replies under `/own/v1`."""

from typing import Any

import orjson

from coachboard.service.importers.corrections import BY_HAND, RECORDED_AT, corrected_names
from coachboard.service.own_data.requests import tag_of
from coachboard.service.store import StoredActivity, StoredJob
from coachboard.wire.body import Metric
from coachboard.wire.own_data import Job, OwnActivity, OwnMetric

EDITABLE = ("name", "description", "sport", "subSport", "rpe", "feeling")
"""Fields that a person may correct, under the names of the interface."""

_MEASURED = ("startedAt", "startedAtLocal", "utcOffset", "totalDuration", "distance")


def job_fields(job: StoredJob) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": str(job.kind),
        "state": str(job.state),
        "created_at": job.created_at,
        "finished_at": job.finished_at,
        "done": job.done,
        "total": job.total,
        "current": job.current,
        "error": job.error,
    }


def job_reply(job: StoredJob) -> Job:
    return Job(**job_fields(job))


def activity_reply(row: StoredActivity, file_name: str | None) -> OwnActivity:
    """The activity; `file_name` is that of its first original file."""
    body = orjson.loads(row.body)
    return OwnActivity.from_wire(
        {
            "id": row.id,
            **{name: body[name] for name in EDITABLE},
            **{name: body[name] for name in _MEASURED},
            "recordedAt": row.corrections.get(RECORDED_AT),
            "byHand": _is_by_hand(row),
            "corrected": corrected_names(row.corrections),
            "deletedAt": row.deleted_at,
            "files": len(row.parts),
            "fileName": file_name,
            "etag": activity_tag(row),
        }
    )


def activity_tag(row: StoredActivity) -> str:
    """The tag of the values that a person may change; a recomputed load does not change the tag."""
    body = orjson.loads(row.body)
    names = (
        *EDITABLE,
        "startedAt",
        "utcOffset",
        *(("totalDuration", "distance") if _is_by_hand(row) else ()),
    )
    return tag_of(row.id, [body[name] for name in names], row.parts, row.deleted_at)


def _is_by_hand(row: StoredActivity) -> bool:
    return BY_HAND in row.corrections and not row.parts


def metric_reply(body: bytes) -> OwnMetric:
    return OwnMetric(metric=Metric.from_wire(orjson.loads(body)), etag=tag_of(body.decode()))
