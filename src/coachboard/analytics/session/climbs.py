"""Find the climbs of a ride from distance and altitude."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.analytics.session.grade import profile

LEAST_LENGTH_M = 500.0
LEAST_GRADE_PCT = 3.0
LEAST_SCORE = 3_500.0
"""Length times grade, m %: at least 35 m of gain. With the other two, the rule of Garmin's ClimbPro."""

BASE_GRADE = 0.015
"""A climb starts and ends where the grade falls below this; excludes flat lead-ins. [-]"""

_STEP_M = 20.0
_REVERSAL_M = 10.0
_REVERSAL_SHARE = 0.12


@dataclass(frozen=True, slots=True)
class FoundClimb:
    """First and last sample of a climb, both inclusive."""

    start: int
    end: int


def find_climbs(distance_m: ArrayLike, altitude_m: ArrayLike) -> list[FoundClimb]:
    """Climbs of a session, in order.

    Parameters
    ----------
    distance_m : array_like
        Distance, never falling, NaN where missing, shape (n,). [m]
    altitude_m : array_like
        Altitude, NaN where missing, shape (n,). [m]

    Returns
    -------
    list of FoundClimb
        Not overlapping, ordered; empty where none or nothing is known.

    Notes
    -----
    The altitude above a line rising at `BASE_GRADE` is read every 20 m and cut at its turning points; a dip
    ends a climb when it exceeds 10 m or 12 % of the gain. A rise counts as a climb from 500 m and 3 % if
    length times grade is at least 3,500 m %: this rule is ClimbPro's, the rest is Coachboard's.

    Examples
    --------
    >>> distance = np.arange(0.0, 5000.0, 10.0)
    >>> altitude = np.clip(distance - 1000, 0, 2000) * 0.06
    >>> [(climb.start, climb.end) for climb in find_climbs(distance, altitude)]
    [(100, 300)]
    """
    distance = np.asarray(distance_m, np.float64)
    metres, height = profile(distance, altitude_m)
    if len(metres) < 2 or metres[-1] - metres[0] < LEAST_LENGTH_M:
        return []
    marks = np.arange(metres[0], metres[-1] + _STEP_M, _STEP_M)
    heights = np.interp(marks, metres, height)
    rises = _rises((heights - BASE_GRADE * marks).tolist())
    spans = [(marks[low], marks[high]) for low, high in rises if _is_climb(marks, heights, low, high)]
    return [_to_samples(distance, low, high) for low, high in spans]


def _is_climb(marks: NDArray[np.float64], heights: NDArray[np.float64], low: int, high: int) -> bool:
    length, gain = marks[high] - marks[low], heights[high] - heights[low]
    if length < LEAST_LENGTH_M:
        return False
    return bool(gain / length * 100 >= LEAST_GRADE_PCT and gain * 100 >= LEAST_SCORE)


def _rises(values: list[float]) -> list[tuple[int, int]]:
    """Low and high point of every rise without a dip beyond the tolerance."""
    found: list[tuple[int, int]] = []
    low = high = 0
    for place, value in enumerate(values):
        if value >= values[high]:
            high = place
        elif (
            # Both tolerances, one after the other: this runs 50 times per kilometre.
            values[high] - value > _REVERSAL_M
            and values[high] - value > _REVERSAL_SHARE * (values[high] - values[low])
        ):
            if high > low:
                found.append((low, high))
            low = high = place
        if value < values[low]:
            low = high = place
    return [*found, (low, high)] if high > low else found


def _to_samples(distance: NDArray[np.float64], low_m: float, high_m: float) -> FoundClimb:
    known = np.flatnonzero(np.isfinite(distance))
    metres = np.maximum.accumulate(distance[known])
    # The last sample before the rise, to exclude a stop at its foot; the first at the top.
    start = max(int(np.searchsorted(metres, low_m, side="right")) - 1, 0)
    end = int(np.searchsorted(metres, min(high_m, float(metres[-1])), side="left"))
    return FoundClimb(int(known[start]), int(known[end]))
