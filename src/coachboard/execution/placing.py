"""Place the work steps of a workout in a recording, so that their values add up to the most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOTHING = -1
_MOST_CELLS = 8_000_000
"""Steps times seconds, 4 bytes each: beyond it the seconds are thinned."""


@dataclass(frozen=True, slots=True)
class StepPlaces:
    """Places for one step: start and end in seconds, end excluded, and the value of each, shape (n,)."""

    starts: Ints
    ends: Ints
    values: Floats


def place(steps: Sequence[StepPlaces], length_s: int) -> list[int]:
    """The candidate of each step, so that none overlap, all follow the order of the steps, and the values add up to the most.

    Parameters
    ----------
    steps : sequence of StepPlaces
        Values of 0 or less are never chosen.
    length_s : int
        The length of the recording. [s]

    Returns
    -------
    list of int
        The index of the candidate of each step, `NOTHING` for a step without a place.

    Notes
    -----
    Dynamic programming over steps and seconds: the best of the first n steps within the first t seconds is the best
    of leaving out the last step and of each candidate that ends by t.

    Examples
    --------
    >>> short = StepPlaces(np.array([0, 5]), np.array([4, 9]), np.array([1.0, 0.5]))
    >>> place([short, short, short], 10)
    [0, 1, -1]
    """
    grain = max(1, -(-len(steps) * length_s // _MOST_CELLS))
    cells = -(-length_s // grain) + 1
    best = np.zeros((len(steps) + 1, cells), np.float32)
    for row, step in enumerate(steps, 1):
        # A place begins after the cell in which it starts and ends in the cell that holds its end.
        gains = best[row - 1][step.starts // grain] + step.values.astype(np.float32)
        ends = np.where(step.values > 0, -(-step.ends // grain), cells)
        reached = np.zeros(cells + 1, np.float32)
        np.maximum.at(reached, np.minimum(ends, cells), gains)
        best[row] = np.maximum(best[row - 1], np.maximum.accumulate(reached[:cells]))
    return _chosen(steps, best, grain)


def _chosen(steps: Sequence[StepPlaces], best: NDArray[np.float32], grain: int) -> list[int]:
    """Walk back from the end: the candidate of each step that led to the best sum."""
    chosen = [NOTHING] * len(steps)
    cell = best.shape[1] - 1
    for row in range(len(steps), 0, -1):
        cell = int(np.searchsorted(best[row][: cell + 1], best[row][cell]))
        if best[row - 1][cell] == best[row][cell]:
            continue
        step = steps[row - 1]
        gains = best[row - 1][step.starts // grain] + step.values.astype(np.float32)
        fits = (-(-step.ends // grain) == cell) & (gains == best[row][cell]) & (step.values > 0)
        chosen[row - 1] = int(np.flatnonzero(fits)[0])
        cell = int(step.starts[chosen[row - 1]] // grain)
    return chosen
