"""Elevation gain and loss without noise."""

import math

import numpy as np
from numpy.typing import ArrayLike

HYSTERESIS_M = 3.0
"""A smaller rise or fall is noise of the barometer. [m]"""


def gain_loss(altitude_m: ArrayLike) -> tuple[float, float]:
    """Elevation gain and loss.

    Parameters
    ----------
    altitude_m : array_like
        Altitude, NaN where missing (bridged), shape (n,). [m]

    Returns
    -------
    tuple of float
        Gain and loss, both 0 or more; NaN each where no sample has a value. [m]

    Notes
    -----
    A reference follows the altitude once it has moved by more than the hysteresis; its changes are summed. The
    hysteresis hides the last metres of a climb, so the gain is at least the last altitude minus the first, if that
    exceeds the hysteresis; the loss likewise. 3 m is GoldenCheetah's default. There is no agreed true value: sources
    differ by up to 35 % on one ride, so a device's own figure has priority.

    Examples
    --------
    >>> gain_loss([100.0, 101.0, 100.0, 110.0, 104.0])
    (10.0, 6.0)
    >>> gain_loss([100.0, 104.0, 106.0])
    (6.0, 0.0)
    """
    altitude = np.asarray(altitude_m, np.float64)
    altitude = altitude[np.isfinite(altitude)]
    if not len(altitude):
        return math.nan, math.nan
    gain = loss = 0.0
    reference = float(altitude[0])
    for value in altitude.tolist():
        change = value - reference
        if change > HYSTERESIS_M:
            gain, reference = gain + change, value
        elif -change > HYSTERESIS_M:
            loss, reference = loss - change, value
    rise = float(altitude[-1] - altitude[0])
    if abs(rise) <= HYSTERESIS_M:
        return gain, loss
    return max(gain, rise), max(loss, -rise)
