"""Monotony, strain, and acute:chronic ratio."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.season.load import Gain, LoadStart, previous_day, weighted_load

WEEK_D = 7
ACUTE_D = 7
CHRONIC_D = 28
MONOTONOUS = 2.0
"""Monotony from which training is monotonous (Foster 1998)."""


def monotony(daily_load: ArrayLike, *, sample: bool = False) -> float:
    """Mean ÷ standard deviation of daily loads.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Loads of the week, a rest day as 0. [score]
    sample : bool
        Divide by n − 1 instead of n; the literature does not agree, the population form is the default.

    Returns
    -------
    float
        Dimensionless, NaN where undefined.

    Notes
    -----
    *Missing data*: NaN where the deviation is 0 (equal days have no finite monotony; others cap it at 10
    or print 0), where a day is NaN, and for fewer than two days.

    References
    ----------
    Foster (1998), Med Sci Sports Exerc 30:1164–1168, doi:10.1097/00005768-199807000-00023.

    Examples
    --------
    >>> round(monotony([600, 200, 400, 500, 100, 650, 0]), 5)
    1.49241
    """
    load = np.asarray(daily_load, dtype=np.float64)
    if len(load) < 2 or np.isnan(load).any() or np.ptp(load) == 0:
        return float("nan")
    return float(load.mean() / load.std(ddof=int(sample)))


def strain(daily_load: ArrayLike, *, sample: bool = False) -> float:
    """Weekly load × monotony.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Loads of the week, a rest day as 0. [score]
    sample : bool
        As in `monotony`.

    Returns
    -------
    float
        NaN where monotony is. [score]

    Notes
    -----
    Sum of the seven daily loads times monotony.

    *Missing data*: no value where monotony has none.

    *Worked example*: 600, 200, 400, 500, 100, 650 and 0: 2450 · 1.4924 = 3656.

    References
    ----------
    Foster (1998), doi:10.1097/00005768-199807000-00023.

    Examples
    --------
    >>> round(strain([600, 200, 400, 500, 100, 650, 0]), 2)
    3656.39
    """
    return float(np.sum(np.asarray(daily_load, dtype=np.float64))) * monotony(daily_load, sample=sample)


def rolling_monotony(daily_load: ArrayLike, *, sample: bool = False) -> NDArray[np.float64]:
    """Monotony of the seven days up to each day.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Load of each day, oldest first. [score]
    sample : bool
        As in `monotony`.

    Returns
    -------
    ndarray
        Shape (n,); NaN on the first six days.

    Notes
    -----
    Mean of the seven daily loads divided by their standard deviation.

    *Missing data*: no value on the first six days, or if all seven loads are equal.

    *Worked example*: 600, 200, 400, 500, 100, 650 and 0: mean 350, SD 234.5, 350 / 234.5 = 1.49.

    Examples
    --------
    >>> rolling_monotony([600, 200, 400, 500, 100, 650, 0])[-1].round(5)
    np.float64(1.49241)
    """
    load = np.asarray(daily_load, dtype=np.float64)
    out = np.full(len(load), np.nan)
    if len(load) < WEEK_D:
        return out
    weeks = np.lib.stride_tricks.sliding_window_view(load, WEEK_D)
    deviation = weeks.std(axis=1, ddof=int(sample))
    varies = np.ptp(weeks, axis=1) > 0
    out[WEEK_D - 1 :][varies] = weeks.mean(axis=1)[varies] / deviation[varies]
    return out


def acute_chronic_ratio(daily_load: ArrayLike, *, start: LoadStart | None = None) -> NDArray[np.float64]:
    """Acute over chronic load as each day begins.

    Parameters
    ----------
    daily_load : array_like, shape (n,)
        Load of each day, oldest first. [score]
    start : LoadStart, optional
        From which day both means run and from which value; 0 before the first day if None.

    Returns
    -------
    ndarray
        Dimensionless, shape (n,); NaN where there is no chronic load and on the first 28 days from the start.

    Notes
    -----
    Exponentially weighted with λ = 2/(N + 1), N = 7 and 28 days. Read at the start of the day, so that
    today's finished session cannot change this morning's verdict. The ratio is disputed: it supports a
    flag and never raises one alone.

    *Missing data*: a day without load counts as rest; no ratio in the first 28 days.

    *Worked example*: 50 a day for 200 days: 50 / 50 = 1.0.

    References
    ----------
    Gabbett (2016), doi:10.1136/bjsports-2015-095788; Williams et al. (2017), doi:10.1136/bjsports-2016-096589;
    criticism: Impellizzeri et al. (2020), doi:10.1123/ijspp.2019-0864.

    Examples
    --------
    >>> acute_chronic_ratio([50.0] * 200)[-1].round(3)
    np.float64(1.0)
    """
    first_at, _ = start or LoadStart()
    acute, chronic = acute_chronic_loads(daily_load, start=start)
    ratio = np.full(len(acute), np.nan)
    np.divide(acute, chronic, out=ratio, where=chronic > 0)
    ratio[: first_at + CHRONIC_D] = np.nan
    return ratio


def acute_chronic_loads(
    daily_load: ArrayLike, *, start: LoadStart | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both means of `acute_chronic_ratio`, in load a day; NaN before the start."""
    first_at, seed = start or LoadStart()
    whole = np.asarray(daily_load, dtype=np.float64)
    acute, chronic = np.full((2, len(whole)), np.nan)
    for mean, days in ((acute, ACUTE_D), (chronic, CHRONIC_D)):
        mean[first_at:] = previous_day(
            weighted_load(whole[first_at:], days, gain=Gain.SPAN, seed=seed), seed=seed
        )
    return acute, chronic
