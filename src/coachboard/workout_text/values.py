"""The athlete's values on the day of a workout, the limits of zones, and the highest value of each unit."""

from dataclasses import dataclass

from coachboard.execution.structure import References
from coachboard.wire.enums import Gender, ZonesType


@dataclass(frozen=True, slots=True)
class DayValues:
    """The athlete's values on the day of a workout, for its sport; None if unknown."""

    critical_power_w: float | None = None
    w_prime_j: float | None = None
    critical_speed_mps: float | None = None
    max_heart_rate_bpm: float | None = None
    threshold_heart_rate_bpm: float | None = None
    resting_heart_rate_bpm: float | None = None
    usual_speed_mps: float | None = None  # for the time of a step by distance without a speed target
    gender: Gender | None = None

    @property
    def references(self) -> References:
        """The 100 % values of targets in percent."""
        return References(self.critical_power_w, self.max_heart_rate_bpm, self.critical_speed_mps)

    def hundred_percent(self, quantity: ZonesType) -> float | None:
        """Critical power, maximum heart rate or critical speed, in W, bpm or m/s."""
        return {
            ZonesType.POWER: self.critical_power_w,
            ZonesType.HEART_RATE: self.max_heart_rate_bpm,
            ZonesType.SPEED: self.critical_speed_mps,
        }[quantity]


ZONE_LIMITS: dict[ZonesType, tuple[float, ...]] = {
    ZonesType.POWER: (40, 55, 75, 90, 105, 120, 150, 200),
    ZonesType.HEART_RATE: (50, 60, 70, 80, 90, 100),
    ZonesType.SPEED: (65, 77.5, 87.7, 94.3, 100, 103.4, 111.5, 130),
}
"""Limits of Z1 and up, in percent of critical power, maximum heart rate and critical speed.

Power: Coggan's zones; heart rate: tenths of the maximum; speed: Friel's paces as speeds. The lower limit of Z1 and the
upper limit of the highest zone are choices of this project, because a target has two ends.
"""

LIMITS: dict[str, tuple[float, float]] = {
    "%": (1, 400),
    "w": (1, 2_500),
    "% HR": (30, 110),
    "% LTHR": (30, 130),
    "bpm": (30, 250),
    "% Pace": (10, 250),
    "rpm": (10, 250),
}
"""Lowest and highest value of each unit."""

LONGEST_STEP_S = 24 * 3600.0
LONGEST_STEP_M = 500_000.0
LONGEST_WORKOUT_S = 72 * 3600.0
SPEED_LIMITS_MPS = (0.25, 25.0)
MOST_REPEATS = 200
MOST_NESTED = 8
