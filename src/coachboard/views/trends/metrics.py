"""Metrics of all types and sports: last value, change, and any of them as charts under one another."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from coachboard.analytics.metric_series import MetricSeries
from coachboard.charts.metrics import metrics_chart
from coachboard.loaders.trends import TrendsData
from coachboard.models.body import Metric
from coachboard.models.enums import MetricSource, MetricSport, MetricType
from coachboard.views import formats, notices, state
from coachboard.views.plot import draw_chart
from coachboard.views.shell import Page

_DIGITS = {
    MetricType.WEIGHT: 1,
    MetricType.CRITICAL_SPEED: 2,
    MetricType.VO2MAX: 1,
    MetricType.BODY_FAT: 1,
    MetricType.W_PRIME: 1,
}
_SOURCES = {
    MetricSource.USER: "measured",
    MetricSource.SERVICE: "estimated by the service",
    None: "not stated",
}
_MOST_PANELS = 6


@st.fragment
def draw_metrics(page: Page, data: TrendsData) -> None:
    """A table of the last values, and a panel for each metric picked."""
    if not data.metrics:
        notices.say_empty(
            "No metrics yet.", fills="Weight, critical power and the like appear once entered or estimated."
        )
        return
    _draw_table(page, data.metrics)
    offered = {series.key: series for series in data.metrics if series.rows}
    if not offered:
        st.caption("None of them has a value in these days; a longer range shows their course.")
        return
    shown = [offered[key] for key in _picked(offered)]
    if shown:
        _draw_chart(shown)


def _draw_table(page: Page, metrics: Sequence[MetricSeries]) -> None:
    weight = next((float(s.latest.value) for s in metrics if s.type is MetricType.WEIGHT), None)
    frame = pd.DataFrame(
        {
            "Metric": [_name(series) for series in metrics],
            "Latest": [value_text(series.latest) for series in metrics],
            "Per kilo": [_per_kilo(series, weight) for series in metrics],
            "Change in 4 weeks": [_change(series) for series in metrics],
            "Date": [formats.day(series.latest.date, today=page.today) for series in metrics],
            "Source": [_SOURCES[series.latest.source] for series in metrics],
        }
    )
    st.dataframe(frame, hide_index=True, key="trends.metrics.table")


def _name(series: MetricSeries) -> str:
    name = {
        MetricType.VO2MAX: "VO₂max",
        MetricType.SPO2: "SpO₂",
        MetricType.W_PRIME: "W′",
        MetricType.D_PRIME: "D′",
    }
    shown = name.get(series.type, str(series.type).capitalize())
    return shown if series.sport is MetricSport.GLOBAL else f"{shown}, {series.sport}"


def value_text(metric: Metric) -> str:
    """The value in the unit it came in; without one, the number alone."""
    digits = 0 if metric.unit == "J" else _DIGITS.get(metric.type, 0)
    return formats.number(float(metric.value), digits, str(metric.unit or ""))


def _per_kilo(series: MetricSeries, weight_kg: float | None) -> str:
    if series.type not in {MetricType.CRITICAL_POWER, MetricType.MAX_POWER} or not weight_kg:
        return formats.MISSING
    return formats.power_per_kg(float(series.latest.value) / weight_kg)


def _change(series: MetricSeries) -> str:
    digits = 0 if series.latest.unit == "J" else _DIGITS.get(series.type, 0)
    return formats.signed(series.change, digits, str(series.latest.unit or ""))


def _picked(offered: dict[str, MetricSeries]) -> list[str]:
    key = "trends.metrics"
    asked = [name for name in (state.get_param("metrics") or "").split(",") if name in offered]
    if state.get(key) is None or set(state.get(key)) - set(offered):
        state.put(key, asked or _default(offered))
    return st.multiselect(
        "Metrics shown",
        list(offered),
        key=key,
        format_func=lambda name: _name(offered[name]),
        max_selections=_MOST_PANELS,
        on_change=lambda: state.set_param("metrics", ",".join(state.get(key)) or None),
    )


def _default(offered: dict[str, MetricSeries]) -> list[str]:
    """Weight, and critical power with W' together: what is asked for most."""
    wanted = (MetricType.WEIGHT, MetricType.CRITICAL_POWER, MetricType.W_PRIME)
    found = [name for kind in wanted for name, series in offered.items() if series.type is kind]
    return found[:4] or list(offered)[:2]


def _draw_chart(shown: Sequence[MetricSeries]) -> None:
    titles = [f"{_name(series)} ({series.latest.unit or 'no unit'})" for series in shown]
    rows = [(series, row) for series in shown for row in series.rows]
    table = pd.DataFrame(
        {
            "Metric": [_name(series) for series, _ in rows],
            "Date": [row.date for _, row in rows],
            "Value": [float(row.value) for _, row in rows],
            "Unit": [str(row.unit or "") for _, row in rows],
            "Source": [_SOURCES[row.source] for _, row in rows],
        }
    )
    draw_chart(
        metrics_chart(shown, titles=titles),
        key="trends.metrics.chart",
        says=f"{', '.join(_name(series) for series in shown)}: filled dots were measured, open ones estimated.",
        data=table,
    )
