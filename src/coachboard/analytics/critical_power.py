"""The power that critical power and W' allow for a duration."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def sustainable_power_w(
    durations_s: ArrayLike, *, critical_power_w: float, w_prime_j: float
) -> NDArray[np.float64]:
    """The highest power for each duration, by the two-parameter hyperbola.

    Parameters
    ----------
    durations_s : array_like
        Above 0; the hyperbola describes efforts of 2 to 20 min, shape (d,). [s]
    critical_power_w : float
        [W]
    w_prime_j : float
        [J]

    Returns
    -------
    numpy.ndarray
        Shape (d,). [W]

    Notes
    -----
    P = CP + W'/t. Critical power and W' are those of the athlete's metrics; no effort is fitted.

    References
    ----------
    Monod H, Scherrer J. The work capacity of a synergic muscular group. Ergonomics 8:329, 1965.
    Hill DW. The critical power concept: a review. Sports Med 16:237, 1993.

    Examples
    --------
    >>> sustainable_power_w([180, 300], critical_power_w=250.0, w_prime_j=20_000.0).round(4).tolist()
    [361.1111, 316.6667]
    """
    return critical_power_w + w_prime_j / np.asarray(durations_s, np.float64)
