"""Limits of a reply: its time, its size and its values, so that a hostile service cannot fill the process.

300 kB of a reply unpacked to 256 MB, eight at a time: 1.7 GB of memory. A service that sends one byte at a time keeps
each read within its timeout, and kept a thread for ever.
"""

import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from ssl import SSLContext
from types import TracebackType
from typing import Any, Protocol, Self

import httpcore
import httpx
import zstandard

MAX_BODY_BYTES = 64 * 2**20
"""A day of streams at 1 Hz has 20 MB; a larger reply is a fault."""

SMALL_BODY_BYTES = 4 * 2**20
"""Replies up to this size are read at the same time."""

LARGE_BODIES = 2
"""How many larger replies the process reads and parses at a time; other replies wait."""

MAX_OBJECTS = 200_000
"""In one reply. 60 MB of empty objects take 4.3 GB once they are parsed."""

MAX_VALUES = 6_000_000
"""In one reply: two days of 25 streams at 1 Hz have 4.3 million."""

_SLICE = 256  # bytes: they unpack to at most 256 kB of gzip, 8 MB of zstd


class TooLarge(ValueError):  # noqa: N818 (named like the errors of `errors`)
    """A body is larger than the limit; a second request would return the same body."""


class Cut(ValueError):  # noqa: N818 (as above)
    """A body cannot be unpacked: a part is missing or was changed."""


class Room:
    """Room for one reply from its first byte until it is parsed; a large reply waits for its turn."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._is_large = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_large:
            _TURNS.release()

    def grow(self, size: int) -> None:
        """Note the size so far; raises `TimeoutError` if no turn comes in time."""
        if size > SMALL_BODY_BYTES and not self._is_large:
            if not _TURNS.acquire(timeout=self._timeout_s):
                raise TimeoutError("too many large replies at a time")
            self._is_large = True


_TURNS = threading.BoundedSemaphore(LARGE_BODIES)


def read_body(pieces: Iterable[bytes], encoding: str, room: Room, *, limit: int = MAX_BODY_BYTES) -> bytes:
    """The unpacked body; raises `TooLarge` before more than the limit is in memory, and `Cut`."""
    size = 0
    # Closed on an error too: an error that is kept keeps its traceback, and with it 64 MB.
    with BytesIO() as body:
        try:
            for plain in _unpacked(pieces, encoding):
                size += len(plain)
                if size > limit:
                    raise TooLarge(f"more than {limit / 2**20:.4g} MB")
                room.grow(size)
                body.write(plain)
        except (zlib.error, zstandard.ZstdError) as error:
            raise Cut(str(error)) from error
        if _has_too_many_values(body.getvalue()):
            raise TooLarge("more values than any reply has")
        return body.getvalue()


def _has_too_many_values(body: bytes) -> bool:
    return body.count(b"{") > MAX_OBJECTS or body.count(b",") > MAX_VALUES


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


_UNPACKERS: dict[str, Callable[[], _Unpacker]] = {
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj(),
}


def _unpacked(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    if encoding == "identity":
        yield from pieces
        return
    make = _UNPACKERS.get(encoding)
    if make is None:
        raise Cut(f"unknown content encoding {encoding[:40]!r}")
    unpacker = make()
    for piece in _slices(pieces):
        left = piece
        while left:
            if unpacker.eof:  # a second frame
                unpacker = make()
            yield unpacker.decompress(left)
            left = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise Cut("the compressed reply is incomplete")


def _slices(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), _SLICE):
            yield piece[start : start + _SLICE]


_HERE = threading.local()


@contextmanager
def reply_within(seconds: float) -> Iterator[None]:
    """Let requests of this thread raise `httpx.ReadTimeout` after this time."""
    _HERE.until = time.monotonic() + seconds
    try:
        yield
    finally:
        _HERE.until = None


class LimitedTransport(httpx.HTTPTransport):
    """Connections that keep to `reply_within` and end with the transport. httpx limits each read, not a whole reply."""

    def __init__(self, *, limits: httpx.Limits, proxy: str | None = None) -> None:
        super().__init__(limits=limits, proxy=proxy)
        self._backend = self._pool._network_backend = _Backend()  # noqa: SLF001 (no public way)

    def close(self) -> None:
        super().close()
        self._backend.close()


class _Backend(httpcore.SyncBackend):
    """Network backend of httpcore that keeps a list of its open connections.

    httpcore forgets a connection that a thread is making while the pool is closed, and makes new ones afterwards:
    their sockets stayed open until the garbage collector found them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[_Stream] = set()
        self._is_closed = False

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(*args, **options), self)

    def close(self) -> None:
        """Close all connections; later ones are refused."""
        with self._lock:
            self._is_closed = True
            streams = list(self._open)
        for stream in streams:
            stream.close()

    def add(self, stream: "_Stream") -> None:
        with self._lock:
            if not self._is_closed:
                self._open.add(stream)
                return
        stream.close()
        raise httpcore.ConnectError("the client was closed")

    def remove(self, stream: "_Stream") -> None:
        with self._lock:
            self._open.discard(stream)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, backend: _Backend) -> None:
        self._stream = stream
        self._backend = backend
        backend.add(self)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _limited(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()
        self._backend.remove(self)

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> Self:
        secured = self._stream.start_tls(ssl_context, server_hostname, timeout)
        self._backend.remove(self)
        return type(self)(secured, self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _limited(timeout: float | None) -> float | None:
    until: float | None = getattr(_HERE, "until", None)
    if until is None:
        return timeout
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the reply took too long")
    return left if timeout is None else min(timeout, left)
