"""Laps as bars: width is duration, height is level, colour is intensity."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis
from coachboard.charts.panel_marks import PartBand

HEIGHT_PX = 170
_LEGEND_PX = 24
"""Extra height for a legend below the title: beside it, a phone cuts the last entry off."""


@dataclass(frozen=True, slots=True)
class LapBar:
    """A part: time, height and hover text."""

    band: PartBand
    height: float  # NaN leaves a gap as wide as the lap
    text: str


def lap_bars_chart(
    bars: Sequence[LapBar],
    *,
    title: str,
    unit: str,
    selected: int | None = None,
    reference: tuple[float, str] | None = None,
    ticks: Sequence[tuple[float, str]] = (),
) -> go.Figure:
    """Bars along elapsed time; the reference is a line such as critical power, `ticks` label speeds as paces."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    outlines = [palette.INK.light if i == selected else palette.SURFACE.light for i in range(len(bars))]
    figure.add_bar(
        x=[(bar.band.start + bar.band.end) / 2 for bar in bars],
        y=[bar.height for bar in bars],
        width=[max(bar.band.end - bar.band.start, 1.0) for bar in bars],
        marker={"color": [bar.band.colour for bar in bars],
                "pattern": palette.pattern([bar.band.colour for bar in bars]),
                "line": {"color": outlines, "width": [2 if i == selected else 0.5 for i in range(len(bars))]}},
        customdata=[escape(bar.text) for bar in bars],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )  # fmt: skip
    heading = f"<b>{escape(title)}</b>, {escape(unit)}"
    if reference is not None:
        at, name = reference
        figure.add_hline(y=at, line={"color": palette.MUTED.light, "width": 1, "dash": "dot"})
        heading += f"; dashed: {escape(name)}"  # a label on the line covered the last bars
    figure.update_layout(
        bargap=0, hovermode="closest", dragmode=False,
        margin={"t": 22, "b": 28, "l": 46, "r": 12},
    )  # fmt: skip
    longest_s = max((bar.band.end for bar in bars), default=0.0)
    set_clock_axis(figure, longest_s, showgrid=False)
    figure.update_yaxes(fixedrange=True, nticks=4, rangemode="tozero")
    if ticks:
        figure.update_yaxes(tickvals=[at for at, _ in ticks], ticktext=[text for _, text in ticks])
    _add_title(figure, heading, [bar.band.colour for bar in bars])
    return figure


def _add_title(figure: go.Figure, text: str, colours: Sequence[str]) -> None:
    """The title, and next to it a legend of the intensities; without intensities the title alone."""
    font = {"size": 12, "color": palette.MUTED.light}
    entries = palette.intensity_legend(colours)
    if entries:
        figure.add_traces(entries)
        figure.update_layout(
            barmode="overlay",
            legend=palette.KEY | {"title": {"text": text, "font": font, "side": "top"}, "font_size": 11},
            height=HEIGHT_PX + _LEGEND_PX,
            margin_t=figure.layout.margin.t + _LEGEND_PX,
        )
        return
    figure.add_annotation(
        text=text, x=0, y=1, xref="paper", yref="paper",
        xanchor="left", yanchor="bottom", showarrow=False, font=font,
    )  # fmt: skip
