"""Imports of the reader's own files: send, follow, and the words of a report."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import BinaryIO

from coachboard.client import Client
from coachboard.client.errors import BadRequest, NotFound
from coachboard.plurals import count
from coachboard.wire.activities import Activity
from coachboard.wire.own_data import ImportJob, Preview, ReportLine

_PIECE_BYTES = 1 << 20
_LOOK_EVERY_S = 0.05
_UNFINISHED = frozenset({"queued", "running"})
RESULTS: Mapping[str, str] = MappingProxyType(
    {
        "imported": "imported",
        "known": "already imported",
        "same session": "same session, already imported",
        "skipped": "skipped",
        "failed": "not imported",
    }
)
"""The result of one file as the report words it."""


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file that the browser sent: its name and its bytes."""

    name: str
    content: BinaryIO


def send(client: Client, files: Iterable[UploadedFile]) -> str:
    """Send the files to a new import and return its id; it starts at once unless a CSV file needs its columns."""
    own = client.own_data
    job_id = own.create_import().id
    names = set[str]()
    for file in files:
        own.send_file(job_id, free_name(file.name, names), partial(pieces_of, file.content))
    if not any(file.has_columns for file in own.get_import(job_id, limit=0).received):
        own.start_import(job_id)
    return job_id


def await_end(client: Client, import_id: str, *, for_s: float) -> None:
    """Return when the import has ended or waits for its start, or after that time."""
    end = time.monotonic() + for_s
    while is_unfinished(client.own_data.get_import(import_id, limit=0)) and time.monotonic() < end:
        time.sleep(_LOOK_EVERY_S)


def pieces_of(content: BinaryIO) -> Iterator[bytes]:
    """The content from its start in pieces of a megabyte: a file of any size is sent without a copy in memory."""
    content.seek(0)
    return iter(lambda: content.read(_PIECE_BYTES), b"")


def free_name(name: str, used_names: set[str]) -> str:
    """The name, or `ride (2).fit` if another file of the drop has it: the second one would replace the first."""
    path, number, free = PurePosixPath(name), 2, name
    while free in used_names:
        free = str(path.with_name(f"{path.stem} ({number}){path.suffix}"))
        number += 1
    used_names.add(free)
    return free


def is_unfinished(job: ImportJob) -> bool:
    return job.state in _UNFINISHED


def previews(client: Client, job: ImportJob) -> tuple[list[Preview], dict[str, str]]:
    """The CSV files among the received ones, and by name why others are no table; none from a service without previews."""
    tables, faults = list[Preview](), dict[str, str]()
    with suppress(NotFound):
        for name in (file.name for file in job.received if file.has_columns):
            try:
                tables.append(client.own_data.preview_file(job.id, name))
            except BadRequest as error:
                faults[name] = error.words
    return tables, faults


def summary(job: ImportJob) -> str:
    """The counts in words: `12 files: 9 imported (1 with remarks), 2 already imported, 1 not imported`."""
    counts = job.counts
    remarks = f" ({counts.repaired:,} with remarks)" if counts.repaired else ""
    parts = (
        (counts.imported, f"{counts.imported:,} imported{remarks}"),
        (counts.known, f"{counts.known:,} already imported"),
        (counts.skipped, f"{counts.skipped:,} skipped"),
        (counts.rejected, f"{counts.rejected:,} not imported"),
    )
    total = counts.imported + counts.known + counts.skipped + counts.rejected
    named = ", ".join(words for number, words in parts if number)
    return f"{count(total, 'file')}{': ' + named if named else ''}."


def brought(line: ReportLine) -> str:
    """The rows of the file in words: `1 session, 2 planned workouts`."""
    parts = (
        (len(line.activity_ids), "session"),
        (len(line.prescription_ids), "planned workout"),
        (line.nights, "night"),
        (line.values, "value"),
    )
    return ", ".join(count(number, noun) for number, noun in parts if number)


def sessions_of(client: Client, job: ImportJob) -> dict[str, Activity]:
    """The sessions of the report by id, newest first, also those that were there before; without deleted ones."""
    ids = {activity_id for line in job.report for activity_id in line.activity_ids}
    return {session.id: session for session in client.list_activities("me").rows(ids)} if ids else {}
