"""W' balance: the remaining work capacity above critical power, second by second."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Steps per block; short enough that the product of the factors does not underflow.
_BLOCK = 128

DROP_SHARE = 0.15
"""How much of W' a dip must take, and a recovery give back, to count. [-]"""


def w_balance(power_w_1hz: ArrayLike, *, critical_power_w: float, w_prime_j: float) -> NDArray[np.float64]:
    """The balance after each second, by the differential form; the pages show no other.

    Parameters
    ----------
    power_w_1hz : array_like
        Power on the clock grid, NaN where not recorded, shape (n,). [W]
    critical_power_w : float
        Above 0. [W]
    w_prime_j : float
        Above 0. [J]

    Returns
    -------
    numpy.ndarray
        Shape (n,), at most W'; below 0 says that CP or W' is set too low. [J]

    Missing data
    ------------
    A second without power is rest at 0 W: in a pause W' comes back.

    Notes
    -----
    Euler steps of one second: above CP ``W -= P - CP``, below it ``W += (CP - P) (W' - W) / W'``. The exact
    exponential differs by 0.1 % (14,271 J against 14,261 J after 60 s at 400 W and 60 s at 100 W with CP 250,
    W' 20 kJ). The form needs no time constant, unlike the integral form of 2012, which is another quantity.

    References
    ----------
    Skiba PF et al. Intramuscular determinants of the ability to recover work capacity above critical power.
    Eur J Appl Physiol 115:703, 2015. doi:10.1007/s00421-014-3050-3. Form by Froncioni and Clarke.

    Examples
    --------
    >>> power = [400.0] * 60 + [100.0] * 60 + [400.0] * 60
    >>> balance = w_balance(power, critical_power_w=250, w_prime_j=20_000)
    >>> balance[[59, 119, 179]].round(2).tolist()
    [11000.0, 14271.07, 5271.07]
    """
    _check(critical_power_w, w_prime_j)
    above = _above_critical(power_w_1hz, critical_power_w)
    # The deficit D = W' - W is a linear recurrence, D' = D * keep + spent, which numpy can solve in blocks.
    # A step that would refill more than the deficit (W' below CP) refills all of it.
    keep = np.clip(1 + np.minimum(above, 0) / w_prime_j, 1e-2, 1.0)
    return w_prime_j - _run_recurrence(keep, np.maximum(above, 0))


@dataclass(frozen=True, slots=True)
class Depletion:
    """A dip of the balance: from the last high point to the lowest point."""

    start: int
    lowest: int
    end: int
    start_j: float
    lowest_j: float


def depletions(balance_j: ArrayLike, w_prime_j: float) -> list[Depletion]:
    """Depletions of W': each from a high point to the next low point, with its recovery.

    Parameters
    ----------
    balance_j : array_like
        W' balance, NaN where missing, shape (n,). [J]
    w_prime_j : float
        Above 0. [J]

    Returns
    -------
    list of Depletion
        In order of time, indices into `balance_j`; empty for no sample.

    Notes
    -----
    Turning points with a reversal threshold of ``DROP_SHARE * W'``; a dip starts at the last moment within a
    third of that threshold of its high point, so that an easy hour before it does not count as falling. The
    definition is Coachboard's.

    Examples
    --------
    >>> [(d.start, d.lowest, d.end) for d in depletions([10.0, 9, 4, 8, 9, 3], 10.0)]
    [(0, 2, 4), (4, 5, 5)]
    """
    balance = np.asarray(balance_j, np.float64)
    measured = np.flatnonzero(np.isfinite(balance))
    turns = _turning_points(balance[measured].tolist(), DROP_SHARE * w_prime_j)
    falls = []
    for place, (high, low) in enumerate(zip(turns[::2], turns[1::2], strict=False)):
        end = turns[2 * place + 2] if 2 * place + 2 < len(turns) else len(measured) - 1
        falling = balance[measured[high : low + 1]]
        start = high + int(np.flatnonzero(falling >= falling[0] - DROP_SHARE * w_prime_j / 3)[-1])
        start_j, lowest_j = float(balance[measured[start]]), float(balance[measured[low]])
        falls.append(
            Depletion(int(measured[start]), int(measured[low]), int(measured[end]), start_j, lowest_j)
        )
    return falls


def _turning_points(values: list[float], threshold: float) -> list[int]:
    """Indices of high and low points in turns, a high one first; a point counts once the value moved `threshold` away."""
    turns: list[int] = []
    sign, best = 1, 0
    for place, value in enumerate(values):
        if sign * (value - values[best]) >= 0:
            best = place
        elif sign * (values[best] - value) >= threshold:
            turns.append(best)
            sign, best = -sign, place
    return [*turns, best] if len(turns) % 2 else turns


def _above_critical(power_w: ArrayLike, critical_power_w: float) -> NDArray[np.float64]:
    return _zeros_for_missing(power_w) - critical_power_w


def _zeros_for_missing(power_w: ArrayLike) -> NDArray[np.float64]:
    power = np.asarray(power_w, np.float64)
    return np.where(np.isfinite(power), power, 0.0)


def _check(critical_power_w: float, w_prime_j: float) -> None:
    if not critical_power_w > 0:
        raise ValueError(f"critical_power_w must be above 0, got {critical_power_w}")
    if not w_prime_j > 0:
        raise ValueError(f"w_prime_j must be above 0, got {w_prime_j}")


def _run_recurrence(keep: NDArray[np.float64], added: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve x_t = keep_t x_{t-1} + added_t from x = 0, a block at a time by running products."""
    out = np.empty(len(keep))
    last = 0.0
    for first in range(0, len(keep), _BLOCK):
        block = slice(first, first + _BLOCK)
        product = np.cumprod(keep[block])
        out[block] = product * (last + np.cumsum(added[block] / product))
        last = float(out[block][-1])
    return out
