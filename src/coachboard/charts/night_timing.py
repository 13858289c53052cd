"""Start and end of each night in local time, and changes of the UTC offset."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.analytics.recovery.circumstances import Circumstance, offset_shifts
from coachboard.analytics.recovery.nights import Nights
from coachboard.charts import palette
from coachboard.charts.daily_bars import add_daily_spans
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades

_NOON_H = 12.0
_DAY_H = 24.0
_WORD_SHARE = 0.2
"""Width of a shift's label on a narrow screen, as a share of the days."""


def timing_chart(nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Start, end and middle of each night in local time; evening at the bottom."""
    days = nights.days[nights.shown_from :]
    start = _from_noon(nights.shown(nights.start_h))
    end = _from_noon(nights.shown(nights.end_h))
    middle = _from_noon(nights.shown(nights.mid_sleep_h))
    figure = go.Figure()
    add_daily_spans(
        figure,
        days,
        (start, end),
        colour=palette.translucent(palette.quantity("light"), 0.55),
        hovers=[f"{clock(a)} to {clock(b)}" for a, b in zip(start, end, strict=True)],
        name="In bed",
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
        title={"text": "Local time", "standoff": 12},  # without it, the title touched the hours
        tickvals=ticks,
        ticktext=[clock(tick) for tick in ticks],
        range=[np.nanmin(start) - 0.5, np.nanmax(end) + 0.5],
    )
    figure.update_layout(bargap=0.3)
    figure.layout.shapes, figure.layout.annotations = _clock_shifts(nights)
    return add_shades(dated(figure, days), shades)


def _clock_shifts(nights: Nights) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A line with a label where the UTC offset changed between two recorded nights."""
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
    apart = (len(nights.days) - nights.shown_from) * _WORD_SHARE
    words = [
        {
            "x": datetime.combine(day, time()) - timedelta(hours=12),
            "y": 0,
            "yref": "paper",
            "xanchor": "left",
            "yanchor": "bottom",
            "xshift": 3,  # else the first letter touches the line
            "bgcolor": palette.translucent(palette.SURFACE.light, 0.8),
            "borderpad": 0,
            "text": f"clock {minutes / 60:+.3g} h".replace("-", "−"),
            "showarrow": False,
            "font": {"size": 11, "color": palette.INK.light},
        }
        for day, minutes in _with_room(shifts, apart)
    ]
    return lines, words


def _with_room(shifts: Sequence[tuple[date, float]], apart_d: float) -> list[tuple[date, float]]:
    """Of labels that would overlap, show the first; every shift has its line."""
    named: list[tuple[date, float]] = []
    for shift in shifts:
        if not named or (shift[0] - named[-1][0]).days >= apart_d:
            named.append(shift)
    return named


def _from_noon(clock_h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hours since noon, so that a night is one bar instead of two."""
    return np.mod(clock_h - _NOON_H, _DAY_H)


def clock(from_noon_h: float) -> str:
    """Hours since noon as a time of day."""
    if np.isnan(from_noon_h):
        return "–"
    minutes = round(float(from_noon_h) * 60 + _NOON_H * 60) % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"
