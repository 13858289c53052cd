"""Metrics of all types and sports: last value, change, and separate or overlaid charts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.analytics.recovery.metric_lines import (
    Line,
    MetricPoint,
    changes_pct,
    latest_per_kilo,
    metric_lines,
)
from coachboard.analytics.recovery.metric_series import MetricSeries, metric_series
from coachboard.catalogues.metrics import METRICS
from coachboard.charts.metrics import PaceLabels, metrics_chart, metrics_together_chart
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.models.body import Metric
from coachboard.models.enums import MetricSport, MetricType, MetricUnit
from coachboard.views.frame import formats, state
from coachboard.views.frame.formats import Units
from coachboard.views.frame.own_data import say_empty
from coachboard.views.frame.page import Page
from coachboard.views.trends.opening import TrendsChoice
from coachboard.views.trends.unread import say_unread
from coachboard.views.widgets import export, formulas
from coachboard.views.widgets.pace_ticks import pace_ticks
from coachboard.views.widgets.phone_columns import fitted
from coachboard.views.widgets.pickers import pick_one
from coachboard.views.widgets.plot import draw_chart

_LAYOUTS = {"panels": "Separate", "together": "Overlay"}
_MOST_LINES = 6
_CHANGE = "4-week change"


def draw_metrics(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """A table of the last values, and a chart of each picked metric."""
    if not data.metrics:
        if say_unread(data, "metrics"):
            return
        say_empty(
            page,
            choice.athlete.id,
            "No metrics yet.",
            fills="Weight, critical power and others appear once the data service has a value.",
            kind="values",
        )
        return
    _draw_table(page, data.metrics, data.per_kilo)
    offered = {line.key: line for line in data.metric_lines}
    if not offered:
        st.caption("No data in this range; choose a longer one.")
        return
    shown = [offered[key] for key in _draw_metric_picker(offered)]
    if shown:
        _draw_chart(page, data, shown, is_together=pick_one("Layout", _LAYOUTS, param="layout") == "together")


def _draw_table(page: Page, metrics: Sequence[MetricSeries], per_kilo: Sequence[float]) -> None:
    frame = pd.DataFrame(
        {
            "Metric": [name_of(series.type, series.sport) for series in metrics],
            "Latest": [value_text(series.latest, units=page.units) for series in metrics],
            "Date": [formats.day(series.latest.date) for series in metrics],
            _CHANGE: [_change(series, units=page.units) for series in metrics],
            "Per kg": [formats.power_per_kg(value) for value in per_kilo],
            "Source": [formats.METRIC_SOURCES[series.latest.source] for series in metrics],
        }
    )
    first = ("Metric", "Latest", _CHANGE)
    shown = fitted(frame, first, key="trends.metrics.table")
    st.dataframe(
        shown, hide_index=True, height="content", key="trends.metrics.table", column_config=_columns()
    )
    notes = [
        "Resting heart rate in this table is a single value, entered or synced for its date; the one at the top is the mean of the last 7 nights."
        if any(series.type is MetricType.RESTING_HEART_RATE for series in metrics)
        else "",
        "" if all(map(isnan, per_kilo)) else "Per kg: divided by the weight of that day, not by today's.",
    ]
    if any(notes):
        st.caption(" ".join(note for note in notes if note))
    export.draw_downloads(lambda: latest_values(metrics), name="trends-metrics", key="trends.metrics.export")


def _columns() -> dict[str, Any]:
    """Each column's formula and time window as help."""
    return {
        "Latest": st.column_config.TextColumn(
            alignment="right",
            help="**Window:** last entry up to the end of the range. Value and unit as reported by the data service.",
        ),
        "Per kg": st.column_config.TextColumn(
            alignment="right",
            help=formulas.on_demand(latest_per_kilo, window="latest value, weight of its day."),
        ),
        _CHANGE: st.column_config.TextColumn(
            alignment="right",
            help=formulas.on_demand(
                metric_series, window="latest value vs the value 28 days before its date."
            ),
        ),
    }


def latest_values(metrics: Sequence[MetricSeries]) -> pd.DataFrame:
    """The table as numbers, in metric units."""
    return pd.DataFrame(
        {
            "Metric": [str(series.type) for series in metrics],
            "Sport": [str(series.sport) for series in metrics],
            "Latest": [float(series.latest.value) for series in metrics],
            "Unit": [str(series.latest.unit or "") for series in metrics],
            _CHANGE: [None if series.change is None else round(series.change, 6) for series in metrics],
            "Date": [series.latest.date for series in metrics],
            "Source": [formats.METRIC_SOURCES[series.latest.source] for series in metrics],
        }
    )


def name_of(kind: MetricType, sport: MetricSport, *, is_per_kilo: bool = False) -> str:
    """The label of a metric: "Critical power per kg, cycling"."""
    shown = METRICS[kind].title + (" per kg" if is_per_kilo else "")
    return shown if sport is MetricSport.GLOBAL else f"{shown}, {sport}"


def _line_name(line: Line) -> str:
    return name_of(line.type, line.sport, is_per_kilo=line.is_per_kilo)


def value_text(metric: Metric, *, units: Units = formats.METRIC) -> str:
    """The value with its unit."""
    return text_of(metric.type, metric.sport, float(metric.value), metric.unit, units=units)


def text_of(kind: MetricType, sport: MetricSport, value: float, unit: str | None, *, units: Units) -> str:
    """A value in the reader's units: `61.4 kg`; the critical speed of runners and swimmers is a pace, `4:05 /km`."""
    if unit == MetricUnit.KG:
        return formats.weight(value, units=units)
    if unit == MetricUnit.M_PER_S:
        return formats.speed_or_pace(value, sport, units=units)
    factor, shown = _scale(unit, sport, units)
    return formats.number(value * factor, METRICS[kind].digits, shown)


def in_units(line: Line, units: Units) -> Line:
    """A line in the user's units: weight, speed and distance have two, other metrics one; a pace stays in m/s."""
    factor, unit = _scale(line.unit, line.sport, units)
    points = tuple(MetricPoint(day, value * factor, source) for day, value, source in line.points)
    return replace(line, unit=unit, points=points)


def _scale(unit: str | None, sport: MetricSport, units: Units) -> tuple[float, str]:
    """Factor and unit for weight, speed and distance; other metrics have one unit."""
    if is_pace(unit, sport):
        return 1.0, formats.pace_unit(sport, units=units)[1]
    scales = {
        MetricUnit.KG: formats.weight_scale(units),
        MetricUnit.M_PER_S: formats.speed_scale(sport, units=units),
        MetricUnit.M: formats.short_distance_scale(sport, units=units),
    }
    return next((scale for known, scale in scales.items() if known == unit), (1.0, str(unit or "")))


def is_pace(unit: str | None, sport: str) -> bool:
    return unit == MetricUnit.M_PER_S and sport in formats.PACED_SPORTS


def _change(series: MetricSeries, *, units: Units) -> str:
    if series.change is None:
        return formats.MISSING
    if series.latest.unit is MetricUnit.KG:
        return formats.weight(series.change, units=units, signed=True)
    if is_pace(series.latest.unit, series.sport):
        return _pace_change(series, units)
    factor, unit = _scale(series.latest.unit, series.sport, units)
    return formats.signed(
        series.change * factor, METRICS[series.type].digits, _of_change(unit, series.change)
    )


def _of_change(unit: str, change: float) -> str:
    """Points for a quantity in percent: "−1 %" of a saturation of 98 % reads as a ratio, 97.02 %."""
    if unit != MetricUnit.PERCENT:
        return unit
    return "point" if abs(change) == 1 else "points"


def _pace_change(series: MetricSeries, units: Units) -> str:
    """Seconds per distance: `−4 s /km` is faster."""
    per_m, unit = formats.pace_unit(series.sport, units=units)
    now = float(series.latest.value)
    before = now - (series.change or 0.0)
    return f"{formats.signed(per_m / now - per_m / before, 0, 's')} {unit}"


def _draw_metric_picker(offered: Mapping[str, Line]) -> list[str]:
    key = "trends.metrics"
    named = (state.get_param("metrics") or "").split(",")
    asked = [name for name in offered if name in named] or _default(offered)
    if state.get(key) is None or set(state.get(key)) - set(offered):
        state.put(key, asked)
    picked = st.pills(
        "Metrics shown",
        list(offered),
        selection_mode="multi",
        default=asked,
        key=key,
        format_func=lambda name: _line_name(offered[name]),
        on_change=lambda: state.set_param("metrics", ",".join(state.get(key)) or None),
        help=f"Limit: {_MOST_LINES} metrics at once.",
    )
    return [name for name in offered if name in picked][:_MOST_LINES]


def _default(offered: Mapping[str, Line]) -> list[str]:
    """Weight with power per kilogram, and critical power with W': the most common questions."""
    sport = next((line.sport for line in offered.values() if line.type is MetricType.CRITICAL_POWER), None)
    wanted = [
        name
        for kind, is_per_kilo in (
            (MetricType.WEIGHT, False),
            (MetricType.CRITICAL_POWER, True),
            (MetricType.CRITICAL_POWER, False),
            (MetricType.W_PRIME, False),
        )
        for name, line in offered.items()
        if (line.type, line.is_per_kilo) == (kind, is_per_kilo) and line.sport in {MetricSport.GLOBAL, sport}
    ]
    return wanted or list(offered)[:2]


def _draw_chart(page: Page, data: TrendsData, lines: Sequence[Line], *, is_together: bool) -> None:
    names = [_line_name(line) for line in lines]
    shown = [in_units(line, page.units) for line in lines]
    pace_per_m = {
        line.key: formats.pace_unit(line.sport, units=page.units)[0]
        for line in lines
        if is_pace(line.unit, line.sport)
    }
    rows = [
        (name, *_as_number(line, point, pace_per_m.get(line.key)), point)
        for name, line in zip(names, shown, strict=True)
        for point in line.points
    ]
    table = pd.DataFrame(
        {
            "Metric": [name for name, *_ in rows],
            "Date": [point.day for *_, point in rows],
            "Value": [value for _, value, _, _ in rows],
            "Unit": [unit for _, _, unit, _ in rows],
            "Source": [formats.METRIC_SOURCES[point.source] for *_, point in rows],
        }
    )
    chart = metrics_together_chart if is_together else metrics_chart
    how = f"{'; '.join(names)}: change since the first value of the range. " if is_together else ""
    draw_chart(
        partial(
            chart,
            shown,
            names=names,
            days=data.load.days,
            shades=data.circumstances,
            paces={
                key: pace_labels(line, per_m) for line in shown if (per_m := pace_per_m.get(key := line.key))
            },
        ),
        key=f"trends.metrics.{'together' if is_together else 'panels'}",
        alt="" if is_together else f"{'; '.join(names)}.",
        says=f"{how}Filled dots = measured; open dots and dashed lines = estimated.",
        data=table,
        formulas=formulas.on_demand(
            *((changes_pct,) if is_together else ()), metric_lines, window="the selected range."
        ),
    )


def _as_number(line: Line, point: MetricPoint, per_m: float | None) -> tuple[float, str]:
    """The value of the table and its unit; a pace in seconds, because spreadsheets take 4:05 for a time of day."""
    return (
        (round(point.value, 3), line.unit)
        if per_m is None
        else (round(per_m / point.value, 1), f"s {line.unit}")
    )


def pace_labels(line: Line, per_m: float) -> PaceLabels:
    """The ticks of a line of speeds at round paces, and the pace of each point."""
    speeds = [point.value for point in line.points]
    ticks = pace_ticks(min(speeds), max(speeds), per_m)
    return ticks, [f"{formats.duration_hms(per_m / speed)} {line.unit}" for speed in speeds]
