"""Plausible ranges of values of a living athlete; the catalogues hold the ranges.

A value outside its range counts as missing. Services send 0 if a sensor gave no value; without this rule such a 0
becomes a normal range of 0 to 0 and raises flags.
"""

from collections.abc import Iterable, Mapping
from math import isnan, nan
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.wire.metrics import METRICS, NIGHT_FIELDS
from coachboard.wire.stream_columns import BY_NAME, Range

_HEART_RATE = BY_NAME["heart_rate"]
RANGES: Mapping[str, Range] = MappingProxyType(
    {str(record.type): record.plausible for record in METRICS.values()}
    | {field.name: field.plausible for field in NIGHT_FIELDS.values()}
    | dict.fromkeys(_HEART_RATE.figures, _HEART_RATE.plausible or Range(0, np.inf))
)
"""Keyed by the type of a metric, the field of a night, and the heart rates of sessions and laps."""


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
    return np.where(RANGES[name].holds(row), row, np.nan)


def plausible_value(name: str, value: float | None) -> float:
    """A single value, by the rule of `plausible`.

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
    >>> plausible_value("resting_heart_rate", 48), plausible_value("resting_heart_rate", 0)
    (48.0, nan)
    """
    low, high = RANGES[name]
    return float(value) if value is not None and low <= value <= high else nan


def or_zero(value: float) -> float:
    """A value that a sum adds, in any unit: a sum with one unknown value would be unknown.

    Parameters
    ----------
    value : float
        NaN is missing.

    Returns
    -------
    float
        0 where missing.

    Examples
    --------
    >>> or_zero(600.0) + or_zero(nan)
    600.0
    """
    return 0.0 if isnan(value) else value


def or_nan(value: float | None) -> float:
    """A value of an interface that may leave it out, in any unit.

    Parameters
    ----------
    value : float or None
        None is missing.

    Returns
    -------
    float
        NaN where missing.

    Examples
    --------
    >>> or_nan(3), or_nan(None)
    (3.0, nan)
    """
    return nan if value is None else float(value)


def sum_of_known(values: Iterable[float | None]) -> float:
    """The sum of the known values, in their unit.

    Parameters
    ----------
    values : iterable of float or None
        None and NaN are missing.

    Returns
    -------
    float
        NaN without a known value: a week without any volume is not a rest week.

    Examples
    --------
    >>> sum_of_known([600.0, None, nan]), sum_of_known([None])
    (600.0, nan)
    """
    known = [value for value in map(or_nan, values) if not isnan(value)]
    return sum(known) if known else nan
