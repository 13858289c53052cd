"""Limits of a reply: its time, its size and its values, so that a hostile service cannot fill the process.

300 kB of a reply unpacked to 256 MB, eight at a time: 1.7 GB of memory. A service that sends one byte at a time keeps
each read within its timeout, and kept a thread for ever.
"""

import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from io import BytesIO
from math import inf
from typing import Protocol

import zstandard

from coachboard.client.errors import TimedOut, UnreadableResponse

MAX_BODY_BYTES = 64 * 2**20
"""A day of streams at 1 Hz has 20 MB; a larger reply is a fault."""

SMALL_BODY_BYTES = 4 * 2**20
"""Replies up to this size are read at the same time."""

LARGE_BODIES = 2
"""How many larger replies the process reads and parses at a time; other replies wait."""

_LONGEST_TURN_S = 65.0
"""The longest wait for a turn."""

MAX_OBJECTS = 200_000
"""In one reply. 60 MB of empty objects take 4.3 GB once they are parsed."""

MAX_VALUES = 6_000_000
"""In one reply: two days of 25 streams at 1 Hz have 4.3 million."""

_SLICE = 256  # bytes: they unpack to at most 256 kB of gzip, 8 MB of zstd


_TURNS = threading.BoundedSemaphore(LARGE_BODIES)


def read_body(
    pieces: Iterable[bytes],
    encoding: str,
    turn: ExitStack,
    *,
    until: float = inf,
    limit: int = MAX_BODY_BYTES,
) -> bytes:
    """The unpacked body; raises `UnreadableResponse` before more than the limit is in memory.

    A large body waits for its turn, which ends when the caller closes `turn`: after parsing. Raises `TimedOut` if it is
    not complete at the moment `until` of `time.monotonic`: each byte of a reply that drips arrives within the timeout of
    a single read.
    """
    size = 0
    # Closed on an error too: an error that is kept keeps its traceback, and with it 64 MB.
    with BytesIO() as body:
        try:
            for plain in _unpacked(pieces, encoding):
                if time.monotonic() > until:
                    raise TimedOut(text="the reply took too long")
                was_small = size <= SMALL_BODY_BYTES
                size += len(plain)
                if size > limit:
                    raise UnreadableResponse(text=f"more than {limit / 2**20:.4g} MB")
                if was_small and size > SMALL_BODY_BYTES:
                    if not _TURNS.acquire(timeout=_LONGEST_TURN_S):
                        raise TimedOut(text="too many large replies at a time")
                    turn.callback(_TURNS.release)
                body.write(plain)
        except (zlib.error, zstandard.ZstdError) as error:
            raise UnreadableResponse(text=str(error), is_cut=True) from error
        if _has_too_many_values(body.getvalue()):
            raise UnreadableResponse(text="more values than any reply has")
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
        raise UnreadableResponse(text=f"unknown content encoding {encoding[:40]!r}", is_cut=True)
    unpacker = make()
    for piece in _slices(pieces):
        left = piece
        while left:
            if unpacker.eof:  # a second frame
                unpacker = make()
            yield unpacker.decompress(left)
            left = unpacker.unused_data if unpacker.eof else b""
    if not unpacker.eof:
        raise UnreadableResponse(text="the compressed reply is incomplete", is_cut=True)


def _slices(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), _SLICE):
            yield piece[start : start + _SLICE]
