"""The map tiles that cover an area, and where each lies; `route` draws them if a tile address is set.

A module of its own: the projection of map tiles is arithmetic without Plotly, and tests check it alone.
"""

from dataclasses import dataclass
from math import asinh, atan, degrees, floor, pi, radians, sinh, tan

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
