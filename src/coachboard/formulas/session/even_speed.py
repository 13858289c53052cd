"""Speed at every sample, also if the device writes it once per pool length, and the speed that measures effort."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.derived_motion import even_speed_mps
from coachboard.formulas.session.grade import ADJUSTED_SPEED, grade_adjusted_speed, grade_pct
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.wire.enums import Sport

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


def adjusted_speed(streams: SessionStreams) -> Floats | None:
    """The speed on flat ground at the same energy cost (Minetti); None without speed, distance or altitude.

    The grade comes from the altitude: the interface does not state the unit of the grade stream.
    """
    speed, altitude = even_speed(streams), streams.get("altitude")
    if speed is None or altitude is None or streams.distance_m is None:
        return None
    return grade_adjusted_speed(speed, grade_pct(streams.distance_m, altitude))


def with_adjusted_speed(streams: SessionStreams, sport: Sport | None) -> SessionStreams:
    """With the grade-adjusted speed as a column, for panels, laps, selections and curves; unchanged unless on foot."""
    adjusted = adjusted_speed(streams) if sport in ON_FOOT else None
    if adjusted is None:
        return streams
    return replace(
        streams,
        columns={**streams.columns, ADJUSTED_SPEED: adjusted},
        derived={**streams.derived, ADJUSTED_SPEED: "speed and altitude"},
    )


def effort_speed_mps(streams: SessionStreams, sport: Sport | None) -> Floats | None:
    """The speed that measures effort, grade-adjusted on foot; None for other sports."""
    if sport not in BY_SPEED:
        return None
    adjusted = streams.get(ADJUSTED_SPEED)
    return even_speed(streams) if adjusted is None else adjusted
