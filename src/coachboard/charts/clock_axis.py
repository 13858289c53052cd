"""Elapsed time as an x axis of the smaller charts: round ticks of hours, minutes, seconds."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from coachboard.charts.streams import Floats, axis_values

_HOUR_S = 3_600


def clock_values(elapsed_s: Floats) -> list[float]:
    """Seconds as the axis takes them."""
    return [float(value) for value in axis_values(np.asarray(elapsed_s, np.float64), "elapsed")]


def set_clock_axis(figure: go.Figure, longest_s: float, **settings: Any) -> None:
    """Give all x axes of a figure the clock: `5:30` below an hour, `1:05` above."""
    is_short = longest_s < _HOUR_S
    figure.update_xaxes(
        type="date",
        tickformat="%-M:%S" if is_short else "%-H:%M",
        hoverformat="%-M:%S" if is_short else "%-H:%M:%S",
        nticks=10,
        fixedrange=True,
        **settings,
    )
