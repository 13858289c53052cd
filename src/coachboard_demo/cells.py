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
    if constant < SHORT:
        taps, share, whole = kernel_of(constant)
        return geometric(_padded(values, taps - 1, past), share, taps) * (1 / whole)
    grown, gain = growth_of(constant)
    count, step = len(values), len(grown)
    if count <= step:
        return _followed(values, grown[:count], gain, past)
    found = np.empty(count)
    for start in range(0, count, step):
        part = values[start : start + step]
        found[start : start + step] = _followed(part, grown[: len(part)], gain, past)
        past = float(found[min(start + step, count) - 1])
    return found


def _followed(values: Floats, grown: Floats, gain: float, past: float) -> Floats:
    found: Floats = (values * grown).cumsum()
    found *= gain
    found += past
    found /= grown
    return found


SHORT = 6.0
_LARGEST_EXPONENT = 500.0


@lru_cache(maxsize=64)
def kernel_of(constant: float) -> tuple[int, float, float]:
    """How many cells a short lag looks back at, the share of each against the next, and what the shares add up to."""
    taps, share = max(2, math.ceil(4.5 * constant)), math.exp(-1 / constant)
    return taps, share, (1 - share**taps) / (1 - share)


@lru_cache(maxsize=64)
def growth_of(constant: float) -> tuple[Floats, float]:
    """What a long lag is reckoned with: growth from cell to cell, as far as numbers reach, and what each cell gives."""
    cells = np.arange(1, int(_LARGEST_EXPONENT * constant) + 1)
    return np.exp(cells / constant), -math.expm1(-1 / constant)


def geometric(values: Floats, share: float, count: int) -> Floats:
    """The sum of each `count` values in a row, each but the last weighing `share` of the one behind it.

    Sums of twice as many are made of two sums: np.convolve takes ten times as long over more than eleven values.
    """
    found, width = values, 1
    for bit in f"{count:b}"[1:]:
        found, width = _weighed(found[:-width], share**width) + found[width:], 2 * width
        if bit == "1":
            found, width = _weighed(found[:-1], share) + values[width:], width + 1
    return found


def _weighed(values: Floats, share: float) -> Floats:
    return values if share == 1 else values * share


def _padded(values: Floats, before: int, first: float, after: int = 0, last: float = 0.0) -> Floats:
    found = np.empty(before + len(values) + after)
    found[:before] = first
    found[before : before + len(values)] = values
    found[before + len(values) :] = last
    return found


def between(values: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """Values held between two bounds; np.clip takes three times as long on arrays of this size."""
    found: Floats = np.maximum(values, low)
    return np.minimum(found, high, out=found)


def smooth(values: Floats, width: int) -> Floats:
    """Centred moving mean; the ends are padded with themselves."""
    if width <= 1 or len(values) < 2:
        return values
    left = width // 2
    padded = _padded(values, left, values[0], width - 1 - left, values[-1])
    return geometric(padded, 1.0, width) * (1 / width)


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
