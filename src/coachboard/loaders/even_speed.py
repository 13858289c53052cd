"""Speed at every sample, also where the device wrote it once a pool length."""

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.derived_motion import even_speed_mps
from coachboard.loaders.session_streams import SessionStreams

Floats = NDArray[np.float64]

SPARSE_SHARE = 0.5
"""Above this share of missing values a speed column is read as one value a length."""


def even_speed(streams: SessionStreams) -> Floats | None:
    """The column as it is, or from the way between the samples at which the distance grew where it is sparse."""
    speed = streams.get("speed")
    if speed is None or np.isnan(speed).mean() <= SPARSE_SHARE or streams.distance_m is None:
        return speed
    return even_speed_mps(streams.elapsed_s, streams.distance_m)
