"""Metrics over time: separate panels, or one chart of changes since the first value."""

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from types import MappingProxyType
from typing import Any, TypeAlias

import plotly.graph_objects as go

from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.analytics.recovery.metric_lines import Line, changes_pct
from coachboard.catalogues.metrics import METRICS
from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades
from coachboard.charts.ticks import round_ticks
from coachboard.models.enums import MetricSource

_PANEL_GAP = 0.07
_PANEL_PX = 130
_TITLE_PX, _MARGINS_PX = 18, 88
"""Room for the title of the first panel below the labels of shaded days."""
PaceLabels: TypeAlias = tuple[Sequence[tuple[float, str]], Sequence[str]]
"""A line of speeds as paces: the ticks of its axis, and the text of each point."""
_SOURCES = {
    MetricSource.USER: ("measured", "circle"),
    MetricSource.SERVICE: ("estimated", "circle-open"),
    None: ("unknown source", "diamond-open"),
}


def metrics_chart(
    lines: Sequence[Line],
    *,
    names: Sequence[str],
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
    paces: Mapping[str, PaceLabels] = MappingProxyType({}),
) -> go.Figure:
    """A panel per metric over one time axis; measured values are filled, estimates open. `paces` by the lines' keys."""
    figure = go.Figure()
    height = 50 + _PANEL_PX * len(lines)
    highest = 1 - _TITLE_PX / (height - _MARGINS_PX)
    share = (highest - _PANEL_GAP * (len(lines) - 1)) / len(lines)
    for n, (line, name) in enumerate(zip(lines, names, strict=True)):
        axis = "" if n == 0 else str(n + 1)
        top = highest - n * (share + _PANEL_GAP)
        for source in _SOURCES:
            _add(figure, line, name, source=source, axis=f"y{axis}", paces=paces.get(line.key))
        figure.update_layout(
            {f"yaxis{axis}": {"domain": [max(top - share, 0), top]} | _ticks(line, paces.get(line.key))}
        )
        # Above the panel: an upright title next to a low panel ran into the numbers of the axis.
        figure.add_annotation(
            text=f"<b>{escape(name)}</b>, {escape(line.unit or 'no unit')}", x=0, y=top, xref="paper", yref="paper",
            xanchor="left", yanchor="bottom", showarrow=False, font={"size": 12, "color": palette.MUTED.light},
        )  # fmt: skip
    palette.layout(figure, height=height)
    figure.update_layout(showlegend=False)  # each panel has a heading
    # Under the lowest panel.
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    return add_shades(dated(figure, days), shades)


_MOST_TICKS = 4


def _ticks(line: Line, paces: PaceLabels | None) -> dict[str, Any]:
    """At least two ticks: Plotly gave a panel from 17.2 to 17.8 the tick 17.5 alone."""
    if paces is not None:
        return {"tickvals": [at for at, _ in paces[0]], "ticktext": [text for _, text in paces[0]]}
    values = [point.value for point in line.points]
    if min(values) == max(values):
        return {}
    ticks = round_ticks(min(values), max(values), most=_MOST_TICKS)
    return {"tickvals": ticks, "ticktext": [f"{tick:,.10g}".replace("-", "−") for tick in ticks]}


def metrics_together_chart(
    lines: Sequence[Line],
    *,
    names: Sequence[str],
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
    paces: Mapping[str, PaceLabels] = MappingProxyType({}),
) -> go.Figure:
    """Every metric on one chart: the change since its first value in the range, by source."""
    figure = go.Figure()
    for line, name in zip(lines, names, strict=True):
        for source in _SOURCES:
            _add_change(figure, line, name, source=source, paces=paces.get(line.key))
    palette.layout(figure, height=320)
    figure.update_yaxes(title_text="Change since first value (%)", zeroline=True, nticks=4)
    return add_shades(dated(figure, days), shades)


def _texts(line: Line, paces: PaceLabels | None) -> Sequence[str]:
    return [f"{point.value:,.4g} {line.unit}" for point in line.points] if paces is None else paces[1]


def _add_change(
    figure: go.Figure, line: Line, name: str, *, source: MetricSource | None, paces: PaceLabels | None
) -> None:
    found = [
        (point, change, text)
        for point, change, text in zip(line.points, changes_pct(line), _texts(line, paces), strict=True)
        if point.source == source
    ]
    if not found:
        return
    word, symbol = _SOURCES[source]
    figure.add_scatter(
        x=[point.day for point, _, _ in found],
        y=[change for _, change, _ in found],
        customdata=[text for _, _, text in found],
        hovertemplate="%{y:+.1f} % (%{customdata})",
        name=f"{name}, {word}",
        mode="lines+markers",
        line={"color": _colour(line), "width": 2, "dash": "dash" if line.is_per_kilo else "solid"},
        marker={"size": 6, "symbol": symbol},
    )


def _colour(line: Line) -> str:
    return palette.quantity(METRICS[line.type].colour)


def _add(
    figure: go.Figure,
    line: Line,
    name: str,
    *,
    source: MetricSource | None,
    axis: str,
    paces: PaceLabels | None,
) -> None:
    points = [
        (point, text)
        for point, text in zip(line.points, _texts(line, paces), strict=True)
        if point.source == source
    ]
    if not points:
        return
    word, symbol = _SOURCES[source]
    colour = _colour(line)
    style: dict[str, Any] = {
        "color": colour,
        "width": 1.5,
        "dash": "solid" if source is MetricSource.USER else "dot",
    }
    figure.add_scatter(
        x=[point.day for point, _ in points],
        y=[point.value for point, _ in points],
        customdata=[text for _, text in points],
        yaxis=axis,
        name=f"{name}, {word}",
        mode="lines+markers",
        line=style,
        marker={"symbol": symbol, "size": 6, "color": colour},
        hovertemplate="%{customdata}",
    )
