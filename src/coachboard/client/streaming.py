"""Reading the streams of a reply: a column that is not of the interface costs itself, not the ride."""

from typing import Any

import numpy as np

from coachboard.client.errors import UnreadableResponse
from coachboard.client.http import Request
from coachboard.client.reading import read_json
from coachboard.client.result import RowProblem
from coachboard.models.streams import (
    STREAM_COLUMNS,
    TIMESTAMP,
    ActivityStreams,
    StreamsError,
    read_column,
    read_timestamps,
)


def read_streams(request: Request, body: bytes) -> tuple[ActivityStreams, tuple[RowProblem, ...]]:
    """The streams and what was odd about them; raises `UnreadableResponse` where the whole makes no sense."""
    payload = read_json(request, body)
    if not isinstance(payload, dict):
        raise UnreadableResponse(request.method, request.target, status=200, text="expected an object")
    columns: dict[str, Any] = {}
    words: dict[str, Any] = {}
    problems: list[RowProblem] = []
    for name, values in payload.items():
        try:
            columns[name], nan_at = _read(name, values)
        except StreamsError as error:
            problems.append(RowProblem(f"streams.{name}", str(error), is_set_aside=name in STREAM_COLUMNS))
            continue
        if len(nan_at):
            words[name] = nan_at
    _drop_other_lengths(columns, words, problems)
    for values in columns.values():
        values.flags.writeable = False  # shared by all who read it, as what comes from the cache is
    stamps = columns.pop(TIMESTAMP, None)
    return ActivityStreams(columns, stamps, words), tuple(problems)


def _read(name: str, values: object) -> tuple[Any, Any]:
    if name == TIMESTAMP:
        return read_timestamps(values), ()
    if name not in STREAM_COLUMNS:
        raise StreamsError("unknown column, left out")
    return read_column(name, values)


def _drop_other_lengths(columns: dict[str, Any], words: dict[str, Any], problems: list[RowProblem]) -> None:
    """Columns are aligned by index: one of another length than most cannot be placed."""
    lengths = [len(values) for values in columns.values()]
    if len(set(lengths)) <= 1:
        return
    usual = int(np.bincount(lengths).argmax())
    for name in [name for name, values in columns.items() if len(values) != usual]:
        says = f"{len(columns.pop(name))} values where the other columns have {usual}"
        words.pop(name, None)
        problems.append(RowProblem(f"streams.{name}", says, is_set_aside=True))
