"""Replies in an encoding that the caller accepts: zstd, gzip or identity."""

import gzip

import zstandard
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

ZSTD = "zstd"
GZIP = "gzip"
PLAIN = "identity"

_WORTH_BYTES = 1_000  # a smaller reply fits one packet either way
_LONG_BYTES = 100_000  # compressing more takes longer than starting a thread
_GZIP_LEVEL = 4
_GZIP_STREAMS_LEVEL = 1


def accepted(header: bytes | None) -> str:
    """The best encoding of an Accept-Encoding header; unnamed ones and those with q=0 are not accepted."""
    if not header:
        return PLAIN
    offers = [part.strip() for part in header.decode("latin-1").lower().split(",")]
    named = {
        name.strip() for name, _, weight in (offer.partition(";") for offer in offers) if _is_wanted(weight)
    }
    return next((encoding for encoding in (ZSTD, GZIP) if encoding in named), PLAIN)


def _is_wanted(parameters: str) -> bool:
    name, _, value = parameters.strip().partition("=")
    try:
        return name.strip() != "q" or float(value) > 0
    except ValueError:
        return False


async def json_reply(body: bytes, encoding: str) -> Response:
    """A JSON reply: compressed from 1 kB, in a thread from 100 kB."""
    if encoding == PLAIN or len(body) < _WORTH_BYTES:
        return _reply(body, PLAIN)
    if len(body) < _LONG_BYTES:
        return _reply(_compress(body, encoding), encoding)
    return _reply(await run_in_threadpool(_compress, body, encoding), encoding)


async def streams_reply(packed: bytes, encoding: str) -> Response:
    """Streams: the stored zstd bytes go unchanged to a caller that accepts zstd."""
    if encoding == ZSTD:
        return _reply(packed, ZSTD)
    return _reply(await run_in_threadpool(_repack, packed, encoding), encoding)


def _compress(body: bytes, encoding: str) -> bytes:
    if encoding == ZSTD:
        return zstandard.ZstdCompressor().compress(body)
    return gzip.compress(body, _GZIP_LEVEL, mtime=0)


def _repack(packed: bytes, encoding: str) -> bytes:
    body = zstandard.ZstdDecompressor().decompress(packed)
    return gzip.compress(body, _GZIP_STREAMS_LEVEL, mtime=0) if encoding == GZIP else body


def _reply(body: bytes, encoding: str) -> Response:
    # No cache between the service and its client may store health data.
    headers = {"Vary": "Accept-Encoding", "Cache-Control": "private, no-store"}
    if encoding != PLAIN:
        headers["Content-Encoding"] = encoding
    return Response(body, headers=headers, media_type="application/json")
