"""Best efforts: the highest mean over each duration, and its position."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def _log_spaced(last_s: int) -> tuple[int, ...]:
    marks = {1, 5, 10, 15, 20, 30, 60, 120, 180, 300, 480, 600, 720, 1200, 1800, 3600, 5400, 7200, 10_800}
    spread = np.unique(np.rint(np.geomspace(1, last_s, 130)).astype(int))
    return tuple(sorted(marks | set(spread.tolist())))


DURATIONS = _log_spaced(14 * 3600)
"""Durations of a curve: common ones, evenly spaced on a log axis, up to 14 h. [s]"""


@dataclass(frozen=True, slots=True)
class BestEffort:
    """The best section of a duration: first index and mean."""

    start: int
    duration_s: int
    mean: float


def mean_maximal(
    power_w_1hz: ArrayLike, durations_s: Sequence[int] | NDArray[np.int64] = DURATIONS
) -> NDArray[np.float64]:
    """Highest mean power for each duration.

    Parameters
    ----------
    power_w_1hz : array_like
        Power on the clock grid, NaN where not recorded, shape (n,). [W]
    durations_s : sequence of int
        Durations, each at least 1, shape (d,). [s]

    Returns
    -------
    numpy.ndarray
        Shape (d,), NaN where the duration is longer than the recording. [W]

    Missing data
    ------------
    A second without power counts as 0 W. No curve where no sample has a value.

    Notes
    -----
    n samples span n seconds. The curve is as computed and may rise (a 3 min window over two intervals
    beats a 2 min window over one and a half).

    *Worked example*: power that rises by 1 W a second from 0 to 100 W: the best 50 s have a mean of 75.5 W.

    Examples
    --------
    >>> mean_maximal(range(101), [1, 50, 100, 200]).tolist()
    [100.0, 75.5, 50.5, nan]
    """
    durations = _checked(durations_s)
    power = np.asarray(power_w_1hz, np.float64)
    is_measured = np.isfinite(power)
    out = np.full(len(durations), np.nan)
    if not is_measured.any():
        return out
    sums = np.concatenate([[0.0], np.cumsum(np.where(is_measured, power, 0.0))])
    for place in np.flatnonzero(durations <= len(power)):
        span = durations[place]
        out[place] = np.max(sums[span:] - sums[:-span]) / span
    return out


def best_effort(power_w_1hz: ArrayLike, duration_s: int) -> BestEffort | None:
    """Position of the best mean over one duration; the earliest of equals.

    Parameters
    ----------
    power_w_1hz : array_like
        Power on the clock grid, NaN counted as 0 W, shape (n,). [W]
    duration_s : int
        At least 1. [s]

    Returns
    -------
    BestEffort or None
        None where the recording is shorter or has no power.

    Examples
    --------
    >>> best_effort([100.0, 300.0, 200.0, 50.0], 2)
    BestEffort(start=1, duration_s=2, mean=250.0)
    """
    (span,) = _checked([duration_s]).tolist()
    power = np.asarray(power_w_1hz, np.float64)
    is_measured = np.isfinite(power)
    if len(power) < span or not is_measured.any():
        return None
    sums = np.concatenate([[0.0], np.cumsum(np.where(is_measured, power, 0.0))])
    means = (sums[span:] - sums[:-span]) / span
    start = int(np.argmax(means))
    return BestEffort(start, span, float(means[start]))


def highest_of(curves: Sequence[ArrayLike], size: int = len(DURATIONS)) -> NDArray[np.float64]:
    """The best of several sessions, duration by duration.

    Parameters
    ----------
    curves : sequence of array_like
        Curves over the same durations, each shape (d,). [W]
    size : int
        d, for an empty sequence.

    Returns
    -------
    numpy.ndarray
        Shape (d,), NaN where no session knows one. [W]

    Notes
    -----
    The largest value of each duration.

    *Missing data*: sessions that are shorter than the duration, or whose recording is not loaded.

    *Worked example*: 300 W in one session and 250 W in another: 300 W.

    Examples
    --------
    >>> highest_of([[300.0, float("nan")], [250.0, 200.0]], 2).tolist()
    [300.0, 200.0]
    """
    best = np.full(size, np.nan)
    for curve in curves:
        best = np.fmax(best, np.asarray(curve, np.float64))
    return best


def holders_of(curves: Sequence[ArrayLike], size: int = len(DURATIONS)) -> NDArray[np.int64]:
    """The session that has the best of each duration: the record's date.

    Parameters
    ----------
    curves : sequence of array_like
        Curves over the same durations, each shape (d,). [W]
    size : int
        d, for an empty sequence.

    Returns
    -------
    numpy.ndarray
        Shape (d,), the index of the curve; the first of equals, -1 where no session knows one.

    Notes
    -----
    A record of a span is the best of the sessions whose recording is loaded. It is shown only if they are at least half of
    the sessions of the span with that column: the best of a few sessions says little about an athlete. This limit is a
    choice of this project.

    *Missing data*: sessions whose recording is not loaded; no record with fewer than half of them.

    *Worked example*: 300 W in both of two sessions: the earlier in the list, number 0, holds the record.

    Examples
    --------
    >>> holders_of([[300.0, float("nan")], [300.0, 200.0]], 2).tolist()
    [0, 1]
    """
    if not len(curves):
        return np.full(size, -1)
    means = np.nan_to_num(np.asarray(curves, np.float64), nan=-np.inf)
    return np.where(np.isfinite(means.max(axis=0)), means.argmax(axis=0), -1)


def _checked(durations_s: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    durations = np.asarray(durations_s, np.int64)
    if np.any(durations < 1):
        raise ValueError(f"durations_s must be at least 1, got {durations.min()}")
    return durations
