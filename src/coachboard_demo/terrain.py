"""The ground: ridges and valleys as a field over the plane.

Altitude is a function of the place alone, so that loops close, the way back mirrors the way out and two
routes agree where they cross. Paths go where no road does: over the same country by shorter and steeper rises.
The recorded ways climb at one grade for kilometres, turn over at a crest within a hundred metres and roll along valley
floors in between: slopes are straight, crests are edges, what lies low is filled up.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.cells import Floats, smooth
from coachboard_demo.chance import chance

_RIDGES = 16
_ROADS_M, _PATHS_M = (800.0, 30_000.0), (1_000.0, 8_000.0)
"""From ridge to ridge. The recorded trail run climbs and falls 250 m at a time, some 2 km up and 2 km down."""
_LONG_WINS = 1.7  # height grows with length to this power: long rises are steeper than short ones
_FEW_WIN = (
    0.8  # deviation of the logarithm of a ridge's steepness: a few make the country, the rest roughen it
)
_FLOOR, _FLOOR_SHARE = 0.22, 0.15  # share of the country that is valley floor, and what is left of its relief
_SMOOTHED_M = 100.0
_HEADINGS = 16
_NEARBY_M, _LOOKED_EVERY_M, _PARTS, _EVENLY = 8_000.0, 200.0, 8, 2.0


class Ground(StrEnum):
    """What kind of country."""

    FLAT = "flat"
    ROLLING = "rolling"
    HILLY = "hilly"
    MOUNTAIN = "mountain"


# The grade that 2 % of the ways exceed.
STEEPNESS_PCT = {Ground.FLAT: 1.4, Ground.ROLLING: 4.5, Ground.HILLY: 6.2, Ground.MOUNTAIN: 8.0}
BASE_ALTITUDE_M = {Ground.FLAT: 18.0, Ground.ROLLING: 120.0, Ground.HILLY: 340.0, Ground.MOUNTAIN: 780.0}


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody trains."""

    latitude: float
    longitude: float
    ground: Ground
    zone: str  # IANA time zone
    mean_temperature_c: float  # of the year
    summer_c: float  # how much warmer July is than the mean; negative in the south


@dataclass(frozen=True, slots=True)
class _Relief:
    """Ridges in all directions with straight slopes, on a floor that fills their valleys."""

    crest_e: Floats  # ridges a metre eastwards
    crest_n: Floats
    shift: Floats
    high_m: Floats
    floor_m: float
    offset_m: float

    def bare(self, east: Floats, north: Floats) -> Floats:
        """Heights above an arbitrary level, valleys not filled."""
        total = np.zeros(len(east))
        for crest_e, crest_n, shift, high_m in zip(
            self.crest_e, self.crest_n, self.shift, self.high_m, strict=True
        ):
            along = east * crest_e + north * crest_n + shift
            total += np.abs(along - np.rint(along)) * high_m
        return total

    def height(self, east: Floats, north: Floats) -> Floats:
        above = self.bare(east, north) - self.floor_m
        return np.maximum(above, above * _FLOOR_SHARE) + self.offset_m


@lru_cache(maxsize=64)
def _relief(place: Place, steeper: float) -> _Relief:
    rng = chance("relief", place)
    shortest_m, longest_m = _ROADS_M if steeper == 1 else _PATHS_M
    length = np.exp(rng.uniform(np.log(shortest_m), np.log(longest_m), _RIDGES))
    heading, shift = rng.uniform(0, 2 * np.pi, _RIDGES), rng.uniform(0, 1, _RIDGES)
    high = length**_LONG_WINS * np.exp(rng.normal(0, _FEW_WIN, _RIDGES))
    bare = _Relief(np.cos(heading) / length, np.sin(heading) / length, shift, high, -np.inf, 0.0)
    line = np.arange(0, 120_000, 100.0)
    heights = [bare.bare(line, line * 0.3), bare.bare(-line * 0.4, line)]
    floor = float(np.quantile(heights, _FLOOR))
    filled = [np.maximum(way - floor, (way - floor) * _FLOOR_SHARE) for way in heights]
    steep = float(np.quantile(np.abs(np.diff(filled)), 0.98))
    scale = STEEPNESS_PCT[place.ground] * steeper / steep
    lowest = float(np.min(filled)) * scale
    offset_m = BASE_ALTITUDE_M[place.ground] * 0.6 - lowest
    return _Relief(bare.crest_e, bare.crest_n, shift, high * scale, floor * scale, offset_m)


def climbed(place: Place, way: NDArray[np.complex128], *, steeper: float) -> NDArray[np.complex128]:
    """The way (metres east + 1j · north), turned and moved to where it rises most, and evenly."""
    headings = np.exp(1j * np.linspace(0, 2 * np.pi, _HEADINGS, endpoint=False))[:, None]
    away_m = np.arange(0.0, _NEARBY_M, _LOOKED_EVERY_M)
    spots = [
        ((away_m + way[at]) * headings).ravel() for at in np.linspace(0, len(way) - 1, _PARTS + 1).astype(int)
    ]
    rises = np.diff([_relief(place, steeper).height(spot.real, spot.imag) for spot in spots], axis=0)
    # As high as may be, and no part of it level.
    best = (rises.mean(axis=0) + _EVENLY * rises.min(axis=0)).argmax()
    heading, away = divmod(int(best), len(away_m))
    return np.asarray((away_m[away] + way) * headings[heading])


def hills(place: Place, east: Floats, north: Floats, spacing_m: float, *, steeper: float = 1.0) -> Floats:
    """Altitudes along a closed way that is given by points at equal distances; `steeper` than the roads."""
    # The shortest slope is 400 m long: every fourth point says it all.
    points = np.arange(len(east))
    coarse = np.append(points[:-1:4], points[-1])
    height = np.interp(points, coarse, _relief(place, steeper).height(east[coarse], north[coarse]))
    # Every route ends where it began: smoothed all round.
    width = max(1, min(round(_SMOOTHED_M / spacing_m), len(east) // 3))
    return smooth(np.concatenate((height[-width - 1 : -1], height, height[1 : width + 1])), width)[
        width:-width
    ]
