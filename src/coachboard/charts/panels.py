"""A panel of a session: its line, axis and heading, and a second session's line with the difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from coachboard.charts import palette
from coachboard.charts.clock_axis import Floats

OTHER = palette.translucent(palette.INK.light, 0.62)
"""A second session's line, the same on every panel; this session has the quantity's colour."""
_WIDEST_PCT = 98


@dataclass(frozen=True, slots=True, eq=False)
class Other:
    """The quantity in a second session at the same positions, and the difference."""

    x: Floats
    y: Floats
    difference_x: Floats
    difference: Floats  # in `unit`, this session minus the other
    unit: str
    number: str = "+.0f"
    note: str = ""
    hover: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A quantity: downsampled points in display units, NaN breaks the line."""

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
    hover: Sequence[str] | None = None  # texts if a number format does not suffice, as for pace
    ticks: Sequence[tuple[float, str]] = ()
    is_filled: bool = False
    is_sparse: bool = False  # isolated values, drawn as dots
    other: Other | None = None


@dataclass(frozen=True, slots=True)
class PanelPosition:
    """A panel's y axis and its share of the height, and the same for its difference strip."""

    axis: str
    low: float
    high: float
    strip_axis: str = ""
    strip_low: float = 0.0
    strip_high: float = 0.0


def traces(panel: Panel, place: PanelPosition) -> list[dict[str, Any]]:
    """The session's line over the other's, and the difference if there is one."""
    lines = [*_fills(panel, place), _line(panel, place)]
    if panel.other is None:
        return lines
    return [_other_line(panel, panel.other, place), *lines, _difference(panel.other, place)]


def axes(panel: Panel, place: PanelPosition) -> dict[str, Any]:
    """The layout of the panel's y axes by name."""
    axes_by_name = {_axis_name(place.axis): _y_axis(panel, place)}
    if panel.other is not None:
        axes_by_name[_axis_name(place.strip_axis)] = _strip_axis(panel.other, place)
    return axes_by_name


def headings(placed: Sequence[tuple[Panel, PanelPosition]], x_axis: str, y_axis: str) -> list[dict[str, Any]]:
    """Above each panel the quantity with its unit, and at the right end its average.

    Text traces on axes from 0 to 1: for each annotation, Plotly measures its text and lays out the whole page again.
    One trace per colour, because a drawn selection dims traces without an explicit text colour.
    """
    notes: dict[str, list[tuple[float, float, str, str]]] = {}
    for panel, place in placed:
        for colour, x, y, text, position in _heading(panel, place):
            notes.setdefault(colour, []).append((x, y, text, position))
    return [_texts(colour, own) | {"xaxis": x_axis, "yaxis": y_axis} for colour, own in notes.items()]


def _texts(colour: str, notes: Sequence[tuple[float, float, str, str]]) -> dict[str, Any]:
    x, y, text, position = (list(column) for column in zip(*notes, strict=True))
    return {
        "type": "scatter", "mode": "text", "x": x, "y": y, "text": text, "textposition": position,
        "textfont": {"size": 12, "color": colour}, "unselected": {"textfont": {"color": colour}},
        "cliponaxis": False, "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip


def _heading(panel: Panel, place: PanelPosition) -> list[tuple[str, float, float, str, str]]:
    left, right, muted = "top right", "top left", palette.MUTED.light  # the side to which the text runs
    title = f"<b>{escape(panel.title)}</b>, {escape(panel.unit)}"
    texts = [(panel.colour, 0.0, place.high, title, left)]
    if panel.note:
        texts.append((muted, 1.0, place.high, escape(panel.note), right))
    if panel.other is not None:
        reach = f"this minus other, ± {_reach(panel.other):g} {escape(panel.other.unit)}"
        texts.append((muted, 0.0, place.strip_high, reach, left))
        texts.append((muted, 1.0, place.strip_high, escape(panel.other.note), right))
    return texts


def averages(panel: Panel, place: PanelPosition) -> list[dict[str, Any]]:
    """The dotted line of the average, if it is within the panel's range."""
    if panel.average is None or not panel.low < panel.average < panel.high:
        return []
    line = {"color": panel.colour, "width": 1, "dash": "dot"}
    return [
        {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "yref": place.axis,
         "y0": panel.average, "y1": panel.average, "line": line}
    ]  # fmt: skip


def _line(panel: Panel, place: PanelPosition) -> dict[str, Any]:
    return _bare(panel.x, panel.y, place.axis) | {
        "name": panel.title,
        "mode": "markers" if panel.is_sparse else "lines",
        "line": {"color": panel.colour, "width": 1.3},
        "marker": {"color": panel.colour, "size": 4},
        "customdata": panel.hover,
        "hovertemplate": _hover(panel.title, panel.unit, panel.number, panel.hover),
    }


def _fills(panel: Panel, place: PanelPosition) -> list[dict[str, Any]]:
    """The area under the line, an outline per section: "tozeroy" fills the gaps too."""
    if not panel.is_filled:
        return []
    measured = np.flatnonzero(np.isfinite(panel.y))
    outlines = [
        np.column_stack((
            [*panel.x[own], panel.x[own[-1]], panel.x[own[0]], np.nan],
            [*panel.y[own], panel.low, panel.low, np.nan],
        ))
        for own in np.split(measured, np.flatnonzero(np.diff(measured) > 1) + 1)
        if len(own) > 1
    ]  # fmt: skip
    if not outlines:
        return []
    x, y = np.concatenate(outlines).T
    return [
        _bare(x, y, place.axis)
        | {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "fill": "toself",
           "fillcolor": palette.translucent(panel.colour, 0.18)}
    ]  # fmt: skip


def _other_line(panel: Panel, other: Other, place: PanelPosition) -> dict[str, Any]:
    return _bare(other.x, other.y, place.axis) | {
        "name": "Other session",
        "mode": "markers" if panel.is_sparse else "lines",
        "line": {"color": OTHER, "width": 1.1},
        "marker": {"color": OTHER, "size": 4, "symbol": "circle-open"},
        "customdata": other.hover,
        "hovertemplate": _hover("other", panel.unit, panel.number, other.hover),
    }


def _difference(other: Other, place: PanelPosition) -> dict[str, Any]:
    return _bare(other.difference_x, other.difference, place.strip_axis) | {
        "name": "Difference",
        "mode": "lines",
        "line": {"color": palette.MUTED.light, "width": 0.8},
        "fill": "tozeroy",
        "fillcolor": palette.translucent(palette.MUTED.light, 0.3),
        "hovertemplate": _hover("this minus other", other.unit, other.number, None),
    }


def _bare(x: Floats, y: Floats, ref: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x.astype(np.float32),
        "y": y.astype(np.float32),
        "yaxis": ref,
        "connectgaps": False,
        "showlegend": False,
    }


def _axis_name(ref: str) -> str:
    return "yaxis" + ref[1:]


def _hover(title: str, unit: str, number: str, texts: Sequence[str] | None) -> str:
    value = "%{customdata}" if texts is not None else f"%{{y:{number}}}"
    return f"{escape(title)} <b>{value}</b> {escape(unit)}<extra></extra>"


def _y_axis(panel: Panel, place: PanelPosition) -> dict[str, object]:
    axis = _plain_axis(place.low, place.high) | {"range": [panel.low, panel.high], "nticks": 4}
    if panel.ticks:
        axis |= {"tickvals": [tick for tick, _ in panel.ticks], "ticktext": [text for _, text in panel.ticks]}
    return axis


def _strip_axis(other: Other, place: PanelPosition) -> dict[str, object]:
    reach = _reach(other)
    # Symmetric around zero; the strip is too low for more ticks, so its heading names its ends.
    return _plain_axis(place.strip_low, place.strip_high) | {
        "range": [-reach, reach],
        "tickvals": [0],
        "zeroline": True,
        "zerolinecolor": palette.MUTED.light,
    }


def _reach(other: Other) -> float:
    """A round number above nearly all differences."""
    differences = np.abs(other.difference[np.isfinite(other.difference)])
    most = float(np.percentile(differences, _WIDEST_PCT)) if len(differences) else 0.0
    if most <= 0:
        return 1.0
    step = 10.0 ** np.floor(np.log10(most))
    return float(next(step * round_up for round_up in (1, 2, 5, 10) if step * round_up >= most))


def _plain_axis(low: float, high: float) -> dict[str, object]:
    return {
        "domain": (low, high),
        "fixedrange": True,
        "gridcolor": palette.GRID.light,
        "tickfont": {"color": palette.MUTED.light, "size": 11},
        "zeroline": False,
        "separatethousands": True,
        # Fixed margins: computing them costs the browser a second drawing of all axes.
        "automargin": False,
        "anchor": "x",
    }
