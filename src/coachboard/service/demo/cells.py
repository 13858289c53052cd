"""The grid that sessions are computed on: cells of five seconds, short enough for a sprint, long enough to be cheap."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELL_S = 5


def cells_of(duration_s: float) -> int:
    """The number of cells in a duration, at least one."""
    return max(1, round(duration_s / CELL_S))


def lag(values: Floats, constant: float, *, before: float | None = None) -> Floats:
    """First-order lag with a time constant in cells; `before` is the past, by default the first value."""
    past = float(values[0]) if before is None else before
    if constant < _SHORT:
        taps = max(2, math.ceil(4.5 * constant))
        kernel = np.exp(-np.arange(taps) / constant)
        return np.convolve(np.concatenate((np.full(taps - 1, past), values)), kernel / kernel.sum(), "valid")
    found, step = np.empty(len(values)), int(_LARGEST_EXPONENT * constant)
    grown = _growth(step, constant)
    for start in range(0, len(values), step):
        part = values[start : start + step]
        growth = grown[: len(part)]
        found[start : start + step] = (np.cumsum(part * growth) * -math.expm1(-1 / constant) + past) / growth
        past = float(found[min(start + step, len(values)) - 1])
    return found


_SHORT = 6.0
_LARGEST_EXPONENT = 500.0


@lru_cache(maxsize=64)
def _growth(count: int, constant: float) -> Floats:
    return np.asarray(np.exp(np.arange(1, count + 1) / constant))


def between(values: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """Values held between two bounds; np.clip takes three times as long on arrays of this size."""
    return np.minimum(np.maximum(values, low), high)


def smooth(values: Floats, width: int) -> Floats:
    """Centred moving mean; the ends are padded with themselves."""
    if width <= 1 or len(values) < 2:
        return values
    left = width // 2
    padded = np.concatenate((np.full(left, values[0]), values, np.full(width - 1 - left, values[-1])))
    return np.convolve(padded, np.full(width, 1 / width), "valid")


def block_means(values: Floats, starts: Ints) -> Floats:
    """The mean of each block that begins at `starts` and ends where the next begins."""
    return np.asarray(np.add.reduceat(values, starts) / np.diff(np.concatenate((starts, [len(values)]))))


def to_seconds(values: Floats) -> Floats:
    """Values at one second that change smoothly and keep each cell's mean."""
    count = len(values)
    if count == 1:
        return np.repeat(values, CELL_S)
    centres = np.arange(count) * CELL_S + (CELL_S - 1) / 2
    fine = np.interp(np.arange(count * CELL_S), centres, values)
    miss = values - fine.reshape(-1, CELL_S).mean(axis=1)
    return np.asarray(fine + np.repeat(miss, CELL_S))
