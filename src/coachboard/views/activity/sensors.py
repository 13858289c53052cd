"""Sensors: running dynamics, heat, ventilation, balance and torque, if recorded."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.analytics.session.breakpoint import LEAST_MINUTES, Breakpoint, breakpoint_of
from coachboard.analytics.session.selection import mean_by_effort, rate_per_h
from coachboard.analytics.session.zones import time_between
from coachboard.charts.sensors import SensorScale, by_effort_chart, sensor_chart
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.sensor_groups import (
    VENTILATION,
    SensorColumn,
    effort_column,
    groups_of,
    sensor_columns,
    ventilation_breakpoint,
)
from coachboard.views.activity.columns import Column, Floats, columns_of
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.widgets import formulas
from coachboard.views.widgets.key_numbers import Card, draw_numbers, terms_of
from coachboard.views.widgets.pace_ticks import pace_ticks
from coachboard.views.widgets.pickers import pick_one
from coachboard.views.widgets.plot import draw_chart


@st.fragment
def draw_sensors(page: Page, data: ActivityData) -> None:
    """One group at a time: numbers, each column over time, and each column against effort."""
    groups = groups_of(data)
    if not groups or data.streams is None:
        return
    names = {group.lower().replace(" ", "-"): group for group in groups}
    chosen = pick_one("Sensors", names, param="sensors")
    known = columns_of(data.streams, data.activity.sport, units=page.units)
    found = [column for column in sensor_columns(data, groups[names[chosen]]) if column.name in known]
    cards = [_card(column, known[column.name]) for column in found]
    st.caption("Whole session", help=terms_of(cards) or None, width="content")
    draw_numbers(cards, key="activity.sensors.numbers")
    for column in found:
        _draw_column(data, column, known)


def _card(column: SensorColumn, known: Column) -> Card:
    low, high = (known.text(value) for value in (column.summary.lowest, column.summary.highest))
    unit, note = "" if known.has_unit else ", as reported", known.note
    if column.is_running_total:
        how = formulas.on_demand(rate_per_h, window="the whole session, as recorded.")
        return Card(
            known.title,
            high,
            f"total, {known.text(column.rate_per_h)} per h{unit}",
            f"{note}\n\n{how}" if note else how,
        )
    return Card(known.title, known.text(column.summary.average), f"{low}–{high}{unit}", note)


def breakpoint_words(found: Breakpoint) -> str:
    """The breakpoint with its interval, or that there is none."""
    if found.is_known:
        return (
            f"Breakpoint vs power: {formats.power(found.at)} (95 % interval {formats.number(found.low)}–"
            f"{formats.power(found.high)}, {formats.count(found.minutes, 'minute')})."
        )
    if found.minutes < LEAST_MINUTES:
        return f"No breakpoint: needs {LEAST_MINUTES} minutes with power, has {found.minutes}."
    return f"No breakpoint: ventilation rises evenly with power, or too unsteadily to tell ({formats.count(found.minutes, 'minute')})."


def over_session_words(column: SensorColumn, known: Column) -> str:
    """The mean of the session, or the total and its hourly rate."""
    if column.is_running_total:
        total, rate = known.text(column.summary.highest), known.text(column.rate_per_h)
        return f"{known.title} up to each moment: {total} in total, {rate} per h."
    return f"{known.title} over the session (30 s average): {known.text(column.summary.average)} on average."


def band_words(column: SensorColumn, known: Column) -> str:
    """Time in each band; bands without time are left out."""
    edges = [known.text(edge) for edge in column.band_edges]
    names = [f"below {edges[0]}", *(f"{low} to {high}" for low, high in pairwise(edges)), f"from {edges[-1]}"]
    return ", ".join(
        f"{name} {formats.duration_hms(seconds)}"
        for name, seconds in zip(names, column.band_s, strict=True)
        if seconds > 0
    )


def _draw_column(data: ActivityData, column: SensorColumn, known: dict[str, Column]) -> None:
    shown = known[column.name]
    title = shown.heading
    left, right = st.columns([3, 2])
    with left:
        draw_chart(
            partial(
                sensor_chart,
                column.elapsed_s,
                shown.shown(column.smooth),
                title=title,
                colour=shown.colour,
                digits=shown.digits,
            ),
            key=f"activity.sensor.{data.activity.id}.{column.name}",
            says=over_session_words(column, shown),
            data=lambda: pd.DataFrame({"Elapsed time, s": column.elapsed_s} | shown.in_table(column.smooth)),
        )
        if column.name == VENTILATION and (found := ventilation_breakpoint(data)) is not None:
            st.caption(
                breakpoint_words(found),
                help=formulas.on_demand(
                    breakpoint_of, window="minutes of the session with power and ventilation."
                ),
            )
        if sum(column.band_s) > 0:
            st.caption(
                f"Time in bands: {band_words(column, shown)}.",
                help=formulas.on_demand(time_between, window="the whole session, as recorded."),
            )
    effort = effort_column(data)
    if effort is None or not len(column.effort):
        return
    against = known[effort]
    with right:
        draw_chart(
            partial(
                by_effort_chart,
                against.shown(column.effort), shown.shown(column.by_effort), title=title,
                against=_scale(against, column.effort),
                colour=shown.colour, digits=shown.digits,
            ),
            key=f"activity.effort.{data.activity.id}.{column.name}",
            says=f"{shown.title} by {against.title.lower()}: {shown.text(column.by_effort[0])} at "
            f"{_value_text(against, column.effort[0])}, {shown.text(column.by_effort[-1])} at "
            f"{_value_text(against, column.effort[-1])}.",
            data=lambda: pd.DataFrame(against.in_table(column.effort) | shown.in_table(column.by_effort)),
            formulas=formulas.on_demand(mean_by_effort, window="the whole session, as recorded."),
        )  # fmt: skip


def _scale(against: Column, effort: Floats) -> SensorScale:
    known = effort[np.isfinite(effort) & (effort > 0)]
    has_ticks = against.pace_per_m is not None and len(known) > 0
    ticks = pace_ticks(float(known.min()), float(known.max()), against.pace_per_m or 1.0) if has_ticks else ()
    return SensorScale(against.heading, ticks)


def _value_text(column: Column, value: float) -> str:
    return column.text(float(value)) if value == value else formats.MISSING  # noqa: PLR0124 (NaN)
