"""Effort over time: panels stacked over one x axis, with laps as bands, targets as outlines, one crosshair."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

Axis = Literal["elapsed", "moving", "distance"]
Floats = NDArray[np.float64]

AXIS_TITLES: dict[Axis, str] = {
    "elapsed": "Elapsed time",
    "moving": "Moving time",
    "distance": "Distance",
}
PANEL_HEIGHT_PX, PHONE_PANEL_HEIGHT_PX = 95, 160
_TOP_PX, _BOTTOM_PX, _RIBBON_PX = 4, 26, 14
_GAP_PX = 22
_HOUR_S, _DAY_S = 3_600, 86_400
_MOST_TINTS = 80
_WHOLE = "y99"


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One quantity: reduced points in the units shown, NaN where the line breaks."""

    name: str
    title: str
    unit: str
    colour: str
    x: Floats  # s, or km / mi over distance
    y: Floats
    low: float
    high: float
    note: str = ""
    average: float | None = None
    number: str = ".0f"
    hover: Sequence[str] | None = None  # texts where a number format will not do, such as pace
    ticks: Sequence[tuple[float, str]] = ()
    is_filled: bool = False
    is_sparse: bool = False  # single values, drawn as dots


@dataclass(frozen=True, slots=True)
class Band:
    """A lap, climb or device lap along x."""

    start: float
    end: float
    colour: str
    label: str


@dataclass(frozen=True, slots=True)
class Target:
    """A planned step: where it lies along x and the range asked for, on the panel of that name."""

    panel: str
    start: float
    end: float
    low: float
    high: float


Placed: TypeAlias = tuple[Panel, str, tuple[float, float]]


def streams_chart(  # noqa: PLR0913 (what a figure shows is its own list)
    panels: Sequence[Panel],
    *,
    axis: Axis,
    distance_unit: str = "km",
    bands: Sequence[Band] = (),
    targets: Sequence[Target] = (),
    selection: tuple[float, float] | None = None,
    cursor: float | None = None,
    panel_px: int = PANEL_HEIGHT_PX,
) -> go.Figure:
    """The panels from top to bottom; a box drawn anywhere spans all of them, the cursor marks one moment."""
    height = _height(len(panels), has_bands=bool(bands), panel_px=panel_px)
    plot_px = height - _TOP_PX - _BOTTOM_PX
    domains = _domains(len(panels), plot_px=plot_px, has_bands=bool(bands))
    placed = list(zip(panels, _refs(len(panels)), domains, strict=True))
    ends = _ends(panels, axis)
    # Built as lists and checked once: adding traces and shapes one by one costs ten times as much.
    figure = go.Figure(
        data=[_trace(panel, ref, axis) for panel, ref, _ in placed] + _ribbon(bands, axis) + [_cover(ends)],
        layout={
            "shapes": [
                *_tints(bands, axis),
                *_averages(placed),
                *_outlines(targets, placed, axis),
                *_cursor(cursor, axis),
            ],
            "annotations": [note for panel, _, domain in placed for note in _headings(panel, domain[1])],
            "selections": _selections(selection, axis),
        },
    )
    palette.layout(figure, height=height)
    figure.update_layout(
        {_axis_name(ref): _y_axis(panel, domain) for panel, ref, domain in placed}
        | {"xaxis": _x_axis(ends, axis, distance_unit)}
        | _frame(1 - _RIBBON_PX / plot_px)
    )
    return figure


_NO_YEAR_MS = 0.25
"""Plotly reads a bare 9000 on a date axis as the year 9000; with a fraction it is a number of milliseconds."""


def axis_values(x: Floats, axis: Axis) -> NDArray[np.float32]:
    """Seconds as the milliseconds of a date axis, which picks round ticks; distances as they are."""
    return (x if axis == "distance" else x * 1000 + _NO_YEAR_MS).astype(np.float32)


def axis_value(x: float, axis: Axis) -> float:
    """One place along x in the figure's own measure."""
    return x if axis == "distance" else x * 1000 + _NO_YEAR_MS


def _height(count: int, *, has_bands: bool, panel_px: int) -> int:
    # Each panel has its name above it: the first one's stands beneath the ribbon, or at the top without one.
    ribbon = _RIBBON_PX if has_bands else 0
    return _TOP_PX + _BOTTOM_PX + ribbon + max(count, 1) * (panel_px + _GAP_PX)


def _domains(count: int, *, plot_px: int, has_bands: bool) -> list[tuple[float, float]]:
    gap = _GAP_PX / plot_px
    top = 1 - (_RIBBON_PX if has_bands else 0) / plot_px - gap
    each = (top - gap * (count - 1)) / max(count, 1)
    return [(max(top - i * (each + gap) - each, 0.0), top - i * (each + gap)) for i in range(count)]


def _refs(count: int) -> list[str]:
    return ["y" if i == 0 else f"y{i + 1}" for i in range(count)]


def _ends(panels: Sequence[Panel], axis: Axis) -> tuple[float, float]:
    known = [panel.x for panel in panels if len(panel.x)]
    low = min((float(x[0]) for x in known), default=0.0)
    high = max((float(x[-1]) for x in known), default=1.0)
    return axis_value(low, axis), axis_value(max(high, low + 1e-3), axis)


def _trace(panel: Panel, ref: str, axis: Axis) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": axis_values(panel.x, axis),
        "y": panel.y.astype(np.float32),
        "yaxis": ref,
        "name": panel.title,
        "mode": "markers" if panel.is_sparse else "lines",
        "line": {"color": panel.colour, "width": 1.3},
        "marker": {"color": panel.colour, "size": 4},
        "fill": "tozeroy" if panel.is_filled else "none",
        "fillcolor": palette.translucent(panel.colour, 0.18),
        "connectgaps": False,
        "showlegend": False,
        "customdata": panel.hover,
        "hovertemplate": _hover(panel),
    }


def _averages(placed: Sequence[Placed]) -> list[dict[str, Any]]:
    return [
        {
            "type": "line", "x0": 0, "x1": 1, "xref": "x domain", "yref": ref,
            "y0": panel.average, "y1": panel.average,
            "line": {"color": panel.colour, "width": 1, "dash": "dot"},
        }
        for panel, ref, _ in placed
        if panel.average is not None and panel.low < panel.average < panel.high
    ]  # fmt: skip


def _axis_name(ref: str) -> str:
    return "yaxis" + ref[1:]


def _hover(panel: Panel) -> str:
    value = "%{customdata}" if panel.hover is not None else f"%{{y:{panel.number}}}"
    return f"{escape(panel.title)} <b>{value}</b> {escape(panel.unit)}<extra></extra>"


def _y_axis(panel: Panel, domain: tuple[float, float]) -> dict[str, object]:
    axis: dict[str, object] = {
        "domain": domain,
        "range": [panel.low, panel.high],
        "fixedrange": True,
        "gridcolor": palette.GRID.light,
        "tickfont": {"color": palette.MUTED.light, "size": 11},
        "nticks": 4,
        "zeroline": False,
        "anchor": "x",
    }
    if panel.ticks:
        axis |= {"tickvals": [at for at, _ in panel.ticks], "ticktext": [text for _, text in panel.ticks]}
    return axis


def _headings(panel: Panel, top: float) -> list[dict[str, Any]]:
    texts = [(0.0, "left", f"<b>{escape(panel.title)}</b>, {escape(panel.unit)}", panel.colour)]
    texts += [(1.0, "right", escape(panel.note), palette.MUTED.light)] if panel.note else []
    return [
        {
            "text": text, "x": x, "xref": "paper", "xanchor": anchor, "y": top, "yref": "paper",
            "yanchor": "bottom", "showarrow": False, "font": {"size": 12, "color": colour}, "borderpad": 1,
        }
        for x, anchor, text, colour in texts
    ]  # fmt: skip


def _ribbon(bands: Sequence[Band], axis: Axis) -> list[dict[str, Any]]:
    if not bands:
        return []
    bar = {
        "type": "bar", "orientation": "h", "xaxis": "x", "yaxis": "y98", "showlegend": False, "width": 1,
        "x": [axis_value(band.end - band.start, axis) for band in bands],
        "base": [axis_value(band.start, axis) for band in bands],
        "y": [0.5] * len(bands),
        "marker": {"color": [band.colour for band in bands],
                   "line": {"width": 0.5, "color": palette.SURFACE.light}},
        "customdata": [escape(band.label) for band in bands],
        "hovertemplate": "%{customdata}<extra></extra>",
    }  # fmt: skip
    return [bar]


def _tints(bands: Sequence[Band], axis: Axis) -> list[dict[str, Any]]:
    return [
        {
            "type": "rect", "layer": "below", "line": {"width": 0}, "xref": "x", "yref": "paper",
            "fillcolor": palette.translucent(band.colour, 0.13), "y0": 0, "y1": 1,
            "x0": axis_value(band.start, axis), "x1": axis_value(band.end, axis),
        }
        for band in bands
        if len(bands) <= _MOST_TINTS
    ]  # fmt: skip


def _outlines(targets: Sequence[Target], placed: Sequence[Placed], axis: Axis) -> list[dict[str, Any]]:
    refs = {panel.name: ref for panel, ref, _ in placed}
    return [
        {
            "type": "rect", "xref": "x", "yref": refs[target.panel], "y0": target.low, "y1": target.high,
            "x0": axis_value(target.start, axis), "x1": axis_value(target.end, axis),
            "line": {"color": palette.PLANNED.light, "width": 1.2},
            "fillcolor": palette.translucent(palette.PLANNED.light, 0.16),
        }
        for target in targets
        if target.panel in refs
    ]  # fmt: skip


def _cursor(cursor: float | None, axis: Axis) -> list[dict[str, Any]]:
    if cursor is None:
        return []
    x = axis_value(cursor, axis)
    line = {"color": palette.INK.light, "width": 1.5}
    return [{"type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}]


def _x_axis(ends: tuple[float, float], axis: Axis, distance_unit: str) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "range": list(ends),
        "anchor": "free",
        "position": 0,
        "showspikes": True,
        "spikemode": "across",
        "spikesnap": "cursor",
        "spikethickness": 1,
        "spikedash": "solid",
        "spikecolor": palette.MUTED.light,
        "nticks": 12,
    }
    if axis == "distance":
        return settings | {"ticksuffix": f" {distance_unit}", "hoverformat": ".2f"}
    return settings | {"type": "date"} | _clock_formats(ends[1] / 1000)


def _clock_formats(longest_s: float) -> dict[str, object]:
    """Minutes and seconds below an hour, hours and minutes above, days where a session has several."""
    if longest_s < _HOUR_S:
        return {"tickformat": "%-M:%S", "hoverformat": "%-M:%S"}
    day = "day %-d, " if longest_s >= _DAY_S else ""
    return {
        "hoverformat": f"{day}%-H:%M:%S",
        "tickformatstops": [
            {"dtickrange": [None, 59_999], "value": f"{day}%-H:%M:%S"},
            {"dtickrange": [60_000, None], "value": f"{day}%-H:%M"},
        ],
    }


def _cover(ends: tuple[float, float]) -> dict[str, Any]:
    # An empty panel over all the others takes the drag, so that the box spans every panel, not one.
    return {"type": "scatter", "x": list(ends), "y": [None, None], "yaxis": _WHOLE, "showlegend": False,
            "hoverinfo": "skip"}  # fmt: skip


def _frame(ribbon_from: float) -> dict[str, Any]:
    hidden = {"visible": False, "fixedrange": True, "range": [0, 1], "anchor": "x"}
    return {
        "yaxis98": {"domain": [ribbon_from, 1], **hidden},
        "yaxis99": {"domain": [0, 1], **hidden},
        "bargap": 0,
        "barmode": "overlay",
        "dragmode": "select",
        "selectdirection": "h",
        "newselection": {"line": {"color": palette.ACCENT.light, "width": 1, "dash": "solid"}},
        "activeselection": {"fillcolor": palette.ACCENT.light, "opacity": 0.12},
        "margin": {"t": _TOP_PX, "b": _BOTTOM_PX, "l": 46, "r": 12},
    }


def _selections(selection: tuple[float, float] | None, axis: Axis) -> list[dict[str, Any]]:
    if selection is None:
        return []
    start, end = (axis_value(x, axis) for x in selection)
    line = {"color": palette.ACCENT.light, "width": 2, "dash": "solid"}
    return [
        {"type": "rect", "xref": "x", "yref": _WHOLE, "x0": start, "x1": end, "y0": 0, "y1": 1,
         "line": line, "opacity": 0.8},
    ]  # fmt: skip
