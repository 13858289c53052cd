"""Pool lengths."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def swolf(durations_s: ArrayLike, strokes: ArrayLike) -> NDArray[np.float64]:
    """Seconds plus strokes of each length: less is more efficient, in one pool and one stroke.

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
