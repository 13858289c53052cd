"""How fast an effort moves a body: air, slope and friction for wheels, the cost of transport for feet.

Tables over effort and grade, so that the speed of thousands of cells is one look-up.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard.formulas.session.grade import effort_ratio
from coachboard_demo.grid import Floats
from coachboard_demo.practice import Mover
from coachboard_demo.session import SimulatedSession

GRAVITY_MPS2 = 9.81
AIR_KG_M3 = 1.19
DRIVETRAIN_EFFICIENCY = 0.975
_BIKE_KG = 9.0
_STEEPEST_PCT, _PER_PCT = 22.0, 4  # rows of a table per percent of grade
_WATTS_A_COLUMN, _EFFORT_A_COLUMN, _SPEEDS = 5.0, 0.01, 500
_LEAST_COST = 0.72  # downhill, against the flat


@dataclass(frozen=True, slots=True, eq=False)
class SpeedTable:
    """Speeds over effort (columns) and grade (rows)."""

    speeds_mps: Floats
    per_column: float

    def speed(self, effort: Floats, grade_pct: Floats | float) -> Floats:
        """The steady speed of each effort, not below 0, on each grade."""
        rows, count = self.speeds_mps.shape
        column = np.minimum(effort * (1 / self.per_column) + 0.5, count - 1).astype(np.int64)
        row = np.minimum(np.maximum((grade_pct + _STEEPEST_PCT) * _PER_PCT + 0.5, 0), rows - 1)
        return np.asarray(self.speeds_mps.ravel()[np.asarray(row).astype(np.int64) * count + column])


def table_of(session: SimulatedSession) -> SpeedTable:
    """The speeds of the session's body: over watts on wheels, over relative effort otherwise."""
    kind, body = session.kind, session.body
    if kind.mover is Mover.WHEELS:
        # Masses in steps of 2 kg and areas by body size: the rides of a season share a table.
        mass = 2.0 * round((body.mass_kg + _BIKE_KG) / 2)
        area = round(kind.drag_area_m2 * (body.mass_kg / 72) ** 0.5, 2)
        return wheels(mass, area, kind.rolling, kind.top_mps)
    return feet(round(body.speed_mps * kind.speed_share, 2), kind.top_mps)


def _grades() -> Floats:
    return np.arange(-_STEEPEST_PCT, _STEEPEST_PCT + 1e-9, 1 / _PER_PCT)[:, None] / 100


@lru_cache(maxsize=48)
def wheels(mass_kg: float, drag_area_m2: float, rolling: float, top_mps: float) -> SpeedTable:
    """Watts to speed: P·η = v·(½ρ·CdA·v² + m·g·(Crr + slope)); Martin et al. 1998 (J Appl Biomech 14:276)."""
    watts = np.arange(0, 1500 + 1e-9, _WATTS_A_COLUMN) * DRIVETRAIN_EFFICIENCY
    speeds = np.linspace(0, top_mps, _SPEEDS)
    push = mass_kg * GRAVITY_MPS2 * (rolling + _grades())
    resistance_w = speeds * (0.5 * AIR_KG_M3 * drag_area_m2 * speeds**2 + push)
    # Below the speed of rolling downhill the resistance is negative: no effort is slower than that.
    rising = np.maximum.accumulate(resistance_w, axis=1)
    return SpeedTable(np.array([np.interp(watts, row, speeds) for row in rising]), _WATTS_A_COLUMN)


@lru_cache(maxsize=48)
def feet(threshold_mps: float, top_mps: float) -> SpeedTable:
    """Effort (1 = critical speed on the flat) to speed, by the cost of running on a slope."""
    effort = np.arange(0, 2 + 1e-9, _EFFORT_A_COLUMN)[None, :]
    cost = np.maximum(effort_ratio(_grades()), _LEAST_COST)
    return SpeedTable(np.minimum(threshold_mps * effort / cost, top_mps), _EFFORT_A_COLUMN)
