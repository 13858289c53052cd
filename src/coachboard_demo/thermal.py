"""Heat and water: core and skin temperature, strain, sweat and the salt in it."""

from dataclasses import dataclass

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, lag

# Core temperature rises with relative effort, not with heat produced (Saltin and Hermansen 1966), within half an hour.
_CORE_AT_REST_C, _CORE_PER_EFFORT_C = 36.9, 1.95
_CORE_LAG_S, _SKIN_LAG_S = 1_500.0, 420.0
_MILD_C = 18.0
_SODIUM_MG_PER_ML = 0.95  # Baker 2017 (Sports Med 47 Suppl 1): mean of athletes


@dataclass(frozen=True, slots=True)
class Heat:
    """What a heat sensor and a sweat patch would report, by cells."""

    core_c: Floats
    skin_c: Floats
    strain: Floats  # 0 to 10
    fluid_ml: Floats  # lost so far
    sodium_mg: Floats


def heat(effort: Floats, air_c: Floats, mass_kg: float) -> Heat:
    """Follow the body through the session."""
    warm = np.maximum(air_c - _MILD_C, 0)
    steady = _CORE_AT_REST_C + _CORE_PER_EFFORT_C * np.minimum(effort, 1.15) + 0.035 * warm
    core = lag(steady, _CORE_LAG_S / CELL_S, before=37.0)
    skin = lag(30.5 + 0.19 * air_c - 0.9 * effort, _SKIN_LAG_S / CELL_S, before=33.2)
    strain = np.clip((core - 37.4) * 2.4 + (skin - 33.0) * 0.6, 0, 10)
    litres_an_hour = (0.1 + 0.85 * lag(effort, 120.0, before=0.1) + 0.035 * warm) * (mass_kg / 70)
    fluid = np.cumsum(litres_an_hour) * (CELL_S / 3.6)
    return Heat(core, skin, strain, fluid, fluid * _SODIUM_MG_PER_ML)
