"""Rolling means over time, for charts only: no other number of a page uses them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

DIFFERENCE_S = 30.0
"""Compare means over this time: single seconds of two sessions never match in stroke or wind."""


def smoothed(
    values: ArrayLike, elapsed_s: ArrayLike, *, window_s: float, starts: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Centred moving average over time.

    Parameters
    ----------
    values : array_like
        NaN where not recorded, shape (n,). [any]
    elapsed_s : array_like
        Never falling, finite, shape (n,). [s]
    window_s : float
        Width of the window; 0 gives the values back. [s]
    starts : array_like of bool, optional
        True where a sample follows a pause; a window never reaches over one, shape (n,).

    Returns
    -------
    numpy.ndarray
        Shape (n,); NaN exactly where `values` is, so that gaps stay gaps. [as values]

    Notes
    -----
    A mean over time, not over samples: with records every 4 s a window of 30 s holds 7 of them. The
    definition is Coachboard's; centred, so that a smoothed peak keeps its place.

    Examples
    --------
    >>> smoothed([0.0, 3.0, 6.0, np.nan, 1.0], [0, 1, 2, 3, 4], window_s=2).tolist()
    [1.5, 3.0, 4.5, nan, 1.0]
    """
    values = np.asarray(values, np.float64)
    elapsed = np.asarray(elapsed_s, np.float64)
    if values.shape != elapsed.shape:
        raise ValueError(f"elapsed_s must be as long as values, {values.shape}, got {elapsed.shape}")
    if window_s <= 0 or not len(values):
        return values.copy()
    first, last = _stretches(len(values), starts)
    low = np.maximum(np.searchsorted(elapsed, elapsed - window_s / 2, side="left"), first)
    high = np.minimum(np.searchsorted(elapsed, elapsed + window_s / 2, side="right"), last)
    is_known = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(is_known, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(is_known)])
    many = np.maximum(counts[high] - counts[low], 1)
    return np.where(is_known, (sums[high] - sums[low]) / many, np.nan)


def compared_mean(
    values: ArrayLike, elapsed_s: ArrayLike, *, starts: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Mean of 30 s around each moment; the difference of two sessions is that of their means.

    Parameters
    ----------
    values, elapsed_s, starts
        As those of `smoothed`.

    Returns
    -------
    numpy.ndarray
        Shape (n,). [as values]

    Notes
    -----
    Each value is the mean of 30 s of its own session, at the same time, distance, or share of the lap. The difference is
    this session minus the other one.

    *Missing data*: parts that only one session has, and samples without a value.

    *Worked example*: 210 W in this session and 200 W in the other: 210 − 200 = 10 W.

    Examples
    --------
    >>> this, other = (compared_mean([watts] * 60, range(60)) for watts in (210.0, 200.0))
    >>> float((this - other).mean())
    10.0
    """
    return smoothed(values, elapsed_s, window_s=DIFFERENCE_S, starts=starts)


def _stretches(count: int, starts: ArrayLike | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Start and end of the uninterrupted section of each sample."""
    is_start = np.zeros(count, np.bool_) if starts is None else np.asarray(starts, np.bool_).copy()
    is_start[0] = True
    begins = np.flatnonzero(is_start)
    stretch = np.cumsum(is_start) - 1
    return begins[stretch], np.append(begins[1:], count)[stretch]
