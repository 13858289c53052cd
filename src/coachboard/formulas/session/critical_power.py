"""Critical power and W': the power that they allow for a duration, and their fit to best efforts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def sustainable_power_w(
    durations_s: ArrayLike, *, critical_power_w: float, w_prime_j: float
) -> NDArray[np.float64]:
    """The highest power for each duration, by the two-parameter hyperbola.

    Parameters
    ----------
    durations_s : array_like
        Above 0; the hyperbola describes efforts of 2 to 20 min, shape (d,). [s]
    critical_power_w : float
        [W]
    w_prime_j : float
        [J]

    Returns
    -------
    numpy.ndarray
        Shape (d,). [W]

    Notes
    -----
    P = CP + W'/t. Critical power and W' are those of the athlete's metrics; no effort is fitted.

    References
    ----------
    Monod H, Scherrer J. The work capacity of a synergic muscular group. Ergonomics 8:329, 1965.
    Hill DW. The critical power concept: a review. Sports Med 16:237, 1993.

    Examples
    --------
    >>> sustainable_power_w([180, 300], critical_power_w=250.0, w_prime_j=20_000.0).round(4).tolist()
    [361.1111, 316.6667]
    """
    return critical_power_w + w_prime_j / np.asarray(durations_s, np.float64)


FIT_DURATIONS_S = (120, 180, 300, 480, 720, 1200)
"""Best efforts of the fit; the hyperbola describes efforts of 2 to 20 min. [s]"""
_MINIMUM_EFFORTS = 4
_T_95 = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306)
"""Two-sided 95 % quantiles of Student's t for 2 to 8 degrees of freedom."""


@dataclass(frozen=True, slots=True)
class CriticalFit:
    """Critical power [W] and W' [J], or critical speed [m/s] and D' [m], each with its 95 % interval."""

    critical: float
    critical_range: tuple[float, float]
    reserve: float
    reserve_range: tuple[float, float]
    r_squared: float
    efforts: int


def fit_critical(durations_s: ArrayLike, means: ArrayLike) -> CriticalFit | None:
    """Critical power and W' from best mean powers, or critical speed and D' from best mean speeds.

    Parameters
    ----------
    durations_s : array_like
        Durations of the efforts; use those of `FIT_DURATIONS_S`, shape (d,). [s]
    means : array_like
        Best mean of each duration, NaN if unknown, shape (d,). [W or m/s]

    Returns
    -------
    CriticalFit or None
        None with fewer than 4 known efforts, or if the fit gives no positive values.

    Notes
    -----
    Linear model by least squares: work = CP·t + W'. Best efforts of one athlete share sessions and are not independent,
    so the true intervals of critical power and W' are wider than the computed ones. Efforts below the maximum make critical power too low.

    References
    ----------
    Monod H, Scherrer J. The work capacity of a synergic muscular group. Ergonomics 8:329, 1965.

    Examples
    --------
    >>> fit = fit_critical([120, 300, 720, 1200], [250 + 20_000 / t for t in (120, 300, 720, 1200)])
    >>> round(fit.critical, 3), round(fit.reserve, 1), fit.efforts
    (250.0, 20000.0, 4)
    """
    durations, best = np.asarray(durations_s, np.float64), np.asarray(means, np.float64)
    is_positive = np.isfinite(best) & (best > 0)
    t, amount, efforts = durations[is_positive], (durations * best)[is_positive], int(is_positive.sum())
    if efforts < _MINIMUM_EFFORTS:
        return None
    spread = float(((t - t.mean()) ** 2).sum())
    critical = float(((t - t.mean()) * (amount - amount.mean())).sum() / spread)
    reserve = float(amount.mean() - critical * t.mean())
    residual = float(((amount - reserve - critical * t) ** 2).sum())
    if critical <= 0 or reserve <= 0:
        return None
    error = float(np.sqrt(residual / (efforts - 2)))
    quantile = _T_95[min(efforts - 4, len(_T_95) - 1)]
    of_critical = quantile * error / float(np.sqrt(spread))
    of_reserve = quantile * error * float(np.sqrt(1 / efforts + t.mean() ** 2 / spread))
    return CriticalFit(
        critical=critical,
        critical_range=(critical - of_critical, critical + of_critical),
        reserve=reserve,
        reserve_range=(reserve - of_reserve, reserve + of_reserve),
        r_squared=1 - residual / float(((amount - amount.mean()) ** 2).sum()),
        efforts=efforts,
    )
