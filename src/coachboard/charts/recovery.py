"""A recovery value by night with the athlete's normal range.

A module of its own: views build no figures, and no other chart has a normal range.
"""

from collections.abc import Sequence
from datetime import date

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.catalogues.metrics import NightField
from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_normal_range, add_shades
from coachboard.charts.ticks import without_noise


def recovery_chart(  # noqa: PLR0913 (three rows of one quantity, each with its own role)
    days: Sequence[date],
    *,
    values: NDArray[np.float64],
    line: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    field: NightField,
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """Each night as a dot, the 7-day line, and the normal range behind both."""
    colour = palette.quantity(field.colour)
    values, line, low, high = (without_noise(row) for row in (values, line, low, high))
    figure = go.Figure()
    add_normal_range(figure, days, (low, high), colour=colour)
    figure.add_scatter(
        x=days,
        y=values,
        name="Night",
        mode="markers",
        marker={"color": palette.translucent(colour, 0.55), "size": 5},
        hovertemplate=f"%{{y:.0f}} {field.unit}",
    )
    figure.add_scatter(
        x=days,
        y=line,
        name="7-day mean",
        mode="lines",
        line={"color": colour, "width": 2},
        hovertemplate=f"%{{y:.1f}} {field.unit}",
    )
    palette.layout(figure, height=240)
    figure.update_yaxes(title_text=field.heading)
    return add_shades(dated(figure, days), shades)
