"""Shaded days behind a trend that explain it: illness, rest, travel, races."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.plain_text import plain

_TONES = {
    "illness": palette.COMPLIANCE["missed"].tone,
    "injury": palette.COMPLIANCE["missed"].tone,
    "medical": palette.COMPLIANCE["missed"].tone,
    "race": palette.ACCENT,
    "travel": palette.COMPLIANCE["off"].tone,
    "availability": palette.QUANTITIES["speed"],
}
COLOURS = MappingProxyType(
    {
        "illness": "red",
        "injury": "red",
        "medical": "red",
        "race": "teal",
        "travel": "yellow",
        "availability": "blue",
    }
)
"""Names of the tones in the legend sentence; every other kind is grey."""
_FREQUENT = frozenset({"availability", "rest day"})
"""Kinds that are labelled where the other kinds leave room, because they would push those out."""
_DAY, _HALF_DAY = timedelta(days=1), timedelta(hours=12)
_ALPHA = 0.26
_MARGIN_PX = 44
_WORD_PX = 16
"""Height of the row of labels, which is between the chart and its legend."""
_LETTER_SHARE = 0.023
"""Share of a phone chart's width (257 px) that a letter takes: "medical" is 37 px wide, plus a gap of 4 px."""


def add_normal_range(
    figure: go.Figure,
    days: Sequence[date],
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    colour: str,
    **options: Any,
) -> None:
    """The area between both ends of the normal range of each day; further arguments go to both traces."""
    edge = {"x": days, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    area = {"name": "Normal range", "fill": "tonexty", "fillcolor": palette.translucent(colour, 0.14)}
    figure.add_scatter(y=ends[0], **edge | options | {"showlegend": False})
    figure.add_scatter(y=ends[1], **edge | area | {"showlegend": True} | options)


def add_shades(figure: go.Figure, shades: Sequence[Circumstance]) -> go.Figure:
    """Bands over whole days with their kinds as labels; moves the legend up to make room."""
    named = _named(figure, shades)
    if named:
        plot_px = figure.layout.height - _MARGIN_PX - figure.layout.template.layout.margin.b
        figure.update_layout(legend_y=1 + _WORD_PX / plot_px, margin_t=_MARGIN_PX)
    # All at once: each add_vrect visits every axis of the figure, 36 ms per shade.
    figure.layout.shapes = [*figure.layout.shapes, *map(_band, shades)]
    figure.layout.annotations = [*figure.layout.annotations, *(_word(shade, figure) for shade in named)]
    return figure


def _named(figure: go.Figure, shades: Sequence[Circumstance]) -> list[Circumstance]:
    """Shades with room for a label: of two overlapping labels the first; the legend above the charts names all."""
    letter = _letter(figure)
    named: list[Circumstance] = []
    for shade in sorted(shades, key=lambda shade: (shade.kind in _FREQUENT, shade.start)):
        if all(
            abs(shade.start - other.start) >= max(letter * (len(shade.kind) + len(other.kind)) / 2, _DAY)
            for other in named
        ):
            named.append(shade)
    return named


def _letter(figure: go.Figure) -> timedelta:
    """The days that a letter takes."""
    first, last = figure.layout.xaxis.range or (None, None)
    return (last - first) * _LETTER_SHARE if first is not None else timedelta()


def _band(shade: Circumstance) -> dict[str, Any]:
    return day_band(shade.start, shade.end, _TONES.get(shade.kind, palette.MUTED))


def day_band(start: date, end: date, tone: palette.Tone = palette.MUTED) -> dict[str, Any]:
    """A rectangle behind whole days, through all panels."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": datetime.combine(start, time()) - _HALF_DAY,
        "x1": datetime.combine(end, time()) + _HALF_DAY,
        "y0": 0,
        "y1": 1,
        "fillcolor": palette.translucent(tone.light, _ALPHA),
        "line": {"width": 0},
        "layer": "below",
    }


def settling_word(start: date) -> dict[str, Any]:
    """The label of the band over the first weeks of a history."""
    return {
        "x": start.isoformat(), "y": 1, "yref": "paper", "yanchor": "top", "yshift": 0, "xanchor": "left",
        "text": "settling in", "showarrow": False, "font": {"size": 11, "color": palette.MUTED.light},
        "bgcolor": palette.SURFACE.light, "borderpad": 0,
    }  # fmt: skip


def _word(shade: Circumstance, figure: go.Figure) -> dict[str, Any]:
    """In the middle of its first day; at the start of the axis, it would cover the axis' highest value."""
    first = (figure.layout.xaxis.range or (shade.start,))[0]
    into = datetime.combine(shade.start, time()) - datetime.combine(first, time())
    return {
        "x": shade.start,
        "y": 1,
        "yref": "paper",
        "xanchor": "left" if into < _letter(figure) * len(shade.kind) / 2 else "center",
        "yanchor": "bottom",
        "text": escape(plain(shade.kind)),
        "hovertext": escape(plain(shade.title)),
        "showarrow": False,
        "font": {"size": 10, "color": _TONES.get(shade.kind, palette.MUTED).light},
    }
