"""Metrics over time: one series in a chart of its own, or several panels under one another."""

from collections.abc import Sequence

import plotly.graph_objects as go

from coachboard.analytics.metric_series import MetricSeries
from coachboard.charts import palette
from coachboard.models.enums import MetricSource, MetricType

_QUANTITY = {
    MetricType.WEIGHT: "weight",
    MetricType.BODY_FAT: "weight",
    MetricType.CRITICAL_POWER: "power",
    MetricType.MAX_POWER: "power",
    MetricType.W_PRIME: "wPrimeBalance",
    MetricType.D_PRIME: "wPrimeBalance",
    MetricType.CRITICAL_SPEED: "speed",
    MetricType.VO2MAX: "breathing",
    MetricType.MAX_HEART_RATE: "heartRate",
    MetricType.RESTING_HEART_RATE: "restingHeartRate",
    MetricType.SPO2: "temperature",
}
_PANEL_GAP = 0.06
_SOURCES = {
    MetricSource.USER: ("measured", "circle"),
    MetricSource.SERVICE: ("estimated", "circle-open"),
    None: ("no source stated", "diamond-open"),
}


def metrics_chart(series: Sequence[MetricSeries], *, titles: Sequence[str], height: int = 170) -> go.Figure:
    """One panel a metric over one time axis; filled is measured, open is estimated."""
    figure = go.Figure()
    share = (1 - _PANEL_GAP * (len(series) - 1)) / len(series)
    for n, (one, title) in enumerate(zip(series, titles, strict=True)):
        axis = "y" if n == 0 else f"y{n + 1}"
        top = 1 - n * (share + _PANEL_GAP)
        for source in (MetricSource.USER, MetricSource.SERVICE, None):
            _add(figure, one, source, axis=axis)
        name = "yaxis" if n == 0 else f"yaxis{n + 1}"
        figure.update_layout({name: {"domain": [max(top - share, 0), top], "title": {"text": title}}})
    palette.layout(figure, height=70 + height * len(series))
    figure.update_xaxes(type="date", hoverformat="%a %-d %b %Y", tickformat="%-d %b %Y", nticks=6)
    figure.update_yaxes(nticks=4)
    return figure


def _add(figure: go.Figure, series: MetricSeries, source: MetricSource | None, *, axis: str) -> None:
    rows = series.of(source)
    if not rows:
        return
    word, symbol = _SOURCES[source]
    colour = palette.quantity(_QUANTITY.get(series.type, "load"))
    unit = str(series.latest.unit or "")
    figure.add_scatter(
        x=[row.date for row in rows],
        y=[float(row.value) for row in rows],
        yaxis=axis,
        name=f"{str(series.type).capitalize()}, {word}",
        mode="lines+markers",
        line={"color": colour, "width": 1.5, "dash": "solid" if source is MetricSource.USER else "dot"},
        marker={"symbol": symbol, "size": 6, "color": colour},
        hovertemplate=f"%{{y:,.4~g}} {unit}",
        legendgroup=word,
        showlegend=True,
    )
