"""The route on a sheet of its own: true to scale, north up, coloured by a quantity, no map from elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette

Floats = NDArray[np.float64]
HEIGHT_PX = 420
_EARTH_M = 6_371_008.8
_SCALES_M = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """The recorded positions, NaN where there was no fix, and the quantity that colours them."""

    latitude: Floats
    longitude: Floats
    values: Floats
    title: str
    unit: str
    colour: str
    texts: Sequence[str]  # what the pointer reads, one a position
    low: float
    high: float
    ticks: Sequence[tuple[float, str]] = ()


def route_chart(route: Route, *, selected: slice | None = None, imperial: bool = False) -> go.Figure:
    """The line as a chain of dots by value, start and end marked, the selection drawn over it in ink."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    east_m, north_m = plane(route.latitude, route.longitude)
    figure.add_scatter(
        x=_rounded(east_m), y=_rounded(north_m), mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": palette.STALE.light, "width": 2.5},
    )  # fmt: skip
    figure.add_scatter(
        x=_rounded(east_m), y=_rounded(north_m), mode="markers", showlegend=False,
        customdata=list(route.texts), hovertemplate="%{customdata}<extra></extra>",
        marker={"size": 4, "color": route.values.astype(np.float32), "cmin": route.low, "cmax": route.high,
                "colorscale": _ramp(route.colour), "colorbar": _colour_bar(route)},
    )  # fmt: skip
    if selected is not None:
        _add_stretch(figure, east_m[selected], north_m[selected])
    _add_ends(figure, east_m, north_m)
    _add_scale(figure, east_m, north_m, imperial=imperial)
    figure.update_layout(hovermode="closest", dragmode="pan", margin={"t": 8, "b": 8, "l": 8, "r": 8})
    figure.update_xaxes(visible=False, scaleanchor="y", scaleratio=1, constrain="domain")
    figure.update_yaxes(visible=False, constrain="domain")
    return figure


def plane(latitude: Floats, longitude: Floats) -> tuple[Floats, Floats]:
    """Metres east and north of the middle: the flat map that is true to scale within a session's reach."""
    known = np.isfinite(latitude) & np.isfinite(longitude)
    if not known.any():
        return np.full(len(latitude), np.nan), np.full(len(latitude), np.nan)
    # A track over the date line is laid out whole.
    unwrapped = np.full(len(longitude), np.nan)
    unwrapped[known] = np.rad2deg(np.unwrap(np.deg2rad(longitude[known])))
    middle_lat, middle_long = float(np.nanmean(latitude[known])), float(np.nanmean(unwrapped[known]))
    metres = np.deg2rad(1) * _EARTH_M
    east_m = (unwrapped - middle_long) * metres * np.cos(np.deg2rad(middle_lat))
    return east_m, np.where(known, (latitude - middle_lat) * metres, np.nan)


def scale_length_m(width_m: float, *, imperial: bool = False) -> tuple[float, str]:
    """The longest round length that takes up to a quarter of the width, with its name."""
    unit_m, name, small = (1609.344, "mi", 0.3048) if imperial else (1000.0, "km", 1.0)
    if width_m / 4 >= unit_m:
        lengths = [scale / 1000 * unit_m for scale in _SCALES_M if scale >= 1000]
        best = max(length for length in lengths if length <= max(width_m / 4, lengths[0]))
        return best, f"{best / unit_m:g} {name}"
    lengths = [scale * small for scale in _SCALES_M]
    best = max((length for length in lengths if length <= width_m / 4), default=lengths[0])
    return best, f"{best / small:g} {'ft' if imperial else 'm'}"


def _rounded(values: Floats) -> NDArray[np.float32]:
    return np.round(values, 1).astype(np.float32)


def _ramp(colour: str) -> list[list[object]]:
    # One hue from pale to full: the quantity keeps its colour, and the order survives any colour vision.
    return [[0.0, palette.translucent(colour, 0.15)], [1.0, colour]]


def _colour_bar(route: Route) -> dict[str, object]:
    bar: dict[str, object] = {
        "title": {"text": f"{escape(route.title)}, {escape(route.unit)}", "side": "top",
                  "font": {"size": 12, "color": palette.MUTED.light}},
        "thickness": 10, "len": 0.5, "x": 1, "xanchor": "right", "y": 1, "yanchor": "top",
        "tickfont": {"size": 11, "color": palette.MUTED.light}, "nticks": 4, "outlinewidth": 0,
    }  # fmt: skip
    if route.ticks:
        bar |= {"tickvals": [at for at, _ in route.ticks], "ticktext": [text for _, text in route.ticks]}
    return bar


def _add_stretch(figure: go.Figure, east_m: Floats, north_m: Floats) -> None:
    figure.add_scatter(
        x=_rounded(east_m), y=_rounded(north_m), mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": palette.INK.light, "width": 4},
    )  # fmt: skip


def _add_ends(figure: go.Figure, east_m: Floats, north_m: Floats) -> None:
    known = np.flatnonzero(np.isfinite(east_m))
    if not len(known):
        return
    ends = ((known[0], "circle", "Start", "top left"), (known[-1], "square", "End", "bottom right"))
    for at, symbol, name, place in ends:
        figure.add_scatter(
            x=[float(east_m[at])], y=[float(north_m[at])], mode="markers+text", text=[name],
            textposition=place, hoverinfo="skip", showlegend=False,
            textfont={"size": 11, "color": palette.INK.light},
            marker={"size": 9, "symbol": symbol, "color": palette.SURFACE.light,
                    "line": {"width": 2, "color": palette.INK.light}},
        )  # fmt: skip


def _add_scale(figure: go.Figure, east_m: Floats, north_m: Floats, *, imperial: bool) -> None:
    known = np.isfinite(east_m)
    if not known.any():
        return
    left, right = float(east_m[known].min()), float(east_m[known].max())
    bottom, top = float(north_m[known].min()), float(north_m[known].max())
    extent = max(right - left, top - bottom, 1.0)
    length_m, name = scale_length_m(extent, imperial=imperial)
    y = bottom - 0.05 * extent
    figure.add_scatter(
        x=[left, left + length_m], y=[y, y], mode="lines+text", text=["", name], textposition="middle right",
        hoverinfo="skip", showlegend=False, line={"color": palette.INK.light, "width": 2},
        textfont={"size": 11, "color": palette.INK.light},
    )  # fmt: skip
