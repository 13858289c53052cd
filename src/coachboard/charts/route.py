"""The route on a flat map: true to scale, north up, coloured by a quantity; map tiles only if configured."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import asinh, atan, degrees, floor, pi, radians, sinh, tan
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.imperial import M_PER_FOOT, M_PER_MILE

_MOST_TILES = 20
_FINEST = 17


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of the XYZ scheme with its corners in degrees."""

    zoom: int
    column: int
    row: int

    def address(self, template: str) -> str:
        """The tile's URL from `https://host/{z}/{x}/{y}.png`."""
        x = self.column % 2**self.zoom
        return template.replace("{z}", str(self.zoom)).replace("{x}", str(x)).replace("{y}", str(self.row))

    @property
    def north_west(self) -> tuple[float, float]:
        """Latitude and longitude of the upper left corner."""
        return _latitude(self.row, self.zoom), self.column / 2**self.zoom * 360 - 180

    @property
    def south_east(self) -> tuple[float, float]:
        return Tile(self.zoom, self.column + 1, self.row + 1).north_west


def tiles_over(south: float, west: float, north: float, east: float) -> list[Tile]:
    """The finest tiles that cover an area with at most twenty images."""
    for zoom in range(_FINEST, -1, -1):
        left, top = _place(north, west, zoom)
        right, bottom = _place(south, east, zoom)
        if (right - left + 1) * (bottom - top + 1) <= _MOST_TILES:
            return [
                Tile(zoom, column, row) for row in range(top, bottom + 1) for column in range(left, right + 1)
            ]
    return []


def mercator(latitude: float) -> float:
    """The Mercator y coordinate of a latitude, in radians."""
    return asinh(tan(radians(latitude)))


def _place(latitude: float, longitude: float, zoom: int) -> tuple[int, int]:
    count = 2**zoom
    column = floor((longitude + 180) / 360 * count)
    row = floor((1 - mercator(latitude) / pi) / 2 * count)
    return column, min(max(row, 0), count - 1)


def _latitude(row: int, zoom: int) -> float:
    return degrees(atan(sinh(pi * (1 - 2 * row / 2**zoom))))


Floats = NDArray[np.float64]
HEIGHT_PX = 440
_BELOW = 0.11
"""Position of the scale bar, in extents below the route: below the labels of a low end."""
_ROOM = 0.08
_CREDIT_LINE = 44
"""Characters of a line of the credit, which fits a phone."""
_EARTH_M = 6_371_008.8
_SCALES_M = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """The recorded positions, NaN without a fix, and the quantity that colours them."""

    latitude: Floats
    longitude: Floats
    values: Floats
    title: str
    unit: str
    colour: str
    texts: Sequence[str]  # hover text of each position
    low: float
    high: float
    ticks: Sequence[tuple[float, str]] = ()


def route_chart(
    route: Route,
    *,
    selected: slice | None = None,
    marked: int | None = None,
    imperial: bool = False,
    tile_url: str | None = None,
    tile_credit: str = "",
) -> go.Figure:
    """The route as dots coloured by value, with start, end and the selection.

    The dots come first among the clickable traces, so that a click returns the index of a position.
    """
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    sheet = Sheet.of(route.latitude, route.longitude)
    east_m, north_m = sheet.plane(route.latitude, route.longitude)
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
    if marked is not None:
        _add_mark(figure, east_m[marked], north_m[marked])
    _add_scale(figure, east_m, north_m, imperial=imperial)
    if tile_url:
        figure.update_layout(images=_pictures(route, sheet, tile_url))
        _add_credit(figure, tile_credit)
    figure.update_layout(hovermode="closest", dragmode="pan", margin={"t": 8, "b": 52, "l": 8, "r": 8})
    figure.update_xaxes(
        visible=False, scaleanchor="y", scaleratio=1, constrain="domain", range=_padded(east_m, north_m)
    )
    figure.update_yaxes(visible=False, constrain="domain")
    return figure


def _padded(east_m: Floats, north_m: Floats) -> list[float] | None:
    """Room on both sides for the labels at start and end, which Plotly's automatic range cuts off."""
    has_position = np.isfinite(east_m)
    if not has_position.any():
        return None
    room = max(
        _ROOM * float(np.ptp(east_m[has_position])), _ROOM / 2 * float(np.ptp(north_m[has_position])), 1.0
    )
    return [float(east_m[has_position].min()) - room, float(east_m[has_position].max()) + room]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A flat map around the middle of a route: preserves angles, and lengths within a session's reach."""

    latitude: float
    longitude: float

    @classmethod
    def of(cls, latitude: Floats, longitude: Floats) -> "Sheet":
        """The sheet around the middle of the known positions."""
        has_position = np.isfinite(latitude) & np.isfinite(longitude)
        if not has_position.any():
            return cls(0.0, 0.0)
        return cls(float(latitude[has_position].mean()), float(_unwrapped(longitude)[has_position].mean()))

    def plane(self, latitude: Floats, longitude: Floats) -> tuple[Floats, Floats]:
        """Metres east and north of the middle; NaN without a position."""
        missing = np.where(np.isfinite(latitude) & np.isfinite(longitude), 0.0, np.nan)
        scale = _EARTH_M * np.cos(np.deg2rad(self.latitude))
        height = np.arcsinh(np.tan(np.deg2rad(latitude))) - mercator(self.latitude)
        return scale * np.deg2rad(_unwrapped(longitude) - self.longitude) + missing, scale * height + missing


def _unwrapped(longitude: Floats) -> Floats:
    # Keeps a track across the date line in one piece.
    has_position = np.isfinite(longitude)
    whole = np.full(len(longitude), np.nan)
    whole[has_position] = np.rad2deg(np.unwrap(np.deg2rad(longitude[has_position])))
    return whole


def scale_length_m(width_m: float, *, imperial: bool = False) -> tuple[float, str]:
    """The longest round length up to a quarter of the width, with its label."""
    unit_m, name, small = (M_PER_MILE, "mi", M_PER_FOOT) if imperial else (1000.0, "km", 1.0)
    if width_m / 4 >= unit_m:
        lengths = [scale / 1000 * unit_m for scale in _SCALES_M if scale >= 1000]
        best = max(length for length in lengths if length <= max(width_m / 4, lengths[0]))
        return best, f"{best / unit_m:g} {name}"
    lengths = [scale * small for scale in _SCALES_M]
    best = max((length for length in lengths if length <= width_m / 4), default=lengths[0])
    return best, f"{best / small:g} {'ft' if imperial else 'm'}"


def _pictures(route: Route, sheet: Sheet, tile_url: str) -> list[dict[str, object]]:
    has_position = np.isfinite(route.latitude) & np.isfinite(route.longitude)
    if not has_position.any():
        return []
    latitude, longitude = route.latitude[has_position], _unwrapped(route.longitude)[has_position]
    ends = latitude.min(), longitude.min(), latitude.max(), longitude.max()
    return [_picture(tile, sheet, tile_url) for tile in tiles_over(*(float(end) for end in ends))]


def _picture(tile: Tile, sheet: Sheet, tile_url: str) -> dict[str, object]:
    corners = np.array([tile.north_west, tile.south_east])
    (left, right), (top, bottom) = (side.tolist() for side in sheet.plane(corners[:, 0], corners[:, 1]))
    return {"source": tile.address(tile_url), "xref": "x", "yref": "y", "x": left, "y": top,
            "sizex": right - left, "sizey": top - bottom, "sizing": "stretch", "layer": "below"}  # fmt: skip


def _add_credit(figure: go.Figure, text: str) -> None:
    """The owner of the tiles, inside the picture: files of it need the credit too."""
    lines = textwrap.wrap(text, _CREDIT_LINE)
    figure.add_annotation(
        text="<br>".join(escape(line) for line in lines), showarrow=False, align="right",
        xref="paper", yref="paper", x=1, y=1, xanchor="right", yanchor="top", borderpad=2,
        font={"size": 11, "color": palette.INK.light}, bgcolor=palette.SURFACE.light, opacity=0.85,
    )  # fmt: skip


def _rounded(values: Floats) -> NDArray[np.float32]:
    return np.round(values, 1).astype(np.float32)


def _ramp(colour: str) -> list[list[object]]:
    # One hue from pale to full: keeps the quantity's colour, and its order is visible with any colour vision.
    return [[0.0, palette.translucent(colour, 0.15)], [1.0, colour]]


def _colour_bar(route: Route) -> dict[str, object]:
    bar: dict[str, object] = {
        "title": {"text": f"{escape(route.title)}, {escape(route.unit)}", "side": "top",
                  "font": {"size": 12, "color": palette.MUTED.light}},
        "orientation": "h", "thickness": 8, "len": 0.6, "x": 1, "xanchor": "right", "y": 0, "yanchor": "top",
        "tickfont": {"size": 11, "color": palette.MUTED.light}, "nticks": 4, "outlinewidth": 0,
    }  # fmt: skip
    if route.ticks:
        bar |= {"tickvals": [tick for tick, _ in route.ticks], "ticktext": [text for _, text in route.ticks]}
    return bar


def _add_stretch(figure: go.Figure, east_m: Floats, north_m: Floats) -> None:
    figure.add_scatter(
        x=_rounded(east_m), y=_rounded(north_m), mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": palette.INK.light, "width": 4},
    )  # fmt: skip
    fixes = np.flatnonzero(np.isfinite(east_m))
    if len(fixes):
        ends = fixes[[0, -1]]
        figure.add_scatter(
            x=_rounded(east_m[ends]), y=_rounded(north_m[ends]), mode="markers+text", text=["From", "To"],
            textposition=["top center", "bottom center"], hoverinfo="skip", showlegend=False,
            textfont={"size": 11, "color": palette.ACCENT.light},
            marker={"size": 10, "symbol": ["triangle-right", "triangle-left"], "color": palette.ACCENT.light,
                    "line": {"width": 1.5, "color": palette.SURFACE.light}},
        )  # fmt: skip


def _add_mark(figure: go.Figure, east_m: float, north_m: float) -> None:
    figure.add_scatter(
        x=[float(east_m)], y=[float(north_m)], mode="markers", hoverinfo="skip", showlegend=False,
        marker={"size": 13, "symbol": "circle-cross-open", "color": palette.INK.light, "line": {"width": 2}},
    )  # fmt: skip


_LABEL_ROOM = MappingProxyType(
    {
        "top center": ((-0.06, 0.06), (0.01, 0.07)),
        "bottom center": ((-0.06, 0.06), (-0.07, -0.01)),
        "middle right": ((0.01, 0.13), (-0.03, 0.03)),
        "middle left": ((-0.13, -0.01), (-0.03, 0.03)),
    }
)
"""Where each label is, east and north of its mark, in extents of the route."""


def _positions_under(side: str, east_m: Floats, north_m: Floats, *, mark: tuple[float, float]) -> int:
    """How much of the route a label on this side of a mark would cover."""
    extent = max(float(np.ptp(east_m)), float(np.ptp(north_m)), 1.0)
    (left, right), (low, high) = _LABEL_ROOM[side]
    east, north = (east_m - mark[0]) / extent, (north_m - mark[1]) / extent
    return int(((east >= left) & (east <= right) & (north >= low) & (north <= high)).sum())


def _add_ends(figure: go.Figure, east_m: Floats, north_m: Floats) -> None:
    fixes = np.flatnonzero(np.isfinite(east_m))
    if not len(fixes):
        return
    places = list(_LABEL_ROOM)
    for fix, symbol, name in ((fixes[0], "circle", "Start"), (fixes[-1], "square", "End")):
        place = min(
            places,
            key=lambda side: _positions_under(
                side, east_m[fixes], north_m[fixes], mark=(east_m[fix], north_m[fix])
            ),
        )
        places.remove(place)  # start and end of a lap are one place
        figure.add_scatter(
            x=[float(east_m[fix])], y=[float(north_m[fix])], mode="markers+text", text=[name],
            textposition=place, hoverinfo="skip", showlegend=False, cliponaxis=False,
            textfont={"size": 11, "color": palette.INK.light},
            marker={"size": 9, "symbol": symbol, "color": palette.SURFACE.light,
                    "line": {"width": 2, "color": palette.INK.light}},
        )  # fmt: skip


def _add_scale(figure: go.Figure, east_m: Floats, north_m: Floats, *, imperial: bool) -> None:
    has_position = np.isfinite(east_m)
    if not has_position.any():
        return
    left, right = float(east_m[has_position].min()), float(east_m[has_position].max())
    bottom, top = float(north_m[has_position].min()), float(north_m[has_position].max())
    extent = max(right - left, top - bottom, 1.0)
    length_m, name = scale_length_m(extent, imperial=imperial)
    y = bottom - _BELOW * extent
    figure.add_scatter(
        x=[left, left + length_m], y=[y, y], mode="lines+text", text=["", name], textposition="middle right",
        hoverinfo="skip", showlegend=False, line={"color": palette.INK.light, "width": 2},
        textfont={"size": 11, "color": palette.INK.light},
    )  # fmt: skip
