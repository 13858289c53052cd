"""Pool lengths in order: pace as bars by stroke, SWOLF as dots below."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from coachboard.charts import palette

HEIGHT_PX = 250
LOWEST_SHARE = 0.6
"""The axis begins at this share of the slowest length, so that differences of a tenth are visible."""
_STROKES = ("freestyle", "backstroke", "breaststroke", "butterfly", "drill", "mixed", "im")


@dataclass(frozen=True, slots=True)
class LengthBar:
    """A length; its height is speed, so that a rest is low instead of infinitely high."""

    number: int
    stroke: str
    speed_mps: float
    swolf: float
    text: str


def lengths_chart(lengths: Sequence[LengthBar], *, pace_ticks: Sequence[tuple[float, str]]) -> go.Figure:
    """Bars of speed labelled as pace, a legend by stroke, and SWOLF in a panel below."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    for stroke in _strokes(lengths):
        own = _of_stroke(lengths, stroke)
        colour = _colour(stroke)
        common = {
            "x": [length.number for length in own],
            "customdata": [escape(length.text) for length in own],
            "hovertemplate": "%{customdata}<extra></extra>",
            "legendgroup": stroke,
        }
        figure.add_bar(
            **common, y=[length.speed_mps for length in own], name=escape(stroke.capitalize()),
            marker={"color": colour, "line": {"width": 0}}, yaxis="y",
        )  # fmt: skip
        figure.add_scatter(
            **common, y=[length.swolf for length in own], mode="markers", showlegend=False,
            marker={"color": colour, "size": 5}, yaxis="y2",
        )  # fmt: skip
    known = [length.speed_mps for length in lengths if length.speed_mps > 0]
    figure.update_layout(
        bargap=0.15, hovermode="closest", dragmode=False, margin={"t": 30, "b": 34, "l": 46, "r": 12},
        yaxis={"domain": [0.42, 1], "range": [LOWEST_SHARE * min(known, default=0), 1.05 * max(known, default=1)],
               "tickvals": [at for at, _ in pace_ticks], "ticktext": [text for _, text in pace_ticks],
               "fixedrange": True},
        yaxis2={"domain": [0, 0.34], "title": {"text": "SWOLF", "font": {"size": 11, "color": palette.MUTED.light}}, "anchor": "x", "fixedrange": True,
                "gridcolor": palette.GRID.light, "nticks": 4, "tickfont": {"color": palette.MUTED.light}},
    )  # fmt: skip
    figure.update_xaxes(
        title={"text": "Length"}, fixedrange=True, anchor="y2", zeroline=False, rangemode="normal"
    )
    return figure


def bar_at(lengths: Sequence[LengthBar], *, curve: int, point: int) -> int:
    """The index of the clicked length: each stroke has its bars and its dots."""
    own = _of_stroke(lengths, _strokes(lengths)[curve // 2])
    return lengths.index(own[point])


def _strokes(lengths: Sequence[LengthBar]) -> list[str]:
    return sorted({length.stroke for length in lengths}, key=_place)


def _of_stroke(lengths: Sequence[LengthBar], stroke: str) -> list[LengthBar]:
    return [length for length in lengths if length.stroke == stroke]


def _place(stroke: str) -> tuple[int, str]:
    return (_STROKES.index(stroke) if stroke in _STROKES else len(_STROKES), stroke)


def _colour(stroke: str) -> str:
    place = _place(stroke)[0]
    return palette.CATEGORICAL[place % len(palette.CATEGORICAL)].light
