"""Speed from distance and distance from speed, for devices that record only one of the two."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.session.smoothing import smoothed

Floats = NDArray[np.float64]

SPEED_WINDOW_S = 5.0
"""Devices write distance in whole metres: over single seconds a steady 8.3 m/s would alternate between 8 and 9."""


def even_speed_mps(elapsed_s: ArrayLike, distance_m: ArrayLike) -> Floats:
    """Speed at each sample, even between two samples at which the distance grew.

    Parameters
    ----------
    elapsed_s : array_like
        Never falling, finite, shape (n,). [s]
    distance_m : array_like
        Never falling, finite, shape (n,). [m]

    Returns
    -------
    numpy.ndarray
        Shape (n,); 0 where the distance does not grow any more. [m/s]

    Notes
    -----
    Constant between two growths, because the distance in a pool grows once per length.

    Examples
    --------
    >>> even_speed_mps([0, 10, 20, 30], [0, 0, 25, 25]).tolist()
    [1.25, 1.25, 1.25, 0.0]
    """
    elapsed, metres = np.asarray(elapsed_s, np.float64), np.asarray(distance_m, np.float64)
    grew = np.flatnonzero(np.diff(metres, prepend=metres[:1]) > 0)
    edges = np.union1d([0], grew)
    if len(edges) < 2:
        return np.zeros(len(elapsed))
    spans = np.diff(elapsed[edges])
    speeds = np.divide(np.diff(metres[edges]), spans, out=np.zeros(len(spans)), where=spans > 0)
    lengths = np.searchsorted(edges, np.arange(len(elapsed)), side="left") - 1
    lengths[0] = 0  # the first sample has no distance before it
    return np.where(lengths < len(speeds), speeds[np.clip(lengths, 0, len(speeds) - 1)], 0.0)


def speed_from_distance(elapsed_s: ArrayLike, distance_m: ArrayLike, *, starts: ArrayLike) -> Floats:
    """Speed at each sample from the distance covered.

    Parameters
    ----------
    elapsed_s : array_like
        Never falling, finite, shape (n,). [s]
    distance_m : array_like
        Never falling, finite, shape (n,). [m]
    starts : array_like of bool
        True where a sample follows a pause, shape (n,).

    Returns
    -------
    numpy.ndarray
        Shape (n,); mean over 5 s, NaN for a sample alone between two pauses. [m/s]

    Notes
    -----
    Each section between two pauses is computed separately: the time for the distance across a pause is unknown.

    Examples
    --------
    >>> speed_from_distance([0, 1, 2, 3], [0, 8, 16, 24], starts=[False] * 4).tolist()
    [8.0, 8.0, 8.0, 8.0]
    """
    elapsed, metres = np.asarray(elapsed_s, np.float64), np.asarray(distance_m, np.float64)
    cuts = np.flatnonzero(starts)
    stretches = zip(np.split(elapsed, cuts), np.split(metres, cuts), strict=True)
    speeds = [
        even_speed_mps(own_at, own_way) if len(own_at) > 1 else np.full(len(own_at), np.nan)
        for own_at, own_way in stretches
    ]
    return smoothed(np.concatenate(speeds), elapsed, window_s=SPEED_WINDOW_S, starts=starts)


def distance_from_speed(speed_mps: ArrayLike, dt_s: ArrayLike) -> Floats:
    """Distance covered before each sample, from the speed.

    Parameters
    ----------
    speed_mps : array_like
        NaN where missing, shape (n,). [m/s]
    dt_s : array_like
        Duration of each sample, shape (n,). [s]

    Returns
    -------
    numpy.ndarray
        Shape (n,), from 0; a missing speed adds nothing. [m]

    Examples
    --------
    >>> distance_from_speed([8, 8, float("nan"), 8], [1, 1, 1, 1]).tolist()
    [0.0, 8.0, 16.0, 16.0]
    """
    metres = np.nan_to_num(np.asarray(speed_mps, np.float64)) * np.asarray(dt_s, np.float64)
    return np.concatenate([[0.0], np.cumsum(metres)[:-1]]) if len(metres) else metres
