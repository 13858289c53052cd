"""Checks before every route: the key, then its limit. A cached reply is sent from here."""

from starlette.types import ASGIApp, Receive, Scope, Send

from coachboard import monitoring
from coachboard.database import is_disk_full
from coachboard.plain_text import is_storable
from coachboard.service.api import health
from coachboard.service.api.compression import accepted
from coachboard.service.api.errors import (
    DATABASE_FAILED,
    KeyRefused,
    NoSuchRow,
    Refusal,
    reply_to_failed_database,
    reply_to_full_disk,
    reply_to_refusal,
)
from coachboard.service.api.limits import RateLimits
from coachboard.service.api.reply_cache import CheckedRequest, ReplyCache, named_user
from coachboard.service.store import Caller

# spec: not shown: the description of the interface has no personal data and needs no key.
DESCRIPTION_PATH = "/openapi.json"
DESCRIPTION_PAGE = "/docs"
OWN_DATA_PATH = "/own/"
PLAN_PATH = "/plan/v1"
_MOST_CHARACTERS = 500
_KEYLESS = (
    *health.KEYLESS,
    DESCRIPTION_PATH,
    DESCRIPTION_PAGE,
    f"{OWN_DATA_PATH}v1{DESCRIPTION_PATH}",
    f"{OWN_DATA_PATH}v1{DESCRIPTION_PAGE}",
    f"{PLAN_PATH}{DESCRIPTION_PATH}",
    f"{PLAN_PATH}{DESCRIPTION_PAGE}",
)

INVITATION_PATH = f"{OWN_DATA_PATH}v1/invitations/"
"""A person who is invited has no key yet; the routes check the code, and the key if there is one."""

_SCOPE_KEY = "coachboard.checked_request"


def checked_request(scope: Scope) -> CheckedRequest:
    """The request, which has a valid key and is within its limit."""
    checked: CheckedRequest = scope[_SCOPE_KEY]
    return checked


def caller_if_any(scope: Scope) -> Caller | None:
    """The caller of a request that needs no key; None without one."""
    checked: CheckedRequest | None = scope.get(_SCOPE_KEY)
    return None if checked is None else checked.caller


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope["root_path"])


def _check_segments(scope: Scope) -> None:
    """Reject an encoded slash and control characters: no id contains them.

    The path with the slash would match another route, and PostgreSQL fails for a NUL.
    """
    if b"%2f" in scope.get("raw_path", b"").lower() or not is_storable(scope["path"]):
        raise NoSuchRow("No such route.")


class RequestChecks:
    """ASGI middleware. Order of checks: key, limit of the key, limit of the queried user, then the route's own checks."""

    def __init__(
        self, app: ASGIApp, *, reply_cache: ReplyCache, limits: RateLimits, checks: health.HealthChecks
    ) -> None:
        self._app = app
        self._health = checks
        self._reply_cache = reply_cache
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _path(scope) in _KEYLESS:
            await self._app(scope, receive, send)
            return
        try:
            await self._reply(scope, receive, send)
        except (*DATABASE_FAILED, OSError) as error:
            if is_disk_full(error):
                self._health.note_full_disk()
                await reply_to_full_disk(error)(scope, receive, send)
            elif isinstance(error, DATABASE_FAILED):
                await reply_to_failed_database(error)(scope, receive, send)
            else:
                raise

    async def _reply(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if _is_feed(scope) or (_path(scope).startswith(INVITATION_PATH) and not _has_key(scope)):
                _check_segments(scope)
                await self._app(scope, receive, send)
                return
            checked = await self._check(scope)
            _check_segments(scope)
            reply = checked.reply if scope["method"] == "GET" else None
            if reply is not None and named_user(_path(scope)) is not None:
                await self._limits.take_for_user(checked.caller.key_id, checked.owner_id)
        except Refusal as refusal:
            await reply_to_refusal(refusal)(scope, receive, send)
            return
        monitoring.REPLY_CACHE.add("miss" if reply is None else "hit")
        scope[_SCOPE_KEY] = checked
        await (self._app if reply is None else reply)(scope, receive, send)

    async def _check(self, scope: Scope) -> CheckedRequest:
        credentials, encodings = [], None
        for name, value in scope["headers"]:
            if name == b"authorization":
                credentials.append(value)
            elif name == b"accept-encoding":
                encodings = value
        key = bearer_key(credentials)
        path = _path(scope)
        checked = await self._reply_cache.check(key, path, scope["query_string"], accepted(encodings))
        caller = checked.caller
        if path.startswith(f"{OWN_DATA_PATH}v1/imports/") and path.endswith("/files"):
            await self._limits.take_for_file(caller.key_id)
        elif path.startswith((OWN_DATA_PATH, PLAN_PATH)):
            await self._limits.take_for_own_data(caller.key_id)
        else:
            await self._limits.take_for_key(caller.key_id)
        return checked


def _is_feed(scope: Scope) -> bool:
    """Whether the path has a secret in place of a key, which the route checks."""
    path = _path(scope)
    return path.startswith(f"{PLAN_PATH}/feeds/") and path.endswith(".ics")


def _has_key(scope: Scope) -> bool:
    return any(name == b"authorization" for name, _ in scope["headers"])


def bearer_key(values: list[bytes]) -> str:
    """The key of the only Authorization header; raises `KeyRefused` for no header, several, or another scheme."""
    if len(values) != 1:
        raise KeyRefused("Send one API key as a bearer token: Authorization: Bearer <API_KEY>.")
    scheme, _, key = values[0].decode("latin-1").strip().partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key or " " in key or len(key) > _MOST_CHARACTERS:
        raise KeyRefused("Send the API key as a bearer token: Authorization: Bearer <API_KEY>.")
    return key
