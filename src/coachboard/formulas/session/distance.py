"""Distance along a session and of a section."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def distance_along_m(distance_m: ArrayLike | None, elapsed_s: ArrayLike) -> Floats | None:
    """The distance since the start at each sample.

    Parameters
    ----------
    distance_m : array_like, optional
        Distance as recorded, NaN where missing, shape (n,). [m]
    elapsed_s : array_like
        Time of each sample, never falling, shape (n,). [s]

    Returns
    -------
    numpy.ndarray or None
        Shape (n,), never falling, even over time between known values; None where nothing is known. [m]

    Notes
    -----
    Distance starts at 0, also if the first sample has none: a pool watch writes its first distance at the end of the
    first length.

    Examples
    --------
    >>> distance_along_m([np.nan, np.nan, 10.0, np.nan, 20.0, 15.0], [0, 1, 2, 3, 4, 5]).tolist()
    [0.0, 5.0, 10.0, 15.0, 20.0, 20.0]
    """
    if distance_m is None:
        return None
    distance, elapsed = np.asarray(distance_m, np.float64), np.asarray(elapsed_s, np.float64)
    is_measured = np.isfinite(distance)
    if not is_measured.any():
        return None
    if not is_measured[0]:
        is_measured[0], distance = True, np.concatenate([[0.0], distance[1:]])
    return np.maximum.accumulate(np.interp(elapsed, elapsed[is_measured], distance[is_measured]))


def distance_covered_m(distance_m: Floats | None, samples: slice) -> float:
    """The distance of a section, from boundary to boundary: consecutive sections add up to the whole.

    Parameters
    ----------
    distance_m : ndarray, optional
        Distance since the start, never falling, shape (n,). [m]
    samples : slice
        The samples of the section, step 1.

    Returns
    -------
    float
        NaN without a distance or without samples. [m]

    Notes
    -----
    From the first sample of the section to the first one after it, as the last sample lasts until then. Laps,
    climbs and selections use this rule.

    Examples
    --------
    >>> distance_covered_m(np.array([0.0, 10.0, 20.0, 30.0]), slice(1, 3))
    20.0
    """
    if distance_m is None or not len(distance_m[samples]):
        return math.nan
    last = min(samples.indices(len(distance_m))[1], len(distance_m) - 1)
    return float(distance_m[last] - distance_m[samples][0])
