"""Daily values as bars; as one stepped area of the same outline if there are more days than pixels."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

MOST_BARS = 800
"""With more days a bar is thinner than a pixel of a wide window, and each costs the browser an element."""


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
    """Add a bar per day; `hover` is the label of all bars or of each, and further arguments go to the trace."""
    if len(days) <= MOST_BARS:
        style = {"color": colour, "line": {"width": 0}}
        figure.add_bar(x=days, y=values, marker=style, hovertemplate=hover, **options)
        return
    figure.add_scatter(
        x=days,
        # An area would bridge days without a value.
        y=np.nan_to_num(values),
        hovertemplate=np.where(np.isnan(values), "–", hover),
        mode="lines",
        line={"shape": "hvh", "width": 0, "color": colour},  # steps half-way between two days
        fillcolor=colour,
        **({"stackgroup": "daily"} if is_stacked else {"fill": "tozeroy"}),
        **options,
    )
