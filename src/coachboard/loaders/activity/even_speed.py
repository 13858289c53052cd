"""Speed at every sample, also if the device writes it once per pool length."""

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session.derived_motion import even_speed_mps
from coachboard.loaders.activity.session_streams import SessionStreams

Floats = NDArray[np.float64]

SPARSE_SHARE = 0.5
"""With a larger share of missing values, the column has one value per length."""


def even_speed(streams: SessionStreams) -> Floats | None:
    """The column, or if it is sparse, the speed between samples with a new distance."""
    speed = streams.get("speed")
    if speed is None or np.isnan(speed).mean() <= SPARSE_SHARE or streams.distance_m is None:
        return speed
    return even_speed_mps(streams.elapsed_s, streams.distance_m)
