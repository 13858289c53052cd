"""Start and end of a session's parts in elapsed time."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

import numpy as np

from coachboard.loaders.session_streams import SessionStreams
from coachboard.wire.activities import Activity, Climb, Lap, Length

Spans: TypeAlias = list[tuple[float, float]]


def indexed_spans(
    activity: Activity,
    streams: SessionStreams | None,
    rows: Sequence[Lap] | Sequence[Climb] | Sequence[Length],
) -> Spans:
    """From the streams if present, because selections use them; else from the timestamps."""
    if streams is None or not len(streams):
        return [
            (since_start(activity, streams, row.started_at), since_start(activity, streams, row.ended_at))
            for row in rows
        ]
    last = len(streams) - 1
    starts_s, ends_s = streams.elapsed_s, streams.elapsed_s + streams.dt_s
    # spec: `endedAtIndex` is the last sample of the part, which ends with that sample.
    return [
        (float(starts_s[min(row.started_at_index, last)]), float(ends_s[min(row.ended_at_index, last)]))
        for row in rows
    ]


def device_spans(activity: Activity, streams: SessionStreams | None) -> Spans:
    """Device laps, for which the interface has only two timestamps."""
    return [
        (since_start(activity, streams, lap.started_at), since_start(activity, streams, lap.ended_at))
        for lap in activity.provider_laps
    ]


def since_start(activity: Activity, streams: SessionStreams | None, moment: datetime) -> float:
    """Elapsed seconds of a timestamp; the first sample is the start if its time is known."""
    if streams is not None and streams.started_at is not None:
        naive = np.datetime64(moment.replace(tzinfo=None), "ms")
        since = float((naive - streams.started_at) / np.timedelta64(1, "s"))
    elif activity.started_at is not None:
        since = (moment - activity.started_at).total_seconds()
    else:
        since = 0.0
    return max(since, 0.0)
