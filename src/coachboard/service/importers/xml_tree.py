"""XML of strangers: entities and network off, no document type, bounded in elements and time."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from coachboard.service.importers.errors import (
    BrokenRecording,
    EmptyRecording,
    ImportLimits,
    RecordingError,
    Watch,
)

_CHUNK = 1 << 16
_BLANKS = b" \t\r\n\xef\xbb\xbf"
"""Blanks and the byte order mark of UTF-8: downloads of some services begin with blanks, and nothing is lost."""
_FIRST_YEAR, _LAST_YEAR = 1980, 2100
"""No device recorded before the first, and FIT ends its count of seconds soon after the second."""


def read_tree(
    data: bytes, limits: ImportLimits, *, clock: Callable[[], float] = time.monotonic
) -> tuple[Any, tuple[str, ...]]:
    """The root element, and the problem if only a part could be read; raises a `RecordingError`."""
    data = data.lstrip(_BLANKS)
    try:
        return _parse(data, Watch(limits, clock, most=limits.elements), recover=False), ()
    except etree.XMLSyntaxError as error:
        problem = f"the file is damaged ({_fault(error)}); readable parts were imported"
    try:
        root = _parse(data, Watch(limits, clock, most=limits.elements), recover=True)
    except etree.XMLSyntaxError as error:
        raise BrokenRecording(f"not readable as XML ({_fault(error)})") from error
    if root is None:
        raise BrokenRecording("not readable as XML")
    return root, (problem,)


def _fault(error: etree.XMLSyntaxError) -> str:
    """The fault and its place, without the name of the parser's function before it."""
    return re.sub(r"^xml\w+: ", "", error.msg or "no element")


def _parse(data: bytes, watch: Watch, *, recover: bool) -> Any:
    parser = etree.XMLPullParser(
        events=("start",),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )
    for offset in range(0, len(data), _CHUNK):
        parser.feed(data[offset : offset + _CHUNK])
        for _ in parser.read_events():
            watch.tick()
    root = parser.close()
    if root is not None and root.getroottree().docinfo.internalDTD is not None:
        raise BrokenRecording("the file declares a document type; entities are not allowed")
    return root


def local_name(element: Any) -> str:
    """The tag without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Any, name: str) -> Iterator[Any]:
    """Direct children of that local name."""
    return (child for child in element if local_name(child) == name)


def child_text(element: Any, *path: str) -> str | None:
    """The text at the end of a path of first children, None where it ends early or is empty."""
    for name in path:
        element = next(children(element, name), None)
        if element is None:
            return None
    return (element.text or "").strip() or None


def number(text: str | None) -> float | None:
    """A finite number, None for anything else."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def without_times(texts: Iterable[str | None], otherwise: str) -> RecordingError:
    """The error of a file whose moments cannot be used: its first time is impossible or unreadable; else, none is given."""
    given = next((text.strip() for text in texts if text and text.strip()), None)
    if given is None:
        return EmptyRecording(otherwise)
    try:
        datetime.fromisoformat(given)
    except ValueError:
        return BrokenRecording(f"has no time that can be read (the first is {given[:40]!r})")
    return BrokenRecording(
        f"has impossible times (the first is {given[:40]!r}): the file or the device's clock is wrong"
    )


def read_time(text: str | None) -> datetime | None:
    """An ISO 8601 time; one without a zone is taken as UTC, which both formats prescribe."""
    try:
        moment = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
