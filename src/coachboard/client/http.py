"""Requests over HTTP: the one place that knows httpx, so that changing it is changing this file.

A request goes in, a reply with its whole body comes out, or a typed error. No retries, no budget, no cache.
"""

import time
import zlib
from dataclasses import dataclass
from importlib.metadata import version
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit

import httpx
import orjson
import zstandard
from pydantic import SecretStr

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
MAX_BODY_BYTES = 256 * 2**20
"""Far above a day of streams at 1 Hz (20 MB); beyond it a reply is a fault, not data."""

LONGEST_RETRY_AFTER_S = 900.0
"""Windows last a minute; a wait of years, believed, would outlast the fault that asked for it."""

MAX_CONNECTIONS = 16
_TEXT_LIMIT = 500  # of an error's text; the rest helps nobody


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked; `query` holds the parts that are present."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None

    @property
    def target(self) -> str:
        """The path with its query, as errors and logs show it."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


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
        raise ValueError("the API key is empty or has characters that no key has")
    return SecretStr(text)


class Http:
    """The connection pool to one service under one key; safe for many threads."""

    def __init__(self, base_url: str, api_key: SecretStr, *, timeout_s: float = READ_TIMEOUT_S) -> None:
        self.base_url = check_base_url(base_url)
        self._api_key = api_key
        self._client = httpx.Client(
            headers={
                "Authorization": f"Bearer {api_key.get_secret_value()}",
                "Accept": "application/json",
                "Accept-Encoding": "zstd, gzip",
                "User-Agent": f"coachboard/{version('coachboard')}",
            },
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS),
            follow_redirects=False,  # the key goes to the configured origin alone
            trust_env=not _is_loopback(self.base_url),  # a proxy of the house never serves this machine
        )
        self._timeout_s = timeout_s

    def __repr__(self) -> str:
        return f"Http({self.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def send(self, request: Request) -> bytes:
        """Send once and give the body of a 200; raises `ServiceError` for everything else."""
        headers = {"Content-Type": "application/json"} if request.body is not None else None
        try:
            with self._client.stream(
                request.method, self.base_url + request.target, content=request.body, headers=headers
            ) as reply:
                body = self._read(request, reply)
        except httpx.TimeoutException as error:
            arrived = not isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout)
            raise self._failure(TimedOut, request, error, arrived=arrived) from _without_request(error)
        except httpx.TransportError as error:
            arrived = not isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.ProxyError)
            raise self._failure(Unreachable, request, error, arrived=arrived) from _without_request(error)
        if reply.status_code != httpx.codes.OK:
            raise self._refusal(request, reply, body)
        _check_content_type(request, reply)
        return body

    def _read(self, request: Request, reply: httpx.Response) -> bytes:
        # A reply that drips keeps each single read within its timeout, so the whole has a limit too.
        give_up_at = time.monotonic() + 4 * self._timeout_s
        pieces, size = [], 0
        for piece in reply.iter_raw():
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY_BYTES:
                raise _unreadable(request, reply, f"more than {MAX_BODY_BYTES} bytes")
            if time.monotonic() > give_up_at:
                raise TimedOut(request.method, request.target, text="the reply took too long")
        encoding = reply.headers.get("content-encoding", "identity").strip().lower()
        try:
            return decompress(b"".join(pieces), encoding)
        except TooLarge as error:
            raise _unreadable(request, reply, str(error)) from error
        except (ValueError, zlib.error, zstandard.ZstdError) as error:
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


def _without_request(error: httpx.TransportError) -> httpx.TransportError:
    # The exception holds the request, and the request its headers: the key would travel with the cause.
    error._request = None  # noqa: SLF001
    return error


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


class TooLarge(ValueError):  # noqa: N818 (what happened, as in `errors`)
    """A body unfolds to more than the limit, and would do so again."""


def decompress(body: bytes, encoding: str, *, limit: int = MAX_BODY_BYTES) -> bytes:
    """Undo a content encoding, never to more than the limit: small bodies can unfold to gigabytes."""
    if encoding == "identity":
        return body
    if encoding == "gzip":
        unfolder = zlib.decompressobj(wbits=31)
        plain = unfolder.decompress(body, limit + 1)
        is_whole = unfolder.eof
    elif encoding == "zstd":
        size = zstandard.frame_content_size(body)
        if size > limit:
            raise TooLarge(f"more than {limit} bytes")
        with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
            # One byte more than it says: what then still comes is of a second frame.
            plain = reader.read(size + 1 if size >= 0 else limit + 1)
            if size >= 0 and len(plain) > size:
                plain += reader.read(limit + 1 - len(plain))
        is_whole = size == -1 or len(plain) >= size
    else:
        raise ValueError(f"unknown content encoding {encoding[:40]!r}")
    if len(plain) > limit:
        raise TooLarge(f"more than {limit} bytes")
    if not is_whole:
        raise ValueError("the compressed body is cut")
    return plain


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


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
