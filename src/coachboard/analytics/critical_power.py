"""Critical power fitted to best efforts, each form under its name: on noisy points they disagree."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted curve and the form by which it was found; `max_power_w` for the three-parameter form alone."""

    form: str
    critical_power_w: float
    w_prime_j: float
    max_power_w: float = math.inf

    def power_w(self, duration_s: ArrayLike) -> Floats:
        """The power that can be held for a duration.

        Parameters
        ----------
        duration_s : array_like
            Above 0, shape (d,). [s]

        Returns
        -------
        numpy.ndarray
            Shape (d,). [W]

        Examples
        --------
        >>> Fit("given", 250.0, 20_000.0).power_w([300.0]).round(4).tolist()
        [316.6667]
        """
        offset = self.w_prime_j / (self.max_power_w - self.critical_power_w)
        return self.critical_power_w + self.w_prime_j / (np.asarray(duration_s, np.float64) + offset)


def fit_work_time(durations_s: ArrayLike, power_w: ArrayLike) -> Fit:
    """The straight line through work against time.

    Parameters
    ----------
    durations_s, power_w : array_like
        Best efforts, at least two durations, best between 2 and 20 min, shape (n,). [s] and [W]

    Returns
    -------
    Fit
        W = CP t + W'.

    References
    ----------
    Monod H, Scherrer J. The work capacity of a synergic muscular group. Ergonomics 8:329, 1965.

    Examples
    --------
    >>> fit_work_time([180, 1200], [361.1111, 266.6667]).critical_power_w.__round__(2)
    250.0
    """
    times, powers = _efforts(durations_s, power_w)
    slope, offset = np.polyfit(times, times * powers, 1)
    return Fit("work against time", float(slope), float(offset))


def fit_inverse_time(durations_s: ArrayLike, power_w: ArrayLike) -> Fit:
    """The straight line through power against one over time; the same as least squares of power.

    Parameters
    ----------
    durations_s, power_w : array_like
        As in `fit_work_time`. [s] and [W]

    Returns
    -------
    Fit
        P = CP + W'/t.

    References
    ----------
    Hill DW. The critical power concept: a review. Sports Med 16:237, 1993.

    Examples
    --------
    >>> round(fit_inverse_time([120, 300, 720, 1200], [430, 335, 290, 275]).critical_power_w, 3)
    261.584
    """
    times, powers = _efforts(durations_s, power_w)
    slope, offset = np.polyfit(1 / times, powers, 1)
    return Fit("power against 1/time", float(offset), float(slope))


def fit_time(durations_s: ArrayLike, power_w: ArrayLike) -> Fit:
    """The hyperbola by least squares of time to exhaustion.

    Parameters
    ----------
    durations_s, power_w : array_like
        As in `fit_work_time`. [s] and [W]

    Returns
    -------
    Fit
        t = W'/(P - CP), critical power below the lowest power given.

    References
    ----------
    Hill DW. The critical power concept: a review. Sports Med 16:237, 1993.

    Examples
    --------
    >>> round(fit_time([120, 300, 720, 1200], [430, 335, 290, 275]).critical_power_w, 3)
    254.123
    """
    times, powers = _efforts(durations_s, power_w)

    def w_prime(critical: float) -> float:
        inverse = 1 / (powers - critical)
        return float(times @ inverse / (inverse @ inverse))

    def misfit(critical: float) -> float:
        return float(np.sum((times - w_prime(critical) / (powers - critical)) ** 2))

    critical = _lowest(misfit, 0.0, float(powers.min()) * (1 - 1e-9))
    return Fit("time to exhaustion", critical, w_prime(critical))


def fit_three_parameters(durations_s: ArrayLike, power_w: ArrayLike) -> Fit:
    """Morton's form, in which power stays finite as the duration goes to zero.

    Parameters
    ----------
    durations_s, power_w : array_like
        Best efforts from sprints to 20 min, at least three durations, shape (n,). [s] and [W]

    Returns
    -------
    Fit
        P = CP + W'/(t + W'/(Pmax - CP)), by least squares of power.

    References
    ----------
    Morton RH. A 3-parameter critical power model. Ergonomics 39:611, 1996. doi:10.1080/00140139608964484.

    Examples
    --------
    >>> curve = Fit("given", 250.0, 20_000.0, 1000.0)
    >>> seconds = [1, 5, 15, 60, 180, 300, 720, 1200]
    >>> round(fit_three_parameters(seconds, curve.power_w(seconds)).max_power_w, 2)
    1000.0
    """
    times, powers = _efforts(durations_s, power_w)

    def line(offset: float) -> tuple[float, float, float]:
        inverse = 1 / (times + offset)
        slope, critical = np.polyfit(inverse, powers, 1)
        return float(slope), float(critical), float(np.sum((powers - critical - slope * inverse) ** 2))

    offset = _lowest(lambda at: line(at)[2], 1e-3, float(times.max()))
    w_prime, critical, _ = line(offset)
    return Fit("three parameters", critical, w_prime, critical + w_prime / offset)


def _efforts(durations_s: ArrayLike, power_w: ArrayLike) -> tuple[Floats, Floats]:
    times, powers = np.asarray(durations_s, np.float64), np.asarray(power_w, np.float64)
    known = np.isfinite(times) & np.isfinite(powers)
    times, powers = times[known], powers[known]
    if len(np.unique(times)) < 2 or np.any(times <= 0):
        raise ValueError("durations_s must hold two different durations above 0")
    return times, powers


_GOLDEN = (math.sqrt(5) - 1) / 2


def _lowest(cost: Callable[[float], float], low: float, high: float) -> float:
    """Where a cost is least: a coarse search on a grid, then by the golden section around its best place."""
    grid = np.linspace(low, high, 400)
    best = int(np.argmin([cost(float(at)) for at in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    while high - low > 1e-9 * max(abs(high), 1.0):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, right) if cost(left) < cost(right) else (left, high)
    return (low + high) / 2
