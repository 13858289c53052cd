"""Metrics of all types and sports: last value, change, and separate or overlaid charts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from html import escape
from itertools import compress
from types import MappingProxyType
from typing import Any, TypeAlias

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades
from coachboard.charts.ticks import round_ticks
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.recovery.metric_lines import (
    Line,
    MetricPoint,
    changes_pct,
    latest_per_kilo,
    metric_lines,
)
from coachboard.formulas.recovery.metric_series import MetricSeries, metric_series
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.opening import TrendsChoice, say_none
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export, formula_help
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.pickers import pick_one
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSource, MetricSport
from coachboard.wire.metrics import METRICS, MetricType, MetricUnit

_LAYOUTS = {"panels": "Separate", "together": "Overlay"}
_MOST_LINES = 6
_CHANGE = "4-week change"
_PANEL_GAP = 0.07
_PANEL_PX = 130
_TITLE_PX, _MARGINS_PX = 18, 88
"""Room for the title of the first panel below the labels of shaded days."""
_MOST_TICKS = 4
PaceLabels: TypeAlias = tuple[Sequence[tuple[float, str]], Sequence[str]]
"""A line of speeds as paces: the ticks of its axis, and the text of each point."""
_SOURCES = {
    MetricSource.USER: ("measured", "circle"),
    MetricSource.SERVICE: ("estimated", "circle-open"),
    None: ("unknown source", "diamond-open"),
}


def draw_metrics(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """A table of the last values, and a chart of each picked metric."""
    if not data.metrics:
        fills = "Weight, critical power and others appear once the data service has a value."
        say_none(page, choice, data, "metrics", otherwise="No metrics yet.", fills=fills, kind="values")
        return
    _draw_table(page, data.metrics)
    lines = lines_by_key(data.metrics)
    if not lines:
        st.caption("No data in this range; choose a longer one.")
        return
    picked = [lines[key] for key in _draw_metric_picker(lines)]
    if picked:
        _draw_chart(
            page, data, picked, is_together=pick_one("Layout", _LAYOUTS, param="layout") == "together"
        )


def lines_by_key(metrics: Sequence[MetricSeries]) -> dict[str, Line]:
    """The metrics that a chart can show, by type and sport."""
    return {line.key: line for line in metric_lines(metrics)}


def _draw_table(page: Page, metrics: Sequence[MetricSeries]) -> None:
    key, frame = "trends.metrics.table", latest_texts(metrics, page.units)
    st.dataframe(
        fitted(frame, ("Metric", "Latest", _CHANGE), key=key),
        hide_index=True, height="content", key=key, column_config=_columns(),
    )  # fmt: skip
    notes = [
        "Resting heart rate in this table is a single value, entered or synced for its date; the one at the top is the mean of the last 7 nights."
        if any(series.type is MetricType.RESTING_HEART_RATE for series in metrics)
        else "",
        "" if (frame["Per kg"] == formats.MISSING).all() else "Per kg: divided by the weight of that day, not by today's.",
    ]  # fmt: skip
    if any(notes):
        st.caption(" ".join(filter(None, notes)))
    export.draw_downloads(lambda: latest_values(metrics), name="trends-metrics", key="trends.metrics.export")


def latest_texts(metrics: Sequence[MetricSeries], units: Units) -> pd.DataFrame:
    """The table as the page shows it, in the reader's units."""
    return pd.DataFrame(
        {
            "Metric": [name_of(series.type, series.sport) for series in metrics],
            "Latest": [value_text(series.latest, units=units) for series in metrics],
            "Date": [formats.day(series.latest.date) for series in metrics],
            _CHANGE: [change_text(series, units=units) for series in metrics],
            "Per kg": [formats.power_per_kg(latest_per_kilo(series, metrics)) for series in metrics],
            "Source": [formats.METRIC_SOURCES[series.latest.source] for series in metrics],
        }
    )


def _columns() -> dict[str, Any]:
    """Each column's formula and time window as help."""
    return {
        "Latest": st.column_config.TextColumn(
            alignment="right",
            help="**Window:** last entry up to the end of the range. Value and unit as reported by the data service.",
        ),
        "Per kg": st.column_config.TextColumn(
            alignment="right",
            help=formula_help.text_of(latest_per_kilo, window="latest value, weight of its day."),
        ),
        _CHANGE: st.column_config.TextColumn(
            alignment="right",
            help=formula_help.text_of(
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
    title = METRICS[kind].title + (" per kg" if is_per_kilo else "")
    return title if sport is MetricSport.GLOBAL else f"{title}, {sport}"


def _line_name(line: Line) -> str:
    return name_of(line.type, line.sport, is_per_kilo=line.is_per_kilo)


def value_text(metric: Metric, *, units: Units = formats.METRIC) -> str:
    """The value with its unit."""
    return formats.metric(metric.type, metric.sport, float(metric.value), metric.unit, units=units)


def change_text(series: MetricSeries, *, units: Units) -> str:
    """The change since 4 weeks before, in the reader's units."""
    change, unit = series.change, series.latest.unit
    if change is None:
        return formats.MISSING
    if unit is MetricUnit.KG:
        return formats.weight(change, units=units, signed=True)
    if formats.is_pace(unit, series.sport):
        # Seconds per distance: "−4 s /km" is faster.
        per_m, per_distance = formats.pace_unit(series.sport, units=units)
        now = float(series.latest.value)
        return f"{formats.signed(per_m / now - per_m / (now - change), 0, 's')} {per_distance}"
    factor, shown_unit = formats.metric_scale(unit, series.sport, units)
    if shown_unit == MetricUnit.PERCENT:
        # "−1 %" of a saturation of 98 % reads as a ratio, 97.02 %.
        shown_unit = "point" if abs(change) == 1 else "points"
    return formats.signed(change * factor, METRICS[series.type].digits, shown_unit)


def in_units(line: Line, units: Units) -> Line:
    """A line in the user's units: weight, speed and distance have two, other metrics one; a pace stays in m/s."""
    factor, unit = formats.metric_scale(line.unit, line.sport, units)
    points = tuple(MetricPoint(day, value * factor, source) for day, value, source in line.points)
    return replace(line, unit=unit, points=points)


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


def _draw_chart(page: Page, data: TrendsData, picked: Sequence[Line], *, is_together: bool) -> None:
    lines = [in_units(line, page.units) for line in picked]
    per_m = {
        line.key: formats.pace_unit(line.sport, units=page.units)[0]
        for line in picked
        if formats.is_pace(line.unit, line.sport)
    }
    paces = {line.key: pace_labels(line, per_m[line.key]) for line in lines if line.key in per_m}
    names = "; ".join(map(_line_name, lines))
    how = f"{names}: change since the first value of the range. " if is_together else ""
    chart = metrics_together_chart if is_together else metrics_chart
    draw_chart(
        partial(chart, lines, days=data.load.days, shades=data.circumstances, paces=paces),
        key=f"trends.metrics.{'together' if is_together else 'panels'}",
        alt="" if is_together else f"{names}.",
        says=f"{how}Filled dots = measured; open dots and dashed lines = estimated.",
        data=points_table(lines, per_m),
        formulas=formula_help.text_of(
            *((changes_pct,) if is_together else ()), metric_lines, window="the selected range."
        ),
    )


def points_table(lines: Sequence[Line], per_m: Mapping[str, float]) -> pd.DataFrame:
    """A row per value; a pace in seconds per `per_m` metres, because spreadsheets take 4:05 for a time of day."""
    return pd.DataFrame(
        [
            {
                "Metric": _line_name(line),
                "Date": point.day,
                "Value": round(per_m[line.key] / point.value, 1)
                if line.key in per_m
                else round(point.value, 3),
                "Unit": f"s {line.unit}" if line.key in per_m else line.unit,
                "Source": formats.METRIC_SOURCES[point.source],
            }
            for line in lines
            for point in line.points
        ]
    )


def pace_labels(line: Line, per_m: float) -> PaceLabels:
    """The ticks of a line of speeds at round paces, and the pace of each point."""
    speeds = [point.value for point in line.points]
    ticks = pace_ticks(min(speeds), max(speeds), per_m)
    return ticks, [f"{formats.duration_hms(per_m / speed)} {line.unit}" for speed in speeds]


def metrics_chart(
    lines: Sequence[Line],
    *,
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
    paces: Mapping[str, PaceLabels] = MappingProxyType({}),
) -> go.Figure:
    """A panel per metric over one time axis; measured values are filled, estimates open. `paces` by the lines' keys."""
    figure = go.Figure()
    height = 50 + _PANEL_PX * len(lines)
    highest = 1 - _TITLE_PX / (height - _MARGINS_PX)
    share = (highest - _PANEL_GAP * (len(lines) - 1)) / len(lines)
    for n, line in enumerate(lines):
        axis = "" if n == 0 else str(n + 1)
        top = highest - n * (share + _PANEL_GAP)
        values = [point.value for point in line.points]
        _add(figure, line, values, paces, hover="%{customdata}", width=1.5, yaxis=f"y{axis}")
        figure.update_layout({f"yaxis{axis}": {"domain": [max(top - share, 0), top]} | _ticks(line, paces)})
        # Above the panel: an upright title next to a low panel ran into the numbers of the axis.
        figure.add_annotation(
            text=f"<b>{escape(_line_name(line))}</b>, {escape(line.unit or 'no unit')}", x=0, y=top, xref="paper",
            yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
            font={"size": 12, "color": palette.MUTED.light},
        )  # fmt: skip
    palette.layout(figure, height=height)
    figure.update_layout(showlegend=False)  # each panel has a heading
    # Under the lowest panel.
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    return add_shades(dated(figure, days), shades)


def _ticks(line: Line, paces: Mapping[str, PaceLabels]) -> dict[str, Any]:
    """At least two ticks: Plotly gave a panel from 17.2 to 17.8 the tick 17.5 alone."""
    if line.key in paces:
        labels, _ = paces[line.key]
        return {"tickvals": [speed for speed, _ in labels], "ticktext": [text for _, text in labels]}
    values = [point.value for point in line.points]
    if min(values) == max(values):
        return {}
    ticks = round_ticks(min(values), max(values), most=_MOST_TICKS)
    return {"tickvals": ticks, "ticktext": [f"{tick:,.10g}".replace("-", "−") for tick in ticks]}


def metrics_together_chart(
    lines: Sequence[Line],
    *,
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
    paces: Mapping[str, PaceLabels] = MappingProxyType({}),
) -> go.Figure:
    """Every metric on one chart: the change since its first value in the range, by source."""
    figure = go.Figure()
    for line in lines:
        dash = "dash" if line.is_per_kilo else "solid"
        hover = "%{y:+.1f} % (%{customdata})"
        _add(figure, line, changes_pct(line), paces, hover=hover, width=2, dash=dash)
    palette.layout(figure, height=320)
    figure.update_yaxes(title_text="Change since first value (%)", zeroline=True, nticks=4)
    return add_shades(dated(figure, days), shades)


def _add(  # noqa: PLR0913 (the look of a panel and of the overlay)
    figure: go.Figure,
    line: Line,
    values: Sequence[float],
    paces: Mapping[str, PaceLabels],
    *,
    hover: str,
    width: float,
    dash: str = "",
    **options: Any,
) -> None:
    """The values of a line by source: measured ones as filled dots, and solid unless `dash` says otherwise."""
    texts = [f"{point.value:,.4g} {line.unit}" for point in line.points]
    if line.key in paces:
        texts = list(paces[line.key][1])
    colour = palette.quantity(METRICS[line.type].colour)
    for source, (word, symbol) in _SOURCES.items():
        is_of_source = [point.source == source for point in line.points]
        if any(is_of_source):
            by_source = dash or ("solid" if source is MetricSource.USER else "dot")
            figure.add_scatter(
                x=[*compress((point.day for point in line.points), is_of_source)],
                y=[*compress(values, is_of_source)],
                customdata=[*compress(texts, is_of_source)],
                hovertemplate=hover,
                name=f"{_line_name(line)}, {word}",
                mode="lines+markers",
                line={"color": colour, "width": width, "dash": by_source},
                marker={"symbol": symbol, "size": 6, "color": colour},
                **options,
            )
