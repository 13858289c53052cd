"""Reject foreign hosts, foreign origins, and endless request bodies.

Streamlit checks neither host nor origin on HTTP. Its websocket accepts every port of this machine, and queries an
external server for its own address before it rejects a foreign origin, which blocks the event loop.
"""

import asyncio
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from coachboard.wire.errors import ErrorBody

MAX_BODY_BYTES = 64 * 2**10
"""The dashboard's own routes only read tickets; the service under `/api` has its own limit."""

BODY_TIMEOUT_S = 20.0
"""Time limit for a small body, and for the next part of an upload."""

_API = "/api"
_UPLOAD = "/_stcore/upload_file"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class _Refused(HTTPException):
    """A Starlette exception, because the routes' error handling sees it first."""


class RequestGuard:
    """The first middleware: a rejected request reaches neither Streamlit nor the embedded service."""

    def __init__(self, app: ASGIApp, *, allowed_hosts: Iterable[str], max_upload_bytes: int) -> None:
        self._app = app
        self._allowed = tuple(name.strip().lower() for name in allowed_hosts if name.strip())
        self._max_upload_bytes = max_upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        try:
            self._check_address(scope)
            await self._app(scope, self._limited(scope, receive), _of_interface(scope, send))
        except _Refused as refusal:
            await _reply(scope, refusal)(scope, receive, send)

    def _check_address(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not (_is_allowed(host, self._allowed) or _is_own_socket(scope, host)):
            raise _Refused(403, "This host name is not allowed; see COACHBOARD_ALLOWED_HOSTS.")
        if any(len(headers.getlist(name)) > 1 for name in ("host", "origin")):
            # A proxy may have checked the other one.
            raise _Refused(403, "A request has one Host and one Origin.")
        if origin is not None and not _is_same(origin, host):
            raise _Refused(403, "Requests from other sites are not allowed.")

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        path = scope["path"]
        if scope["type"] != "http" or path.startswith(f"{_API}/"):
            return receive
        is_upload = path.startswith(_UPLOAD)
        limit = self._max_upload_bytes if is_upload else MAX_BODY_BYTES
        if int(Headers(scope=scope).get("content-length") or 0) > limit:
            raise _Refused(413, f"The body exceeds {limit} bytes.")
        return _Body(receive, limit, is_upload=is_upload).receive


def _of_interface(scope: Scope, send: Send) -> Send:
    """Under `/api`, replace errors in plain text by the interface's body: Streamlit refuses `/api/users/..%2f` itself."""
    if scope["type"] != "http" or not scope["path"].startswith(_API):
        return send
    is_replaced = False

    async def sent(message: Message) -> None:
        nonlocal is_replaced
        if message["type"] == "http.response.start" and _is_plain_error(message):
            is_replaced = True
            body = ErrorBody(code="bad_request", error="This path is not allowed.")
            await JSONResponse(body.to_wire(), message["status"])(scope, _nothing, send)
        elif not is_replaced:
            await send(message)

    return sent


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _is_plain_error(message: Message) -> bool:
    kind = Headers(raw=message.get("headers", [])).get("content-type", "")
    return message["status"] == 400 and not kind.startswith("application/json")


class _Body:
    def __init__(self, receive: Receive, limit: int, *, is_upload: bool) -> None:
        self._receive = receive
        self._limit = limit
        self._until_s = None if is_upload else _now_s() + BODY_TIMEOUT_S
        self._size = 0
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:  # next comes the end of the connection, which may take hours
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until_s or _now_s() + BODY_TIMEOUT_S):
                message = await self._receive()
        except TimeoutError as error:
            raise _Refused(408, "The body took too long.") from error
        self._size += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._size > self._limit:
            raise _Refused(413, f"The body exceeds {self._limit} bytes.")
        return message


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _is_allowed(host: str, allowed: tuple[str, ...]) -> bool:
    """Whether the list contains the host; a name with a port allows that port only."""
    name = _name(host)
    return bool(name) and any(
        entry in {"*", name, host.lower()} or (entry.startswith("*.") and name.endswith(entry[1:]))
        for entry in allowed
    )


def _is_own_socket(scope: Scope, host: str) -> bool:
    """Whether the pages' client calls the embedded service at the address of this process."""
    address, port = scope.get("server") or ("", None)
    is_api = scope["path"] == _API or scope["path"].startswith(f"{_API}/")
    return is_api and host in {f"{address}:{port}", f"[{address}]:{port}"}


def _is_same(origin: str, host: str) -> bool:
    """Whether origin and host have the same name and port; a default port may be omitted."""
    try:
        parts = urlsplit(origin)
    except ValueError:  # `http://[` wrote a traceback for each request
        return False
    port = _DEFAULT_PORTS.get(parts.scheme)
    return port is not None and parts.netloc.lower().removesuffix(f":{port}") == host.lower().removesuffix(
        f":{port}"
    )


def _name(host: str) -> str:
    try:
        parts = urlsplit(f"//{host}")
        is_plain = not (parts.path or parts.query or parts.fragment or "@" in host) and parts.port != 0
    except ValueError:
        return ""
    return (parts.hostname or "").lower().rstrip(".") if is_plain else ""


def _reply(scope: Scope, refusal: _Refused) -> Response | WebSocketClose:
    if scope["type"] == "websocket":
        return WebSocketClose(1008)
    if scope["path"].startswith(_API):
        body = ErrorBody(code="forbidden", error=refusal.detail)
        return JSONResponse(body.to_wire(), refusal.status_code)
    return PlainTextResponse(refusal.detail, refusal.status_code, {"Connection": "close"})
