"""Sleep: duration, efficiency, regularity and debt.

Durations are in seconds: `main_sleep` infers the service's unit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

NEED_H = 8.0
"""Default need: the middle of the 7 to 9 hours for adults (Hirshkowitz et al. 2015)."""
GOOD_EFFICIENCY_PCT = 85.0
"""Ohayon et al. (2017): at least 85 % is good."""
_DAY_H = 24.0
LEAST_FREE_NIGHTS, LEAST_WORK_NIGHTS = 4, 8
"""Fewest nights of social jet lag: four weekends' worth of either; a choice of this project."""


def efficiency_pct(asleep_duration_s: ArrayLike, in_bed_s: ArrayLike) -> NDArray[np.float64]:
    """Sleep efficiency: share of the time in bed spent asleep.

    Parameters
    ----------
    asleep_duration_s, in_bed_s : array_like, shape (n,)
        Time asleep and in bed of each night. [s]

    Returns
    -------
    ndarray
        0 to 100; NaN where in bed is missing or 0. [%]

    Notes
    -----
    Time asleep divided by time in bed.

    *Missing data*: nights without a time in bed.

    *Worked example*: 7 h asleep of 8 h in bed: 7 / 8 = 87.5 %.

    References
    ----------
    Ohayon et al. (2017), doi:10.1016/j.sleh.2016.11.006.

    Examples
    --------
    >>> efficiency_pct([25200], [28800]).tolist()
    [87.5]
    """
    bed = np.asarray(in_bed_s, dtype=np.float64)
    asleep = np.asarray(asleep_duration_s, dtype=np.float64)
    share = np.divide(asleep, bed, out=np.full(bed.shape, np.nan), where=bed > 0)
    return np.asarray(share * 100)


def debt_h(asleep_duration_s: ArrayLike, *, need_h: float = NEED_H, floored: bool = False) -> float:
    """Sleep debt over the given nights.

    Parameters
    ----------
    asleep_duration_s : array_like, shape (n,)
        Time asleep of each night of the window, NaN where not recorded. [s]
    need_h : float
        Stated need a night. [h]
    floored : bool
        Whether a long night pays nothing back; signed by default.

    Returns
    -------
    float
        Positive is owed; NaN without a recorded night. [h]

    Notes
    -----
    Σ (need − sleep) over the recorded nights; a night without a record adds nothing.

    *Missing data*: a night without a record adds nothing; without any there is no debt.

    *Worked example*: need 8 h, nights of 7 h and 9 h: (8 − 7) + (8 − 9) = 0 h; without surplus 1 h.

    References
    ----------
    Need: Hirshkowitz et al. (2015), doi:10.1016/j.sleh.2014.12.010.

    Examples
    --------
    >>> debt_h([7 * 3600, 9 * 3600]), debt_h([7 * 3600, 9 * 3600], floored=True)
    (0.0, 1.0)
    """
    if need_h <= 0:
        raise ValueError(f"need_h must be positive, got {need_h}")
    owed = need_h - np.asarray(asleep_duration_s, dtype=np.float64) / 3600
    owed = owed[~np.isnan(owed)]
    if not len(owed):
        return float("nan")
    return float(np.maximum(owed, 0).sum() if floored else owed.sum())


def mid_sleep_h(start_h: ArrayLike, end_h: ArrayLike) -> NDArray[np.float64]:
    """Mid-sleep: the time halfway between falling asleep and waking.

    Parameters
    ----------
    start_h, end_h : array_like, shape (n,)
        Local clock times; an end before its start lies on the next day. [h, 0 to 24]

    Returns
    -------
    ndarray
        Local clock time. [h, 0 to 24]

    Notes
    -----
    Start plus half of the time from start to end, across midnight.

    *Missing data*: nights without a start or an end.

    *Worked example*: asleep from 23:00 to 7:00: 3:00 h; from 1:00 to 8:00: 4.5 h, which is 4:30.

    Examples
    --------
    >>> mid_sleep_h([23.0, 1.0], [7.0, 8.0]).tolist()
    [3.0, 4.5]
    """
    start = np.asarray(start_h, dtype=np.float64)
    span = np.mod(np.asarray(end_h, dtype=np.float64) - start, _DAY_H)
    return np.mod(start + span / 2, _DAY_H)


def _unit_vector(clock_h: ArrayLike) -> complex:
    hours = np.asarray(clock_h, dtype=np.float64)
    hours = hours[~np.isnan(hours)]
    return complex(np.exp(2j * np.pi * hours / _DAY_H).mean()) if len(hours) else complex(np.nan, np.nan)


def circular_mean_h(clock_h: ArrayLike) -> float:
    """The mean of clock times, right across midnight.

    Parameters
    ----------
    clock_h : array_like, shape (n,)
        Clock times, NaN where missing. [h, 0 to 24]

    Returns
    -------
    float
        NaN for none, or where the times cancel out. [h, 0 to 24]

    Examples
    --------
    >>> round(circular_mean_h([23.5, 0.5]), 6) % 24
    0.0
    """
    vector = _unit_vector(clock_h)
    if not abs(vector) > 1e-9:
        return float("nan")
    return float(np.mod(np.angle(vector) * _DAY_H / (2 * np.pi), _DAY_H))


def circular_deviation_h(clock_h: ArrayLike) -> float:
    """Spread of clock times, correct across midnight: regularity from start and end.

    Parameters
    ----------
    clock_h : array_like, shape (n,)
        Clock times of mid-sleep, NaN where missing. [h, 0 to 24]

    Returns
    -------
    float
        Circular standard deviation; NaN for fewer than two nights. [h]

    Notes
    -----
    √(−2 ln R) in hours. The sleep regularity index needs sleep and wake by the minute, which the
    interface does not give.

    *Missing data*: nights without a start or an end; fewer than two give no value.

    *Worked example*: mid-sleep at 2:30, 3:30, 2:30 and 3:30: 0.5 h.

    References
    ----------
    Mardia & Jupp (2000), Directional Statistics, ch. 2; the index: Phillips et al. (2017),
    doi:10.1038/s41598-017-03171-4.

    Examples
    --------
    >>> round(circular_deviation_h([2.5, 3.5, 2.5, 3.5]), 3)
    0.501
    """
    hours = np.asarray(clock_h, dtype=np.float64)
    length = abs(_unit_vector(hours))
    if (~np.isnan(hours)).sum() < 2 or not length > 0:
        return float("nan")
    return float(np.sqrt(-2 * np.log(min(length, 1.0))) * _DAY_H / (2 * np.pi))


@dataclass(frozen=True, slots=True)
class SocialJetLag:
    """Mid-sleep of free and of working days; NaN with too few nights of either."""

    hours: float  # positive: later on free days
    free_h: float
    work_h: float
    free_nights: int
    work_nights: int

    @property
    def is_known(self) -> bool:
        """Whether both kinds have enough nights."""
        return not np.isnan(self.hours)


def social_jet_lag(mid_sleep_h: ArrayLike, is_free: ArrayLike, is_abroad: ArrayLike) -> SocialJetLag:
    """Mid-sleep on free days less mid-sleep on working days.

    Parameters
    ----------
    mid_sleep_h : array_like, shape (n,)
        Local clock time of each night, NaN where not recorded. [h, 0 to 24]
    is_free : array_like of bool, shape (n,)
        Whether the night ends on a free day.
    is_abroad : array_like of bool, shape (n,)
        Nights soon after travel or a clock change, which are left out.

    Returns
    -------
    SocialJetLag
        Both circular means and their difference, −12 to 12. [h]

    Notes
    -----
    Wittmann's difference of mid-sleep, with its sign: mid-sleep of a night that ends on a free day, less that of a night
    that ends on a working day. The service has no work calendar, so Saturday and Sunday count as free days.

    *Missing data*: no value with fewer than 4 free or 8 working nights. Nights of the 3 days from a time change of more than an
    hour are left out: they show travel.

    *Worked example*: asleep 23:00 to 07:00 on weekdays, mid-sleep 03:00; 00:30 to 08:30 at the weekend, mid-sleep 04:30:
    1.5 h.

    References
    ----------
    Wittmann et al. (2006), Chronobiol Int 23:497–509, doi:10.1080/07420520500545979.

    Examples
    --------
    >>> week = [3.0] * 5 + [4.5] * 2
    >>> free = [False] * 5 + [True] * 2
    >>> round(social_jet_lag(week * 2, free * 2, [False] * 14).hours, 6)
    1.5
    """
    middle = np.asarray(mid_sleep_h, np.float64)
    free, is_home_night = np.asarray(is_free, bool), ~np.isnan(middle) & ~np.asarray(is_abroad, bool)
    of_free, of_work = middle[is_home_night & free], middle[is_home_night & ~free]
    free_h, work_h = circular_mean_h(of_free), circular_mean_h(of_work)
    apart = float(np.mod(free_h - work_h + _DAY_H / 2, _DAY_H) - _DAY_H / 2)
    is_enough = len(of_free) >= LEAST_FREE_NIGHTS and len(of_work) >= LEAST_WORK_NIGHTS
    return SocialJetLag(apart if is_enough else float("nan"), free_h, work_h, len(of_free), len(of_work))
