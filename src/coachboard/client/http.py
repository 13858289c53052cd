"""Requests over HTTP: the one place that knows httpx, so that changing it is changing this file.

A request goes in, a reply with its whole body comes out, or a typed error. No retries, no budget, no cache.
"""

import time
from dataclasses import dataclass, field
from importlib.metadata import version
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
import orjson
from pydantic import SecretStr

from coachboard.client.bodies import MAX_BODY_BYTES, Cut, TooLarge, decompress
from coachboard.client.errors import (
    CLASS_BY_STATUS,
    RateLimited,
    ServiceError,
    TimedOut,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
)
from coachboard.models.errors import ErrorBody

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 15.0
LONGEST_RETRY_AFTER_S = 900.0
"""Windows last a minute; a wait of years, believed, would outlast the fault that asked for it."""

MAX_CONNECTIONS = 16
_NOTHING = httpx.ByteStream(b"")
_TEXT_LIMIT = 500  # of an error's text; the rest helps nobody


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked; `query` holds the parts that are present."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    target: str = field(init=False)
    """The path with its query, as errors and logs show it."""

    def __post_init__(self) -> None:
        target = f"{self.path}?{urlencode(self.query)}" if self.query else self.path
        object.__setattr__(self, "target", target)


def path_of(template: str, identifier: str = "") -> str:
    """Put an id into a path; opaque as it is, it must stay one segment."""
    if "{" in template and (not identifier or identifier in {".", ".."}):
        raise ValueError(f"not an id: {identifier!r}")
    return template.format(quote(identifier, safe=""))


def check_base_url(base_url: str) -> str:
    """The address without a trailing slash; raises `ValueError` for what a key must not be sent to."""
    parts = urlsplit(base_url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"expected an http or https address, got {base_url!r}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("expected an address without credentials, query or fragment")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def check_key(api_key: str | SecretStr) -> SecretStr:
    """The key as a secret; raises `ValueError`, without showing it, where no header could carry it."""
    text = (api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key).strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("the API key is empty or has invalid characters")
    return SecretStr(text)


class Http:
    """The connections to one service under one key; safe for many threads.

    They are used as they are, without httpx's client around them: what that adds for each request (cookies,
    redirects, the choice of a proxy, merged headers) is not wanted here, and takes a third of its time.
    """

    def __init__(self, base_url: str, api_key: SecretStr, *, timeout_s: float = READ_TIMEOUT_S) -> None:
        self.base_url = check_base_url(base_url)
        self._api_key = api_key
        self._headers = httpx.Headers(
            {
                "Host": httpx.URL(self.base_url).netloc.decode(),
                "Authorization": f"Bearer {api_key.get_secret_value()}",
                "Accept": "application/json",
                "Accept-Encoding": "zstd, gzip",
                "User-Agent": f"coachboard/{version('coachboard')}",
            }
        )
        timeout = httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s))
        self._extensions = {"timeout": timeout.as_dict()}
        self._timeout_s = timeout_s
        self._transport = httpx.HTTPTransport(
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS),
            proxy=proxy_of(self.base_url),
        )

    def __repr__(self) -> str:
        return f"Http({self.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def send(self, request: Request) -> bytes:
        """Send once and give the body of a 200; raises `ServiceError` for everything else."""
        try:
            reply = self._transport.handle_request(self._outgoing(request))
            try:
                body = self._read(request, reply)
            finally:
                reply.close()
        except httpx.TimeoutException as error:
            arrived = not isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout)
            raise self._failure(TimedOut, request, error, arrived=arrived) from error
        except httpx.TransportError as error:
            arrived = not isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.ProxyError)
            raise self._failure(Unreachable, request, error, arrived=arrived) from error
        if reply.status_code != httpx.codes.OK:
            raise self._refusal(request, reply, body)
        _check_content_type(request, reply)
        return body

    def _outgoing(self, request: Request) -> httpx.Request:
        url = httpx.URL(self.base_url + request.target)
        if request.body is None:
            # A stream of its own spares httpx the search for what the body adds to the headers.
            return httpx.Request(
                request.method, url, headers=self._headers, stream=_NOTHING, extensions=self._extensions
            )
        outgoing = httpx.Request(
            request.method, url, headers=self._headers, content=request.body, extensions=self._extensions
        )
        outgoing.headers["Content-Type"] = "application/json"
        return outgoing

    def _read(self, request: Request, reply: httpx.Response) -> bytes:
        # A reply that drips keeps each single read within its timeout, so the whole has a limit too.
        give_up_at = time.monotonic() + 4 * self._timeout_s
        pieces, size = [], 0
        assert isinstance(reply.stream, httpx.SyncByteStream)
        for piece in reply.stream:
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY_BYTES:
                raise _unreadable(request, reply, str(TooLarge(MAX_BODY_BYTES)))
            if time.monotonic() > give_up_at:
                raise TimedOut(request.method, request.target, text="the reply took too long")
        encoding = reply.headers.get("content-encoding", "identity").strip().lower()
        try:
            return decompress(b"".join(pieces), encoding)
        except TooLarge as error:
            raise _unreadable(request, reply, str(error)) from error
        except Cut as error:
            raise _unreadable(request, reply, str(error), is_cut=True) from error

    def _refusal(self, request: Request, reply: httpx.Response, body: bytes) -> ServiceError:
        code, text = read_error_body(body)
        secret = self._api_key.get_secret_value()
        text = text.replace(secret, "***")[:_TEXT_LIMIT] if text else None  # a service may echo what it got
        # A refusal is an answer: the service did not act. Any other status leaves that open.
        acted = reply.status_code not in CLASS_BY_STATUS
        facts: dict[str, Any] = {
            "status": reply.status_code,
            "code": code,
            "text": text,
            "may_have_arrived": acted,
        }
        kind = CLASS_BY_STATUS.get(reply.status_code, UnexpectedStatus)
        if kind is RateLimited:
            wait_s = read_retry_after(reply.headers.get("retry-after"))
            return RateLimited(request.method, request.target, retry_after_s=wait_s, **facts)
        return kind(request.method, request.target, **facts)

    def _failure(
        self, kind: type[ServiceError], request: Request, error: Exception, *, arrived: bool
    ) -> ServiceError:
        return kind(request.method, request.target, text=str(error) or None, may_have_arrived=arrived)


def _unreadable(
    request: Request, reply: httpx.Response, text: str, *, is_cut: bool = False
) -> UnreadableResponse:
    return UnreadableResponse(
        request.method, request.target, status=reply.status_code, text=text, is_cut=is_cut
    )


def _check_content_type(request: Request, reply: httpx.Response) -> None:
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise _unreadable(request, reply, f"expected JSON, got {kind[:80] or 'no content type'}")


def read_error_body(body: bytes) -> tuple[str | None, str | None]:
    """The code and the text of an error's body, where it has them."""
    try:
        error = ErrorBody.from_wire(orjson.loads(body))
    except ValueError:  # both JSON and validation errors are
        return None, None
    return error.code, error.error


def read_retry_after(text: str | None) -> float:
    """The seconds of a `Retry-After` within reason; a whole window where it is missing or unreadable."""
    if text is not None and text.strip().isascii() and text.strip().isdigit():
        return min(float(text), LONGEST_RETRY_AFTER_S)
    return 60.0


def proxy_of(base_url: str) -> str | None:
    """The proxy that the environment names for the service; one of the house never serves this machine."""
    parts = urlsplit(base_url)
    if _is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{found}" if found and "://" not in found else found


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
