"""Numbers of parts: the service's own, and means measured on the streams."""

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.plausible import plausible
from coachboard.analytics.session import elevation
from coachboard.loaders.activity.session_streams import SessionStreams

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
        "elevation_gain_m": elevation.gain_loss(altitude[window])[0] if altitude is not None else nan,
    }


def highest(streams: SessionStreams, name: str, window: slice) -> float:
    """The highest value of a column in a window; NaN if unknown."""
    values = streams.get(name)
    if values is None or not np.isfinite(values[window]).any():
        return nan
    return float(np.nanmax(values[window]))
