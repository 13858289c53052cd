"""The effort from which a quantity rises faster, such as ventilation above a threshold; none unless the data show one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.season.relation import t_95

LEAST_MINUTES = 20
"""Fewest values of a breakpoint; a choice of this project."""
F_LEAST = 6.3
"""F of two further parameters at 1 %, for 20 values; less for more."""
_INNER_PCT = (15.0, 85.0)
_GRID = 141


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """Effort of the breakpoint with its 95 % interval; NaN without one."""

    at: float
    low: float
    high: float
    minutes: int

    @property
    def is_known(self) -> bool:
        """Whether the data show a breakpoint."""
        return not np.isnan(self.at)


def breakpoint_of(effort: ArrayLike, values: ArrayLike) -> Breakpoint:
    """Effort from which the values rise faster.

    Parameters
    ----------
    effort, values : array_like, shape (n,)
        Means of the same minutes, NaN where missing. [W, any]

    Returns
    -------
    Breakpoint
        NaN if the data show none; `minutes` is counted all the same.

    Notes
    -----
    Two lines that meet, by least squares; the meeting point runs over the middle 70 % of the efforts. There is a breakpoint
    if the two lines fit better than one (F of at least 6.3, 1 %), the upper one is steeper and rises, and both ends of the
    interval lie inside that range. Interval: all meeting points whose squared error is at most 1 + t²/(n − 4) times the
    least. Minutes in a row are not independent, so the true interval is wider; ventilation lags behind power, so short
    intervals blur it.

    *Missing data*: minutes without either value are left out; with fewer than 20 there is no breakpoint.

    *Worked example*: 0.2 l/min per watt up to 200 W and 0.5 above it, at 20 efforts from 110 to 300 W: 200 W.

    References
    ----------
    Beaver, Wasserman and Whipp (1986), doi:10.1152/jappl.1986.60.6.2020; the interval: Seber and Wild (1989), ch. 9.

    Examples
    --------
    >>> watts = np.arange(110.0, 310.0, 10.0)
    >>> round(breakpoint_of(watts, 0.2 * watts + 0.3 * np.maximum(watts - 200, 0)).at)
    200
    """
    x, y = np.asarray(effort, np.float64), np.asarray(values, np.float64)
    is_finite = np.isfinite(x) & np.isfinite(y)
    x, y, minutes = x[is_finite], y[is_finite], int(is_finite.sum())
    none = Breakpoint(float("nan"), float("nan"), float("nan"), minutes)
    if minutes < LEAST_MINUTES or np.ptp(x) == 0:
        return none
    low, high = np.percentile(x, _INNER_PCT).tolist()
    grid = np.linspace(low, high, _GRID)
    fits = [_fit(x, y, bend_at) for bend_at in grid]
    errors = np.array([error for error, _, _ in fits])
    best = int(errors.argmin())
    least, below, bend = fits[best]
    freedom = minutes - 4
    straight = _error(np.column_stack([np.ones_like(x), x]), y)[0]
    tiny = 1e-12 * float(y @ y)
    if bend <= 0 or below + bend <= 0 or (straight - least) / 2 < F_LEAST * max(least, tiny) / freedom:
        return none
    inside = np.flatnonzero(errors <= max(least, tiny) * (1 + t_95(freedom) ** 2 / freedom))
    if inside[0] == 0 or inside[-1] == _GRID - 1:
        return none
    return Breakpoint(float(grid[best]), float(grid[inside[0]]), float(grid[inside[-1]]), minutes)


def _fit(x: NDArray[np.float64], y: NDArray[np.float64], bend_at: float) -> tuple[float, float, float]:
    """Squared error, slope below, and change of slope at a meeting point."""
    error, solved = _error(np.column_stack([np.ones_like(x), x, np.maximum(x - bend_at, 0)]), y)
    return error, float(solved[1]), float(solved[2])


def _error(columns: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    solved: NDArray[np.float64] = np.asarray(np.linalg.lstsq(columns, y, rcond=None)[0], np.float64)
    rest = y - columns @ solved
    return float(rest @ rest), solved
