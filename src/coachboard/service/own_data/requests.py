"""Bodies, entity tags and replies of all routes under `/own/v1`."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response

from coachboard.plain_text import is_storable
from coachboard.service.api.errors import InvalidRequest, NoSuchRow, PreconditionRequired, error_reply
from coachboard.service.api.request_checks import checked_request
from coachboard.service.invitations.endpoint import read_body, read_json
from coachboard.wire.base import Wire

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
