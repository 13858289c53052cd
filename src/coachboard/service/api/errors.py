"""Refused requests; every reply has the two-field body ("Errors").

Refusal
├── InvalidRequest        400 bad_request
├── KeyRefused            401 unauthorized
├── NoSuchRow             404 not_found
├── NotAllowed            403 forbidden (planning)
├── Conflict              409 conflict (own data, planning)
├── InvitationUnknown     404 invitation_unknown (own data)
├── InvitationUsed        410 invitation_used (own data)
├── InvitationExpired     410 invitation_expired (own data)
├── BodyTooSlow           408 request_timeout
├── BodyTooLarge          413 payload_too_large
├── PreconditionRequired  428 precondition_required (own data, planning)
└── TooManyRequests       429 rate_limited, with Retry-After

Wrong methods are 405 `method_not_allowed`, a full disk is 507 `insufficient_storage`, a failed database 503 `unavailable`
with Retry-After, and other faults inside are 500 `internal_error`.
"""

import logging
import sqlite3
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

import orjson
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from coachboard.plain_text import first_line
from coachboard.wire.errors import ErrorBody

_LOG = logging.getLogger(__name__)


class Refusal(Exception):  # noqa: N818 (a reply, not a fault of the service)
    """A request that gets an error reply; the text goes to the caller."""

    headers: Mapping[str, str] | None = None


class InvalidRequest(Refusal):
    pass


class KeyRefused(Refusal):
    headers: Mapping[str, str] | None = MappingProxyType({"WWW-Authenticate": "Bearer"})


class NoSuchRow(Refusal):
    pass


class NotAllowed(Refusal):
    pass


class Conflict(Refusal):
    pass


class InvitationUnknown(Refusal):
    pass


class InvitationUsed(Refusal):
    pass


class InvitationExpired(Refusal):
    pass


class BodyTooSlow(Refusal):
    headers: Mapping[str, str] | None = MappingProxyType({"Connection": "close"})


class BodyTooLarge(Refusal):
    pass


class PreconditionRequired(Refusal):
    pass


class TooManyRequests(Refusal):
    def __init__(self, text: str, *, retry_after_s: int) -> None:
        super().__init__(text)
        self.headers = {"Retry-After": str(retry_after_s)}


_CODES: dict[type[Refusal], tuple[int, str]] = {
    InvalidRequest: (400, "bad_request"),
    KeyRefused: (401, "unauthorized"),
    NoSuchRow: (404, "not_found"),
    NotAllowed: (403, "forbidden"),
    Conflict: (409, "conflict"),
    InvitationUnknown: (404, "invitation_unknown"),
    InvitationUsed: (410, "invitation_used"),
    InvitationExpired: (410, "invitation_expired"),
    PreconditionRequired: (428, "precondition_required"),
    BodyTooSlow: (408, "request_timeout"),
    BodyTooLarge: (413, "payload_too_large"),
    TooManyRequests: (429, "rate_limited"),
}

# spec: not shown: statuses other than 400, 401, 404 and 429.
_HTTP_CODES = {404: "not_found", 405: "method_not_allowed"}


def error_reply(status: int, code: str, *, text: str, headers: Mapping[str, str] | None = None) -> Response:
    body = orjson.dumps(ErrorBody(code=code, error=text).to_wire())
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def reply_to_refusal(refusal: Refusal) -> Response:
    status, code = _CODES[type(refusal)]
    return error_reply(status, code, text=str(refusal), headers=refusal.headers)


async def on_refusal(_request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    return reply_to_refusal(refusal)


async def on_http_exception(_request: Request, error: Exception) -> Response:
    """Reply to an unknown route or a wrong method, which the router reports."""
    assert isinstance(error, HTTPException)
    code = _HTTP_CODES.get(error.status_code, "bad_request")
    text = {404: "No such route.", 405: "Method not allowed for this route."}.get(
        error.status_code, HTTPStatus(error.status_code).phrase
    )
    return error_reply(error.status_code, code, text=text, headers=error.headers)


async def on_fault(_request: Request, _error: Exception) -> Response:
    """Reply to an internal error without details; the server logs them."""
    return error_reply(500, "internal_error", text="Internal error; see the service log.")


RETRY_AFTER_S = 5
"""When a caller may try again after a failure of the database: few outages end within a second."""


def unavailable_reply(text: str) -> Response:
    """503 with the time after which a caller may try again."""
    return error_reply(503, "unavailable", text=text, headers={"Retry-After": str(RETRY_AFTER_S)})


DATABASE_FAILED = (
    OperationalError,
    InterfaceError,
    InternalError,
    PoolTimeout,
    TimeoutError,
    sqlite3.OperationalError,
)
"""A full or read-only disk, a lost server, no free connection: faults of the machine, which a traceback does not explain."""


def reply_to_failed_database(error: Exception) -> Response:
    """Log one line: on a full disk, each refused request wrote two tracebacks to the same disk."""
    _LOG.error("a request was refused because the database failed: %s", first_line(error))
    return unavailable_reply(
        "The database of the service failed: see its log and its setting COACHBOARD_DATABASE_URL."
    )


def reply_to_full_disk(error: Exception) -> Response:
    """Log one line, as for a failed database; the transaction or the temporary file of the request is gone."""
    _LOG.error("a request was refused because the disk is full: %s", first_line(error))
    return error_reply(507, "insufficient_storage", text=DISK_FULL)


DISK_FULL = "The disk is full: the service saved nothing. Free some space there, then try again."


HANDLERS = {Refusal: on_refusal, HTTPException: on_http_exception, Exception: on_fault}
