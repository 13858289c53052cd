"""Distribution of a session's values: time at each power, heart rate or speed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Distribution:
    """Time in bins of equal width."""

    lows: NDArray[np.float64]
    width: float
    seconds: NDArray[np.float64]


def distribution(values: ArrayLike, dt_s: ArrayLike, *, width: float) -> Distribution:
    """Time at each value (histogram).

    Parameters
    ----------
    values : array_like
        NaN where missing (counted nowhere), shape (n,). [any]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    width : float
        Width of a bin, above 0. [as values]

    Returns
    -------
    Distribution
        From the lowest to the highest value, bins aligned to multiples of the width; empty for no value. The
        seconds sum to the time with a value. Values beyond the 99.9th percentile count in its bin, so that
        one spike does not stretch the axis.

    Examples
    --------
    >>> found = distribution([5.0, 12.0, 14.0, 31.0], 2.0, width=10)
    >>> found.lows.tolist(), found.seconds.tolist()
    ([0.0, 10.0, 20.0, 30.0], [2.0, 4.0, 0.0, 2.0])
    """
    if not width > 0:
        raise ValueError(f"width must be above 0, got {width}")
    series = np.asarray(values, np.float64)
    known = np.isfinite(series)
    if not known.any():
        return Distribution(np.empty(0), width, np.empty(0))
    weights = np.broadcast_to(np.asarray(dt_s, np.float64), series.shape)[known]
    low, high = np.percentile(series[known], [0.1, 99.9], method="nearest")
    places = np.floor(np.clip(series[known], low, high) / width).astype(np.int64)
    first = int(places.min())
    seconds = np.bincount(places - first, weights=weights).astype(np.float64)
    lows = (np.arange(len(seconds)) + first).astype(np.float64) * width
    return Distribution(lows, width, seconds)
