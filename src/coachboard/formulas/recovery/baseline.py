"""An athlete's normal range of any daily series, and how a value compares with it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

WINDOW_D = 60
"""Days before a day that its normal range is computed from."""
MINIMUM_DAYS = 14
"""Days with a value below which there is no normal range."""
LINE_D = 7
"""Days of the mean that charts draw as a line."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnNormal:
    """The normal range of each day from the days before it; NaN with too few."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    days: NDArray[np.int64]  # valid days in the window

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """The days with a range."""
        return ~np.isnan(self.mean)


def _trailing(values: NDArray[np.float64], window_d: int) -> NDArray[np.float64]:
    """For each day a row with the values of its last `window_d` days; NaN before the first day."""
    padded = np.concatenate([np.full(window_d - 1, np.nan), values])
    return np.lib.stride_tricks.sliding_window_view(padded, window_d)


def _moments(
    windows: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Number, mean and sample standard deviation of the valid values in each row."""
    valid = ~np.isnan(windows)
    count = valid.sum(axis=1)
    mean = np.where(valid, windows, 0).sum(axis=1) / np.maximum(count, 1)
    squares = (np.where(valid, windows - mean[:, None], 0) ** 2).sum(axis=1)
    return count, mean, np.sqrt(squares / np.maximum(count - 1, 1))


def own_normal(values: ArrayLike, *, width_sd: float = 0.5) -> OwnNormal:
    """Normal range of the athlete for each day, from the days before it.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value a day, oldest first, NaN where missing; any unit.
    width_sd : float
        Half width of the range. [sample standard deviations]

    Returns
    -------
    OwnNormal
        Arrays of shape (n,), in the unit of `values`.

    Notes
    -----
    Mean ± width · SD of the valid days among the days of the window before, the day itself excluded.
    *Missing data*: no range with fewer valid days than the minimum.

    *Worked example*: 50 and 52 in turn for 20 days: mean 51, SD 1.03, so 49.97 to 52.03 with a width of 1 SD.

    References
    ----------
    Plews et al. (2013), doi:10.1007/s40279-013-0071-8 (±0.5 SD); HRV4Training (60 days);
    at least 14 valid nights: practice of the field.

    Examples
    --------
    >>> normal = own_normal([50, 52] * 10 + [40], width_sd=1)
    >>> normal.low[-1].round(2), normal.high[-1].round(2), int(normal.days[-1])
    (np.float64(49.97), np.float64(52.03), 20)
    """
    if width_sd <= 0:
        raise ValueError(f"width_sd must be positive, got {width_sd}")
    row = np.asarray(values, dtype=np.float64)
    before = np.concatenate([[np.nan], row[:-1]]) if len(row) else row
    count, mean, deviation = (
        _moments(_trailing(before, WINDOW_D)) if len(row) else (np.zeros(0, int), row, row)
    )
    few = count < MINIMUM_DAYS
    mean, deviation = np.where(few, np.nan, mean), np.where(few, np.nan, deviation)
    return OwnNormal(mean, deviation, mean - width_sd * deviation, mean + width_sd * deviation, count)


def trailing_mean(values: ArrayLike, window_d: int = LINE_D, *, minimum_days: int = 3) -> NDArray[np.float64]:
    """Mean of the valid days among the last days of the window, with that day.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value a day, oldest first, NaN where missing.
    window_d : int
        Length of the window. [days]
    minimum_days : int
        Valid days below which the mean is NaN. [days]

    Returns
    -------
    ndarray
        Shape (n,), in the unit of `values`.

    Notes
    -----
    Sum of the values divided by their number.

    *Missing data*: days without a value; too few in the window give none.

    *Worked example*: 1, no value and 3 on three days: 2.

    Examples
    --------
    >>> trailing_mean([1.0, float("nan"), 3.0], 3, minimum_days=2).tolist()
    [nan, nan, 2.0]
    """
    row = np.asarray(values, dtype=np.float64)
    if not len(row):
        return row
    count, mean, _ = _moments(_trailing(row, window_d))
    return np.where(count < minimum_days, np.nan, mean)


def trailing_count(values: ArrayLike, window_d: int = LINE_D) -> NDArray[np.int64]:
    """Number of valid days among the last `window_d`, with that day.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value a day, oldest first, NaN where missing.
    window_d : int
        Length of the window. [days]

    Returns
    -------
    ndarray
        Shape (n,). [days]

    Examples
    --------
    >>> trailing_count([1.0, float("nan"), 3.0], 2).tolist()
    [1, 1, 1]
    """
    row = np.asarray(values, dtype=np.float64)
    return _moments(_trailing(row, window_d))[0] if len(row) else np.zeros(0, np.int64)


def deviations_from_normal(values: ArrayLike, normal: OwnNormal) -> NDArray[np.float64]:
    """Distance of each value from the athlete's mean, in the athlete's standard deviations.

    Parameters
    ----------
    values : array_like, shape (n,)
        One value a day, in the unit of the normal.
    normal : OwnNormal
        The normal of the same days.

    Returns
    -------
    ndarray
        Signed, shape (n,); NaN where either is missing or the deviation is 0. [standard deviations]

    Examples
    --------
    >>> series = [50.0, 52.0] * 10 + [45.0]
    >>> deviations_from_normal(series, own_normal(series))[-1].round(2)
    np.float64(-5.85)
    """
    away = np.asarray(values, dtype=np.float64) - normal.mean
    scores = np.full(len(away), np.nan)
    np.divide(away, normal.deviation, out=scores, where=normal.deviation > 0)
    return scores
