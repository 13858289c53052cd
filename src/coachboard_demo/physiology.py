"""What an athlete can do, day by day: capacities that follow load and recovery."""

import math
from dataclasses import dataclass

# Banister 1975 with the usual constants: fitness gains slowly, fatigue fades fast.
_FITNESS_DAYS, _FATIGUE_DAYS = 42.0, 7.0
_FITNESS_EFFECT, _FATIGUE_EFFECT = 0.14, 0.035  # relative change of critical power at twice the usual load
_MASS_EFFECT = 0.012
_HR_MAX_A_YEAR = 0.7  # Tanaka, Monahan, Seals 2001
_PEAK_AGE, _LOST_A_YEAR = 30.0, 0.004


@dataclass(slots=True)
class Condition:
    """Load carried by one athlete."""

    usual: float  # load of a usual day
    fitness: float
    fatigue: float

    @classmethod
    def steady(cls, usual: float) -> "Condition":
        """Somebody who has long trained as usual."""
        return cls(usual, usual * 0.85, usual * 0.85)

    def take(self, load: float) -> None:
        """Live through a day with that load."""
        self.fitness += (load - self.fitness) * -math.expm1(-1 / _FITNESS_DAYS)
        self.fatigue += (load - self.fatigue) * -math.expm1(-1 / _FATIGUE_DAYS)

    @property
    def form(self) -> float:
        """Capacity against that of the usual load, about 0.9 to 1.06."""
        relative = self.fitness / self.usual - 1
        tired = self.fatigue / self.usual - 1
        return 1 + _FITNESS_EFFECT * math.tanh(relative) - _FATIGUE_EFFECT * math.tanh(tired)

    @property
    def mass(self) -> float:
        """Weight against the usual: long load takes a little off, idleness puts it on."""
        return 1 - _MASS_EFFECT * math.tanh(self.fitness / self.usual - 1)

    @property
    def strain(self) -> float:
        """How much more fatigue than fitness, about -1 to 1: what nights and mornings feel."""
        return math.tanh((self.fatigue - self.fitness) / (0.6 * self.usual))


def ageing(age: float) -> float:
    """Capacity against that at thirty."""
    return 1 - _LOST_A_YEAR * max(0.0, age - _PEAK_AGE)


def max_heart_rate(at_thirty: float, age: float) -> float:
    """Maximum heart rate falls with age, whatever one trains."""
    return at_thirty - _HR_MAX_A_YEAR * (age - 30)
