"""The parts of a session: start and end in elapsed time, the service's numbers, and means measured on the streams."""

from collections.abc import Sequence
from datetime import datetime
from math import nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.plausible import plausible
from coachboard.formulas.session import elevation
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.selection import held_power_w, normalized_power_w
from coachboard.formulas.session.session_streams import SessionStreams
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


Floats = NDArray[np.float64]


def heart_rates_of(rows: Sequence[object], name: str) -> Floats:
    """As `numbers_of`; heart rates of 0 and 300 are missing values."""
    return plausible(name, numbers_of(rows, name))


def numbers_of(rows: Sequence[object], name: str) -> Floats:
    """A field of all parts as a column; null becomes NaN."""
    values = [getattr(row, name) for row in rows]
    return np.array([nan if value is None else float(value) for value in values], np.float64)


MEASURES = (
    "distance_m",
    "average_power_w",
    "average_heart_rate_bpm",
    "max_heart_rate_bpm",
    "average_cadence",
    "average_speed_mps",
    "adjusted_speed_mps",
    "elevation_gain_m",
)


def measures_of(streams: SessionStreams | None, span: tuple[float, float]) -> dict[str, float]:
    """Values that the interface lacks: distance, means and the highest heart rate between two times."""
    if streams is None:
        return dict.fromkeys(MEASURES, nan)
    window = streams.between(*span)
    altitude = streams.get("altitude")
    return {
        "distance_m": streams.distance_in(window),
        "average_power_w": streams.mean("power", window),
        "average_heart_rate_bpm": streams.mean("heart_rate", window),
        "max_heart_rate_bpm": highest(streams, "heart_rate", window),
        "average_cadence": streams.mean("cadence", window),
        "average_speed_mps": streams.mean("speed", window),
        "adjusted_speed_mps": streams.mean(ADJUSTED_SPEED, window),
        "elevation_gain_m": elevation.gain_loss(altitude[window])[0] if altitude is not None else nan,
    }


def highest(streams: SessionStreams, name: str, window: slice) -> float:
    """The highest value of a column in a window; NaN if unknown."""
    values = streams.get(name)
    if values is None or not np.isfinite(values[window]).any():
        return nan
    return float(np.nanmax(values[window]))


def normalized_powers_w(streams: SessionStreams | None, spans: Sequence[tuple[float, float]]) -> Floats:
    """Normalized power of each part as in a selection over it; NaN without power and below 5 min."""
    power = None if streams is None else held_power_w(streams)
    if streams is None or power is None:
        return np.full(len(spans), nan)
    windows = [streams.between(*span) for span in spans]
    return np.array(
        [
            streams.figure(
                "normalized_power_w", window, normalized_power_w(power[window], streams.dt_s[window])
            )
            for window in windows
        ],
        np.float64,
    )
