"""The clock grid: one sample for each second of wall-clock time, on which best efforts and W' balance are read."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST_GRID_S = 30 * 86_400
"""A recording that claims to span more is a clock that jumped. [s]"""


def to_clock_grid(
    elapsed_s: ArrayLike, values: ArrayLike, *, fill: float = np.nan, hold_s: float = 0.0
) -> NDArray[np.float64]:
    """Samples on a one-second grid, from the first to the last.

    Parameters
    ----------
    elapsed_s : array_like
        Time of each sample, never falling, NaN where unknown (those samples are left out), shape (n,). [s]
    values : array_like
        One value a sample, shape (n,). [any]
    fill : float
        What stands in seconds without a sample. [as values]
    hold_s : float
        How long a sample stays valid after its second: 0 for a recorder that writes every second, a few
        seconds for one that writes on change only. [s]

    Returns
    -------
    numpy.ndarray
        Shape (last - first + 1,), empty for no sample; of several samples in one second the last stands.

    Raises
    ------
    ValueError
        For lengths that differ, times that fall, and a span above `LONGEST_GRID_S`.

    Notes
    -----
    Times are rounded to the nearest second. With gaps as 0 W this grid gives mean-maximal power and W'
    balance equal to GoldenCheetah's and sweat's.

    Examples
    --------
    >>> to_clock_grid([0, 1, 4], [5.0, 6.0, 7.0], fill=0).tolist()
    [5.0, 6.0, 0.0, 0.0, 7.0]
    >>> to_clock_grid([0, 3], [5.0, 7.0], hold_s=1).tolist()
    [5.0, 5.0, nan, 7.0]
    """
    times, samples = np.asarray(elapsed_s, np.float64), np.asarray(values, np.float64)
    if times.shape != samples.shape:
        raise ValueError(f"elapsed_s and values differ in length: {times.shape} and {samples.shape}")
    known = np.isfinite(times)
    times, samples = times[known], samples[known]
    if not len(times):
        return np.empty(0)
    seconds = np.rint(times).astype(np.int64) - int(np.rint(times[0]))
    if np.any(np.diff(seconds) < 0):
        raise ValueError("elapsed_s falls")
    if seconds[-1] > LONGEST_GRID_S:
        raise ValueError(f"elapsed_s spans {seconds[-1]} s, more than {LONGEST_GRID_S}")
    return _spread(seconds, samples, fill=fill, hold_s=hold_s)


def _spread(
    seconds: NDArray[np.int64], samples: NDArray[np.float64], *, fill: float, hold_s: float
) -> NDArray[np.float64]:
    grid = np.arange(seconds[-1] + 1)
    latest = np.searchsorted(seconds, grid, side="right") - 1
    return np.where(grid - seconds[latest] <= hold_s, samples[latest], fill)
