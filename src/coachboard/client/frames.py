"""Frames of long lists, kept whole as Arrow: a season of sessions is read in 3 ms where its rows take 60.

The rows themselves stay where they are and are read when somebody asks for more than the frame.
"""

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
import pandas as pd
import pyarrow as pa

from coachboard.client.cache.blobs import BlobKey, Blobs
from coachboard.client.cache.lists import Held, ListKey, frame_key
from coachboard.client.cache.spans import Days
from coachboard.client.reach import Reach
from coachboard.client.reading import FramedRows, Rows

LONG_DAYS = 120
"""The shortest range whose frame is kept."""

MANY_ROWS = 100
"""The fewest rows that are worth it."""

_OF = b"coachboard"


class KeptFrames:
    """The frames in the cache of one client."""

    def __init__(self, blobs: Blobs, reach: Reach) -> None:
        self._blobs = blobs
        self._reach = reach

    def find(
        self, key: ListKey, days: Days, held: Held, unpacked: Callable[[], Rows[Any]]
    ) -> Rows[Any] | None:
        """The rows by their frame, where one of this very state of the list is kept; `unpacked` gives the rest."""
        if not _is_long(days):
            return None
        blob = self._blobs.get(_at(key, days))
        frame = None if blob is None else from_arrow(blob.body, _state(days, held))
        return None if frame is None else FramedRows(key.resource.model, frame, unpacked)

    def keep(self, key: ListKey, days: Days, held: Held, rows: Rows[Any]) -> None:
        """Have the frame kept once somebody has asked for it."""
        if _is_long(days) and len(rows) >= MANY_ROWS and not rows.problems:
            rows.when_framed(partial(self._keep_soon, key, days, held))

    def _keep_soon(self, key: ListKey, days: Days, held: Held, frame: pd.DataFrame) -> None:
        at = _at(key, days)
        self._reach.background.submit(at, partial(self._write, at, frame, _state(days, held)))

    def _write(self, at: BlobKey, frame: pd.DataFrame, state: list[int]) -> None:
        body = to_arrow(frame, state)
        self._reach.grew(self._blobs.put(at, body, now=self._reach.options.clock()))


def _is_long(days: Days) -> bool:
    return days.last - days.first >= LONG_DAYS


def _at(key: ListKey, days: Days) -> BlobKey:
    """One place for each length of range: a window that moves with the day takes the place of yesterday's."""
    length = days.last - days.first
    return BlobKey(key.scope, f"frame {key.resource.name}", frame_key(key.user_id, length))


def _state(days: Days, held: Held) -> list[int]:
    return [days.first, days.last, held.list_id, held.version]


def to_arrow(frame: pd.DataFrame, state: list[int]) -> bytes:
    """The frame with what it is of."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), _OF: orjson.dumps(state)})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return sink.getvalue()


def from_arrow(body: bytes, state: list[int]) -> pd.DataFrame | None:
    """The frame as it was; None where it is of another state."""
    # A thread for each of forty small columns costs more than it wins, and waits for a busy machine.
    with pa.ipc.open_stream(body, options=pa.ipc.IpcReadOptions(use_threads=False)) as reader:
        if orjson.loads(reader.schema.metadata[_OF]) != state:
            return None
        frame: pd.DataFrame = reader.read_all().to_pandas(use_threads=False)
        return frame
