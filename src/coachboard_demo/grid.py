"""The grid of a simulated session: cells of five seconds, short enough for a sprint, long enough to be cheap."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELL_S = 5
_LARGEST_EXPONENT = 500.0


def whole_cells_s(seconds: float) -> int:
    """Seconds rounded to whole cells, at least one."""
    return max(1, round(seconds / CELL_S)) * CELL_S


def lag(values: Floats, constant: float, *, before: float | None = None) -> Floats:
    """First-order lag with a time constant in cells; `before` is the past, by default the first value.

    Closed form of the recurrence, in blocks: the exponential of a long session exceeds the largest number.
    """
    growth = _growth(constant)
    past = float(values[0]) if before is None else before
    found = np.empty(len(values))
    for start in range(0, len(values), len(growth)):
        part = values[start : start + len(growth)]
        grown = growth[: len(part)]
        block = ((part * grown).cumsum() * -np.expm1(-1 / constant) + past) / grown
        found[start : start + len(part)] = block
        past = float(block[-1])
    return found


@lru_cache(maxsize=64)
def _growth(constant: float) -> Floats:
    return np.exp(np.arange(1, int(_LARGEST_EXPONENT * constant) + 1) / constant)


def smooth(values: Floats, width: int) -> Floats:
    """Centred moving mean; the ends repeat."""
    if width <= 1 or len(values) < 2:
        return values
    left = width // 2
    sums = np.concatenate((np.full(left + 1, values[0]), values, np.full(width - 1 - left, values[-1])))
    sums[0] = 0.0
    np.cumsum(sums, out=sums)
    return np.asarray((sums[width:] - sums[:-width]) * (1 / width))


def to_seconds(values: Floats) -> Floats:
    """Values of each second, on straight lines between the middles of the cells."""
    count = len(values)
    centres = np.arange(count) * CELL_S + (CELL_S - 1) / 2
    return np.interp(np.arange(count * CELL_S), centres, values)


def mean(values: Floats) -> float:
    """The mean; numpy's own takes 8 instead of 4 µs for the few cells of a session."""
    return float(values.sum()) / len(values)


def block_means(values: Floats, starts: Ints, sizes: Ints) -> Floats:
    """The mean of each block of so many values from its start."""
    return np.asarray(np.add.reduceat(values, starts) / sizes)


class Spans:
    """Spans of cells of one session, such as laps: the values of all of them in one numpy call each."""

    def __init__(self, starts: Ints, ends: Ints, count: int) -> None:
        """Spans from their starts to their exclusive ends, in order, in a session of so many cells."""
        self.starts, self.ends = starts, ends
        self.cells = ends - starts
        bounds = np.column_stack((starts, ends)).ravel()
        self._bounds = (
            bounds[:-1] if bounds[-1] == count else bounds
        )  # numpy takes no bound behind the last cell

    def __len__(self) -> int:
        return len(self.starts)

    def means(self, values: Floats) -> Floats:
        """The mean of each span."""
        return np.asarray(np.add.reduceat(values, self._bounds)[::2] / self.cells)

    def highest(self, values: Floats) -> Floats:
        """The largest value of each span."""
        return np.asarray(np.maximum.reduceat(values, self._bounds)[::2])

    def lowest(self, values: Floats) -> Floats:
        """The smallest value of each span."""
        return np.asarray(np.minimum.reduceat(values, self._bounds)[::2])

    def gained(self, sums: Floats) -> Floats:
        """By how much a running sum grows in each span; the sum is that at the end of each cell."""
        return sums[self.ends - 1] - self.before(sums)

    def before(self, sums: Floats) -> Floats:
        """A running sum before each span."""
        return np.where(self.starts > 0, sums[self.starts - 1], 0.0)
