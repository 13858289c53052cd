"""W' spent and regained on the grid of cells, in closed form, to keep efforts within what is possible."""

import numpy as np

from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.rows import Rows

_LARGEST_EXPONENT = 600.0
SPENT_AT_MOST = 0.92
_TRIES = 3
_OF_NORMAL = 0.8


def deficit(
    power_w: Floats,
    *,
    critical_power_w: Floats | float,
    w_prime_j: Floats | float,
    spread: float = 0.0,
    rows: Rows | None = None,
) -> Floats:
    """W' missing at the end of each cell, J; `rows` are the sessions that lie end to end.

    Below critical power the deficit d shrinks by (CP - P)/W' a second, above it grows by P - CP (Skiba 2015,
    Froncioni and Clarke). That is linear in d, so d = exp(-A) * sum(growth * exp(A)) with A the summed shrinking.
    """
    rows = rows or Rows(np.array([len(power_w)]))
    over = power_w - critical_power_w
    # Seconds inside a cell lie `spread` around its mean: where that is near critical power some are above it and
    # some below. A hyperbola stands for the mean of the positive part of a normal distribution.
    size = np.sqrt(over * over + (_OF_NORMAL * spread * power_w) ** 2)
    above = (size + over) * (CELL_S / 2)
    shrink = rows.summed((size - over) * (CELL_S / 2 / w_prime_j))
    if float(shrink.max()) > _LARGEST_EXPONENT:
        return np.concatenate([_piece_by_piece(above[here], shrink[here]) for here in rows.slices()])
    grown = np.exp(shrink)
    return np.asarray(rows.summed(above * grown) / grown)


def _piece_by_piece(above: Floats, shrink: Floats) -> Floats:
    """The same where the exponential outgrows what a number can hold."""
    found = np.empty(len(above))
    start, carried = 0, 0.0
    while start < len(above):
        base = shrink[start - 1] if start else 0.0
        end = max(int(np.searchsorted(shrink, base + _LARGEST_EXPONENT)), start + 1)
        grown = np.exp(np.minimum(shrink[start:end] - base, _LARGEST_EXPONENT))
        found[start:end] = (np.cumsum(above[start:end] * grown) + carried) / grown
        start, carried = end, float(found[end - 1])
    return found


def held_within(power_w: Floats, *, critical_power_w: float, w_prime_j: float, spread: float) -> Floats:
    """The same powers with what lies above critical power shrunk until W' suffices."""
    for _ in range(_TRIES):
        if float(power_w.max()) <= critical_power_w:
            return power_w
        missing = deficit(power_w, critical_power_w=critical_power_w, w_prime_j=w_prime_j, spread=spread)
        worst = float(missing.max())
        if worst <= SPENT_AT_MOST * w_prime_j:
            return power_w
        # The deficit is linear in what lies above, but for the spread: a second look settles that.
        share = (SPENT_AT_MOST - 0.02) * w_prime_j / worst
        over = critical_power_w + (power_w - critical_power_w) * share
        power_w = np.where(power_w > critical_power_w, over, power_w)
    return power_w
