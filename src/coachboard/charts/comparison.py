"""Two sessions over one axis: both lines and, below, their difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.clock_axis import clock_values, set_clock_axis

PANEL_PX = 190
_SHARE = 0.68
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One quantity of both sessions, in the units shown."""

    title: str
    unit: str
    colour: str
    this: Floats
    other: Floats
    digits: int = 0


def comparison_chart(
    at: Floats, pairs: Sequence[Pair], *, names: tuple[str, str], axis_title: str, is_time: bool
) -> go.Figure:
    """One panel a quantity, its difference (second less first) as a thin strip under it."""
    figure = palette.layout(go.Figure(), height=60 + PANEL_PX * len(pairs))
    x = np.array(clock_values(at)) if is_time else at
    for number, pair in enumerate(pairs):
        upper, lower = (
            f"y{2 * number + 1}".replace("y1", "y") if number == 0 else f"y{2 * number + 1}",
            f"y{2 * number + 2}",
        )
        _add_lines(figure, x, pair, names=names, axis=upper, has_legend=number == 0)
        difference = pair.other - pair.this
        figure.add_scatter(
            x=x, y=difference, mode="lines", yaxis=lower, showlegend=False, name="Difference",
            line={"color": palette.MUTED.light, "width": 1}, fill="tozeroy",
            fillcolor=palette.translucent(palette.MUTED.light, 0.18),
            hovertemplate=f"Difference %{{y:+.{pair.digits}f}} {escape(pair.unit)}<extra></extra>",
        )  # fmt: skip
        _place(figure, number, len(pairs), pair)
    figure.update_layout(dragmode=False, margin={"t": 34, "b": 42, "l": 60, "r": 12})
    figure.update_xaxes(fixedrange=True, title={"text": escape(axis_title)}, anchor=f"y{2 * len(pairs)}")
    if is_time:
        set_clock_axis(figure, float(at[-1]) if len(at) else 0.0)
    return figure


def _add_lines(
    figure: go.Figure, x: Floats, pair: Pair, *, names: tuple[str, str], axis: str, has_legend: bool
) -> None:
    for name, values, dash in zip(names, (pair.this, pair.other), ("solid", "dot"), strict=True):
        figure.add_scatter(
            x=x, y=values, mode="lines", yaxis=axis, name=escape(name), showlegend=has_legend,
            line={"color": pair.colour, "width": 1.6, "dash": dash}, legendgroup=name,
            hovertemplate=f"{escape(name)} %{{y:.{pair.digits}f}} {escape(pair.unit)}<extra></extra>",
        )  # fmt: skip


def _place(figure: go.Figure, number: int, count: int, pair: Pair) -> None:
    top, height = 1 - number / count, 1 / count * 0.94
    split = top - height * _SHARE
    shared = {"fixedrange": True, "nticks": 4, "gridcolor": palette.GRID.light, "automargin": True,
              "tickfont": {"color": palette.MUTED.light}}  # fmt: skip
    title = {
        "text": f"{escape(pair.title)}, {escape(pair.unit)}",
        "font": {"size": 12, "color": palette.MUTED.light},
    }
    upper, lower = f"yaxis{2 * number + 1}" if number else "yaxis", f"yaxis{2 * number + 2}"
    figure.update_layout(
        {
            upper: {**shared, "domain": [split, top], "title": title},
            lower: {**shared, "domain": [top - height, split - 0.02 / count], "nticks": 3,
                    "title": {"text": "Diff.", "font": {"size": 11, "color": palette.MUTED.light}}},
        }
    )  # fmt: skip
