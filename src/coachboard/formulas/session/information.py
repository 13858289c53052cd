"""Detect columns without information: sensors that read 0 throughout or repeat one value."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.wire.stream_columns import BY_NAME

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

FLAT_S = 120.0
"""A sensor that repeats one value for this long while the athlete moves is stuck. [s]"""

COASTING_S = 1_800.0
"""No descent is coasted for longer: a power meter that reads 0 for longer while the athlete moves is dead. [s]"""

LEAST_SHARE = 0.5
"""A column with values for a smaller share of the time supports no score of the session. [-]"""


@dataclass(frozen=True, slots=True)
class Information:
    """The time with a value, the time for which the sensor is stuck, and its value then."""

    known_s: float
    stuck_s: float
    stuck_at: float  # NaN if not stuck

    @property
    def is_sensor(self) -> bool:
        """Whether the sensor works for at least half of the time with values."""
        return self.known_s - self.stuck_s >= LEAST_SHARE * self.known_s

    def covers(self, session_s: float) -> bool:
        """Whether the sensor works for at least half of the session."""
        return self.known_s - self.stuck_s >= LEAST_SHARE * session_s


def information(name: str, values: Floats, dt_s: Floats, is_moving: Mask) -> Information:
    """How much of a column is measured, and how much repeats one value.

    Parameters
    ----------
    name : str
        Name of the column.
    values : numpy.ndarray
        NaN where missing, shape (n,). [of the column]
    dt_s : numpy.ndarray
        Duration of each sample, shape (n,). [s]
    is_moving : numpy.ndarray of bool
        Whether the athlete moves, shape (n,).

    Returns
    -------
    Information
        Both times 0 where no sample has a value.

    Notes
    -----
    Stuck are: power, heart rate, speed, cadence and distance that never leave 0; power of 0 for 30 min or more of
    moving; one heart rate for 120 s or more of moving. A machine can hold power or speed constant, a heart cannot: a
    constant power or speed above 0 is information. A column that is stuck for more than half of its time is no
    sensor: the session is read by the next signal (power, pace, heart rate). A score of the session (load,
    intensity, stimulus) needs a signal that covers half of the session.

    Examples
    --------
    >>> found = information("power", np.zeros(7200), np.ones(7200), np.ones(7200, bool))
    >>> found.stuck_s, found.is_sensor
    (7200.0, False)
    """
    is_measured = np.isfinite(values)
    stuck = _stuck(name, values, dt_s, is_moving)
    stuck_at = float(np.median(values[stuck])) if stuck.any() else math.nan
    return Information(float(dt_s[is_measured].sum()), float(dt_s[stuck].sum()), stuck_at)


def _stuck(name: str, values: Floats, dt_s: Floats, is_moving: Mask) -> Mask:
    is_measured = np.isfinite(values)
    if name in BY_NAME and BY_NAME[name].is_dead_at_zero and not values[is_measured].any():
        return is_measured
    if name == "power":
        return repeated((values == 0) & is_moving, dt_s, COASTING_S)
    if name == "heart_rate":
        return repeated(is_flat(values, is_moving), dt_s, FLAT_S)
    return np.zeros(len(values), np.bool_)


def is_flat(values: Floats, is_moving: Mask) -> Mask:
    """Samples that repeat the one before them, not 0, while the athlete moves.

    Parameters
    ----------
    values : numpy.ndarray
        NaN where missing, shape (n,). [any]
    is_moving : numpy.ndarray of bool
        Whether the athlete moves, shape (n,).

    Returns
    -------
    numpy.ndarray of bool
        Shape (n,).

    Examples
    --------
    >>> is_flat(np.array([72.0, 72.0, 73.0, 0.0, 0.0]), np.ones(5, bool)).tolist()
    [False, True, False, False, False]
    """
    flat: Mask = (np.diff(values, prepend=np.nan) == 0) & is_moving & (values != 0)
    return flat


def repeated(mask: Mask, dt_s: Floats, least_s: float) -> Mask:
    """The runs of True that last long enough.

    Parameters
    ----------
    mask : numpy.ndarray of bool
        Shape (n,).
    dt_s : numpy.ndarray
        Duration of each sample, shape (n,). [s]
    least_s : float
        The shortest run to keep. [s]

    Returns
    -------
    numpy.ndarray of bool
        Shape (n,).

    Examples
    --------
    >>> repeated(np.array([True, False, True, True]), np.ones(4), 2.0).tolist()
    [False, False, True, True]
    """
    out = np.zeros(len(mask), np.bool_)
    for start, stop in runs(mask):
        out[start:stop] = dt_s[start:stop].sum() >= least_s
    return out


def runs(mask: Mask) -> NDArray[np.intp]:
    """Start and stop of each run of True.

    Parameters
    ----------
    mask : numpy.ndarray of bool
        Shape (n,).

    Returns
    -------
    numpy.ndarray
        Shape (k, 2), indices into `mask`.

    Examples
    --------
    >>> runs(np.array([True, False, True, True])).tolist()
    [[0, 1], [2, 4]]
    """
    change = np.diff(mask.astype(np.int8), prepend=0, append=0)
    return np.column_stack([np.flatnonzero(change == 1), np.flatnonzero(change == -1)])
