"""Streams as Arrow IPC with lz4: read back in 2 ms where JSON takes 50."""

import io
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from coachboard.client.result import RowProblem
from coachboard.models.streams import TIMESTAMP, ActivityStreams

_FACTS = b"coachboard"


def to_arrow(streams: ActivityStreams, problems: tuple[RowProblem, ...] = ()) -> bytes:
    """The streams, with the positions of the word "NaN" and what was odd about the reply beside them."""
    arrays: dict[str, Any] = {}
    if streams.timestamps is not None:
        arrays[TIMESTAMP] = streams.timestamps
    arrays |= streams.columns
    facts = {
        "nan_words": {name: at.tolist() for name, at in streams.nan_words.items()},
        "problems": [[problem.place, problem.says, problem.is_set_aside] for problem in problems],
    }
    batch = pa.record_batch([pa.array(values) for values in arrays.values()], names=list(arrays))
    schema = batch.schema.with_metadata({_FACTS: orjson.dumps(facts)})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(batch.replace_schema_metadata(schema.metadata))
    return sink.getvalue()


def from_arrow(body: bytes) -> tuple[ActivityStreams, tuple[RowProblem, ...]]:
    """The streams as they were written; their arrays are read-only."""
    with pa.ipc.open_stream(body) as reader:
        batch = reader.read_next_batch()
        facts = orjson.loads(reader.schema.metadata[_FACTS])
    arrays: dict[str, Any] = {
        name: batch.column(name).to_numpy(zero_copy_only=name != TIMESTAMP) for name in batch.schema.names
    }
    streams = ActivityStreams(
        {name: values for name, values in arrays.items() if name != TIMESTAMP},
        arrays.get(TIMESTAMP),
        {name: np.array(at, np.intp) for name, at in facts["nan_words"].items()},
    )
    return streams, tuple(RowProblem(*problem) for problem in facts["problems"])
