"""Downsample a chart line and keep its spikes and gaps."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tsdownsample import MinMaxLTTBDownsampler

MOST_POINTS = 2_000
"""Most points of a panel. [points]"""

_LEAST_POINTS = 4


def kept(x: ArrayLike, y: ArrayLike, points: int = 1_500) -> NDArray[np.intp]:
    """Indices of the samples that a chart draws.

    Parameters
    ----------
    x : array_like
        Time or distance, never falling, finite, shape (n,). [s or m]
    y : array_like
        The series, NaN in its gaps, shape (n,). [any]
    points : int
        Number of points, 4 to `MOST_POINTS`; the edges of gaps come first, values fill the rest. [points]

    Returns
    -------
    numpy.ndarray
        Rising indices, first and last included, at most `points` where there are no gaps and at most
        `MOST_POINTS` with them; all of them where n is no larger.

    Missing data
    ------------
    The first sample of each gap stays, so that a line drawn through the result breaks where the series does.
    Where the gaps alone exceed the points, the longest ones are kept.

    Notes
    -----
    MinMaxLTTB over the samples with a value; its variant for NaN punches holes and its plain one closes gaps.

    References
    ----------
    Steinarsson S. Downsampling time series for visual representation. University of Iceland, 2013 (LTTB).
    Van Der Donckt J et al. MinMaxLTTB. IEEE VIS, 2023. doi:10.1109/VIS54172.2023.00013.

    Examples
    --------
    >>> y = np.zeros(10_000)
    >>> y[5_000] = 1450.0
    >>> at = kept(np.arange(10_000), y, 500)
    >>> len(at), 5_000 in at
    (500, True)
    """
    if not _LEAST_POINTS <= points <= MOST_POINTS:
        raise ValueError(f"points must be {_LEAST_POINTS} to {MOST_POINTS}, got {points}")
    series, axis = np.asarray(y, np.float64), np.asarray(x, np.float64)
    if series.shape != axis.shape:
        raise ValueError(f"x and y differ in length: {axis.shape} and {series.shape}")
    if len(series) <= points:
        return np.arange(len(series))
    measured = np.flatnonzero(np.isfinite(series))
    edges = _edges_of_gaps(series, points)
    room = max(points - len(edges), _LEAST_POINTS)
    return np.union1d(np.union1d(edges, [0, len(series) - 1]), _reduced(axis, series, measured, room))


def _reduced(
    axis: NDArray[np.float64], series: NDArray[np.float64], measured: NDArray[np.intp], room: int
) -> NDArray[np.intp]:
    if len(measured) <= room:
        return measured
    # The sampler buckets by x; equal times (two samples in one second) would leave buckets empty.
    rising = axis[measured] + np.arange(len(measured)) * 1e-9
    sampler = MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]  # the package ships no types
    picked = np.asarray(sampler.downsample(rising, series[measured], n_out=room), np.intp)
    return measured[picked]


def _edges_of_gaps(series: NDArray[np.float64], points: int) -> NDArray[np.intp]:
    """The values around each gap and its first missing sample; of the longest gaps if there are many."""
    missing = np.isnan(series) | np.isinf(series)
    change = np.diff(missing.astype(np.int8), prepend=0, append=0)
    starts, stops = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    most = points // 6
    if len(starts) > most:
        longest = np.sort(np.argsort(stops - starts)[-most:])
        starts, stops = starts[longest], stops[longest]
    edges = np.concatenate([starts - 1, starts, stops])
    return np.unique(edges[(edges >= 0) & (edges < len(series))])
