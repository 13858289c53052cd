"""Speed at every sample, also where the device wrote it once a pool length."""

import numpy as np
from numpy.typing import NDArray

from coachboard.loaders.session_streams import SessionStreams

Floats = NDArray[np.float64]

SPARSE_SHARE = 0.5
"""Above this share of missing values a speed column is read as one value a length."""


def even_speed(streams: SessionStreams) -> Floats | None:
    """The column as it is, or from the way between the samples at which the distance grew where it is sparse."""
    speed = streams.get("speed")
    if speed is None or np.isnan(speed).mean() <= SPARSE_SHARE or streams.distance_m is None:
        return speed
    return _from_steps(streams.elapsed_s, streams.distance_m)


def _from_steps(elapsed_s: Floats, distance_m: Floats) -> Floats:
    """Between two growths the speed is even: a pool's staircase is no series of leaps."""
    grew = np.flatnonzero(np.diff(distance_m, prepend=distance_m[:1]) > 0)
    edges = np.union1d([0], grew)
    if len(edges) < 2:
        return np.zeros(len(elapsed_s))
    spans = np.diff(elapsed_s[edges])
    speeds = np.divide(np.diff(distance_m[edges]), spans, out=np.zeros(len(spans)), where=spans > 0)
    lengths = np.searchsorted(edges, np.arange(len(elapsed_s)), side="left") - 1
    return np.where(lengths < len(speeds), speeds[np.clip(lengths, 0, len(speeds) - 1)], 0.0)
