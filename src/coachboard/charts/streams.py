"""Effort over time: panels stacked over one x axis, with laps as bands, targets as outlines, one crosshair."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

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
PANEL_HEIGHT_PX = 104
_TOP_PX, _BOTTOM_PX, _RIBBON_PX = 22, 34, 16
_GAP_PX = 24
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


def streams_chart(
    panels: Sequence[Panel],
    *,
    axis: Axis,
    distance_unit: str = "km",
    bands: Sequence[Band] = (),
    targets: Sequence[Target] = (),
    selection: tuple[float, float] | None = None,
) -> go.Figure:
    """The panels from top to bottom; a box drawn anywhere spans all of them."""
    height = _height(len(panels), has_bands=bool(bands))
    figure = palette.layout(go.Figure(), height=height)
    plot_px = height - _TOP_PX - _BOTTOM_PX
    domains = _domains(len(panels), plot_px=plot_px, has_bands=bool(bands))
    for number, (panel, domain) in enumerate(zip(panels, domains, strict=True), start=1):
        _add_panel(figure, panel, number=number, domain=domain, axis=axis)
    _add_bands(figure, bands, axis=axis, top=1 - _RIBBON_PX / plot_px)
    _add_targets(figure, targets, panels=panels, axis=axis)
    _set_x(figure, panels, axis=axis, distance_unit=distance_unit)
    _set_dragging(figure, selection, axis=axis)
    return figure


_NO_YEAR_MS = 0.25
"""Plotly reads a bare 9000 on a date axis as the year 9000; with a fraction it is a number of milliseconds."""


def axis_values(x: Floats, axis: Axis) -> NDArray[np.float32]:
    """Seconds as the milliseconds of a date axis, which picks round ticks; distances as they are."""
    return (x if axis == "distance" else x * 1000 + _NO_YEAR_MS).astype(np.float32)


def axis_value(x: float, axis: Axis) -> float:
    """One place along x in the figure's own measure."""
    return x if axis == "distance" else x * 1000 + _NO_YEAR_MS


def _height(count: int, *, has_bands: bool) -> int:
    ribbon = _RIBBON_PX + 4 if has_bands else 0
    return _TOP_PX + _BOTTOM_PX + ribbon + max(count, 1) * PANEL_HEIGHT_PX + max(count - 1, 0) * _GAP_PX


def _domains(count: int, *, plot_px: int, has_bands: bool) -> list[tuple[float, float]]:
    top = 1 - (_RIBBON_PX + 20) / plot_px if has_bands else 1.0
    gap = _GAP_PX / plot_px
    each = (top - gap * (count - 1)) / max(count, 1)
    return [(max(top - i * (each + gap) - each, 0.0), top - i * (each + gap)) for i in range(count)]


def _add_panel(
    figure: go.Figure, panel: Panel, *, number: int, domain: tuple[float, float], axis: Axis
) -> None:
    ref = "y" if number == 1 else f"y{number}"
    figure.add_scatter(
        x=axis_values(panel.x, axis),
        y=panel.y.astype(np.float32),
        yaxis=ref,
        name=panel.title,
        mode="markers" if panel.is_sparse else "lines",
        line={"color": panel.colour, "width": 1.3},
        marker={"color": panel.colour, "size": 4},
        fill="tozeroy" if panel.is_filled else None,
        fillcolor=palette.translucent(panel.colour, 0.18),
        connectgaps=False,
        showlegend=False,
        customdata=panel.hover,
        hovertemplate=_hover(panel),
    )
    figure.update_layout({_axis_name(ref): _y_axis(panel, domain)})
    _add_heading(figure, panel, top=domain[1])
    if panel.average is not None and panel.low < panel.average < panel.high:
        figure.add_shape(
            type="line",
            x0=0, x1=1, xref="x domain", y0=panel.average, y1=panel.average, yref=ref,
            line={"color": panel.colour, "width": 1, "dash": "dot"},
        )  # fmt: skip


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


def _add_heading(figure: go.Figure, panel: Panel, *, top: float) -> None:
    texts = [(0.0, "left", f"<b>{escape(panel.title)}</b>, {escape(panel.unit)}", panel.colour)]
    texts += [(1.0, "right", escape(panel.note), palette.MUTED.light)] if panel.note else []
    for x, anchor, text, colour in texts:
        figure.add_annotation(
            text=text, x=x, xref="paper", xanchor=anchor, y=top, yref="paper", yanchor="bottom",
            showarrow=False, font={"size": 12, "color": colour}, borderpad=1,
        )  # fmt: skip


def _add_bands(figure: go.Figure, bands: Sequence[Band], *, axis: Axis, top: float) -> None:
    if not bands:
        return
    starts = [axis_value(band.start, axis) for band in bands]
    widths = [axis_value(band.end - band.start, axis) for band in bands]
    figure.add_bar(
        x=widths, base=starts, y=[0.5] * len(bands), width=1, orientation="h",
        xaxis="x", yaxis="y98", showlegend=False,
        marker={"color": [band.colour for band in bands],
                "line": {"width": 0.5, "color": palette.SURFACE.light}},
        customdata=[escape(band.label) for band in bands],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        yaxis98={"domain": [top, 1], "visible": False, "fixedrange": True, "range": [0, 1], "anchor": "x"},
        bargap=0,
        barmode="overlay",
    )
    for band in bands if len(bands) <= _MOST_TINTS else ():
        figure.add_shape(
            type="rect", layer="below", line={"width": 0}, fillcolor=palette.translucent(band.colour, 0.13),
            x0=axis_value(band.start, axis), x1=axis_value(band.end, axis), xref="x",
            y0=0, y1=1, yref="paper",
        )  # fmt: skip


def _add_targets(
    figure: go.Figure, targets: Sequence[Target], *, panels: Sequence[Panel], axis: Axis
) -> None:
    refs = {panel.name: "y" if i == 0 else f"y{i + 1}" for i, panel in enumerate(panels)}
    for target in targets:
        if target.panel not in refs:
            continue
        figure.add_shape(
            type="rect", xref="x", yref=refs[target.panel],
            x0=axis_value(target.start, axis), x1=axis_value(target.end, axis),
            y0=target.low, y1=target.high,
            line={"color": palette.PLANNED.light, "width": 1.2},
            fillcolor=palette.translucent(palette.PLANNED.light, 0.16),
        )  # fmt: skip


def _set_x(figure: go.Figure, panels: Sequence[Panel], *, axis: Axis, distance_unit: str) -> None:
    known = [panel.x for panel in panels if len(panel.x)]
    low = min((float(x[0]) for x in known), default=0.0)
    high = max((float(x[-1]) for x in known), default=1.0)
    settings: dict[str, object] = {
        "range": [axis_value(low, axis), axis_value(max(high, low + 1e-3), axis)],
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
        settings |= {"ticksuffix": f" {distance_unit}", "hoverformat": ".2f"}
    else:
        settings |= {"type": "date"} | _clock_formats(high)
    figure.update_xaxes(**settings)


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


def _set_dragging(figure: go.Figure, selection: tuple[float, float] | None, *, axis: Axis) -> None:
    # An empty panel over all the others takes the drag, so that the box spans every panel, not one.
    ends = figure.layout.xaxis.range
    figure.add_scatter(x=ends, y=[None, None], yaxis=_WHOLE, showlegend=False, hoverinfo="skip")
    figure.update_layout(
        yaxis99={"domain": [0, 1], "visible": False, "fixedrange": True, "range": [0, 1], "anchor": "x"},
        dragmode="select",
        selectdirection="h",
        newselection={"line": {"color": palette.ACCENT.light, "width": 1, "dash": "solid"}},
        activeselection={"fillcolor": palette.ACCENT.light, "opacity": 0.12},
        margin={"t": _TOP_PX, "b": _BOTTOM_PX, "l": 46, "r": 12},
    )  # fmt: skip
    if selection is not None:
        start, end = (axis_value(x, axis) for x in selection)
        figure.add_selection(
            type="rect", xref="x", yref=_WHOLE, x0=start, x1=end, y0=0, y1=1,
            line={"color": palette.ACCENT.light, "width": 2, "dash": "solid"}, opacity=0.8,
        )  # fmt: skip
