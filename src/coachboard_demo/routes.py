"""Roads, trails, tracks and courses of buoys that wind over the ground."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from coachboard_demo.cells import Floats, Ints
from coachboard_demo.chance import chance
from coachboard_demo.roads import spaced, winding, with_junctions
from coachboard_demo.terrain import BASE_ALTITUDE_M, Place, climbed, hills

METRES_PER_DEGREE = 111_320.0


class Shape(StrEnum):
    """How a route runs."""

    LOOP = "loop"
    OUT_AND_BACK = "out and back"
    HILL = "hill"  # up one hill and down again
    LAKE = "lake"  # buoys gone round
    RIVER = "river"  # out and back
    TRACK = "track"


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A way over the ground, by points at equal distances; the distance runs from 0 to `length_m`."""

    length_m: float
    east_m: Floats
    north_m: Floats
    altitude_m: Floats
    grade_pct: Floats
    gain_m: Floats  # climbed up to each point
    loss_m: Floats
    heading: Floats  # radians, 0 = east, unwrapped
    corner_mps: Floats  # fastest speed at 1 m/s² sideways; scales with the square root of what is dared

    def at(self, values: Floats, distance_m: Floats) -> Floats:
        """Values at distances along the route; going round where it ends."""
        spot = distance_m * ((len(values) - 1) / self.length_m)
        whole = spot.astype(np.int64)
        # `take` wraps an index that lies outside; a remainder of every index takes five times as long.
        left, right = values[:-1].take(whole, mode="wrap"), values[1:].take(whole, mode="wrap")
        return np.asarray(left + (spot - whole) * (right - left))

    def near(self, values: Floats, distance_m: Floats) -> Floats:
        """As `at` without interpolation, for what varies slowly."""
        spot = distance_m * ((len(values) - 1) / self.length_m)
        return values[:-1].take(spot.astype(np.int64), mode="wrap")


def climbed_m(ways: Sequence[Route], of: Ints, distance_m: Floats) -> tuple[Floats, Floats]:
    """Metres up and down until distances, each along the way at that place, beyond its end too."""
    points = np.array([len(way.gain_m) for way in ways])
    behind, last = (points.cumsum() - points)[of], points[of] - 1
    spot = distance_m * (last / np.array([way.length_m for way in ways])[of])
    # Rounds are counted by points, as in `at`: by metres, the end of a round may fall on the other side of it.
    rounds, point = np.divmod(spot.astype(np.int64), last)
    left, whole, share = behind + point, behind + last, spot - spot.astype(np.int64)
    up, down = (
        rounds * sums[whole] + sums[left] + share * (sums[left + 1] - sums[left])
        for sums in (
            np.concatenate([way.gain_m for way in ways]),
            np.concatenate([way.loss_m for way in ways]),
        )
    )
    return up, down


_FLAT = frozenset({Shape.TRACK, Shape.LAKE, Shape.RIVER})


@lru_cache(maxsize=256)
def route(place: Place, shape: Shape, length_m: float, name: str, *, steeper: float = 1.0) -> Route:
    """The route of that name, over hills so much steeper than the roads'; drawn once, the same for ever."""
    rng = chance("route", place, shape, length_m, name)
    if shape is Shape.HILL:
        east, north = _up_and_down(rng, place, length_m, steeper=steeper)
    else:
        east, north = _DRAWN[shape](rng, length_m)
    return _finished(place, east, north, steeper=0.0 if shape in _FLAT else steeper)


def _loop(rng: np.random.Generator, length_m: float) -> tuple[Floats, Floats]:
    corners = int(rng.integers(5, 9))
    angles = np.sort(rng.uniform(0, 2 * np.pi, corners)) + rng.uniform(0, 2 * np.pi)
    radii = rng.uniform(0.55, 1.2, corners)
    east = np.concatenate(([0.0], radii * np.cos(angles) - radii[0] * np.cos(angles[0]), [0.0]))
    north = np.concatenate(([0.0], radii * np.sin(angles) - radii[0] * np.sin(angles[0]), [0.0]))
    keep = np.append(True, np.hypot(np.diff(east), np.diff(north)) > 1e-6)
    return with_junctions(rng, *winding(rng, east[keep], north[keep], length_m), length_m)


def _out_and_back(
    rng: np.random.Generator, length_m: float, *, has_junctions: bool = True
) -> tuple[Floats, Floats]:
    heading = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.5, 3))
    east = np.concatenate(([0.0], np.cumsum(np.cos(heading))))
    north = np.concatenate(([0.0], np.cumsum(np.sin(heading))))
    there = winding(rng, east, north, length_m / 2)
    if has_junctions:
        there = with_junctions(rng, *there, length_m / 2)
    return np.append(there[0], there[0][-2::-1]), np.append(there[1], there[1][-2::-1])


def _up_and_down(
    rng: np.random.Generator, place: Place, length_m: float, *, steeper: float
) -> tuple[Floats, Floats]:
    legs = np.arange(3.0) * (length_m / 4)
    east, north = winding(rng, legs, np.zeros(3), length_m / 2)
    up = climbed(place, east + 1j * north, steeper=steeper)
    way = np.append(up, up[-2::-1])
    return way.real, way.imag


def _river(rng: np.random.Generator, length_m: float) -> tuple[Floats, Floats]:
    return _out_and_back(rng, length_m, has_junctions=False)


def _buoys(rng: np.random.Generator, length_m: float) -> tuple[Floats, Floats]:
    """Straight from buoy to buoy: a long triangle or a box, as open-water courses are laid."""
    count = int(rng.integers(3, 5))
    angle = rng.uniform(0, 2 * np.pi) + (np.arange(count + 1) + rng.uniform(-0.2, 0.2)) * (2 * np.pi / count)
    east, north = 1.6 * np.cos(angle), np.sin(angle)
    return spaced(east - east[0], north - north[0], length_m, rounded=False)


def _track(rng: np.random.Generator, length_m: float) -> tuple[Floats, Floats]:
    # Two straights of 84.39 m and two bends of 36.5 m radius (World Athletics, Track and Field Facilities Manual).
    bend = np.linspace(-np.pi / 2, np.pi / 2, 40)
    east = np.concatenate((42.195 + 36.5 * np.cos(bend), -42.195 - 36.5 * np.cos(bend), [42.195]))
    north = np.concatenate((36.5 * np.sin(bend), -36.5 * np.sin(bend), [-36.5]))
    turn = rng.uniform(0, np.pi)
    turned = east * np.cos(turn) - north * np.sin(turn), east * np.sin(turn) + north * np.cos(turn)
    return spaced(turned[0], turned[1], length_m, spacing_m=5.0)


_DRAWN = {
    Shape.LOOP: _loop,
    Shape.OUT_AND_BACK: _out_and_back,
    Shape.LAKE: _buoys,
    Shape.RIVER: _river,
    Shape.TRACK: _track,
}


def _finished(place: Place, east: Floats, north: Floats, *, steeper: float) -> Route:
    steps = np.hypot(np.diff(east), np.diff(north))
    length_m = float(steps.sum())
    spacing = length_m / len(steps)
    altitude = np.full(len(east), BASE_ALTITUDE_M[place.ground])
    if steeper:
        altitude = hills(place, east, north, spacing, steeper=steeper)
    rises = np.diff(altitude)
    grade = np.append(rises, rises[-1:]) / spacing * 100
    heading = np.unwrap(np.arctan2(np.diff(north), np.diff(east)))
    heading = np.append(heading, heading[-1])
    bend = np.abs(np.gradient(heading)) / spacing
    return Route(
        length_m=length_m,
        east_m=east,
        north_m=north,
        altitude_m=altitude,
        grade_pct=grade,
        gain_m=np.append(0.0, np.cumsum(np.maximum(rises, 0))),
        loss_m=np.append(0.0, np.cumsum(np.maximum(-rises, 0))),
        heading=heading,
        corner_mps=1 / np.sqrt(np.maximum(bend, 1e-5)),
    )


def latitudes(place: Place, way: Route, distance_m: Floats, scale: float) -> Floats:
    """Degrees north at distances along the route, the route drawn `scale` times as large."""
    return place.latitude + way.at(way.north_m, distance_m) * (scale / METRES_PER_DEGREE)


def longitudes(place: Place, way: Route, distance_m: Floats, scale: float) -> Floats:
    """Degrees east, likewise."""
    per_degree = METRES_PER_DEGREE * np.cos(np.radians(place.latitude))
    return np.asarray(place.longitude + way.at(way.east_m, distance_m) * (scale / per_degree))
