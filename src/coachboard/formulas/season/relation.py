"""Correlation of two series with number of pairs and confidence interval; none with too few pairs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

MINIMUM_PAIRS = 20
"""Fewest pairs of a correlation; a choice of this project."""
_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Relation:
    """A correlation; NaN with too few pairs."""

    r: float
    low: float
    high: float
    pairs: int

    @property
    def is_known(self) -> bool:
        """Whether there are enough pairs."""
        return not np.isnan(self.r)

    @property
    def excludes_zero(self) -> bool:
        """Whether the 95 % interval excludes zero."""
        return self.low > 0 or self.high < 0


def relation(x: ArrayLike, y: ArrayLike) -> Relation:
    """Pearson correlation with its 95 % interval.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Paired values in any unit, NaN where missing.

    Returns
    -------
    Relation
        NaN with too few pairs or where either does not vary; `pairs` is counted all the same.

    Notes
    -----
    Interval by Fisher's z: tanh(atanh r ± 1.96/√(n − 3)). Consecutive days are not independent, so the true interval
    is wider.

    *Missing data*: pairs that lack a value; no coefficient with fewer than 20 pairs or without variation.

    *Worked example*: 20 pairs that rise together but for the last: r = 0.739.

    References
    ----------
    Fisher (1921), Metron 1:3–32.

    Examples
    --------
    >>> found = relation(range(20), [*range(19), 0])
    >>> round(found.r, 3), found.pairs
    (0.739, 20)
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(first) != len(second):
        raise ValueError(f"x and y must be of one length, got {len(first)} and {len(second)}")
    has_both = ~np.isnan(first) & ~np.isnan(second)
    first, second, pairs = first[has_both], second[has_both], int(has_both.sum())
    if pairs < MINIMUM_PAIRS or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Relation(float("nan"), float("nan"), float("nan"), pairs)
    r = float(np.clip(np.corrcoef(first, second)[0, 1], -1, 1))
    with np.errstate(divide="ignore"):
        z, half = np.arctanh(r), _Z_95 / np.sqrt(pairs - 3)  # r = 1 gives infinity, whose tanh is 1 again
    return Relation(r, float(np.tanh(z - half)), float(np.tanh(z + half)), pairs)


def t_95(freedom: int) -> float:
    """The factor of a 95 % interval with few values: the 97.5 % quantile of Student's t.

    Parameters
    ----------
    freedom : int
        Degrees of freedom; at least 3.

    Returns
    -------
    float
        Dimensionless; 1.96 for many.

    Notes
    -----
    Four terms of the expansion in 1/freedom: within 0.01 of the exact quantile from 3 degrees of freedom on.

    References
    ----------
    Abramowitz and Stegun (1964), 26.7.5.

    Examples
    --------
    >>> round(t_95(10), 3), round(t_95(30), 3)
    (2.228, 2.042)
    """
    if freedom < 3:
        raise ValueError(f"freedom must be at least 3, got {freedom}")
    z = _Z_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
