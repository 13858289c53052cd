"""What is wrong with a recording, column by column: gaps, dropouts, spikes, missing values, flat sensors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.information import FLAT_S, information, is_flat, repeated, runs

Floats = NDArray[np.float64]

DROPOUT_S = 60.0
"""Zeros up to this long between two values well above are a lost signal; longer ones are a stop. [s]"""


@dataclass(frozen=True, slots=True)
class Plausible:
    """What a column can be: its range, and the largest change from second to second."""

    low: float
    high: float
    change: float  # per second
    zero_is_dropout: bool = False
    may_be_flat: bool = False


PLAUSIBLE = {
    "power": Plausible(0, 2500, 1500),
    "heart_rate": Plausible(30, 230, 25, zero_is_dropout=True),
    "cadence": Plausible(0, 220, 120, may_be_flat=True),
    "speed": Plausible(0, 35, 8),
    "altitude": Plausible(-450, 9000, 15, may_be_flat=True),
    "temperature": Plausible(-40, 60, 10, may_be_flat=True),
    "distance": Plausible(0, 2_000_000, 60, may_be_flat=True),
    "core_temperature": Plausible(34, 42, 0.5, zero_is_dropout=True, may_be_flat=True),
    "skin_temperature": Plausible(10, 45, 2, zero_is_dropout=True, may_be_flat=True),
    "breathing_rate": Plausible(3, 90, 30, zero_is_dropout=True),
    "ground_contact_time": Plausible(80, 600, 400, zero_is_dropout=True),
}
"""Ranges and changes that a human and a device can reach; ours, wide on purpose."""


@dataclass(frozen=True, slots=True)
class ColumnQuality:
    """One column: the time without a value, and what of its values is doubtful."""

    name: str
    missing_s: float
    dropouts: int
    dropout_s: float
    spikes: int
    spike_at: tuple[int, ...]  # the first few, sample indices
    flat_s: float
    is_sensor: bool = True  # as `information` has it: where not, no number of the page uses the column

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return self.is_sensor and not (self.missing_s or self.dropouts or self.spikes or self.flat_s)


@dataclass(frozen=True, slots=True)
class Gap:
    """A hole in the record: the sample before it and how long nothing was written."""

    before: int
    length_s: float


def find_gaps(elapsed_s: Floats, pause_s: float) -> list[Gap]:
    """Gaps of the recording.

    Parameters
    ----------
    elapsed_s : numpy.ndarray
        Time of each sample, never falling, shape (n,). [s]
    pause_s : float
        A step longer than this is a hole. [s]

    Returns
    -------
    list of Gap
        In order; empty for fewer than two samples.

    Examples
    --------
    >>> find_gaps(np.array([0.0, 1.0, 60.0, 61.0]), 10.0)
    [Gap(before=1, length_s=59.0)]
    """
    steps = np.diff(elapsed_s)
    return [Gap(int(at), float(steps[at])) for at in np.flatnonzero(steps > pause_s)]


def column_quality(name: str, values: Floats, dt_s: Floats, is_moving: NDArray[np.bool_]) -> ColumnQuality:
    """Doubtful values of one column.

    Parameters
    ----------
    name : str
        Name of the column; those that `PLAUSIBLE` does not know are read for missing values alone.
    values : numpy.ndarray
        NaN where missing, shape (n,). [of the column]
    dt_s : numpy.ndarray
        Time each sample stands for, shape (n,). [s]
    is_moving : numpy.ndarray of bool
        Whether the athlete moved, shape (n,).

    Returns
    -------
    ColumnQuality
        Seconds and counts, all 0 where nothing was found.

    Notes
    -----
    Spike: a value outside the column's range, or one that rises and falls again by more than the column can
    change in a second. Dropout: zeros of at most 60 s in a column that cannot be 0. Flat: the same value,
    not 0, for 120 s or more of moving, and what `information` calls stuck. Nothing is repaired; numbers elsewhere
    use the values as recorded, and no column that is no sensor.

    Examples
    --------
    >>> rate = np.array([120.0, 121.0, 0.0, 0.0, 122.0, np.nan])
    >>> found = column_quality("heart_rate", rate, np.ones(6), np.ones(6, bool))
    >>> found.dropouts, found.dropout_s, found.missing_s, found.spikes
    (1, 2.0, 1.0, 0)
    """
    known = np.isfinite(values)
    missing_s = float(dt_s[~known].sum())
    limits = PLAUSIBLE.get(name)
    if limits is None:
        return ColumnQuality(name, missing_s, 0, 0.0, 0, (), 0.0)
    is_dropout = _dropouts(values, dt_s) if limits.zero_is_dropout else np.zeros(len(values), np.bool_)
    spikes = np.flatnonzero(_spikes(values, limits) & ~is_dropout)
    held = information(name, values, dt_s, is_moving)
    flat_s = 0.0 if limits.may_be_flat else _flat_time(values, dt_s, is_moving)
    return ColumnQuality(
        name=name,
        missing_s=missing_s,
        dropouts=len(runs(is_dropout)),
        dropout_s=float(dt_s[is_dropout].sum()),
        spikes=len(spikes),
        spike_at=tuple(spikes[:5].tolist()),
        flat_s=max(flat_s, held.stuck_s),
        is_sensor=held.is_sensor,
    )


def _dropouts(values: Floats, dt_s: Floats) -> NDArray[np.bool_]:
    out = np.zeros(len(values), np.bool_)
    for start, stop in runs(values == 0):
        if dt_s[start:stop].sum() <= DROPOUT_S:
            out[start:stop] = True
    return out


def _spikes(values: Floats, limits: Plausible) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        is_outside = (values < limits.low) | (values > limits.high)
    jump = np.diff(values, prepend=np.nan, append=np.nan)
    up, down = jump[:-1], jump[1:]
    with np.errstate(invalid="ignore"):
        returns = (np.minimum(np.abs(up), np.abs(down)) > limits.change) & (np.sign(up) != np.sign(down))
    spikes: NDArray[np.bool_] = is_outside | returns
    return spikes


def _flat_time(values: Floats, dt_s: Floats, is_moving: NDArray[np.bool_]) -> float:
    return float(dt_s[repeated(is_flat(values, is_moving), dt_s, FLAT_S)].sum())
