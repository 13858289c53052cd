"""Quality of a recording by column: gaps, dropouts, spikes, missing values, flat sensors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.information import FLAT_S, information, is_flat, repeated, runs
from coachboard.wire.stream_columns import BY_NAME, StreamColumn

Floats = NDArray[np.float64]

DROPOUT_S = 60.0
"""Zeros for up to this long between two high values are a lost signal; longer ones are a stop. [s]"""


@dataclass(frozen=True, slots=True)
class ColumnQuality:
    """A column: the time without a value, and its doubtful values."""

    name: str
    missing_s: float
    dropouts: int
    dropout_s: float
    spikes: int
    flat_s: float
    is_sensor: bool = True  # from `information`; if false, no metric of the page uses the column


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap in the recording: the sample before it and its length."""

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
    return [Gap(int(sample), float(steps[sample])) for sample in np.flatnonzero(steps > pause_s)]


def column_quality(name: str, values: Floats, dt_s: Floats, is_moving: NDArray[np.bool_]) -> ColumnQuality:
    """Doubtful values of one column.

    Parameters
    ----------
    name : str
        Name of a column of the catalogue.
    values : numpy.ndarray
        NaN where missing, shape (n,). [of the column]
    dt_s : numpy.ndarray
        Duration of each sample, shape (n,). [s]
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
    not 0, for 120 s or more of moving, and what `information` calls stuck. Nothing is repaired; numbers elsewhere use
    the values as recorded, without columns that are stuck.

    Examples
    --------
    >>> rate = np.array([120.0, 121.0, 0.0, 0.0, 122.0, np.nan])
    >>> found = column_quality("heart_rate", rate, np.ones(6), np.ones(6, bool))
    >>> found.dropouts, found.dropout_s, found.missing_s, found.spikes
    (1, 2.0, 1.0, 0)
    """
    is_measured = np.isfinite(values)
    missing_s = float(dt_s[~is_measured].sum())
    column = BY_NAME[name]
    is_dropout = _dropouts(values, dt_s) if column.zero == "no signal" else np.zeros(len(values), np.bool_)
    is_unused = (values == 0) & (column.zero == "not in use")
    spikes = _spikes(values, column) & ~is_dropout & ~is_unused
    held = information(name, values, dt_s, is_moving)
    flat_s = 0.0 if column.may_be_flat else _flat_time(values, dt_s, is_moving)
    return ColumnQuality(
        name=name,
        missing_s=missing_s,
        dropouts=len(runs(is_dropout)),
        dropout_s=float(dt_s[is_dropout].sum()),
        spikes=int(spikes.sum()),
        flat_s=max(flat_s, held.stuck_s),
        is_sensor=held.is_sensor,
    )


def _dropouts(values: Floats, dt_s: Floats) -> NDArray[np.bool_]:
    out = np.zeros(len(values), np.bool_)
    for start, stop in runs(values == 0):
        if dt_s[start:stop].sum() <= DROPOUT_S:
            out[start:stop] = True
    return out


def _spikes(values: Floats, column: StreamColumn) -> NDArray[np.bool_]:
    is_known = np.isfinite(values)
    spikes: NDArray[np.bool_] = np.zeros(len(values), np.bool_)
    if column.plausible is not None:
        spikes |= is_known & ~column.plausible.holds(values)
    if column.change_per_s is not None:
        spikes |= _returns(values, column.change_per_s)
    return spikes


def _returns(values: Floats, change: float) -> NDArray[np.bool_]:
    """Values that rise and fall again, or fall and rise, by more than the change."""
    jump = np.diff(values, prepend=np.nan, append=np.nan)
    up, down = jump[:-1], jump[1:]
    with np.errstate(invalid="ignore"):
        is_far = np.minimum(np.abs(up), np.abs(down)) > change
        there_and_back: NDArray[np.bool_] = is_far & (np.sign(up) != np.sign(down))
    return there_and_back


def _flat_time(values: Floats, dt_s: Floats, is_moving: NDArray[np.bool_]) -> float:
    return float(dt_s[repeated(is_flat(values, is_moving), dt_s, FLAT_S)].sum())
