"""A sensor over the session, and its level by effort.

A module of its own: views build no figures, and the panels of the streams share no axis with these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis

HEIGHT_PX = 170
Floats = NDArray[np.float64]


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
            tickvals=[at for at, _ in against.ticks], ticktext=[text for _, text in against.ticks]
        )
    figure.update_yaxes(fixedrange=True, title={"text": escape(title)}, nticks=4)
    return figure
