"""Heart rate against output by minute, and measured and grade-adjusted speed by split."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

HEIGHT_PX = 300
SPLITS_HEIGHT_PX = 240
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """Output and heart rate by minute of one half."""

    name: str
    output: Floats
    heart_rate_bpm: Floats
    texts: Sequence[str]


def decoupling_chart(
    halves: Sequence[Half], *, title: str, ticks: Sequence[tuple[float, str]] = ()
) -> go.Figure:
    """Open dots for the first half, filled ones for the second; a cross for each half's mean.

    `ticks` replace the numbers of the x axis by paces.
    """
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    colour = palette.quantity("heartRate")
    for number, half in enumerate(halves):
        symbol = "circle" if number else "circle-open"
        figure.add_scatter(
            x=half.output, y=half.heart_rate_bpm, mode="markers", name=escape(half.name),
            marker={"color": palette.translucent(colour, 0.75), "size": 6, "symbol": symbol},
            customdata=[escape(text) for text in half.texts], hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
        if len(half.output):
            figure.add_scatter(
                x=[float(np.nanmean(half.output))], y=[float(np.nanmean(half.heart_rate_bpm))],
                mode="markers", name=f"Mean of the {escape(half.name.lower())}", showlegend=False,
                marker={"color": palette.INK.light, "size": 13, "symbol": "cross" if number else "cross-open",
                        "line": {"width": 1.5, "color": palette.INK.light}},
                hovertemplate=f"Mean of the {escape(half.name.lower())}<extra></extra>",
            )  # fmt: skip
    figure.update_layout(hovermode="closest", dragmode=False, margin={"t": 34, "b": 42, "l": 50, "r": 12})
    figure.update_xaxes(fixedrange=True, title={"text": escape(title)})
    if ticks:
        figure.update_xaxes(tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks])
    figure.update_yaxes(fixedrange=True, title={"text": "Heart rate, bpm"})
    return figure


def grade_adjusted_chart(
    splits: Floats,
    speeds: Sequence[tuple[str, Floats, Sequence[str]]],
    *,
    unit: str,
    ticks: Sequence[tuple[float, str]],
    title: str,
) -> go.Figure:
    """Steps by split: measured solid, adjusted dashed."""
    figure = palette.layout(go.Figure(), height=SPLITS_HEIGHT_PX)
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
        tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks],
    )  # fmt: skip
    return figure
