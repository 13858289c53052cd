"""Time in bands as bars, and time at each value as a histogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from coachboard.charts import palette


@dataclass(frozen=True, slots=True)
class BandBar:
    """A band: name, minutes, colour, and the text at its end."""

    name: str
    minutes: float
    colour: str
    text: str


def bands_chart(bars: Sequence[BandBar]) -> go.Figure:
    """Horizontal bars, easiest at the bottom."""
    figure = palette.layout(go.Figure(), height=46 + 34 * len(bars))
    figure.add_bar(
        x=[bar.minutes for bar in bars], y=[escape(bar.name) for bar in bars], orientation="h",
        marker={"color": [bar.colour for bar in bars]}, text=[escape(bar.text) for bar in bars],
        textposition="outside", cliponaxis=False, textfont={"color": palette.INK.light},
        hovertemplate="%{y}: %{text}<extra></extra>",
    )  # fmt: skip
    most = max((bar.minutes for bar in bars), default=1.0) or 1.0
    figure.update_layout(
        dragmode=False, hovermode="closest", bargap=0.25, margin={"t": 8, "b": 36, "l": 110, "r": 12}
    )
    figure.update_xaxes(
        range=[0, most * 1.35], fixedrange=True, title={"text": "Minutes"}, showgrid=True, nticks=5
    )
    figure.update_yaxes(fixedrange=True, nticks=len(bars))
    return figure


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """A bin: its position, minutes, colour and text."""

    low: float
    minutes: float
    colour: str
    text: str


def distribution_chart(
    bars: Sequence[HistogramBar], *, width: float, title: str, ticks: Sequence[tuple[float, str]] = ()
) -> go.Figure:
    """Minutes at each value, bins coloured by band."""
    figure = palette.layout(go.Figure(), height=250)
    figure.add_bar(
        x=[bar.low + width / 2 for bar in bars], y=[bar.minutes for bar in bars], width=width,
        marker={"color": [bar.colour for bar in bars], "line": {"width": 0}},
        customdata=[escape(bar.text) for bar in bars], hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        dragmode=False, hovermode="closest", bargap=0.02, margin={"t": 8, "b": 42, "l": 46, "r": 12}
    )
    figure.update_xaxes(fixedrange=True, title={"text": escape(title)})
    if ticks:
        figure.update_xaxes(tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks])
    figure.update_yaxes(fixedrange=True, title={"text": "Minutes"}, nticks=4)
    return figure
