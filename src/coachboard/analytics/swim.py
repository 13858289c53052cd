"""Pool lengths: pace, SWOLF, and the length of the pool, which the interface does not carry."""

import math

import numpy as np
from numpy.typing import ArrayLike

KNOWN_POOLS_M = (20.0, 22.86, 25.0, 30.48, 33.33, 45.72, 50.0)
"""Pools that exist in numbers: 20, 25, 33 1/3 and 50 m, and 25, 33 1/3 and 50 yd. [m]"""

_SNAP = 0.03


def pace_s_per_100m(speed_mps: float) -> float:
    """Time for 100 m.

    Parameters
    ----------
    speed_mps : float
        [m/s]

    Returns
    -------
    float
        NaN where the speed is unknown or 0. [s]

    Examples
    --------
    >>> pace_s_per_100m(1.25)
    80.0
    """
    return 100 / speed_mps if speed_mps > 0 else math.nan


def swolf(duration_s: float, strokes: float) -> float:
    """Seconds plus strokes of one length: less is more efficient, in one pool and one stroke.

    Parameters
    ----------
    duration_s : float
        Time of the length. [s]
    strokes : float
        Strokes in the length, one arm's where the watch counts one arm.

    Returns
    -------
    float
        NaN where either is unknown.

    Examples
    --------
    >>> swolf(21.0, 18)
    39.0
    """
    return duration_s + strokes


def swolf_from_rate(pace_100m_s: float, strokes_per_min: float, pool_m: float) -> float:
    """SWOLF where the strokes were not counted but their rate is known.

    Parameters
    ----------
    pace_100m_s : float
        Time for 100 m. [s]
    strokes_per_min : float
        Stroke rate. [1/min]
    pool_m : float
        Length of the pool, above 0. [m]

    Returns
    -------
    float
        Seconds plus strokes of a length.

    Examples
    --------
    >>> round(swolf_from_rate(178.0, 26.0, 20.0), 4)
    51.0267
    """
    if not pool_m > 0:
        raise ValueError(f"pool_m must be above 0, got {pool_m}")
    seconds = pace_100m_s * pool_m / 100
    return swolf(seconds, strokes_per_min * seconds / 60)


def inferred_pool_m(durations_s: ArrayLike, speeds_mps: ArrayLike, distance_m: float | None = None) -> float:
    """The length of the pool, as nothing on the wire states it.

    Parameters
    ----------
    durations_s, speeds_mps : array_like
        Of each length, NaN where unknown, shape (n,). [s] and [m/s]
    distance_m : float, optional
        Of the session, where speeds are unknown. [m]

    Returns
    -------
    float
        The nearest pool that exists within 3 %, else the raw value; NaN where nothing is known. [m]

    Notes
    -----
    Median of speed times duration, else distance by the number of lengths. Show it as inferred.

    Examples
    --------
    >>> inferred_pool_m([20.0, 21.0], [1.25, 1.19])
    25.0
    """
    durations, speeds = np.asarray(durations_s, np.float64), np.asarray(speeds_mps, np.float64)
    lengths = durations * speeds
    lengths = lengths[np.isfinite(lengths) & (lengths > 0)]
    if len(lengths):
        raw = float(np.median(lengths))
    elif distance_m and len(durations):
        raw = distance_m / len(durations)
    else:
        return math.nan
    nearest = min(KNOWN_POOLS_M, key=lambda pool: abs(pool - raw))
    return nearest if abs(nearest - raw) <= _SNAP * nearest else raw
