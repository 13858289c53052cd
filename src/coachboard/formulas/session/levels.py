"""Find level changes of a noisy series by bottom-up merging of neighbours, vectorised in numpy."""

import numpy as np
from numpy.typing import NDArray

LEAST_COST = 40_000.0
"""The sum of squares that a level change must explain. [%^2 s]"""

HIGHEST_PCT = 400.0
"""Higher power is clipped, so that a spike of one sample is no level. [%]"""

_ROUNDS = 14
_REACH = 30


def find_levels(values_pct: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places where the level changes.

    Parameters
    ----------
    values_pct : numpy.ndarray
        One finite value a second, shape (n,), n at least 1. [%]

    Returns
    -------
    numpy.ndarray
        Rising, from 0 to n.

    Notes
    -----
    Each sample starts as a stretch. Two neighbours of lengths n, m and means a, b cost n m / (n + m) (a - b)^2
    to merge (Ward). All pairs that are cheaper than both neighbouring pairs merge together, under a bound that
    doubles from round to round up to `LEAST_COST`; at last each place moves, by at most 30 s, to where it
    splits its two neighbours best. Work is of order n per round: 21,600 samples take a few milliseconds.

    References
    ----------
    Ward JH. Hierarchical grouping to optimize an objective function. J Am Stat Assoc 58:236, 1963.
    Keogh E et al. An online algorithm for segmenting time series. ICDM 2001 (bottom-up).

    Examples
    --------
    >>> find_levels(np.repeat([50.0, 150.0, 60.0], [100, 60, 100])).tolist()
    [0, 100, 160, 260]
    """
    values = np.minimum(values_pct, HIGHEST_PCT)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(sums))
    for bound in LEAST_COST / 2.0 ** np.arange(_ROUNDS, -1, -1):
        places = _merge_below(places, sums, bound)
    return _settle(places, sums)


def _merge_below(places: NDArray[np.int64], sums: NDArray[np.float64], bound: float) -> NDArray[np.int64]:
    while len(places) > 2:
        costs = _merge_costs(places, sums)
        before = np.concatenate([[np.inf], costs[:-1]])
        after = np.concatenate([costs[1:], [np.inf]])
        # Strict on one side only: of two equal neighbours one merges, and never both.
        is_cheapest = (costs < before) & (costs <= after) & (costs < bound)
        if not is_cheapest.any():
            break
        places = np.delete(places, np.flatnonzero(is_cheapest) + 1)
    return places


def _merge_costs(places: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.diff(places)
    means = np.diff(sums[places]) / lengths
    left, right = lengths[:-1], lengths[1:]
    costs: NDArray[np.float64] = left * right / (left + right) * np.diff(means) ** 2
    return costs


def _settle(places: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.int64]:
    settled = places.copy()
    for place in range(1, len(settled) - 1):
        first, last = settled[place - 1], settled[place + 1]
        options = np.arange(max(first + 1, settled[place] - _REACH), min(last, settled[place] + _REACH + 1))
        left_mean = (sums[options] - sums[first]) / (options - first)
        right_mean = (sums[last] - sums[options]) / (last - options)
        gain = (options - first) * (last - options) * (left_mean - right_mean) ** 2
        settled[place] = options[int(np.argmax(gain))]
    return settled
