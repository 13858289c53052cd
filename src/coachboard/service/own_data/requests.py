"""Bodies, entity tags and replies of all routes under `/own/v1`."""

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response

from coachboard.plain_text import is_storable
from coachboard.service.api.errors import InvalidRequest, NoSuchRow, PreconditionRequired, error_reply
from coachboard.service.api.request_body import read_body, read_json
from coachboard.service.api.request_checks import checked_request
from coachboard.service.importers.corrections import BY_HAND, RECORDED_AT, corrected_names
from coachboard.service.store import StoredActivity, StoredJob
from coachboard.wire.base import Wire
from coachboard.wire.body import Metric
from coachboard.wire.own_data import Job, OwnActivity, OwnMetric

PATH = "/own/v1"
_HEADERS = {"Cache-Control": "private, no-store"}

M = TypeVar("M", bound=Wire)
T = TypeVar("T")


def caller_of(request: Request) -> str:
    """The owner of the key: the one person whose data the API reads and changes."""
    return checked_request(request.scope).caller.user_id


async def read_model(request: Request, model: type[M]) -> M:
    """The body as that model; an empty body is an empty object. Raises `InvalidRequest` naming the first wrong field."""
    return read_json(await read_body(request) or b"{}", model)


def named(request: Request, name: str) -> str:
    """A query parameter that must be present once; raises `InvalidRequest`."""
    values = request.query_params.getlist(name)
    if len(values) != 1 or not values[0]:
        raise InvalidRequest(f"The query parameter '{name}' is required once.")
    if not is_storable(values[0]):
        raise InvalidRequest(f"The query parameter '{name}' has a control character.")
    return values[0]


def whole_number(request: Request, name: str, *, default: int, most: int) -> int:
    """A query parameter from 0 to `most`; raises `InvalidRequest`."""
    values = request.query_params.getlist(name) or [str(default)]
    text = values[0]
    if len(values) > 1 or not (text.isascii() and text.isdigit()) or len(text) > 12 or int(text) > most:
        raise InvalidRequest(f"The query parameter '{name}' must be a whole number from 0 to {most}.")
    return int(text)


def tag_of(*values: object) -> str:
    """The entity tag of a row: equal while these values are equal."""
    return hashlib.sha256(orjson.dumps(values)).hexdigest()[:20]


def expected_tag(request: Request) -> str:
    """The tag of If-Match; raises `PreconditionRequired`: without one, a change could overwrite another person's."""
    tag = request.headers.get("if-match", "").strip().strip('"')
    if not tag:
        raise PreconditionRequired("Send the row's etag in an If-Match header.")
    return tag


def idempotency_key(request: Request) -> str | None:
    """The key of a batch; raises `InvalidRequest` for one that is empty, long or has a control character."""
    keys = request.headers.getlist("idempotency-key")
    if not keys:
        return None
    if len(keys) > 1 or not 1 <= len(keys[0]) <= 200 or not is_storable(keys[0]):
        raise InvalidRequest("The header Idempotency-Key must be one text of 1 to 200 characters.")
    return keys[0]


def existing(row: T | None, what: str) -> T:
    """The row; raises `NoSuchRow` if there is none or it is another person's."""
    if row is None:
        raise NoSuchRow(f"No such {what}.")
    return row


def reply(model: Wire, *, status: int = 200, etag: str | None = None) -> Response:
    headers = _HEADERS if etag is None else {**_HEADERS, "ETag": f'"{etag}"'}
    return Response(orjson.dumps(model.to_wire()), status, headers, "application/json")


def list_reply(rows: Sequence[Wire]) -> Response:
    return Response(orjson.dumps([row.to_wire() for row in rows]), 200, _HEADERS, "application/json")


def stale_reply(current: Wire | None) -> Response:
    """Reply that the row has changed since the caller read it, with the row as it is now; null if it is deleted."""
    refused = error_reply(412, "precondition_failed", text="The row has changed since you read it.")
    body = {**orjson.loads(refused.body), "current": None if current is None else current.to_wire()}
    return Response(orjson.dumps(body), 412, _HEADERS, "application/json")


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
