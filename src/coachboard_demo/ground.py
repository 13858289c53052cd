"""The ground that sessions go over: the points of their ways, round after round."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard_demo import motion
from coachboard_demo.cells import Floats, Ints
from coachboard_demo.routes import Route
from coachboard_demo.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class _Rounds:
    """Several rounds of a way, one after another, by its points."""

    points_m: Floats
    grade_rows: Ints  # of the grades in the tables of speeds
    grade_pct: Floats
    altitude_m: Floats
    east: Floats  # direction of travel, a vector of length 1
    north: Floats
    corner_mps: Floats


@lru_cache(maxsize=256)
def _rounds(way: Route, count: int) -> _Rounds:
    def again(values: Floats) -> Floats:
        return np.append(np.tile(values[:-1], count), values[-1])

    points = (len(way.grade_pct) - 1) * count
    heading, grade = again(way.heading), again(way.grade_pct)
    return _Rounds(
        points_m=np.arange(points + 1, dtype=np.float64) * (way.length_m / (len(way.grade_pct) - 1)),
        grade_rows=motion.rows_of(grade),
        grade_pct=grade,
        altitude_m=again(way.altitude_m),
        east=np.cos(heading),
        north=np.sin(heading),
        corner_mps=again(way.corner_mps),
    )


class Ground(Rows):
    """The points of the rounds that each session goes, end to end."""

    def __init__(self, cells: Rows, ways: Sequence[Route], rounds: Sequence[int]) -> None:
        self._of_each = [_rounds(way, count) for way, count in zip(ways, rounds, strict=True)]
        super().__init__(np.array([len(each.points_m) for each in self._of_each]))
        self.cells = cells
        self.spacing_m = np.array([each.points_m[1] for each in self._of_each])
        self.whole_m = np.array([each.points_m[-1] for each in self._of_each])
        self._a_metre = cells.each(1 / self.spacing_m)
        self.grade_pct, self.grade_rows = (
            self.all("grade_pct"),
            np.concatenate([each.grade_rows for each in self._of_each]),
        )

    def all(self, quantity: str) -> Floats:
        """What there is at each point, by its name in `_Rounds`."""
        return np.concatenate([getattr(each, quantity) for each in self._of_each])

    def along_m(self, clock: Floats, passing_s: Floats) -> Floats:
        """How far each cell gets by the clock, when each point is passed at such a time."""
        found = np.empty(len(clock))
        for each, here, points in zip(self._of_each, self.cells.slices(), self.slices(), strict=True):
            found[here] = np.interp(clock[here], passing_s[points], each.points_m)
        return found

    def places(self, along_m: Floats) -> Ints:
        """The point that is passed last, by cells."""
        point = (along_m * self._a_metre).astype(np.int64)
        np.minimum(point, self.cells.each(self.sizes - 1), out=point)
        point += self.cells.each(self.starts)
        return point

    def altitude_m(self, along_m: Floats) -> Floats:
        """The height of each cell, between two points."""
        altitude, spot = self.all("altitude_m"), along_m * self._a_metre
        point = np.minimum(spot.astype(np.int64), self.cells.each(self.sizes - 2))
        left = point + self.cells.each(self.starts)
        low = altitude[left]
        return np.asarray(low + (spot - point) * (altitude[left + 1] - low))
