"""Heart rate variability on its natural scale: logarithm, 7-day mean, normal range (the "HRV band"), variation.

`baseline` has the normal range of any daily series.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.plausible import plausible
from coachboard.formulas.recovery.baseline import OwnNormal, own_normal, trailing_mean

MINIMUM_NIGHTS = 3
"""Valid nights of seven below which there is no mean, after Plews et al. (2014). [nights]"""


def ln_hrv(hrv_ms: ArrayLike) -> NDArray[np.float64]:
    """Natural logarithm of HRV for valid nights.

    Parameters
    ----------
    hrv_ms : array_like, shape (n,)
        HRV of each night, taken as rMSSD. [ms]

    Returns
    -------
    ndarray
        Shape (n,); NaN outside 10 to 250 ms. [ln ms]

    Notes
    -----
    The interface states neither unit nor statistic of `averageHrv`: rMSSD in ms is assumed, and every chart of the
    logarithm says so.

    Examples
    --------
    >>> ln_hrv([52, 5, 300]).round(4).tolist()
    [3.9512, nan, nan]
    """
    return np.asarray(np.log(plausible("average_hrv", hrv_ms)))


def seven_day_line(hrv_ms: ArrayLike) -> NDArray[np.float64]:
    """7-day moving mean of ln HRV.

    Parameters
    ----------
    hrv_ms : array_like, shape (n,)
        HRV of each night, NaN where missing. [ms]

    Returns
    -------
    ndarray
        Shape (n,). [ln ms]

    Notes
    -----
    Mean of ln HRV of the last 7 nights, shown in ms.

    *Missing data*: nights without HRV; fewer than 3 of 7 give no value.

    *Worked example*: 52, 61, 48, 55, 58, 63 and 50 ms: the mean logarithm is 4.008, which is 55.0 ms.

    References
    ----------
    Plews et al. (2012), doi:10.1007/s00421-012-2354-4; (2014), doi:10.1123/ijspp.2013-0455.

    Examples
    --------
    >>> seven_day_line([52, 61, 48, 55, 58, 63, 50])[-1].round(6)
    np.float64(4.008036)
    """
    return trailing_mean(ln_hrv(hrv_ms), minimum_days=MINIMUM_NIGHTS)


def normal_range(hrv_ms: ArrayLike, *, width_sd: float = 0.5) -> OwnNormal:
    """Normal range of ln HRV over the previous 60 days.

    Parameters
    ----------
    hrv_ms : array_like, shape (n,)
        HRV of each night over the full history, NaN where missing. [ms]
    width_sd : float
        Half width; 0.5 is the smallest worthwhile change, 1 is Kiviniemi's. [standard deviations]

    Returns
    -------
    OwnNormal
        On ln ms; NaN with fewer than 14 valid nights.

    Notes
    -----
    Mean ± 0.5 SD of ln HRV, shown in ms.

    *Missing data*: nights without HRV and the day itself; fewer than 14 nights give no range.

    *Worked example*: after 21 nights between 48 and 63 ms, the range of the next night is made of those 21.

    References
    ----------
    Plews et al. (2013), doi:10.1007/s40279-013-0071-8; Vesterinen et al. (2016),
    doi:10.1249/MSS.0000000000000910; Javaloyes et al. (2019), doi:10.1123/ijspp.2018-0122;
    Kiviniemi et al. (2007), doi:10.1007/s00421-007-0552-2.

    Examples
    --------
    >>> week = [52, 61, 48, 55, 58, 63, 50]
    >>> int(normal_range(week * 3 + [50]).days[-1])
    21
    """
    return own_normal(ln_hrv(hrv_ms), width_sd=width_sd)


def to_ms(ln_values: ArrayLike) -> NDArray[np.float64]:
    """Values of ln HRV converted back to ms.

    Parameters
    ----------
    ln_values : array_like
        [ln ms]

    Returns
    -------
    ndarray
        [ms]

    Examples
    --------
    >>> to_ms([4.008036]).round(3).tolist()
    [55.039]
    """
    return np.exp(np.asarray(ln_values, dtype=np.float64))


def coefficient_of_variation_pct(hrv_ms: ArrayLike) -> float:
    """Spread of ln HRV over the given nights, as a share of its mean.

    Parameters
    ----------
    hrv_ms : array_like, shape (n,)
        HRV of the nights, usually seven. [ms]

    Returns
    -------
    float
        Sample SD over mean of the logarithms. [%]

    Notes
    -----
    Standard deviation of the logarithms divided by their mean.

    *Missing data*: nights without HRV; fewer than 3 give no value.

    *Worked example*: 52, 61, 48, 55, 58, 63 and 50 ms: 0.1023 / 4.008 = 2.55 %.

    References
    ----------
    Plews et al. (2012), doi:10.1007/s00421-012-2354-4.

    Examples
    --------
    >>> round(coefficient_of_variation_pct([52, 61, 48, 55, 58, 63, 50]), 4)
    2.5514
    """
    logs = ln_hrv(hrv_ms)
    logs = logs[~np.isnan(logs)]
    if len(logs) < MINIMUM_NIGHTS:
        return float("nan")
    return float(logs.std(ddof=1) / logs.mean() * 100)
