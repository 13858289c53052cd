"""The ground: hills as a field over the plane.

Altitude is a function of the place alone, so that loops close, the way back mirrors the way out and two
routes agree where they cross. Paths go where no road does: over the same country by shorter and steeper rises.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from coachboard.service.demo.cells import Floats, smooth
from coachboard.service.demo.chance import chance

_WAVES = 40
_SHORTEST_M, _LONGEST_M = 600.0, 30_000.0
_LONGEST_OF_PATHS_M = 5_000.0
"""The recorded trail run climbs and falls some 150 m at a time and stays within 260 m."""
_LONG_WINS = 1.15  # height grows with length to this power: long rises are steeper than short ones
_SMOOTHED_M = 100.0


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
    """A sum of waves in all directions; long ones higher, as eroded country has them."""

    wave_m: Floats
    heading: Floats
    shift: Floats
    scale: float
    offset_m: float

    def height(self, east: Floats, north: Floats) -> Floats:
        total = np.zeros(len(east))
        for wave_m, heading, shift in zip(self.wave_m, self.heading, self.shift, strict=True):
            along = (east * np.cos(heading) + north * np.sin(heading)) * (2 * np.pi / wave_m)
            total += wave_m**_LONG_WINS * np.cos(along + shift)
        return total * self.scale + self.offset_m


@lru_cache(maxsize=64)
def _relief(place: Place, steeper: float) -> _Relief:
    rng = chance("relief", place)
    longest_m = _LONGEST_M if steeper == 1 else _LONGEST_OF_PATHS_M
    length = np.exp(rng.uniform(np.log(_SHORTEST_M), np.log(longest_m), _WAVES))
    heading, shift = rng.uniform(0, 2 * np.pi, (2, _WAVES))
    bare = _Relief(length, heading, shift, 1.0, 0.0)
    line = np.arange(0, 120_000, 100.0)
    heights = np.concatenate((bare.height(line, line * 0.3), bare.height(-line * 0.4, line)))
    steep = float(np.quantile(np.abs(np.diff(heights)) / 100 * 100, 0.98))
    scale = STEEPNESS_PCT[place.ground] * steeper / steep
    lowest = float(heights.min()) * scale
    return _Relief(length, heading, shift, scale, BASE_ALTITUDE_M[place.ground] * 0.6 - lowest)


def hills(place: Place, east: Floats, north: Floats, spacing_m: float, *, steeper: float = 1.0) -> Floats:
    """Altitudes along a closed way that is given by points at equal distances; `steeper` than the roads."""
    # The shortest wave is 600 m: every fourth point says it all.
    points = np.arange(len(east))
    coarse = np.append(points[:-1:4], points[-1])
    height = np.interp(points, coarse, _relief(place, steeper).height(east[coarse], north[coarse]))
    # Every route ends where it began: smoothed all round.
    width = max(1, min(round(_SMOOTHED_M / spacing_m), len(east) // 3))
    return smooth(np.concatenate((height[-width - 1 : -1], height, height[1 : width + 1])), width)[
        width:-width
    ]
