"""Sensors: running dynamics, heat, ventilation, balance and torque, if recorded: by group, over time and against effort."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis
from coachboard.formulas.session.breakpoint import LEAST_MINUTES, Breakpoint, breakpoint_of
from coachboard.formulas.session.clock_grid import per_second
from coachboard.formulas.session.downsample import kept
from coachboard.formulas.session.selection import ColumnSummary, mean_by_effort, rate_per_h, summarize_column
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.zones import time_between
from coachboard.loaders.memo import once
from coachboard.pages.activity.columns import Column, Floats, adds_up, columns_of
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import minute_means
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.key_numbers import Card, draw_numbers, terms_of
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.pickers import pick_one
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.stream_columns import BY_NAME, groups, measured

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


HEIGHT_PX = 170


def sensor_chart(elapsed_s: Floats, values: Floats, *, title: str, colour: str, digits: int) -> go.Figure:
    """A line of 30 s means over elapsed time."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    figure.add_scatter(
        x=elapsed_s.astype(np.float32), y=values, mode="lines", line={"color": colour, "width": 1.5}, connectgaps=False,
        hovertemplate=f"%{{y:.{digits}f}}<extra></extra>", showlegend=False,
    )  # fmt: skip
    figure.update_layout(dragmode=False, margin={"t": 8, "b": 34, "l": 56, "r": 12})
    longest_s = float(elapsed_s[-1]) if len(elapsed_s) else 0.0
    set_clock_axis(figure, longest_s, title={"text": "Elapsed time"})
    figure.update_yaxes(fixedrange=True, title={"text": escape(title)}, nticks=4)
    return figure


@dataclass(frozen=True, slots=True)
class SensorScale:
    """An axis: its title, and pace labels instead of numbers."""

    title: str
    ticks: Sequence[tuple[float, str]] = ()


def by_effort_chart(
    effort: Floats, values: Floats, *, against: SensorScale, title: str, colour: str, digits: int
) -> go.Figure:
    """Means in bins of effort, connected by a line."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    figure.add_scatter(
        x=effort, y=values, mode="lines+markers", line={"color": colour, "width": 1.5}, marker={"size": 7},
        hovertemplate=f"%{{x:.4~g}}: %{{y:.{digits}f}}<extra></extra>", showlegend=False,
    )  # fmt: skip
    figure.update_layout(dragmode=False, hovermode="closest", margin={"t": 8, "b": 34, "l": 56, "r": 12})
    figure.update_xaxes(fixedrange=True, title={"text": escape(against.title)})
    if against.ticks:
        figure.update_xaxes(
            tickvals=[tick for tick, _ in against.ticks], ticktext=[text for _, text in against.ticks]
        )
    figure.update_yaxes(fixedrange=True, title={"text": escape(title)}, nticks=4)
    return figure


@st.fragment
def draw_sensors(page: Page, data: ActivityData) -> None:
    """One group at a time: numbers, each column over time, and each column against effort."""
    groups = groups_of(data)
    if not groups or data.streams is None:
        return
    names = {group.lower().replace(" ", "-"): group for group in groups}
    chosen = pick_one("Sensors", names, param="sensors")
    displays = columns_of(data.streams, data.activity.sport, units=page.units)
    sensors = [column for column in sensor_columns(data, groups[names[chosen]]) if column.name in displays]
    cards = [_card(column, displays[column.name]) for column in sensors]
    st.caption("Whole session", help=terms_of(cards) or None, width="content")
    draw_numbers(cards, key="activity.sensors.numbers")
    for column in sensors:
        _draw_column(data, column, displays)


def _card(column: SensorColumn, display: Column) -> Card:
    low, high = (display.text(value) for value in (column.summary.lowest, column.summary.highest))
    unit, note = "" if display.has_unit else ", as reported", display.note
    if column.is_running_total:
        how = formula_help.text_of(rate_per_h, window="the whole session, as recorded.")
        return Card(
            display.title,
            high,
            f"total, {display.text(column.rate_per_h)} per h{unit}",
            f"{note}\n\n{how}" if note else how,
        )
    return Card(display.title, display.text(column.summary.average), f"{low}–{high}{unit}", note)


def breakpoint_words(point: Breakpoint) -> str:
    """The breakpoint with its interval, or that there is none."""
    if point.is_known:
        return (
            f"Breakpoint vs power: {formats.power(point.at)} (95 % interval {formats.number(point.low)}–"
            f"{formats.power(point.high)}, {formats.count(point.minutes, 'minute')})."
        )
    if point.minutes < LEAST_MINUTES:
        return f"No breakpoint: needs {LEAST_MINUTES} minutes with power, has {point.minutes}."
    return f"No breakpoint: ventilation rises evenly with power, or too unsteadily to tell ({formats.count(point.minutes, 'minute')})."


def over_session_words(column: SensorColumn, display: Column) -> str:
    """The mean of the session, or the total and its hourly rate."""
    if column.is_running_total:
        total, rate = display.text(column.summary.highest), display.text(column.rate_per_h)
        return f"{display.title} up to each moment: {total} in total, {rate} per h."
    return (
        f"{display.title} over the session (30 s average): {display.text(column.summary.average)} on average."
    )


def band_words(column: SensorColumn, display: Column) -> str:
    """Time in each band; bands without time are left out."""
    edges = [display.text(edge) for edge in column.band_edges]
    names = [f"below {edges[0]}", *(f"{low} to {high}" for low, high in pairwise(edges)), f"from {edges[-1]}"]
    return ", ".join(
        f"{name} {formats.duration_hms(seconds)}"
        for name, seconds in zip(names, column.band_s, strict=True)
        if seconds > 0
    )


def _draw_column(data: ActivityData, column: SensorColumn, displays: dict[str, Column]) -> None:
    display = displays[column.name]
    title = display.heading
    left, right = st.columns([3, 2])
    with left:
        draw_chart(
            partial(
                sensor_chart,
                column.elapsed_s,
                display.shown(column.smooth),
                title=title,
                colour=display.colour,
                digits=display.digits,
            ),
            key=f"activity.sensor.{data.activity.id}.{column.name}",
            says=over_session_words(column, display),
            data=lambda: pd.DataFrame(
                {"Elapsed time, s": column.elapsed_s} | display.in_table(column.smooth)
            ),
        )
        if column.name == VENTILATION and (point := ventilation_breakpoint(data)) is not None:
            st.caption(
                breakpoint_words(point),
                help=formula_help.text_of(
                    breakpoint_of, window="minutes of the session with power and ventilation."
                ),
            )
        if sum(column.band_s) > 0:
            st.caption(
                f"Time in bands: {band_words(column, display)}.",
                help=formula_help.text_of(time_between, window="the whole session, as recorded."),
            )
    effort = data.effort_column
    if effort is None or not len(column.effort):
        return
    against = displays[effort]
    with right:
        draw_chart(
            partial(
                by_effort_chart,
                against.shown(column.effort), display.shown(column.by_effort), title=title,
                against=_scale(against, column.effort),
                colour=display.colour, digits=display.digits,
            ),
            key=f"activity.effort.{data.activity.id}.{column.name}",
            says=f"{display.title} by {against.title.lower()}: {display.text(column.by_effort[0])} at "
            f"{_value_text(against, column.effort[0])}, {display.text(column.by_effort[-1])} at "
            f"{_value_text(against, column.effort[-1])}.",
            data=lambda: pd.DataFrame(against.in_table(column.effort) | display.in_table(column.by_effort)),
            formulas=formula_help.text_of(mean_by_effort, window="the whole session, as recorded."),
        )  # fmt: skip


def _scale(against: Column, effort: Floats) -> SensorScale:
    positive = effort[np.isfinite(effort) & (effort > 0)]
    has_ticks = against.pace_per_m is not None and len(positive) > 0
    ticks = (
        pace_ticks(float(positive.min()), float(positive.max()), against.pace_per_m or 1.0)
        if has_ticks
        else ()
    )
    return SensorScale(against.heading, ticks)


def _value_text(column: Column, value: float) -> str:
    return column.text(float(value)) if value == value else formats.MISSING  # noqa: PLR0124 (NaN)
