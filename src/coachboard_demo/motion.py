"""How fast an effort moves a body: air, slope and friction for wheels, the cost of transport for feet.

Both are kept as tables over effort and grade, so that a session of thousands of cells is a look-up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard_demo.cells import Floats, Ints, between
from coachboard_demo.rows import Rows

GRAVITY_MPS2 = 9.81
AIR_KG_M3 = 1.19
DRIVETRAIN_EFFICIENCY = 0.975

_STEEPEST_PCT = 22.0
_PER_PCT = 4  # rows of the table a percent of grade
_WATTS_A_COLUMN = 5.0
_EFFORT_A_COLUMN = 0.01

# Minetti et al. 2002 (J Appl Physiol 93:1039), J/kg/m over the slope; the flat costs 3.6.
_COST = (155.4, -30.4, -43.3, 46.3, 19.5, 3.6)
_FLAT_COST = 3.6


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Speeds over effort (columns) and grade (rows)."""

    speeds_mps: Floats
    per_column: float

    def speed(self, effort: Floats, grade_pct: Floats) -> Floats:
        """The steady speed of each effort, not below 0, on each grade."""
        return self.at(rows_of(grade_pct), effort)

    def at(self, rows: Ints, effort: Floats) -> Floats:
        """The same for grades that are `rows_of` already."""
        count = self.speeds_mps.shape[1]
        return np.asarray(self.speeds_mps.ravel()[rows * count + self._columns(effort, count)])

    def _columns(self, effort: Floats, count: int) -> Ints:
        return np.asarray(np.minimum(effort * (1 / self.per_column) + 0.5, count - 1).astype(np.int64))


def speeds(tables: Sequence[Table], rows: Rows, effort: Floats, *, grades: Ints | int) -> Floats:
    """The same of several bodies, each with a table of its own; grades are `rows_of` already."""
    count = tables[0].speeds_mps.shape[1]
    columns = np.minimum(effort * (1 / tables[0].per_column) + 0.5, count - 1)
    places = columns.astype(np.int64)
    places += grades * count
    found = np.empty(len(effort))
    for table, here in zip(tables, rows.slices(), strict=True):
        table.speeds_mps.ravel().take(places[here], out=found[here], mode="clip")
    return found


LEVEL = int(_STEEPEST_PCT * _PER_PCT)
"""The row of no grade."""


def rows_of(grade_pct: Floats) -> Ints:
    """The rows of grades in every table."""
    row = (grade_pct + _STEEPEST_PCT) * _PER_PCT + 0.5
    return np.asarray(between(row, 0, 2 * _STEEPEST_PCT * _PER_PCT).astype(np.int64))


def _grades() -> Floats:
    return np.arange(-_STEEPEST_PCT, _STEEPEST_PCT + 1e-9, 1 / _PER_PCT)


@lru_cache(maxsize=48)
def wheels(mass_kg: float, drag_area_m2: float, rolling: float, top_mps: float) -> Table:
    """Watts to speed: P·η = v·(½ρ·CdA·v² + m·g·(Crr + slope)); Martin et al. 1998 (J Appl Biomech 14:276)."""
    watts = np.arange(0, 1500 + 1e-9, _WATTS_A_COLUMN)[None, :] * DRIVETRAIN_EFFICIENCY
    slope = _grades()[:, None] / 100
    drag = 0.5 * AIR_KG_M3 * drag_area_m2
    push = mass_kg * GRAVITY_MPS2 * (rolling + slope)
    speeds = _cubic_root(push / drag, -watts / drag)
    return Table(np.minimum(np.maximum(speeds, 0.0), top_mps), _WATTS_A_COLUMN)


def _cubic_root(p: Floats, q: Floats) -> Floats:
    """The largest root of v³ + p·v + q = 0 where q is at most 0 (Cardano; three real roots on steep descents)."""
    inside = q * q / 4 + p**3 / 27
    root = np.sqrt(np.maximum(inside, 0))
    one = np.cbrt(-q / 2 + root) + np.cbrt(-q / 2 - root)
    reach = np.sqrt(np.maximum(-p, 1e-12) / 3)
    three = 2 * reach * np.cos(np.arccos(np.minimum(-q / (2 * reach**3), 1.0)) / 3)
    return np.where(inside >= 0, one, three)


@lru_cache(maxsize=48)
def feet(threshold_mps: float, uphill: float, top_mps: float) -> Table:
    """Effort (1 = critical speed on the flat) to speed, by the cost of running on a slope.

    `uphill` is how much of the cost is paid for with speed: runners let the effort rise on short hills.
    """
    effort = np.arange(0, 2 + 1e-9, _EFFORT_A_COLUMN)[None, :]
    slope = np.clip(_grades()[:, None] / 100, -0.45, 0.45)
    cost = np.maximum(np.polyval(_COST, slope) / _FLAT_COST, 0.72)
    speeds = threshold_mps * effort / cost**uphill
    return Table(np.minimum(speeds, top_mps), _EFFORT_A_COLUMN)


def running_power(level_mps: Floats, mass_kg: Floats) -> Floats:
    """What a foot pod reports: about 1.04 W/kg for each m/s that the effort is worth on the flat."""
    return 1.04 * mass_kg * level_mps
