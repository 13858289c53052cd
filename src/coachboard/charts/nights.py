"""Nights as charts: stages, timing, and a recovery value inside the athlete's own normal range."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.analytics.circumstances import Circumstance, offset_shifts
from coachboard.analytics.nights import STAGES, Nights
from coachboard.analytics.sleep import GOOD_EFFICIENCY_PCT
from coachboard.charts import palette
from coachboard.charts.shades import add_shades

_NAMES = {"deep": "Deep", "light": "Light", "rem": "REM", "awake": "Awake", "noData": "No data"}
_NOON_H = 12.0
_DAY_H = 24.0
_TITLE = {"color": palette.MUTED.light, "size": 12}
_AXIS = {
    "gridcolor": palette.GRID.light,
    "linecolor": palette.GRID.light,
    "tickfont": {"color": palette.MUTED.light},
    "automargin": True,
}


def stages_chart(nights: Nights, *, need_h: float, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Hours of each stage, night by night, with the stated need as a line; efficiency in a panel below."""
    days = nights.days[nights.shown_from :]
    figure = go.Figure()
    for stage in STAGES:
        hours = nights.shown(nights.stages_s[stage]) / 3600
        if np.nansum(hours) > 0:
            figure.add_bar(
                x=days,
                y=hours,
                name=_NAMES[stage],
                marker={"color": palette.quantity(stage), "line": {"width": 0}},
                hovertemplate="%{y:.1f} h",
            )
    palette.layout(figure, height=260)
    figure.update_layout(barmode="stack", bargap=0.15)
    figure.update_yaxes(title_text="Time (h)", rangemode="tozero")
    lines = [_level("y", need_h)]
    if not np.isnan(nights.shown(nights.efficiency_pct)).all():
        _add_efficiency(figure, nights)
        lines.append(_level("y2", GOOD_EFFICIENCY_PCT))
    figure.layout.shapes = lines
    return add_shades(_dated(figure, days), shades)


def _add_efficiency(figure: go.Figure, nights: Nights) -> None:
    figure.add_scatter(
        x=nights.days[nights.shown_from :],
        y=nights.shown(nights.efficiency_pct),
        yaxis="y2",
        name="Efficiency",
        mode="lines+markers",
        line={"color": palette.INK.light, "width": 1.2},
        marker={"size": 3},
        hovertemplate="%{y:.0f} %",
    )
    figure.update_layout(
        height=360,
        yaxis={"domain": [0.36, 1.0]},
        yaxis2={
            "title": {"text": "Slept in bed (%)", "font": _TITLE},
            "domain": [0.0, 0.26],
            "anchor": "x",
            "nticks": 4,
        }
        | _AXIS,
    )
    figure.update_xaxes(anchor="free", position=0)


def _level(axis: str, value: float) -> dict[str, Any]:
    """A dotted line over the whole width."""
    line = {"color": palette.MUTED.light, "width": 1, "dash": "dot"}
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": axis,
        "y0": value,
        "y1": value,
        "line": line,
    }


def timing_chart(nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """When each night began and ended by the local clock, and its middle; evening at the bottom."""
    days = nights.days[nights.shown_from :]
    start = _from_noon(nights.shown(nights.start_h))
    end = _from_noon(nights.shown(nights.end_h))
    middle = _from_noon(nights.shown(nights.mid_sleep_h))
    figure = go.Figure()
    figure.add_bar(
        x=days,
        y=end - start,
        base=start,
        name="In bed",
        marker={"color": palette.translucent(palette.quantity("light"), 0.55), "line": {"width": 0}},
        customdata=np.array([[clock(a), clock(b)] for a, b in zip(start, end, strict=True)], dtype=object),
        hovertemplate="%{customdata[0]} to %{customdata[1]}",
    )
    figure.add_scatter(
        x=days,
        y=middle,
        name="Mid-sleep",
        mode="markers",
        marker={"color": palette.quantity("deep"), "size": 5},
        customdata=[clock(value) for value in middle],
        hovertemplate="%{customdata}",
    )
    palette.layout(figure, height=240)
    ticks = np.arange(0, 24, 2, dtype=float)
    figure.update_yaxes(
        title_text="Local clock",
        tickvals=ticks,
        ticktext=[clock(tick) for tick in ticks],
        range=[np.nanmin(start) - 0.5, np.nanmax(end) + 0.5],
    )
    figure.update_layout(bargap=0.3)
    figure.layout.shapes, figure.layout.annotations = _clock_shifts(nights)
    return add_shades(_dated(figure, days), shades)


def _clock_shifts(nights: Nights) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A line where the offset from UTC changed between two recorded nights, and by how much beside it."""
    shifts = offset_shifts(nights.days[nights.shown_from :], nights.shown(nights.utc_offset_min))
    lines = [
        {
            "type": "line",
            "x0": datetime.combine(day, time()) - timedelta(hours=12),
            "x1": datetime.combine(day, time()) - timedelta(hours=12),
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": {"color": palette.INK.light, "width": 1, "dash": "dash"},
        }
        for day, _ in shifts
    ]
    words = [
        {
            "x": datetime.combine(day, time()) - timedelta(hours=12),
            "y": 0,
            "yref": "paper",
            "xanchor": "left",
            "yanchor": "bottom",
            "text": f"clock {minutes / 60:+.3g} h".replace("-", "−"),
            "showarrow": False,
            "font": {"size": 11, "color": palette.INK.light},
        }
        for day, minutes in shifts
    ]
    return lines, words


def _from_noon(clock_h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hours since noon, so that a night is one stretch and not two."""
    return np.mod(clock_h - _NOON_H, _DAY_H)


def clock(from_noon_h: float) -> str:
    """Hours since noon as the clock shows them."""
    if np.isnan(from_noon_h):
        return "–"
    minutes = round(float(from_noon_h) * 60 + _NOON_H * 60) % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def recovery_chart(  # noqa: PLR0913 (three rows of one quantity, each with its own role)
    days: Sequence[date],
    *,
    values: NDArray[np.float64],
    line: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    quantity: str,
    title: str,
    unit: str,
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """Each night as a dot, its 7-day line, and the own normal range behind both."""
    colour = palette.quantity(quantity)
    figure = go.Figure()
    band = {"mode": "lines", "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
    figure.add_scatter(x=days, y=low, **band)
    figure.add_scatter(
        x=days,
        y=high,
        **(band | {"showlegend": True}),
        name="Own normal range",
        fill="tonexty",
        fillcolor=palette.translucent(colour, 0.14),
    )
    figure.add_scatter(
        x=days,
        y=values,
        name="Night",
        mode="markers",
        marker={"color": palette.translucent(colour, 0.55), "size": 5},
        hovertemplate=f"%{{y:.0f}} {unit}",
    )
    figure.add_scatter(
        x=days,
        y=line,
        name="7-day mean",
        mode="lines",
        line={"color": colour, "width": 2},
        hovertemplate=f"%{{y:.1f}} {unit}",
    )
    palette.layout(figure, height=240)
    figure.update_yaxes(title_text=f"{title} ({unit})")
    return add_shades(_dated(figure, days), shades)


def deviation_chart(nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Skin temperature against the athlete's usual, night by night."""
    days = nights.days[nights.shown_from :]
    figure = go.Figure()
    figure.add_bar(
        x=days,
        y=nights.shown(nights.skin_deviation_c),
        name="Deviation",
        marker={"color": palette.quantity("skinTemperature"), "line": {"width": 0}},
        hovertemplate="%{y:+.1f} °C",
        showlegend=False,
    )
    palette.layout(figure, height=180)
    figure.update_yaxes(title_text="Skin, from usual (°C)", zeroline=True)
    return add_shades(_dated(figure, days), shades)


def _dated(figure: go.Figure, days: Sequence[date]) -> go.Figure:
    """One range for every chart of the section, so that a day stands at the same place in all of them."""
    half_day = timedelta(hours=12)
    figure.update_xaxes(
        type="date",
        hoverformat="%a %-d %b %Y",
        tickformat="%-d %b",
        range=[datetime.combine(days[0], time()) - half_day, datetime.combine(days[-1], time()) + half_day],
    )
    return figure
