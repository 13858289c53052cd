"""What a quantity of a living athlete can be: one table, and one rule for what lies outside it.

A value outside its range counts as missing. Services send 0 where a sensor gave no value; drawn as a number,
such a 0 becomes a normal range of 0 to 0 and raises flags.
"""

from collections.abc import Mapping
from math import nan
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DAY_S = 86_400.0


class Range(NamedTuple):
    """Lowest and highest value that counts as measured."""

    low: float
    high: float


_RESTING_BPM = Range(25, 120)
_BPM = Range(30, 250)
_DURATIONS = ("total", "in_bed", "awake", "light", "rem", "deep", "no_data")

RANGES: Mapping[str, Range] = MappingProxyType(
    {
        # Nights, by the field.
        "average_hrv": Range(10, 250),  # ms
        "resting_heart_rate": _RESTING_BPM,
        "skin_body_temperature": Range(20, 45),  # °C
        "skin_body_temperature_deviation": Range(-10, 10),  # °C
        **{f"{name}_duration": Range(0, _DAY_S) for name in _DURATIONS},  # s
        # Metrics, by the type; in the base unit of `metric_values.base_value`.
        "weight": Range(20, 300),  # kg
        "critical power": Range(20, 700),  # W
        "w prime": Range(1_000, 100_000),  # J
        "d prime": Range(5, 2_000),  # m
        "max power": Range(50, 3_500),  # W
        "vo2max": Range(10, 100),  # mL/min/kg
        "critical speed": Range(0.2, 20),  # m/s; from a slow swim to a sprinter on wheels
        "max heart rate": Range(80, 250),  # bpm
        "resting heart rate": _RESTING_BPM,
        "spo2": Range(50, 100),  # %
        "body fat": Range(1, 75),  # %
        # Heart rate of sessions and laps.
        "average_heart_rate": _BPM,
        "max_heart_rate": _BPM,
    }
)
"""Wide on purpose: a sick child and a record holder lie inside; ours, HRV after practice of the field."""


def plausible(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Values of a quantity; those outside its range are missing.

    Parameters
    ----------
    name : str
        Key of `RANGES`.
    values : array_like
        In the unit of the range; None and NaN are missing.

    Returns
    -------
    ndarray
        Same shape, NaN where missing or outside the range.

    Examples
    --------
    >>> plausible("average_hrv", [55, 0, None]).tolist()
    [55.0, nan, nan]
    """
    row = np.asarray(values, dtype=np.float64)
    low, high = RANGES[name]
    return np.where((row >= low) & (row <= high), row, np.nan)


def known(name: str, value: float | None) -> float:
    """One value of a quantity, by the rule of `plausible`.

    Parameters
    ----------
    name : str
        Key of `RANGES`.
    value : float or None
        In the unit of the range.

    Returns
    -------
    float
        NaN where missing or outside the range.

    Examples
    --------
    >>> known("resting_heart_rate", 48), known("resting_heart_rate", 0)
    (48.0, nan)
    """
    low, high = RANGES[name]
    return float(value) if value is not None and low <= value <= high else nan
