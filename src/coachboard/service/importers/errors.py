"""The errors of a file, and the limits against hostile files.

RecordingError
 ├── UnknownFormat      neither FIT nor TCX nor GPX, nor an archive of them
 ├── BrokenRecording    of that format, but nothing in it could be read
 ├── EmptyRecording     readable, but it holds no session and no workout
 │    └── NotImported   telemetry and other files of an export
 └── FileTooLarge       a limit was passed: bytes, entries, nesting, messages or time
"""

import math
from collections.abc import Callable
from dataclasses import dataclass


class RecordingError(Exception):
    """One file could not be imported; the message is one line for people."""


class UnknownFormat(RecordingError):  # noqa: N818 (the name says what is wrong)
    """The importers read no format that begins with these bytes."""


class BrokenRecording(RecordingError):  # noqa: N818 (the name says what is wrong)
    """The damaged file has no readable part."""


class EmptyRecording(RecordingError):  # noqa: N818 (the name says what is wrong)
    """There is nothing in the file that could be shown."""


class NotImported(EmptyRecording):
    """A file of an export that holds nothing to import, such as a device's telemetry; it is counted, not reported."""


class FileTooLarge(RecordingError):  # noqa: N818 (the name says what is wrong)
    """The file passes a limit."""


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """The limits of one file. The longest real recording known here, an Ironman of 14 h, has 3 MB and 91,000 messages."""

    file_bytes: int = 64_000_000
    inner_archive_bytes: int = 500_000_000  # of an archive that lies in another and is unpacked into memory
    total_bytes: int = 20_000_000_000
    entries: int = 50_000  # recordings and health files; a takeout of ten years has 20,000
    listed: int = 1_000_000  # names in all archives together
    directory_bytes: int = 16_000_000  # of one archive, which zipfile reads into 20 times as much memory
    nesting: int = 3
    messages: int = 2_000_000
    elements: int = 2_000_000
    seconds: float = 120.0


class Watch:
    """Raises `FileTooLarge` once a reader has taken more than its time or its number of parts."""

    def __init__(self, limits: ImportLimits, clock: Callable[[], float], *, most: int) -> None:
        self._deadline = clock() + limits.seconds
        self._seconds = limits.seconds
        self._clock = clock
        self._most = most
        self._count = 0

    def tick(self, *_: object) -> None:
        """Count one message or element."""
        self._count += 1
        if self._count > self._most:
            raise FileTooLarge(f"more than {self._most:,} parts")
        if self._count % 1024 == 0 and self._clock() > self._deadline:
            raise FileTooLarge(f"reading took longer than {math.ceil(self._seconds)} s")
