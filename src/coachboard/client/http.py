"""HTTP: requests and replies with httpx.

A request goes in; the body of a 200 comes out, or a typed error. No retries, no rate limit, no cache.
"""

import atexit
import os
import re
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from ipaddress import ip_address
from ssl import SSLCertVerificationError, create_default_context
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
import orjson
from pydantic import SecretStr

from coachboard import __version__
from coachboard.client.errors import (
    CLASS_BY_STATUS,
    OWN_CLASS_BY_STATUS,
    EditConflict,
    NotFound,
    RateLimited,
    ServiceError,
    TimedOut,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
    Untrusted,
)
from coachboard.client.options import READ_TIMEOUT_S
from coachboard.client.reply_limits import read_body
from coachboard.client.resources import ME, USER_PATH, USERS_PATH, Request, path_of
from coachboard.wire.errors import ErrorBody

T = TypeVar("T")

CONNECT_TIMEOUT_S = 5.0
REPLY_TIMEOUTS = 2.0
"""A whole reply, head and body, has this many times the timeout of a single read."""

MAX_CONNECTIONS = 256
"""Open connections of the process, to all services."""

_IDLE_CONNECTIONS = 16
_ENCODINGS = "zstd, gzip"
"""A service on the same machine sends lists plain: to pack and unpack a year of sessions takes 14 ms of CPU time."""

_UPLOAD_S = 3_600.0
"""The limit for the reply to a file that is being sent."""

_SUCCESS = frozenset({httpx.codes.OK})
_OWN_SUCCESS = frozenset({httpx.codes.OK, httpx.codes.CREATED, httpx.codes.ACCEPTED})
_ALWAYS_THERE = frozenset({USERS_PATH, path_of(USER_PATH, ME)})
"""Paths that a service answers for each valid key ("Endpoints", rules 1 and 2)."""

_MAX_TEXT = 500  # characters of an error's text


def check_base_url(base_url: str) -> str:
    """The address without a trailing slash; raises `ValueError` for an address that must not get the key."""
    parts = urlsplit(base_url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("expected an http or https address")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("expected an address without credentials, query or fragment")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def check_the_address(base_url: str) -> str:
    """The advice for an address where no service answers; most people forget the path."""
    hint = "" if base_url.endswith("/api") else f": Coachboard's own service is at {base_url}/api"
    return f"check the address{hint}"


def check_key(api_key: str | SecretStr) -> SecretStr:
    """The key as a secret; raises `ValueError`, without the key, for a key that no header can carry."""
    text = (api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key).strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("the API key is empty or has invalid characters")
    return SecretStr(text)


class Http:
    """Requests to one service with one key, or without one; safe for many threads.

    Each key has its own httpx client, because cookies of the service belong to the key. All clients of the process share
    the connections below it. Redirects are not followed: they could carry the key to another host.
    """

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        *,
        timeout_s: float = READ_TIMEOUT_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = check_base_url(base_url)
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._is_loopback = _is_loopback(urlsplit(self.base_url).hostname or "")
        self._is_closed = False
        self._client = httpx.Client(
            headers={
                **({} if api_key is None else {"Authorization": f"Bearer {api_key.get_secret_value()}"}),
                "Accept": "application/json",
                "Accept-Encoding": _ENCODINGS,
                "User-Agent": f"coachboard/{__version__}",
            },
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
            transport=transport
            or _shared_transport(proxy_of(self.base_url), os.environ.get("SSL_CERT_FILE")),
        )

    def close(self) -> None:
        """Send no more requests; the connections stay open for other clients."""
        self._is_closed = True

    def send(self, request: Request, read: Callable[[bytes], T]) -> T:
        """Send once and return what `read` makes of the body of a 200; raises `ServiceError` for everything else."""
        try:
            if self._is_closed:
                raise Unreachable(text="the client is closed", may_have_arrived=False)
            with ExitStack() as turn:  # of a large reply, which ends when it is read
                reply, body = self._reply(request, turn)
                if reply.status_code not in (_OWN_SUCCESS if request.is_own_data else _SUCCESS):
                    raise self._refusal(request, reply, body)
                if not request.is_own_data:
                    _check_content_type(reply, self.base_url)
                return read(body)
        except ServiceError as error:
            error.method, error.path = request.method, request.target
            raise

    def _reply(self, request: Request, turn: ExitStack) -> tuple[httpx.Response, bytes]:
        is_upload = request.body is not None and not isinstance(request.body, bytes)
        limit_s = _UPLOAD_S if is_upload else REPLY_TIMEOUTS * self._timeout_s
        until = time.monotonic() + limit_s
        try:
            with self._stream(request) as reply:
                # Not `iter_raw`, which refuses the replies of a transport in memory; the bytes are the same.
                assert isinstance(reply.stream, httpx.SyncByteStream)
                encoding = reply.headers.get("content-encoding", "identity").strip().lower()
                return reply, read_body(reply.stream, encoding, turn, until=until)
        except httpx.TimeoutException as error:
            arrived = not isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout)
            raise TimedOut(text=str(error) or None, may_have_arrived=arrived) from error
        except httpx.TransportError as error:
            if (fault := _certificate_fault(error)) is not None:
                raise Untrusted(text=fault, may_have_arrived=False) from error
            arrived = not isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.ProxyError)
            text = self._wrong_address(error) or str(error) or None
            raise Unreachable(text=text, may_have_arrived=arrived) from error

    def _wrong_address(self, error: httpx.TransportError) -> str | None:
        """The fault of the address, if no service can have the request."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, socket.gaierror):
                return f"no host has the name {urlsplit(self.base_url).hostname}: check the address"
            if isinstance(cause, ConnectionRefusedError):
                return f"no service listens at {self.base_url}: start it, or check the address"
            cause = cause.__cause__ or cause.__context__
        return None

    def _stream(self, request: Request) -> AbstractContextManager[httpx.Response]:
        headers = {"Content-Type": "application/json"} if isinstance(request.body, bytes) else {}
        # Streams are stored compressed: the service would have to unpack them.
        if self._is_loopback and not request.path.endswith("/streams"):
            headers["Accept-Encoding"] = "identity"
        headers |= dict(request.headers)
        url = self.base_url + request.target
        return self._client.stream(request.method, url, content=request.body, headers=headers)

    def _refusal(self, request: Request, reply: httpx.Response, body: bytes) -> ServiceError:
        code, text = read_error_body(body)
        secret = self._api_key.get_secret_value() if self._api_key else None
        if text and secret:
            text = text.replace(secret, "***")  # the service may echo the key
        text = text[:_MAX_TEXT] if text else None
        kinds = OWN_CLASS_BY_STATUS if request.is_own_data else CLASS_BY_STATUS
        kind = kinds.get(reply.status_code, UnexpectedStatus)
        if kind is NotFound and (code is None or request.path in _ALWAYS_THERE):
            text = f"no service answers here: {check_the_address(self.base_url)}"
        facts: dict[str, Any] = {
            "status": reply.status_code,
            "code": code,
            "text": text,
            # The service did not act on a request that it refused. Any other status leaves that open.
            "may_have_arrived": kind is UnexpectedStatus
            and reply.status_code != httpx.codes.INSUFFICIENT_STORAGE,
        }
        if kind is EditConflict:
            facts["current"] = read_current(body)
        if kind is RateLimited:
            facts["retry_after_s"] = read_retry_after(reply.headers.get("retry-after"))
        return kind(**facts)


def check_accepted(base_url: str, api_key: SecretStr | None, *, timeout_s: float) -> None:
    """Ask the service once whether it accepts a key, before a client with a cache is opened for the key.

    Raises `Unauthorized` if the service rejects the key or gets none, `Unreachable` if it does not answer.
    """
    send_once(base_url, api_key, Request("GET", path_of(USER_PATH, ME)), timeout_s=timeout_s)


def send_once(base_url: str, api_key: SecretStr | None, request: Request, *, timeout_s: float) -> bytes:
    """Send one request without a client, as of a person who has no key yet; raises `ServiceError`."""
    return Http(base_url, api_key, timeout_s=timeout_s).send(request, bytes)


@cache
def _shared_transport(proxy: str | None, trust: str | None) -> httpx.HTTPTransport:
    """The connections of all clients, until the process ends: each key would otherwise hold files of its own.

    `trust` is a file of certificates that replace the usual ones.
    """
    limits = httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=_IDLE_CONNECTIONS)
    verify = create_default_context(cafile=trust) if trust else True
    transport = httpx.HTTPTransport(limits=limits, proxy=proxy, verify=verify)
    atexit.register(transport.close)
    return transport


def _certificate_fault(error: BaseException | None) -> str | None:
    """Why the certificate of the service is not valid: `certificate has expired`."""
    while error is not None and not isinstance(error, SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return None if error is None else error.verify_message


def _check_content_type(reply: httpx.Response, base_url: str) -> None:
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        expected = f"expected JSON, got {kind[:80] or 'no content type'}: {check_the_address(base_url)}"
        raise UnreadableResponse(text=expected)


def read_error_body(body: bytes) -> tuple[str | None, str | None]:
    """The code and the text of an error's body, where it has them."""
    try:
        error = ErrorBody.from_wire(orjson.loads(body))
    except ValueError:  # of JSON and of validation
        return None, None
    return error.code, error.error


def read_current(body: bytes) -> Any:
    """The present row, in the body of an edit conflict; None if it was deleted."""
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return payload.get("current") if isinstance(payload, dict) else None


def read_retry_after(text: str | None) -> float:
    """The seconds of a `Retry-After`; a whole window if it is missing or unreadable."""
    digits = (text or "").strip()
    return float(digits) if re.fullmatch(r"[0-9]{1,12}", digits) else 60.0


def proxy_of(base_url: str) -> str | None:
    """The proxy of the environment for the service; no proxy can reach a service of this machine."""
    parts = urlsplit(base_url)
    if _is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    address = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{address}" if address and "://" not in address else address


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
