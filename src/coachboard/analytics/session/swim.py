"""Pool lengths."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
