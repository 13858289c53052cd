"""Power of similar intervals over the weeks as dots; the dots of this session are filled.

A module of its own: views build no figures, and no other chart compares laps of several sessions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

import plotly.graph_objects as go

from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.charts import palette
from coachboard.charts.day_axis import day_ticks
from coachboard.charts.shades import add_shades

HEIGHT_PX = 190


@dataclass(frozen=True, slots=True)
class IntervalPoint:
    """A similar lap: day, value, and whether it belongs to this session."""

    day: date
    value: float
    is_this: bool
    text: str


def interval_trend_chart(
    points: Sequence[IntervalPoint], *, shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """Dots by day over the shaded races; a thin line marks the selected interval's level."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    colour = palette.quantity("power")
    for is_this, name, symbol in ((False, "Other sessions", "circle-open"), (True, "This session", "circle")):
        own = [point for point in points if point.is_this is is_this]
        figure.add_scatter(
            x=[point.day for point in own], y=[point.value for point in own], name=name, mode="markers",
            marker={"color": colour, "size": 8, "symbol": symbol, "line": {"width": 1.5, "color": colour}},
            customdata=[escape(point.text) for point in own], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    for point in points:
        if point.is_this:
            figure.add_hline(y=point.value, line={"color": colour, "width": 0.5, "dash": "dot"})
    figure.update_layout(hovermode="closest", dragmode=False, margin={"t": 34, "b": 28, "l": 46, "r": 12})
    figure.update_xaxes(fixedrange=True, tickformat="%-d %b", **day_ticks([point.day for point in points], 8))
    figure.update_yaxes(fixedrange=True, nticks=4, title={"text": "Average power, W"})
    return add_shades(figure, shades)
