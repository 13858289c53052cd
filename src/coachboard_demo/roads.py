"""How roads and paths run: they wind at every scale, and at junctions they turn at once."""

import cmath
import math

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.cells import Floats, smooth

Line = tuple[Floats, Floats]
"""A way by the metres east and north of its points."""

SPACING_M = 25.0

# Sharp turns (more than 45 degrees within 20 m) of the real recordings: 0.3 to 3 a km on runs of 5 to 14 km, 5 on
# trails and mountain bikes of 10 km, 0.04 to 0.6 on rides of 60 to 180 km. Long ways keep to through roads.
_JUNCTIONS_A_KM, _FEWER_WITH_LENGTH = 20.0, 0.95
_BLOCK_M = 150.0, 420.0  # between two turns off the straight way
_LEAN = 0.42, 1.15  # radians between the straight way and the first of the two streets that go round it


def winding(rng: np.random.Generator, east: Floats, north: Floats, length_m: float) -> Line:
    """Displace midpoints sideways, again and again: roads wind at every scale."""
    rough = 0.17
    while len(east) < length_m / 160:
        side = rng.normal(0, rough, len(east) - 1)
        step_e, step_n = east[1:] - east[:-1], north[1:] - north[:-1]
        mid_e = (east[1:] + east[:-1]) / 2 - side * step_n
        mid_n = (north[1:] + north[:-1]) / 2 + side * step_e
        east, north = _interleaved(east, mid_e), _interleaved(north, mid_n)
        rough = max(0.1, rough * 0.93)
    return spaced(east, north, length_m)


def _interleaved(ends: Floats, middles: Floats) -> Floats:
    both = np.empty(len(ends) + len(middles))
    both[::2], both[1::2] = ends, middles
    return both


def with_junctions(rng: np.random.Generator, east: Floats, north: Floats, length_m: float) -> Line:
    """Here and there two straight streets at a right angle in place of the winding road between two points.

    The corner lies on the circle over the stretch (Thales), so that the rest of the way stays where it is.
    """
    count = round(_JUNCTIONS_A_KM * (length_m / 1000) ** (1 - _FEWER_WITH_LENGTH))
    line, last = east + 1j * north, len(east) - 1
    corners: list[complex] = []
    taken = 0
    for first in sorted(rng.integers(1, max(2, last - 20), count).tolist()):
        span = round(float(rng.uniform(*_BLOCK_M)) / SPACING_M)
        lean = float(rng.uniform(*_LEAN)) * (1.0 if rng.integers(2) else -1.0)
        if first < taken or first + span >= last:
            continue
        taken = first + span
        chord = line[taken] - line[first]
        ahead, aside = math.cos(lean), abs(math.sin(lean))
        corner = line[first] + chord * ahead * cmath.exp(1j * lean)
        turn = max(1, min(span - 1, round(span * ahead / (ahead + aside))))
        line[first : first + turn + 1] = _straight(line[first], corner, turn)
        line[first + turn : taken + 1] = _straight(corner, line[taken], span - turn)
        corners.append(corner)
    points = _kept_sharp(spaced(line.real, line.imag, length_m, rounded=False), line, np.array(corners))
    points *= length_m / np.abs(np.diff(points)).sum()
    return points.real, points.imag


def _straight(start: complex, end: complex, steps: int) -> NDArray[np.complex128]:
    """As `np.linspace`, which takes most of its time to find out what it was given."""
    found = np.asarray(_COUNT[: steps + 1] * ((end - start) / steps) + start)
    found[-1] = end
    return found


_COUNT = np.arange(round(_BLOCK_M[1] / SPACING_M) + 2, dtype=np.complex128)


def _kept_sharp(
    found: Line, line: NDArray[np.complex128], corners: NDArray[np.complex128]
) -> NDArray[np.complex128]:
    """The points with the nearest one to each corner moved onto it: points at equal distances cut corners off."""
    points = found[0] + 1j * found[1]
    scale = np.abs(np.diff(points)).sum() / np.abs(np.diff(line)).sum()
    for corner in (corners * scale).tolist():
        east, north = points.real[1:-1] - corner.real, points.imag[1:-1] - corner.imag
        points[1 + (east * east + north * north).argmin()] = corner
    return points


def spaced(
    east: Floats, north: Floats, length_m: float, *, spacing_m: float = SPACING_M, rounded: bool = True
) -> Line:
    """Points at equal distances along the line, bends rounded, and the line as long as asked."""
    for _ in range(2):
        along = np.zeros(len(east))
        np.cumsum(np.hypot(east[1:] - east[:-1], north[1:] - north[:-1]), out=along[1:])
        even = np.linspace(0, along[-1], max(24, round(length_m / spacing_m)) + 1)
        east, north = np.interp(even, along, east), np.interp(even, along, north)
        if rounded:
            ends = east[[0, -1]], north[[0, -1]]
            east, north = smooth(east, 3), smooth(north, 3)
            east[[0, -1]], north[[0, -1]] = ends
    scale = length_m / np.hypot(np.diff(east), np.diff(north)).sum()
    return east * scale, north * scale
