"""Marks on a session's panels: laps as bands, targets as outlines, a moment, a selection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from coachboard.charts import palette

WHOLE, RIBBON, PAPER = "y99", "y98", "x2"
"""Names of the axes for the full height, the ribbon and the full width, after those of the panels."""
_MOST_TINTS = 80


@dataclass(frozen=True, slots=True)
class PartBand:
    """A lap, climb or device lap along x."""

    start: float
    end: float
    colour: str
    label: str


@dataclass(frozen=True, slots=True)
class TargetRange:
    """A planned step: its time span and target range, on the named panel."""

    panel: str
    start: float
    end: float
    low: float
    high: float


def ribbon(bands: Sequence[PartBand], *, is_named: bool) -> list[dict[str, Any]]:
    """The bands as a row of bars at the top, with hover labels; named in the legend by their intensity.

    One trace per colour: a label over all panels shows a trace's first pattern for each of its bars.
    """
    names = dict(palette.intensity_names([band.colour for band in bands])) if is_named else {}
    # Above Plotly's 1000: a label over all panels reads the quantities first.
    ranks = {colour: rank for rank, colour in enumerate(names, 1001)}
    return [
        _row([band for band in bands if band.colour == colour])
        | {
            "showlegend": colour in names,
            "name": names.get(colour, ""),
            "legendrank": ranks.get(colour, 1001),
        }
        for colour in dict.fromkeys(band.colour for band in bands)
    ]


def _row(bands: Sequence[PartBand]) -> dict[str, Any]:
    colours = [band.colour for band in bands]
    return {
        "type": "bar", "orientation": "h", "xaxis": "x", "yaxis": RIBBON, "width": 1,
        "x": [band.end - band.start for band in bands],
        "base": [band.start for band in bands],
        "y": [0.5] * len(bands),
        "marker": {"color": colours, "pattern": palette.pattern(colours),
                   "line": {"width": 0.5, "color": palette.SURFACE.light}},
        "customdata": [escape(band.label) for band in bands],
        "hovertemplate": "%{customdata}<extra></extra>",
    }  # fmt: skip


def tints(bands: Sequence[PartBand]) -> list[dict[str, Any]]:
    """The bands as a light tint behind all panels, unless there are too many to distinguish.

    One shape for all bands of a colour: each shape costs the browser nearly a millisecond.
    """
    if len(bands) > _MOST_TINTS:
        return []
    paths: dict[str, str] = {}
    for band in bands:
        paths[band.colour] = paths.get(band.colour, "") + f"M{band.start!r},0V1H{band.end!r}V0Z"
    return [
        {"type": "path", "path": path, "layer": "below", "line": {"width": 0}, "xref": "x", "yref": "paper",
         "fillcolor": palette.translucent(colour, 0.13)}
        for colour, path in paths.items()
    ]  # fmt: skip


def outlines(targets: Sequence[TargetRange], refs: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each target on its panel; `refs` are the y axes by panel."""
    return [
        {
            "type": "rect", "xref": "x", "yref": refs[target.panel], "y0": target.low, "y1": target.high,
            "x0": target.start, "x1": target.end,
            "line": {"color": palette.PLANNED.light, "width": 1.2},
            "fillcolor": palette.translucent(palette.PLANNED.light, 0.16),
        }
        for target in targets
        if target.panel in refs
    ]  # fmt: skip


def cursor_line(cursor: float | None) -> list[dict[str, Any]]:
    """A line through all panels at one moment."""
    if cursor is None:
        return []
    line = {"color": palette.INK.light, "width": 1.5}
    return [{"type": "line", "xref": "x", "yref": "paper", "x0": cursor, "x1": cursor, "y0": 0, "y1": 1,
             "line": line}]  # fmt: skip


def selection_box(selection: tuple[float, float] | None) -> list[dict[str, Any]]:
    """The selected section, framed over all panels."""
    if selection is None:
        return []
    start, end = selection
    line = {"color": palette.ACCENT.light, "width": 2, "dash": "solid"}
    return [
        {"type": "rect", "xref": "x", "yref": WHOLE, "x0": start, "x1": end, "y0": 0, "y1": 1,
         "line": line, "opacity": 0.8},
    ]  # fmt: skip
