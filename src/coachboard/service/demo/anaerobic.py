"""W' spent and regained on the grid of cells, in closed form, to keep efforts within what is possible."""

import numpy as np

from coachboard.service.demo.cells import CELL_S, Floats

_LARGEST_EXPONENT = 600.0
SPENT_AT_MOST = 0.9


def deficit(power_w: Floats, *, critical_power_w: float, w_prime_j: float) -> Floats:
    """W' missing at the end of each cell, J.

    Below critical power the deficit d shrinks by (CP - P)/W' a second, above it grows by P - CP (Skiba 2015,
    Froncioni and Clarke). That is linear in d, so d = exp(-A) * sum(growth * exp(A)) with A the summed shrinking.
    """
    above = np.maximum(power_w - critical_power_w, 0) * CELL_S
    shrink = np.cumsum(np.maximum(critical_power_w - power_w, 0)) * (CELL_S / w_prime_j)
    found = np.empty(len(power_w))
    start, carried = 0, 0.0
    while start < len(power_w):
        base = shrink[start - 1] if start else 0.0
        end = max(int(np.searchsorted(shrink, base + _LARGEST_EXPONENT)), start + 1)
        grown = np.exp(np.minimum(shrink[start:end] - base, _LARGEST_EXPONENT))
        found[start:end] = (np.cumsum(above[start:end] * grown) + carried) / grown
        start, carried = end, float(found[end - 1])
    return found


def held_within(power_w: Floats, *, critical_power_w: float, w_prime_j: float) -> Floats:
    """The same powers with what lies above critical power shrunk until W' suffices.

    The deficit is linear in the power above critical power, so one division finds the share that fits.
    """
    if float(power_w.max()) <= critical_power_w:
        return power_w
    worst = float(deficit(power_w, critical_power_w=critical_power_w, w_prime_j=w_prime_j).max())
    share = min(1.0, SPENT_AT_MOST * w_prime_j / max(worst, 1.0))
    return np.where(
        power_w > critical_power_w, critical_power_w + (power_w - critical_power_w) * share, power_w
    )
