"""Key numbers of a selected section, from the full-rate data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.plausible import or_zero
from coachboard.formulas.session.clock_grid import held, per_second
from coachboard.formulas.session.decoupling import (
    SHORTEST_EFFICIENCY_S,
    Decoupling,
    decoupling,
    efficiency_factor,
)
from coachboard.formulas.session.distance import distance_covered_m
from coachboard.formulas.session.elevation import gain_loss
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.power import normalized_power, work_kj
from coachboard.wire.stream_columns import measured

Floats = NDArray[np.float64]

SHORTEST_NORMALIZED_S = 300
"""Normalized power of less than 5 min is noise; do not show it. [s]"""


class Streams(Protocol):
    """The streams of a session on one clock; columns by name, NaN where missing."""

    @property
    def columns(self) -> Mapping[str, Floats]:
        """Recorded columns, each of shape (n,)."""

    @property
    def elapsed_s(self) -> Floats:
        """Time since the start, never falling. [s]."""

    @property
    def dt_s(self) -> Floats:
        """Duration of each sample. [s]."""

    @property
    def is_moving(self) -> NDArray[np.bool_]:
        """Whether the athlete moved."""

    @property
    def distance_m(self) -> Floats | None:
        """Distance, never falling, where recorded. [m]."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """A column over the section: time-weighted average, extremes, and missing time."""

    average: float
    lowest: float
    highest: float
    missing_s: float


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    """The numbers of a section; NaN if unknown."""

    elapsed_s: float
    active_s: float
    distance_m: float
    gain_m: float
    loss_m: float
    columns: Mapping[str, ColumnSummary]
    normalized_power_w: float
    power_per_kg: float
    variability_index: float
    efficiency: float  # W per beat; without power metres per beat, if speed measures effort
    drift: Decoupling | None
    work_kj: float
    work_before_kj: float


def summarize(
    recording: Streams,
    samples: slice,
    *,
    effort_mps: Floats | None = None,
    weight_kg: float | None = None,
) -> SelectionSummary:
    """Key numbers of a selection.

    Parameters
    ----------
    recording : Recording
        The streams of the whole session.
    samples : slice
        The samples of the stretch, step 1.
    effort_mps : numpy.ndarray, optional
        The speed that tells the effort of the whole session (grade-adjusted for runs), for efficiency and
        decoupling without power; None where speed does not tell it, as on a ride, shape (n,). [m/s]
    weight_kg : float, optional
        For power by weight, if known. [kg]

    Returns
    -------
    Summary
        Elapsed time reaches from the first sample to the end of the last; active time counts the samples
        that moved. Averages weigh each sample by its time and leave missing ones out; speed is `moving_speed_mps`.

    Missing data
    ------------
    NaN throughout and no columns for an empty stretch. Normalized power and VI below 5 min, efficiency below
    20 min are NaN; decoupling carries its own reason.
    """
    columns = {name: values[samples] for name, values in recording.columns.items()}
    dt_s, moving = recording.dt_s[samples], recording.is_moving[samples]
    power, rate = columns.get("power"), columns.get("heart_rate")
    whole = held_power_w(recording)
    steady = None if whole is None else whole[samples]
    normalized, variability = _normalized(steady, dt_s)
    average_w = weighted_mean(power, dt_s)
    gain, loss = gain_loss(columns.get("altitude", []))
    effort = None if effort_mps is None else effort_mps[samples]
    return SelectionSummary(
        elapsed_s=_elapsed(recording.elapsed_s[samples], dt_s),
        active_s=float(dt_s[moving].sum()),
        distance_m=distance_covered_m(recording.distance_m, samples),
        gain_m=gain,
        loss_m=loss,
        columns={name: _column_summary(recording, name, samples) for name in columns},
        normalized_power_w=normalized,
        power_per_kg=average_w / weight_kg if weight_kg else math.nan,
        variability_index=variability,
        efficiency=_efficiency(columns, dt_s, normalized, effort),
        drift=_drift(columns, dt_s, effort) if rate is not None else None,
        work_kj=math.nan if steady is None else work_kj(steady, dt_s),
        work_before_kj=_work_before(whole, recording.dt_s, samples),
    )


def held_power_w(recording: Streams) -> Floats | None:
    """The power of the whole session with short gaps held; None without power.

    Before a section is cut out of it: a missing second at an edge belongs to one side.
    """
    power = recording.columns.get("power")
    return None if power is None else held(power, recording.elapsed_s)


def normalized_power_w(held_w: Floats, dt_s: Floats) -> float:
    """Normalized power of a section of `held_power_w`; NaN below 5 min. [W]."""
    return _normalized(held_w, dt_s)[0]


def _column_summary(recording: Streams, name: str, samples: slice) -> ColumnSummary:
    summary = summarize_column(recording.columns[name][samples], recording.dt_s[samples], name=name)
    if name == "speed":
        return replace(summary, average=moving_speed_mps(recording, samples))
    if name == ADJUSTED_SPEED:
        return replace(summary, average=adjusted_speed_mps(recording, samples))
    return summary


def moving_speed_mps(recording: Streams, samples: slice) -> float:
    """Distance over moving time: the speed and pace of a section on every page.

    Parameters
    ----------
    recording : Recording
        The streams of the whole session.
    samples : slice
        The samples of the stretch, step 1.

    Returns
    -------
    float
        Without a distance the mean of the recorded speed while moving; NaN where nothing moved. [m/s]

    Notes
    -----
    Moving is all time except at less than 0.5 m/s. A whole session has the distance and the moving time of its summary.

    *Missing data*: time without a speed counts as moving, as in a tunnel; without a distance the mean of the recorded
    speed.

    *Worked example*: 9 m in 4 s, 1 s of it at a stop: 9 / 3 = 3.0 m/s.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> run = SimpleNamespace(columns={}, distance_m=np.array([0.0, 3.0, 6.0, 6.0, 9.0]), dt_s=np.ones(5),
    ...                       is_moving=np.array([True, True, False, True, True]))
    >>> moving_speed_mps(run, slice(None))
    3.0
    """
    moving_s = np.where(recording.is_moving, recording.dt_s, 0.0)
    covered_m = distance_covered_m(recording.distance_m, samples)
    # The session's last sample has no distance after it, so its time does not count.
    time_s = float(moving_s[:-1][samples].sum())
    if covered_m > 0 and time_s > 0:
        return covered_m / time_s
    speed = recording.columns.get("speed")
    here = recording.is_moving[samples]
    return weighted_mean(None if speed is None else speed[samples][here], moving_s[samples][here])


def adjusted_speed_mps(recording: Streams, samples: slice, adjusted_mps: Floats | None = None) -> float:
    """The grade-adjusted speed of a section: its moving speed times the mean effect of its grades.

    Parameters
    ----------
    recording : Recording
        The streams of the whole session.
    samples : slice
        The samples of the stretch, step 1.
    adjusted_mps : numpy.ndarray, optional
        Grade-adjusted speed of the whole session, shape (n,); the recording's own column without it. [m/s]

    Returns
    -------
    float
        NaN without a speed. [m/s]

    Notes
    -----
    Distance over moving time, times the mean adjusted speed over the mean recorded speed while moving: recorded and
    adjusted pace differ by the grade alone.

    *Missing data*: samples without a speed; time at less than 0.5 m/s.

    *Worked example*: 9 m in 3 s of moving, recorded at a mean of 3.0 m/s and adjusted to 3.6 m/s: 3.0 · 3.6 / 3.0 = 3.6 m/s.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> speed = np.array([3.0, 3.0, 0.0, 3.0, 3.0])
    >>> run = SimpleNamespace(columns={"speed": speed, ADJUSTED_SPEED: speed * 1.2}, dt_s=np.ones(5),
    ...                       distance_m=np.array([0.0, 3.0, 6.0, 6.0, 9.0]), is_moving=speed > 0)
    >>> round(adjusted_speed_mps(run, slice(None)), 2)
    3.6
    """
    adjusted = recording.columns.get(ADJUSTED_SPEED) if adjusted_mps is None else adjusted_mps
    speed = recording.columns.get("speed")
    if adjusted is None or speed is None:
        return math.nan
    moving_s = np.where(recording.is_moving, recording.dt_s, 0.0)[samples]
    mean_mps = weighted_mean(speed[samples], moving_s)
    ratio = weighted_mean(adjusted[samples], moving_s) / mean_mps if mean_mps > 0 else math.nan
    return moving_speed_mps(recording, samples) * ratio


def summarize_column(values: ArrayLike, dt_s: ArrayLike, *, name: str = "") -> ColumnSummary:
    """One column in four numbers.

    Parameters
    ----------
    values : array_like
        NaN where missing, shape (n,). [any]
    dt_s : array_like
        Duration of each sample, shape (n,). [s]
    name : str
        The column's name, for `column_mean`.

    Returns
    -------
    ColumnSummary
        NaN where no sample has a value.

    Examples
    --------
    >>> summarize_column([100.0, 200.0, float("nan")], [1.0, 3.0, 2.0])
    ColumnSummary(average=175.0, lowest=100.0, highest=200.0, missing_s=2.0)
    """
    series, seconds = np.asarray(values, np.float64), np.asarray(dt_s, np.float64)
    is_measured = np.isfinite(series)
    missing_s = float(seconds[~is_measured].sum())
    if not is_measured.any():
        return ColumnSummary(math.nan, math.nan, math.nan, missing_s)
    read = measured(name, series)
    return ColumnSummary(
        column_mean(name, series, seconds),
        float(np.fmin.reduce(read)),
        float(np.fmax.reduce(read)),
        missing_s,
    )


def column_mean(name: str, values: ArrayLike | None, dt_s: ArrayLike) -> float:
    """The mean over time of a column, as devices compute it: without the zeros that mean nothing was measured.

    Parameters
    ----------
    name : str
        The column's name, as in the catalogue.
    values : array_like or None
        NaN where missing, shape (n,). [any]
    dt_s : array_like
        Duration of each sample, shape (n,). [s]

    Returns
    -------
    float
        NaN where nothing is measured, such as the cadence of cranks that never turn.

    Examples
    --------
    >>> column_mean("cadence", [90.0, 0.0, 80.0], [1.0, 2.0, 1.0])
    85.0
    >>> column_mean("power", [90.0, 0.0, 80.0], [1.0, 2.0, 1.0])
    42.5
    """
    return weighted_mean(None if values is None else measured(name, np.asarray(values, np.float64)), dt_s)


def rate_per_h(total: ArrayLike, elapsed_s: ArrayLike) -> float:
    """Gain of a running total per hour of its recording, pauses included.

    Parameters
    ----------
    total : array_like
        Sum so far at each sample, NaN where missing, shape (n,). [any]
    elapsed_s : array_like
        Time of each sample, shape (n,). [s]

    Returns
    -------
    float
        NaN for fewer than two values. [any/h]

    Notes
    -----
    Last value minus first value, divided by the time between them.

    *Missing data*: samples without a value, and the time before the first and after the last value.

    *Worked example*: 0 mL at the start and 900 mL after 90 min: 900 / 1.5 = 600 mL/h.

    Examples
    --------
    >>> rate_per_h([0.0, float("nan"), 900.0, float("nan")], [0, 60, 5400, 6000])
    600.0
    """
    values, times = np.asarray(total, np.float64), np.asarray(elapsed_s, np.float64)
    recorded = np.flatnonzero(np.isfinite(values))
    if len(recorded) < 2:
        return math.nan
    first, last = recorded[0], recorded[-1]
    return float((values[last] - values[first]) / (times[last] - times[first]) * 3600)


def weighted_mean(values: ArrayLike | None, dt_s: ArrayLike) -> float:
    """The mean over time.

    Parameters
    ----------
    values : array_like or None
        NaN where missing, shape (n,). [any]
    dt_s : array_like
        Duration of each sample, shape (n,). [s]

    Returns
    -------
    float
        NaN where nothing is known.

    Notes
    -----
    Sum of value times duration, divided by the sum of the durations.

    *Missing data*: samples without a value.

    *Worked example*: 100 W for 1 s and 200 W for 3 s: (100 · 1 + 200 · 3) / 4 = 175 W.

    Examples
    --------
    >>> weighted_mean([100.0, 200.0], [1.0, 3.0])
    175.0
    """
    if values is None:
        return math.nan
    series, seconds = np.asarray(values, np.float64), np.asarray(dt_s, np.float64)
    is_measured = np.isfinite(series)
    total = seconds[is_measured].sum()
    if not total > 0:
        # Two samples at one time have a duration of 0: weight them equally.
        return float(series[is_measured].mean()) if is_measured.any() else math.nan
    return float((series[is_measured] * seconds[is_measured]).sum() / total)


def _elapsed(elapsed_s: Floats, dt_s: Floats) -> float:
    return float(elapsed_s[-1] - elapsed_s[0] + dt_s[-1]) if len(elapsed_s) else 0.0


def _normalized(power: Floats | None, dt_s: Floats) -> tuple[float, float]:
    if power is None or dt_s.sum() < SHORTEST_NORMALIZED_S:
        return math.nan, math.nan
    normalized, average = normalized_power(per_second(power, dt_s)), weighted_mean(power, dt_s)
    return normalized, normalized / average if average > 0 else math.nan


def _efficiency(
    columns: Mapping[str, Floats], dt_s: Floats, normalized: float, effort_mps: Floats | None
) -> float:
    rate = columns.get("heart_rate")
    if rate is None or dt_s.sum() < SHORTEST_EFFICIENCY_S:
        return math.nan
    if "power" in columns:
        return efficiency_factor(normalized, weighted_mean(rate, dt_s))
    return efficiency_factor(weighted_mean(effort_mps, dt_s) * 60, weighted_mean(rate, dt_s))


def _drift(columns: Mapping[str, Floats], dt_s: Floats, effort_mps: Floats | None) -> Decoupling | None:
    output = columns.get("power", effort_mps)
    if output is None:
        return None
    seconds = (per_second(series, dt_s) for series in (output, columns["heart_rate"]))
    return decoupling(*seconds, is_power="power" in columns)


def _work_before(power: Floats | None, dt_s: Floats, samples: slice) -> float:
    if power is None:
        return math.nan
    before = slice(0, samples.indices(len(power))[0])
    return or_zero(work_kj(power[before], dt_s[before]))


EFFORT_BINS, LEAST_PER_BIN = 8, 20


def mean_by_effort(values: Floats, effort: Floats, dt_s: Floats) -> tuple[Floats, Floats]:
    """Mean of a sensor at eight levels of effort, such as power.

    Parameters
    ----------
    values : numpy.ndarray, shape (n,)
        The sensor, NaN where missing. [any]
    effort : numpy.ndarray, shape (n,)
        Power or speed, NaN where missing. [W or m/s]
    dt_s : numpy.ndarray, shape (n,)
        Duration of each sample. [s]

    Returns
    -------
    tuple of numpy.ndarray
        The middle of each level, and the mean of the sensor in it; empty with fewer than 160 samples.

    Notes
    -----
    The samples from the 5th to the 95th percentile of effort, in eight levels with the same number of samples; each sample
    counts with its duration.

    *Missing data*: samples without a value, without effort or at 0 (coasting, standing), and the highest and lowest 5 % of effort.

    *Worked example*: 200 s at 100 W with 40 L/min and 200 s at 200 W with 60 L/min, in turn: 40 L/min at the level from 100 to
    150 W, and 60 L/min at the level from 150 to 200 W.

    Examples
    --------
    >>> watts = np.array([100.0, 200.0] * 200)
    >>> middles, means = mean_by_effort(watts / 5 + 20, watts, np.ones(400))
    >>> middles.tolist(), means.tolist()
    ([125.0, 175.0], [40.0, 60.0])
    """
    both = np.isfinite(values) & (effort > 0)
    if both.sum() < LEAST_PER_BIN * EFFORT_BINS:
        return np.empty(0), np.empty(0)
    edges = np.unique(np.percentile(effort[both], np.linspace(5, 95, EFFORT_BINS + 1)))
    places = np.searchsorted(edges, effort[both], side="right") - 1
    # The highest edge belongs to the last level: with two powers in turn, the upper one had no mean.
    inside = (places >= 0) & (effort[both] <= edges[-1])
    seconds = dt_s[both] * inside
    bins = np.clip(places, 0, max(len(edges) - 2, 0))
    totals = np.bincount(bins, weights=seconds, minlength=len(edges) - 1)
    sums = np.bincount(bins, weights=seconds * values[both], minlength=len(edges) - 1)
    levels = np.flatnonzero(totals[: len(edges) - 1] > 0)
    return ((edges[:-1] + edges[1:]) / 2)[levels], sums[levels] / totals[levels]
