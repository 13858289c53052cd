"""The clock of a session: duration of each sample, stops, and samples second by second."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LONGEST_GRID_S = 30 * 86_400
"""A longer recording has a clock error. [s]"""

LONGEST_HOLD_S = 10.0
"""A longer gap is a stop: devices that write on change write at least every 8 s or so. [s]"""

HOLD_STEPS = 5.0
"""For devices that write rarely: a gap of more than five usual steps is a stop."""


def usual_step_s(elapsed_s: ArrayLike) -> float:
    """Usual time between two samples.

    Parameters
    ----------
    elapsed_s : array_like
        Time of each sample, never falling, shape (n,). [s]

    Returns
    -------
    float
        Median of the steps above 0, 1 where there is none. [s]

    Examples
    --------
    >>> usual_step_s([0, 4, 4, 8, 60])
    4.0
    """
    steps = np.diff(np.asarray(elapsed_s, np.float64))
    steps = steps[steps > 0]
    return float(np.median(steps)) if len(steps) else 1.0


def longest_hold_s(elapsed_s: ArrayLike) -> float:
    """Longest gap over which a sample holds.

    Parameters
    ----------
    elapsed_s : array_like
        Time of each sample, never falling, shape (n,). [s]

    Returns
    -------
    float
        10 s, or five usual steps where that is longer. [s]

    Examples
    --------
    >>> longest_hold_s([0, 1, 2]), longest_hold_s([0, 4, 8])
    (10.0, 20.0)
    """
    return max(LONGEST_HOLD_S, HOLD_STEPS * usual_step_s(elapsed_s))


def sample_durations_s(elapsed_s: ArrayLike) -> Floats:
    """Duration of each sample.

    Parameters
    ----------
    elapsed_s : array_like
        Time of each sample, never falling, shape (n,). [s]

    Returns
    -------
    numpy.ndarray
        Shape (n,); the sum is the recorded time. [s]

    Notes
    -----
    A sample lasts until the next one. After a gap of more than 10 s (more than five usual steps of a device that
    writes every 2 s or more rarely) the athlete stopped: the sample before the gap and the last sample of all last
    one usual step. Durations, means, work, load, zones, normalized power, W' balance and best efforts all use these
    durations: over a shorter gap the last value holds. Normalized power leaves stops out; in W' balance and best
    efforts a stop is 0 W. If two samples have the same time, the second counts.

    Examples
    --------
    >>> sample_durations_s([0, 1, 2, 5, 60, 61]).tolist()
    [1.0, 1.0, 3.0, 1.0, 1.0, 1.0]
    """
    elapsed = np.asarray(elapsed_s, np.float64)
    step_s = usual_step_s(elapsed)
    durations_s = np.diff(elapsed, append=elapsed[-1:] + step_s)
    return np.where(durations_s > longest_hold_s(elapsed), step_s, durations_s)


def held(values: ArrayLike, elapsed_s: ArrayLike) -> Floats:
    """Samples with short losses of a sensor filled.

    Parameters
    ----------
    values : array_like
        NaN where missing, shape (n,). [any]
    elapsed_s : array_like
        Time of each sample, never falling, shape (n,). [s]

    Returns
    -------
    numpy.ndarray
        Shape (n,), NaN where more is missing. [as values]

    Notes
    -----
    A lost second counts the same whether the device leaves its sample out or writes it without a value: the last
    value holds until the next one where the two are at most 10 s apart. A longer loss counts as 0 W in work,
    normalized power, W' balance and best efforts, and is left out of means.

    Examples
    --------
    >>> held([200.0, np.nan, 210.0, np.nan], [0, 1, 2, 3]).tolist()
    [200.0, 200.0, 210.0, nan]
    """
    samples, elapsed = np.asarray(values, np.float64), np.asarray(elapsed_s, np.float64)
    measured = np.flatnonzero(np.isfinite(samples))
    if len(measured) in {0, len(samples)}:
        return samples
    latest = np.searchsorted(measured, np.arange(len(samples)), side="right") - 1
    is_short = np.append(np.diff(elapsed[measured]) <= LONGEST_HOLD_S, False)
    is_filled = (latest >= 0) & is_short[latest]
    return np.where(is_filled, samples[measured[latest]], samples)


def to_clock_grid(elapsed_s: ArrayLike, values: ArrayLike, *, fill: float = np.nan) -> Floats:
    """Samples on a one-second grid, from the first to the end of the last.

    Parameters
    ----------
    elapsed_s : array_like
        Time of each sample, never falling, NaN where unknown (those samples are left out), shape (n,). [s]
    values : array_like
        One value a sample, shape (n,). [any]
    fill : float
        Value of the seconds in which the athlete stopped. [as values]

    Returns
    -------
    numpy.ndarray
        One value a second, empty for no sample; of several samples in one second the last counts.

    Raises
    ------
    ValueError
        For lengths that differ, times that fall, and a span above `LONGEST_GRID_S`.

    Notes
    -----
    Times are rounded to the nearest second, and each sample fills its `sample_durations_s`. On recordings without
    lost seconds this grid gives mean-maximal power and W' balance equal to GoldenCheetah's and sweat's, which count
    each lost second as 0 W.

    Examples
    --------
    >>> to_clock_grid([0, 1, 2, 4], [5.0, 6.0, 7.0, 8.0]).tolist()
    [5.0, 6.0, 7.0, 7.0, 8.0]
    >>> to_clock_grid([0, 1, 2, 14], [5.0, 6.0, 7.0, 8.0], fill=0)[[2, 3, 13, 14]].tolist()
    [7.0, 0.0, 0.0, 8.0]
    """
    times, samples = np.asarray(elapsed_s, np.float64), np.asarray(values, np.float64)
    if times.shape != samples.shape:
        raise ValueError(f"elapsed_s and values differ in length: {times.shape} and {samples.shape}")
    has_time = np.isfinite(times)
    times, samples = times[has_time], samples[has_time]
    if not len(times):
        return np.empty(0)
    seconds = clock_seconds(times)
    if np.any(np.diff(seconds) < 0):
        raise ValueError("elapsed_s falls")
    if seconds[-1] > LONGEST_GRID_S:
        raise ValueError(f"elapsed_s spans {seconds[-1]} s, more than {LONGEST_GRID_S}")
    ends = np.rint(times + sample_durations_s(times)).astype(np.int64) - int(np.rint(times[0]))
    return _spread(seconds, np.maximum(ends, seconds + 1), samples, fill)


def clock_seconds(elapsed_s: ArrayLike) -> NDArray[np.int64]:
    """Place of each sample on the clock grid.

    Parameters
    ----------
    elapsed_s : array_like
        Time of each sample, shape (n,). [s]

    Returns
    -------
    numpy.ndarray
        Whole seconds since the first sample, shape (n,). [s]

    Examples
    --------
    >>> clock_seconds([0.4, 1.4, 5.4]).tolist()
    [0, 1, 5]
    """
    seconds: NDArray[np.int64] = np.rint(np.asarray(elapsed_s, np.float64)).astype(np.int64)
    return seconds - seconds[:1]


def per_second(values: NDArray[np.float64], dt_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Samples repeated for the seconds they last, stops left out.

    Parameters
    ----------
    values : numpy.ndarray
        Shape (n,). [any]
    dt_s : numpy.ndarray
        Duration of each sample, as `sample_durations_s` gives it, shape (n,). [s]

    Returns
    -------
    numpy.ndarray
        The column itself where each sample lasts a second, else of about the length of the recorded time; 1 Hz
        either way.

    Examples
    --------
    >>> per_second(np.array([5.0, 7.0]), np.array([1.0, 3.0])).tolist()
    [5.0, 7.0, 7.0, 7.0]
    """
    if np.all(np.abs(dt_s - 1) < 0.5):
        return values
    # Round ends instead of lengths, so that half seconds do not add up.
    ends = np.rint(np.cumsum(dt_s)).astype(np.int64)
    return np.repeat(values, np.diff(ends, prepend=0))


def _spread(seconds: NDArray[np.int64], ends: NDArray[np.int64], samples: Floats, fill: float) -> Floats:
    grid = np.arange(ends[-1])
    latest = np.searchsorted(seconds, grid, side="right") - 1
    return np.where(grid < ends[latest], samples[latest], fill)
