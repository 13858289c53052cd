"""Columns of further sensors, by group, over time and as numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.breakpoint import Breakpoint, breakpoint_of
from coachboard.formulas.session.clock_grid import per_second
from coachboard.formulas.session.downsample import kept
from coachboard.formulas.session.selection import ColumnSummary, mean_by_effort, rate_per_h, summarize_column
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.zones import time_between
from coachboard.loaders.memo import once
from coachboard.pages.activity.columns import adds_up
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import minute_means
from coachboard.wire.stream_columns import BY_NAME, groups, measured

Floats = NDArray[np.float64]

_SMOOTH_S = 30.0
_POINTS = 500
VENTILATION = "minute_ventilation"


@dataclass(frozen=True, slots=True, eq=False)
class SensorColumn:
    """A column: its numbers, its 30 s means for a chart, and its mean by effort."""

    name: str
    summary: ColumnSummary
    elapsed_s: Floats
    smooth: Floats
    effort: Floats  # centres of the bins of power or speed; none for a running total
    by_effort: Floats
    rate_per_h: float  # gain of a running total per hour of its recording
    band_edges: tuple[float, ...] = ()
    band_s: tuple[float, ...] = ()  # time below, between and above the edges

    @property
    def is_running_total(self) -> bool:
        """Whether the values count up: their mean has no meaning."""
        return adds_up(self.name, self.smooth)


@once
def groups_of(data: ActivityData) -> dict[str, list[str]]:
    """The groups with recorded columns."""
    if data.streams is None:
        return {}
    recorded = data.streams.columns
    names_by_group = {
        group: [column.name for column in columns if column.name in recorded]
        for group, columns in groups().items()
    }
    return {group: names for group, names in names_by_group.items() if names}


def sensor_columns(data: ActivityData, names: list[str]) -> list[SensorColumn]:
    """The named columns without zeros that mark missing values."""
    streams = data.streams
    if streams is None:
        return []
    return [_column(streams, name, data.effort_column) for name in names]


@once
def ventilation_breakpoint(data: ActivityData) -> Breakpoint | None:
    """Power from which ventilation rises faster; None without both. Minutes without pedalling are left out."""
    streams = data.streams
    power = None if streams is None else streams.get("power")
    if streams is None or power is None or streams.get(VENTILATION) is None:
        return None
    values = measured(VENTILATION, streams.columns[VENTILATION])
    on_clock = [per_second(row, streams.dt_s) for row in (np.where(power > 0, power, np.nan), values)]
    both = np.isfinite(on_clock[0]) & np.isfinite(on_clock[1])
    _, (watts, litres) = minute_means(*(np.where(both, row, np.nan) for row in on_clock))
    return breakpoint_of(watts, litres)


def _column(streams: SessionStreams, name: str, effort: str | None) -> SensorColumn:
    values = measured(name, streams.columns[name])
    smooth = _smooth(values, max(round(_SMOOTH_S / max(float(np.median(streams.dt_s)), 0.1)), 1))
    drawn = kept(streams.elapsed_s, smooth, _POINTS)
    # A total up to a moment says nothing about its effort: a ride that lost 2.3 L read "985 at 148 W".
    against = None if effort is None or adds_up(name, smooth[drawn]) else streams.get(effort)
    no_bins = np.empty(0), np.empty(0)
    middles, means = no_bins if against is None else mean_by_effort(values, against, streams.dt_s)
    edges = BY_NAME[name].band_edges
    return SensorColumn(
        name, summarize_column(values, streams.dt_s), streams.elapsed_s[drawn], smooth[drawn], middles, means,
        # Of the recorded values: the last mean of 30 s is lower, and 432 mL in an hour read "431 mL per h".
        rate_per_h(values, streams.elapsed_s), edges, tuple(time_between(values, streams.dt_s, edges)) if edges else (),
    )  # fmt: skip


def _smooth(values: Floats, samples: int) -> Floats:
    is_recorded = np.isfinite(values)
    weights = np.convolve(is_recorded.astype(np.float64), np.ones(samples), "same")
    sums = np.convolve(np.where(is_recorded, values, 0.0), np.ones(samples), "same")
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(is_recorded, sums / weights, np.nan)[: len(values)]
