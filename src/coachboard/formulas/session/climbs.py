"""Find the climbs of a session from distance and altitude, and measure them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.session.elevation import gain_loss
from coachboard.formulas.session.grade import grade_pct, profile

LEAST_LENGTH_M = 500.0
LEAST_GRADE_PCT = 3.0
LEAST_SCORE = 3_500.0
"""Length times grade, m %: at least 35 m of gain. With the other two, the rule of Garmin's ClimbPro."""

LEAST_LENGTH_ON_FOOT_M = 200.0
"""The same 35 m of gain on a path as steep as runners and hikers climb: 17.5 % over 200 m. [m]"""

BASE_GRADE = 0.015
"""A climb starts and ends where the grade falls below this; excludes flat lead-ins. [-]"""

MOST_CHANGE = 0.5
"""Rise and fall over the distance; more is a fault of the sensor. [-]"""

_STEP_M = 20.0
_REVERSAL_M = 10.0
_REVERSAL_SHARE = 0.12


@dataclass(frozen=True, slots=True)
class FoundClimb:
    """First and last sample of a climb, both inclusive."""

    start: int
    end: int


def find_climbs(
    distance_m: ArrayLike, altitude_m: ArrayLike, *, least_length_m: float = LEAST_LENGTH_M
) -> list[FoundClimb]:
    """Climbs of a session, in order.

    Parameters
    ----------
    distance_m : array_like
        Distance, never falling, NaN where missing, shape (n,). [m]
    altitude_m : array_like
        Altitude, NaN where missing, shape (n,). [m]
    least_length_m : float
        Shortest climb: `LEAST_LENGTH_ON_FOOT_M` for runs and hikes. [m]

    Returns
    -------
    list of FoundClimb
        Not overlapping, ordered; empty where none or nothing is known.

    Notes
    -----
    The altitude above a line rising at `BASE_GRADE` is read every 20 m and cut at its turning points; a dip
    ends a climb when it exceeds 10 m or 12 % of the gain. A rise counts as a climb from 500 m and 3 % if
    length times grade is at least 3,500 m %: this rule is ClimbPro's, the rest is Coachboard's, as is the shorter length
    on foot.

    Examples
    --------
    >>> distance = np.arange(0.0, 5000.0, 10.0)
    >>> altitude = np.clip(distance - 1000, 0, 2000) * 0.06
    >>> [(climb.start, climb.end) for climb in find_climbs(distance, altitude)]
    [(100, 300)]
    """
    distance = np.asarray(distance_m, np.float64)
    metres, height = profile(distance, altitude_m)
    if len(metres) < 2 or metres[-1] - metres[0] < least_length_m:
        return []
    marks = np.arange(metres[0], metres[-1] + _STEP_M, _STEP_M)
    heights = np.interp(marks, metres, height)
    rises = _rises((heights - BASE_GRADE * marks).tolist())
    spans = [
        (marks[low], marks[high])
        for low, high in rises
        if _is_climb(marks, heights, low, high, least_length_m)
    ]
    return [_to_samples(distance, low, high) for low, high in spans]


@dataclass(frozen=True, slots=True)
class MeasuredClimb:
    """A climb with its figures; `start` and `end` are its first and last sample."""

    start: int
    end: int
    duration_s: float
    distance_m: float
    gain_m: float
    average_grade_pct: float  # altitude at the end minus that at the start, over the distance
    max_grade_pct: float  # over 60 m
    vam_m_per_h: float


def climbs_on_foot(distance_m: ArrayLike, altitude_m: ArrayLike, elapsed_s: ArrayLike) -> list[MeasuredClimb]:
    """Climbs of a run or hike with gain, grade and vertical speed.

    Parameters
    ----------
    distance_m : array_like
        Distance, never falling, NaN where missing, shape (n,). [m]
    altitude_m : array_like
        Altitude, NaN where missing, shape (n,). [m]
    elapsed_s : array_like
        Time of each sample, shape (n,). [s]

    Returns
    -------
    list of MeasuredClimb
        In order, not overlapping; empty where none or nothing is known.

    Notes
    -----
    VAM is the gain per hour, stops included: the time of a climb is from its foot to its top. The rules of `find_climbs`,
    but from 200 m. No climb in an altitude that rises and falls by more than half of the distance: that is a fault of the
    sensor, a path of +-50 % throughout.

    *Missing data*: samples without altitude are bridged.

    *Worked example*: 100 m of gain over 1,000 m in 10 min: 10.0 % and 100 / 600 · 3,600 = 600 m/h.

    Examples
    --------
    >>> distance = np.arange(0.0, 1505.0, 5.0)
    >>> (climb,) = climbs_on_foot(distance, np.clip(distance - 500, 0, 1000) * 0.1, distance * 0.6)
    >>> climb.gain_m, climb.duration_s, round(climb.average_grade_pct, 1), climb.vam_m_per_h
    (100.0, 600.0, 10.0, 600.0)
    """
    distance, altitude = np.asarray(distance_m, np.float64), np.asarray(altitude_m, np.float64)
    times = np.asarray(elapsed_s, np.float64)
    metres, heights = profile(distance, altitude)
    if not len(metres) or np.abs(np.diff(heights)).sum() > MOST_CHANGE * (metres[-1] - metres[0]):
        return []
    grades = grade_pct(distance, altitude)
    climbs = find_climbs(distance, altitude, least_length_m=LEAST_LENGTH_ON_FOOT_M)
    return [
        _measured(climb, distance, altitude, times, grades)
        for climb in climbs
        if times[climb.end] > times[climb.start]
    ]


def _measured(
    climb: FoundClimb,
    distance: NDArray[np.float64],
    altitude: NDArray[np.float64],
    times: NDArray[np.float64],
    grades: NDArray[np.float64],
) -> MeasuredClimb:
    samples = slice(climb.start, climb.end + 1)
    heights_m = altitude[samples][np.isfinite(altitude[samples])]
    gain_m, _ = gain_loss(heights_m)
    duration_s = float(times[climb.end] - times[climb.start])
    length_m = float(distance[climb.end] - distance[climb.start])
    return MeasuredClimb(
        start=climb.start,
        end=climb.end,
        duration_s=duration_s,
        distance_m=length_m,
        gain_m=gain_m,
        average_grade_pct=float(heights_m[-1] - heights_m[0]) / length_m * 100,
        max_grade_pct=float(np.nanmax(grades[samples])),
        vam_m_per_h=gain_m / duration_s * 3600,
    )


def _is_climb(
    marks: NDArray[np.float64],
    heights: NDArray[np.float64],
    low: int,
    high: int,
    least_length_m: float,
) -> bool:
    length, gain = marks[high] - marks[low], heights[high] - heights[low]
    if length < least_length_m:
        return False
    return bool(gain / length * 100 >= LEAST_GRADE_PCT and gain * 100 >= LEAST_SCORE)


def _rises(values: list[float]) -> list[tuple[int, int]]:
    """Low and high point of every rise without a dip beyond the tolerance."""
    rises: list[tuple[int, int]] = []
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
                rises.append((low, high))
            low = high = place
        if value < values[low]:
            low = high = place
    return [*rises, (low, high)] if high > low else rises


def _to_samples(distance: NDArray[np.float64], low_m: float, high_m: float) -> FoundClimb:
    samples = np.flatnonzero(np.isfinite(distance))
    metres = np.maximum.accumulate(distance[samples])
    # The last sample before the rise, to exclude a stop at its foot; the first at the top.
    start = max(int(np.searchsorted(metres, low_m, side="right")) - 1, 0)
    end = int(np.searchsorted(metres, min(high_m, float(metres[-1])), side="left"))
    return FoundClimb(int(samples[start]), int(samples[end]))
