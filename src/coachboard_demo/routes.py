"""Routes over hills: closed lines whose altitude repeats after each round, so that loops end where they began."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.climbs import LEAST_SCORE, find_climbs
from coachboard_demo.chance import chance
from coachboard_demo.grid import Floats, smooth

METRES_PER_DEGREE = 111_320.0
_SPACING_M = 40.0
_RIDGES, _SHORTEST_M, _LONGEST_M = 14, 900.0, 26_000.0  # from crest to crest
_LONG_WINS = 1.6  # height grows with length to this power: long rises are steeper than short ones
_SMOOTHED_M = 120.0
_CLIMB_STEP = 3  # points: the search for climbs is the slowest part of a new route


class Ground(StrEnum):
    """The kind of country."""

    FLAT = "flat"
    ROLLING = "rolling"
    HILLY = "hilly"
    MOUNTAIN = "mountain"


# The grade that 2 % of the ways exceed.
STEEPNESS_PCT = {Ground.FLAT: 1.4, Ground.ROLLING: 4.5, Ground.HILLY: 6.2, Ground.MOUNTAIN: 8.0}
_LOWEST_M = {Ground.FLAT: 11.0, Ground.ROLLING: 72.0, Ground.HILLY: 204.0, Ground.MOUNTAIN: 468.0}


class Shape(StrEnum):
    """The shape of a route."""

    LOOP = "loop"  # over hills
    LAKE = "lake"  # along its shore
    TRACK = "track"


_Line = NDArray[np.complex128]


@dataclass(frozen=True, slots=True)
class Place:
    """A place where athletes train."""

    latitude: float
    longitude: float
    ground: Ground
    zone: str  # IANA time zone
    mean_temperature_c: float  # of the year
    summer_c: float  # July against the mean; negative in the south


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """A closed line over the ground, by points at equal distances."""

    length_m: float
    east_m: Floats
    north_m: Floats
    altitude_m: Floats
    grade_pct: Floats
    climbs_m: tuple[tuple[float, float], ...]  # from metre to metre

    @property
    def spacing_m(self) -> float:
        """Metres between two points."""
        return self.length_m / (len(self.altitude_m) - 1)

    def at(self, values: Floats, distance_m: Floats) -> Floats:
        """Values at distances along the route; after the end the next round begins."""
        spot = distance_m * (1 / self.spacing_m)
        whole = spot.astype(np.int64)
        left, right = values[:-1].take(whole, mode="wrap"), values[1:].take(whole, mode="wrap")
        return np.asarray(left + (spot - whole) * (right - left))


@lru_cache(maxsize=256)
def route(place: Place, shape: Shape, length_m: float, *, steeper: float = 1.0) -> Course:
    """The route of that length over hills of that steepness; the same arguments give the same route."""
    # A recipe from the store has 86498.0 where the generator has 86498: the same route needs the same seed.
    rng = chance("route", place, shape, float(length_m))
    east, north = _line(rng, shape, length_m)
    altitude = np.zeros(len(east))
    spacing = length_m / (len(east) - 1)
    if shape is Shape.LOOP:
        altitude = _altitude_m(rng, place, len(east), length_m, steeper)
    rises = np.diff(altitude)
    grade = np.append(rises, rises[-1:]) / spacing * 100
    return Course(length_m, east, north, altitude, grade, _climbs(altitude, spacing))


def _line(rng: np.random.Generator, shape: Shape, length_m: float) -> tuple[Floats, Floats]:
    """Metres east and north of points at equal distances."""
    if shape is Shape.TRACK:
        # Two straights of 84.39 m and two bends of 36.5 m radius (World Athletics).
        bend = np.linspace(-np.pi / 2, np.pi / 2, 40)
        east = np.concatenate((42.195 + 36.5 * np.cos(bend), -42.195 - 36.5 * np.cos(bend), [42.195]))
        north = np.concatenate((36.5 * np.sin(bend), -36.5 * np.sin(bend), [-36.5]))
        return _spaced(east, north, length_m, 5.0)
    corners = int(rng.integers(5, 9))
    angles = np.sort(rng.uniform(0, 2 * np.pi, corners)) + rng.uniform(0, 2 * np.pi)
    radii = rng.uniform(0.55, 1.2, corners)
    around = radii * np.exp(1j * angles)
    line = _wound(rng, np.append(around, around[:1]) - around[0], length_m)
    return _spaced(line.real, line.imag, length_m, _SPACING_M)


def _wound(rng: np.random.Generator, line: _Line, length_m: float) -> _Line:
    """The line with its middles displaced sideways, again and again: roads and shores wind at every scale."""
    rough = 0.17
    while len(line) < length_m / 160:
        steps = np.diff(line)
        middles = (line[1:] + line[:-1]) / 2 + 1j * rng.normal(0, rough, len(steps)) * steps
        both = np.empty(len(line) + len(middles), np.complex128)
        both[::2], both[1::2] = line, middles
        line, rough = both, max(0.1, rough * 0.93)
    return line


def _spaced(east: Floats, north: Floats, length_m: float, spacing_m: float) -> tuple[Floats, Floats]:
    """Points at equal distances along the line, and the line as long as asked."""
    for _ in range(2):
        along = np.append(0.0, np.hypot(np.diff(east), np.diff(north)).cumsum())
        even = np.linspace(0, along[-1], max(24, round(length_m / spacing_m)) + 1)
        east, north = np.interp(even, along, east), np.interp(even, along, north)
    scale = length_m / np.hypot(np.diff(east), np.diff(north)).sum()
    return (east - east[0]) * scale, (north - north[0]) * scale


def _altitude_m(
    rng: np.random.Generator, place: Place, points: int, length_m: float, steeper: float
) -> Floats:
    """The sum of straight slopes, as steep as the ground: a slope keeps its grade and ends at a crest."""
    longest_m = min(_LONGEST_M, length_m / 2)
    apart_m = np.exp(rng.uniform(np.log(min(_SHORTEST_M, longest_m)), np.log(longest_m), _RIDGES))
    rounds = np.maximum(np.rint(length_m / apart_m), 1.0)  # whole: the end is as high as the start
    high = (length_m / rounds) ** _LONG_WINS * np.exp(rng.normal(0, 0.6, _RIDGES))
    along = np.linspace(0, 1, points)[:, None] * rounds + rng.uniform(0, 1, _RIDGES)
    spacing_m = length_m / (points - 1)
    width = max(1, min(round(_SMOOTHED_M / spacing_m), points // 3))
    height = (np.abs(along - np.rint(along)) * high).sum(axis=1)
    height = smooth(np.concatenate((height[-width - 1 : -1], height, height[1 : width + 1])), width)[
        width:-width
    ]
    grade_pct = np.quantile(np.abs(np.diff(height)), 0.98) / spacing_m * 100
    height *= STEEPNESS_PCT[place.ground] * steeper / max(float(grade_pct), 1e-9)
    return np.asarray(height - height.min() + _LOWEST_M[place.ground])


def _climbs(altitude_m: Floats, spacing_m: float) -> tuple[tuple[float, float], ...]:
    height = altitude_m[::_CLIMB_STEP]
    if float(np.ptp(height)) < LEAST_SCORE / 100:
        return ()
    points = np.arange(len(height)) * (_CLIMB_STEP * spacing_m)
    return tuple((float(points[c.start]), float(points[c.end])) for c in find_climbs(points, height))
