"""Days as the x axis of trends, the same for every chart of a range, and daily values as bars."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

_HALF_DAY = timedelta(hours=12)
_YEAR_SHOWN_BEYOND_D = 200


def day_ticks(days: Sequence[date], most: int) -> dict[str, Any]:
    """At most that many ticks, never two on a day: "22 Nov, 22 Nov" on an axis of few days."""
    is_short = not days or (max(days) - min(days)).days < most
    return {"nticks": most} | ({"dtick": 86_400_000} if is_short else {})


def dated(figure: go.Figure, days: Sequence[date]) -> go.Figure:
    """From half a day before the first day to half a day after the last, so that days align in all charts."""
    is_long = (days[-1] - days[0]).days > _YEAR_SHOWN_BEYOND_D
    figure.update_xaxes(
        type="date",
        hoverformat="%a %-d %b %Y",
        tickformat="%-d %b %Y" if is_long else "%-d %b",
        **day_ticks(days, 7),
        range=[datetime.combine(days[0], time()) - _HALF_DAY, datetime.combine(days[-1], time()) + _HALF_DAY],
    )
    return figure


def add_line(
    figure: go.Figure,
    days: Sequence[date],
    values: NDArray[np.float64],
    *,
    quantity: str,
    hover: str = "%{y:.2f}",
    **options: Any,
) -> None:
    """Add a line in the colour of a quantity; further arguments go to the trace."""
    style = {"color": palette.quantity(quantity), "width": 2}
    figure.add_scatter(x=days, y=values, mode="lines", line=style, hovertemplate=hover, **options)


def add_level(figure: go.Figure, value: float, *, axis: str = "y") -> None:
    """Add a dotted horizontal line."""
    style = {"color": palette.MUTED.light, "width": 1, "dash": "dot"}
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, yref=axis, y0=value, y1=value, line=style)


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
