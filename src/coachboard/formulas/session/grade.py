"""Grade along the distance, and running speed adjusted for it by two published models."""

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

WINDOW_M = 60.0
"""Length over which a grade is computed: short enough for a ramp, long enough for barometers with 0.2 m steps. [m]"""

STEEPEST_PCT = 45.0
"""Steeper grades are noise on roads and paths, and beyond Minetti's measurements. [%]"""

ADJUSTED_SPEED = "grade_adjusted_speed"
"""The column of the grade-adjusted speed among the streams of a session on foot."""

_MINETTI = (155.4, -30.4, -43.3, 46.3, 19.5, 3.6)
_FLAT_COST = 3.6

# Grade and effort as in Strava's curve; Dreeve's tests have the same values.
_TABLE = (
    (-0.50, 1.35),
    (-0.35, 1.25),
    (-0.25, 1.12),
    (-0.18, 1.01),
    (-0.15, 0.96),
    (-0.10, 0.88),
    (-0.05, 0.94),
    (0.0, 1.0),
    (0.025, 1.10),
    (0.05, 1.20),
    (0.10, 1.42),
    (0.15, 1.70),
    (0.20, 2.00),
    (0.30, 2.60),
    (0.40, 3.25),
    (0.50, 3.90),
)


class GradeModel(StrEnum):
    """The model of a grade's energy cost."""

    MINETTI = "Minetti 2002"
    TABLE = "effort table"


def grade_pct(distance_m: ArrayLike, altitude_m: ArrayLike) -> NDArray[np.float64]:
    """Grade at each sample.

    Parameters
    ----------
    distance_m : array_like
        Distance, never falling, NaN where missing, shape (n,). [m]
    altitude_m : array_like
        Altitude, NaN where missing (bridged), shape (n,). [m]

    Returns
    -------
    numpy.ndarray
        Shape (n,), within +-45. [%]

    Missing data
    ------------
    no grade where the distance is missing, and none for fewer than two known places or a way shorter than the
    window.

    Notes
    -----
    Rise over 60 m of way around each sample, altitude linear between samples. The interface leaves the
    unit of the recorded grade open; a grade computed here is percent, as those of climbs are.

    *Worked example*: 7.5 m of rise over 150 m: 7.5 / 150 = 5.0 %.

    Examples
    --------
    >>> distance = [0.0, 50.0, 100.0, 150.0]
    >>> grade_pct(distance, [0.0, 2.5, 5.0, 7.5]).round(6).tolist()
    [5.0, 5.0, 5.0, 5.0]
    """
    distance, altitude = np.asarray(distance_m, np.float64), np.asarray(altitude_m, np.float64)
    if distance.shape != altitude.shape:
        raise ValueError(f"distance_m and altitude_m differ in length: {distance.shape}, {altitude.shape}")
    out = np.full(len(distance), np.nan)
    metres, height = profile(distance, altitude)
    if len(metres) < 2 or metres[-1] - metres[0] < WINDOW_M:
        return out
    is_measured = np.isfinite(distance)
    middle = np.clip(distance[is_measured], metres[0] + WINDOW_M / 2, metres[-1] - WINDOW_M / 2)
    rise = np.interp(middle + WINDOW_M / 2, metres, height) - np.interp(middle - WINDOW_M / 2, metres, height)
    out[is_measured] = np.clip(rise / WINDOW_M * 100, -STEEPEST_PCT, STEEPEST_PCT)
    return out


def profile(distance_m: ArrayLike, altitude_m: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The altitude by distance: samples with both values, each distance once.

    Parameters
    ----------
    distance_m : array_like
        Distance, NaN where missing; a fall is held flat, shape (n,). [m]
    altitude_m : array_like
        Altitude, NaN where missing, shape (n,). [m]

    Returns
    -------
    tuple of numpy.ndarray
        Strictly rising distance and the altitude there, same shape. [m]

    Examples
    --------
    >>> metres, height = profile([0.0, 0.0, 10.0], [5.0, 6.0, 7.0])
    >>> metres.tolist(), height.tolist()
    ([0.0, 10.0], [6.0, 7.0])
    """
    distance, altitude = np.asarray(distance_m, np.float64), np.asarray(altitude_m, np.float64)
    has_both = np.isfinite(distance) & np.isfinite(altitude)
    if not has_both.any():
        return np.empty(0), np.empty(0)
    metres = np.maximum.accumulate(distance[has_both])
    is_last_there = np.append(np.diff(metres) > 0, True)
    return metres[is_last_there], altitude[has_both][is_last_there]


def minetti_cost(grade: ArrayLike) -> NDArray[np.float64]:
    """Energy cost of running on a grade.

    Parameters
    ----------
    grade : array_like
        Grade as a fraction, clipped to +-0.45. [-]

    Returns
    -------
    numpy.ndarray
        Same shape, 3.6 on the flat, lowest near -0.18. [J/kg/m]

    Notes
    -----
    C(i) = 155.4 i^5 - 30.4 i^4 - 43.3 i^3 + 46.3 i^2 + 19.5 i + 3.6.

    References
    ----------
    Minetti AE et al. Energy cost of walking and running at extreme uphill and downhill slopes. J Appl
    Physiol 93:1039, 2002. doi:10.1152/japplphysiol.01177.2001.

    Examples
    --------
    >>> minetti_cost([-0.2, 0.0, 0.05, 0.1]).round(4).tolist()
    [1.8, 3.6, 4.6852, 5.9682]
    """
    slope = np.clip(np.asarray(grade, np.float64), -0.45, 0.45)
    return np.asarray(np.polyval(_MINETTI, slope), np.float64)


def effort_ratio(grade: ArrayLike, model: GradeModel = GradeModel.MINETTI) -> NDArray[np.float64]:
    """Energy cost of a metre relative to flat ground.

    Parameters
    ----------
    grade : array_like
        Grade as a fraction, clipped to the model's range. [-]
    model : GradeModel
        Minetti's polynomial (metabolic cost), or the table that reproduces what runners hold (as in Strava
        and Dreeve).

    Returns
    -------
    numpy.ndarray
        Same shape, 1 on the flat. [-]

    Notes
    -----
    The two models disagree: 1.30 and 1.20 at +5 %, 0.50 and 1.04 at -20 %. Name the model wherever the number is
    shown.

    Examples
    --------
    >>> effort_ratio([0.05]).round(4).tolist(), effort_ratio([0.05], GradeModel.TABLE).tolist()
    ([1.3014], [1.2])
    """
    if model is GradeModel.MINETTI:
        return minetti_cost(grade) / _FLAT_COST
    grades, ratios = np.array(_TABLE).T
    return np.asarray(np.interp(np.asarray(grade, np.float64), grades, ratios), np.float64)


def grade_adjusted_speed(
    speed_mps: ArrayLike, grades_pct: ArrayLike, model: GradeModel = GradeModel.MINETTI
) -> NDArray[np.float64]:
    """Speed on flat ground at the same energy cost.

    Parameters
    ----------
    speed_mps : array_like
        Running speed, NaN where missing, shape (n,). [m/s]
    grades_pct : array_like
        Grade, NaN where missing (speed left as it is), shape (n,). [%]
    model : GradeModel
        As in `effort_ratio`.

    Returns
    -------
    numpy.ndarray
        Shape (n,). [m/s]

    Notes
    -----
    Speed times the energy cost of the grade over that of flat ground, by the chosen model.

    *Missing data*: a sample without a grade counts as flat.

    *Worked example*: 6:00 per km up 5 % costs as much as 276.6 s (4:37) per km on flat ground.

    Examples
    --------
    >>> pace_s = 1000 / grade_adjusted_speed(1000 / 360, 5.0)
    >>> round(float(pace_s), 1)
    276.6
    """
    grades = np.asarray(grades_pct, np.float64)
    ratio = effort_ratio(np.where(np.isfinite(grades), grades, 0.0) / 100, model)
    return np.asarray(speed_mps, np.float64) * ratio
