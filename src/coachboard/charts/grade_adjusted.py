"""Measured and grade-adjusted speed by split."""

from collections.abc import Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

HEIGHT_PX = 240
Floats = NDArray[np.float64]


def grade_adjusted_chart(
    splits: Floats,
    speeds: Sequence[tuple[str, Floats, Sequence[str]]],
    *,
    unit: str,
    ticks: Sequence[tuple[float, str]],
    title: str,
) -> go.Figure:
    """Steps by split: measured solid, adjusted dashed."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    for number, (name, values, texts) in enumerate(speeds):
        figure.add_scatter(
            x=splits, y=values, mode="lines", name=escape(name),
            line={"color": palette.quantity("speed" if not number else "grade"), "width": 2, "shape": "hvh",
                  "dash": "dash" if number else "solid"},
            customdata=[escape(text) for text in texts], hovertemplate="%{customdata}",
        )  # fmt: skip
    figure.update_layout(dragmode=False, margin={"t": 34, "b": 42, "l": 56, "r": 12})
    figure.update_xaxes(fixedrange=True, title={"text": escape(unit)}, hoverformat=".0f")
    figure.update_yaxes(
        fixedrange=True, title={"text": escape(title)},
        tickvals=[at for at, _ in ticks], ticktext=[text for _, text in ticks],
    )  # fmt: skip
    return figure
