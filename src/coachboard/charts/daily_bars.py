"""A value a day as bars; where there are more days than pixels, as one stepped surface of the same outline."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

MOST_BARS = 800
"""Beyond it a bar is thinner than a pixel of a wide window, and each costs the browser its own element."""


def add_daily(
    figure: go.Figure,
    days: Sequence[date],
    values: NDArray[np.float64],
    *,
    colour: str,
    hover: str | NDArray[np.str_],
    is_stacked: bool = False,
    **options: Any,
) -> None:
    """Add a bar a day; `hover` is how its value reads, one for all or one each, and what else goes to the trace follows."""
    if len(days) <= MOST_BARS:
        style = {"color": colour, "line": {"width": 0}}
        figure.add_bar(x=days, y=values, marker=style, hovertemplate=hover, **options)
        return
    figure.add_scatter(
        x=days,
        # A surface would bridge the days without a value.
        y=np.nan_to_num(values),
        hovertemplate=np.where(np.isnan(values), "–", hover),
        mode="lines",
        line={"shape": "hvh", "width": 0, "color": colour},  # steps half-way between two days
        fillcolor=colour,
        **({"stackgroup": "daily"} if is_stacked else {"fill": "tozeroy"}),
        **options,
    )


def add_daily_spans(
    figure: go.Figure,
    days: Sequence[date],
    spans: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    colour: str,
    hovers: Sequence[str],
    name: str,
) -> None:
    """Add a bar a day that begins above the axis, as the hours in bed do; `spans` are its ends."""
    start, end = spans
    if len(days) <= MOST_BARS:
        style = {"color": colour, "line": {"width": 0}}
        figure.add_bar(
            x=days,
            y=end - start,
            base=start,
            marker=style,
            name=name,
            customdata=hovers,
            hovertemplate="%{customdata}",
        )
        return
    upright = np.column_stack([start, end, np.full(len(days), np.nan)]).ravel()
    figure.add_scatter(
        x=np.repeat(np.array(days, dtype="datetime64[D]"), 3),
        y=upright,
        name=name,
        mode="lines",
        line={"width": 1, "color": colour},
        hoverinfo="skip",  # the middle of each night says its hours
    )
