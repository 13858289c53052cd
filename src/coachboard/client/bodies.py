"""Undoing the compression of a reply, never to more than a bound."""

import zlib
from collections.abc import Callable
from contextlib import suppress

import zstandard

MAX_BODY_BYTES = 256 * 2**20
"""Far above a day of streams at 1 Hz (20 MB); beyond it a reply is a fault, not data."""


class TooLarge(ValueError):  # noqa: N818 (what happened, as in `errors`)
    """A body is larger than the limit, and would be again."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit / 2**20:.4g} MB")


class Cut(ValueError):  # noqa: N818 (as above)
    """A body does not unfold: part of it is missing or was changed on the way."""


def decompress(body: bytes, encoding: str, *, limit: int = MAX_BODY_BYTES) -> bytes:
    """Undo a content encoding, never to more than the limit: small bodies can unfold to gigabytes."""
    if encoding == "identity":
        return body
    unfold = _UNFOLD.get(encoding)
    if unfold is None:
        raise Cut(f"unknown content encoding {encoding[:40]!r}")
    try:
        plain, is_whole = unfold(body, limit)
    except (zlib.error, zstandard.ZstdError) as error:
        raise Cut(str(error)) from error
    if len(plain) > limit:
        raise TooLarge(limit)
    if not is_whole:
        raise Cut("the compressed reply is incomplete")
    return plain


def _gzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    unfolder = zlib.decompressobj(wbits=31)
    plain = unfolder.decompress(body, limit + 1)
    return plain, unfolder.eof


def _zstd(body: bytes, limit: int) -> tuple[bytes, bool]:
    size = zstandard.frame_content_size(body)
    if size > limit:
        raise TooLarge(limit)
    if size >= 0:
        with suppress(zstandard.ZstdError):  # what is not one whole frame is looked at piece by piece
            return zstandard.ZstdDecompressor().decompress(body, allow_extra_data=False), True
    with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
        # One byte more than it says: what then still comes is of a second frame.
        plain = reader.read(size + 1 if size >= 0 else limit + 1)
        if size >= 0 and len(plain) > size:
            plain += reader.read(limit + 1 - len(plain))
    return plain, size == -1 or len(plain) >= size


_UNFOLD: dict[str, Callable[[bytes, int], tuple[bytes, bool]]] = {"gzip": _gzip, "zstd": _zstd}
