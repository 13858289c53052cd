"""Speed at every sample, also if the device writes it once per pool length, and the speed that measures effort."""

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session.derived_motion import even_speed_mps
from coachboard.analytics.session.grade import grade_adjusted_speed, grade_pct
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.models.enums import Sport

Floats = NDArray[np.float64]

ON_FOOT = frozenset({Sport.RUNNING, Sport.HIKING, Sport.WALKING, Sport.SNOWSHOEING})
"""Sports of the two grade models, which were made for running."""
BY_SPEED = ON_FOOT | {Sport.SWIMMING, Sport.ROWING}
"""Sports whose speed measures effort; a ride's speed depends on hills and wind."""
SPARSE_SHARE = 0.5
"""With a larger share of missing values, the column has one value per length."""


def even_speed(streams: SessionStreams) -> Floats | None:
    """The column, or if it is sparse, the speed between samples with a new distance."""
    speed = streams.get("speed")
    if speed is None or np.isnan(speed).mean() <= SPARSE_SHARE or streams.distance_m is None:
        return speed
    return even_speed_mps(streams.elapsed_s, streams.distance_m)


def can_adjust_speed(streams: SessionStreams, sport: Sport | None) -> bool:
    """Whether the sport is on foot, with speed, distance and altitude."""
    if sport not in ON_FOOT or streams.distance_m is None:
        return False
    return streams.get("speed") is not None and streams.get("altitude") is not None


def effort_speed_mps(streams: SessionStreams, sport: Sport | None) -> Floats | None:
    """The speed that measures effort, grade-adjusted on foot; None for other sports."""
    if sport not in BY_SPEED:
        return None
    speed = even_speed(streams)
    if speed is None or streams.distance_m is None or not can_adjust_speed(streams, sport):
        return speed
    return grade_adjusted_speed(speed, grade_pct(streams.distance_m, streams.columns["altitude"]))
