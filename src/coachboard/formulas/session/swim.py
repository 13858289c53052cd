"""Pools, their lengths, and the repetitions of a swim."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.imperial import M_PER_YARD


@dataclass(frozen=True, slots=True)
class Pool:
    """A usual length of pools, as swimmers say it."""

    metres: float
    name: str
    is_in_yards: bool = False


POOLS = (
    Pool(15.0, "15 m"),
    Pool(50 / 3, "16⅔ m"),
    Pool(20 * M_PER_YARD, "20 yd", is_in_yards=True),
    Pool(20.0, "20 m"),
    Pool(25 * M_PER_YARD, "25 yd", is_in_yards=True),
    Pool(25.0, "25 m"),
    Pool(100 / 3, "33⅓ m"),
    Pool(50 * M_PER_YARD, "50 yd", is_in_yards=True),
    Pool(50.0, "50 m"),
)
POOL_SHARE = 0.02
"""Speeds of lengths are rounded: a length within 2 % of a usual one is that one."""


def usual_pool(pool_m: float) -> Pool | None:
    """The usual pool next to a measured length.

    Parameters
    ----------
    pool_m : float
        Measured length of the pool, NaN if unknown. [m]

    Returns
    -------
    Pool or None
        None if none is within 2 %.

    Examples
    --------
    >>> [pool.name for pool in map(usual_pool, (22.9, 24.98, 33.3)) if pool]
    ['25 yd', '25 m', '33⅓ m']
    >>> usual_pool(30.0), usual_pool(float("nan"))
    (None, None)
    """
    nearest = min(POOLS, key=lambda pool: abs(pool_m / pool.metres - 1))
    return nearest if abs(pool_m / nearest.metres - 1) <= POOL_SHARE else None


def repetitions(rests_s: Sequence[float], least_rest_s: float) -> list[slice]:
    """The pool lengths of each repetition: a rest at the wall ends one.

    Parameters
    ----------
    rests_s : sequence of float
        Time at the wall after each length. [s]
    least_rest_s : float
        A shorter time is a turn. [s]

    Returns
    -------
    list of slice
        In order; together all lengths.

    Examples
    --------
    >>> repetitions([1.0, 20.0, 0.0, 15.0, 0.0], 6.0)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    ends = [
        place + 1
        for place, rest_s in enumerate(rests_s)
        if rest_s >= least_rest_s or place == len(rests_s) - 1
    ]
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def swolf(durations_s: ArrayLike, strokes: ArrayLike) -> NDArray[np.float64]:
    """Seconds plus strokes of each length: lower is more efficient, within one pool and stroke.

    Parameters
    ----------
    durations_s : array_like
        Time of each length, shape (n,). [s]
    strokes : array_like
        Strokes in each length, one arm's where the watch counts one arm, shape (n,).

    Returns
    -------
    numpy.ndarray
        Shape (n,).

    Missing data
    ------------
    NaN where either is unknown or no stroke was counted: seconds alone are no SWOLF.

    Examples
    --------
    >>> swolf([21.0, 30.0], [18, 0]).tolist()
    [39.0, nan]
    """
    counted = np.asarray(strokes, np.float64)
    return np.asarray(durations_s, np.float64) + np.where(counted > 0, counted, np.nan)


def best_length_speeds_mps(
    starts_s: ArrayLike, ends_s: ArrayLike, durations_s: ArrayLike, *, pool_m: float
) -> NDArray[np.float64]:
    """The best mean speed over whole lengths for each duration, with the rests between them.

    Parameters
    ----------
    starts_s, ends_s : array_like
        Start and end of each swum length, in order of time, shape (n,). [s]
    durations_s : array_like
        Least time from the start of the first length to the end of the last, shape (d,). [s]
    pool_m : float
        Length of the pool. [m]

    Returns
    -------
    numpy.ndarray
        Shape (d,). [m/s]

    Missing data
    ------------
    NaN for a duration that the swim did not reach.

    Notes
    -----
    From each length on, the fewest lengths that take the duration count; their mean is a little below the best mean
    of exactly that duration. The distance of a stream rises in steps of a length, which makes short windows too fast.

    Examples
    --------
    >>> best_length_speeds_mps([0, 30, 60], [30, 60, 100], [55, 95, 120], pool_m=50.0).round(3).tolist()
    [1.667, 1.5, nan]
    """
    starts, ends = np.asarray(starts_s, np.float64), np.asarray(ends_s, np.float64)
    best = []
    for duration in np.asarray(durations_s, np.float64):
        last = np.searchsorted(ends, starts + duration)
        first = np.flatnonzero(last < len(ends))
        lengths, time_s = last[first] - first + 1, ends[last[first]] - starts[first]
        best.append(float((lengths * pool_m / time_s).max()) if len(first) else np.nan)
    return np.asarray(best)
