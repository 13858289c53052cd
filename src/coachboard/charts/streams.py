"""Stream panels above each other on one x axis, with laps as bands, targets as outlines, one crosshair."""

from collections.abc import Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from coachboard.charts import palette, panels
from coachboard.charts.clock_axis import Axis, clock_meta, shared_x_axis
from coachboard.charts.panel_marks import (
    PAPER,
    RIBBON,
    WHOLE,
    PartBand,
    TargetRange,
    cursor_line,
    outlines,
    ribbon,
    selection_box,
    tints,
)
from coachboard.charts.panels import OTHER, Panel, PanelPosition
from coachboard.plain_text import plain

PANEL_HEIGHT_PX, PHONE_PANEL_HEIGHT_PX = 95, 160
_BOTTOM_PX, _RIBBON_PX = 26, 14
_TOP_PX, _PHONE_TOP_PX, _PHONE_LEGEND_PX = 30, 4, 48
"""Room above the laps for Plotly's buttons and the legend; a phone shows no buttons and a two-line legend."""
_GAP_PX, _STRIP_PX = 22, 32


def streams_chart(  # noqa: PLR0913 (each argument is a part of the figure)
    stacked: Sequence[Panel],
    *,
    axis: Axis,
    distance_unit: str = "km",
    bands: Sequence[PartBand] = (),
    targets: Sequence[TargetRange] = (),
    selection: tuple[float, float] | None = None,
    cursor: float | None = None,
    other_name: str | None = None,
    panel_px: int = PANEL_HEIGHT_PX,
) -> go.Figure:
    """The panels from top to bottom; a drawn box spans all of them, the cursor marks one moment."""
    is_phone = panel_px > PANEL_HEIGHT_PX
    top_px = _PHONE_TOP_PX + (_PHONE_LEGEND_PX if other_name else 0) if is_phone else _TOP_PX
    places, plot_px = _places(stacked, has_bands=bool(bands), panel_px=panel_px)
    placed = list(zip(stacked, places, strict=True))
    ends = _ends(stacked, axis)
    y_axes: dict[str, Any] = {}
    for panel, place in placed:
        y_axes |= panels.axes(panel, place)
    # Built as lists and validated once: adding traces and shapes one by one takes ten times as long, and updating
    # the layout afterwards five times.
    figure = go.Figure(
        data=[
            *(trace for panel, place in placed for trace in panels.traces(panel, place)),
            *_legend(other_name, stacked),
            *ribbon(bands, is_named=not is_phone),
            *panels.headings(placed, PAPER, WHOLE),
            _cover(ends),
        ],
        layout={
            "shapes": [
                *tints(bands),
                *(line for panel, place in placed for line in panels.averages(panel, place)),
                *outlines(targets, {panel.name: place.axis for panel, place in placed}),
                *cursor_line(cursor),
            ],
            "selections": selection_box(selection),
            "meta": {
                **clock_meta(axis),
                "selection": selection_box((0.0, 0.0))[0],
            },  # style of a selection by keyboard
            "xaxis": shared_x_axis(ends, axis, distance_unit, most_ticks=6 if is_phone else 12),
        }
        | y_axes
        | _frame(1 - _RIBBON_PX / plot_px, top_px=top_px),
    )
    return palette.layout(figure, height=top_px + round(plot_px) + _BOTTOM_PX)


def _places(stacked: Sequence[Panel], *, has_bands: bool, panel_px: int) -> tuple[list[PanelPosition], float]:
    """The position of each panel from the top, and the total height."""
    # Each panel has its name above it: the first name is under the ribbon, or at the top without one.
    tops, top_px = [], float(_RIBBON_PX if has_bands else 0)
    for panel in stacked:
        tops.append(top_px + _GAP_PX)
        top_px += _GAP_PX + panel_px + (_GAP_PX + _STRIP_PX if panel.other is not None else 0)
    plot_px = top_px if stacked else top_px + _GAP_PX + panel_px
    return [_place(number, top, panel_px, plot_px, len(stacked)) for number, top in enumerate(tops)], plot_px


def _place(number: int, top: float, panel_px: int, plot_px: float, count: int) -> PanelPosition:
    bottom, strip = top + panel_px, top + panel_px + _GAP_PX
    return PanelPosition(
        axis="y" if number == 0 else f"y{number + 1}",
        low=max(1 - bottom / plot_px, 0.0),
        high=1 - top / plot_px,
        strip_axis=f"y{count + number + 1}",
        strip_low=max(1 - (strip + _STRIP_PX) / plot_px, 0.0),
        strip_high=max(1 - strip / plot_px, 0.0),
    )


def _ends(stacked: Sequence[Panel], axis: Axis) -> tuple[float, float]:
    axes = [panel.x for panel in stacked if len(panel.x)]
    low = min((float(x[0]) for x in axes), default=0.0)
    high = max((float(x[-1]) for x in axes), default=1.0)
    return low, max(high, low + (1e-3 if axis == "distance" else 1.0))


def _legend(other_name: str | None, stacked: Sequence[Panel]) -> list[dict[str, Any]]:
    """Two legend entries without data, because every panel has both lines."""
    if other_name is None or not stacked:
        return []
    entries = (("This session (in colour)", stacked[0].colour), (escape(plain(other_name)), OTHER))
    return [
        {"type": "scatter", "x": [None], "y": [None], "mode": "lines", "name": name, "showlegend": True,
         "hoverinfo": "skip", "line": {"color": colour, "width": 2}}
        for name, colour in entries
    ]  # fmt: skip


def _cover(ends: tuple[float, float]) -> dict[str, Any]:
    # An empty panel over all others receives the drag, so that the box spans every panel.
    return {"type": "scatter", "x": list(ends), "y": [None, None], "yaxis": WHOLE, "showlegend": False,
            "hoverinfo": "skip"}  # fmt: skip


def _frame(ribbon_from: float, *, top_px: int) -> dict[str, Any]:
    hidden = {"visible": False, "fixedrange": True, "range": [0, 1], "anchor": "x"}
    return {
        f"yaxis{RIBBON[1:]}": {"domain": [ribbon_from, 1], **hidden},
        f"yaxis{WHOLE[1:]}": {"domain": [0, 1], **hidden},
        f"xaxis{PAPER[1:]}": {**hidden, "anchor": WHOLE, "overlaying": "x"},
        "legend": palette.KEY,
        "bargap": 0,
        "barmode": "overlay",
        "dragmode": "select",
        "selectdirection": "h",
        "newselection": {"line": {"color": palette.ACCENT.light, "width": 1, "dash": "solid"}},
        "activeselection": {"fillcolor": palette.ACCENT.light, "opacity": 0.12},
        "margin": {"t": top_px, "b": _BOTTOM_PX, "l": 46, "r": 12},
    }
