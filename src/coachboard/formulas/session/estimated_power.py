"""Power of a ride estimated from speed, climb rate and weight; it scores the load and no other figure uses it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.wire.enums import Sport, SubSport

BICYCLE_KG = 9.0
"""Mass of the bicycle with bottles and clothes. [kg]"""
DRAG_AREA_M2 = 0.36
"""Drag area of a rider with the hands on the hoods. [m^2]"""
ROLLING_RESISTANCE = 0.005
"""Coefficient of rolling resistance of road tyres on asphalt. [-]"""
DRIVETRAIN_EFFICIENCY = 0.976
"""Share of the rider's power that reaches the wheel; Martin et al. measured 97.6 %. [-]"""
GRAVITY_MPS2 = 9.80665
AIR_KGPM3 = 1.225
"""Density of the standard atmosphere at sea level, 15 degrees Celsius. [kg/m^3]"""
WINDOW_S = 60
"""Window of climb rate and acceleration: over a shorter one, the drift of a GPS altitude counts as climbing. [s]"""
HIGHEST_WPKG = 15.0
"""More than this over `WINDOW_S` is a jump of the position or the altitude, not the rider. [W/kg]"""

ON_ASPHALT = frozenset({None, SubSport.GENERIC, SubSport.ROAD, SubSport.STREET, SubSport.COMMUTING})
"""Kinds of rides on which the constants hold: no motor, no roller, no loose ground, no other position."""


def is_estimated(sport: Sport | None, sub_sport: SubSport | None, *signals: float | None) -> bool:
    """Whether the load of a session, if it has one, follows from estimated power.

    Parameters
    ----------
    sport, sub_sport : Sport, SubSport or None
        Kind of the session.
    *signals : float or None
        Average power, average heart rate and the athlete's rating, None where there is none. [W, bpm, 1 to 10]

    Returns
    -------
    bool
        True for rides on asphalt without any of these signals. Importer and pages use this one rule, because the
        interface has no field for the method.

    Examples
    --------
    >>> is_estimated(Sport.CYCLING, SubSport.ROAD, None, None, None)
    True
    >>> is_estimated(Sport.CYCLING, SubSport.ROAD, None, 140, None)
    False
    """
    return sport is Sport.CYCLING and sub_sport in ON_ASPHALT and all(signal is None for signal in signals)


def estimated_power(speed_mps: ArrayLike, altitude_m: ArrayLike, weight_kg: float) -> NDArray[np.float64]:
    """Power of a ride without a power meter, from speed, grade and weight.

    Parameters
    ----------
    speed_mps : array_like
        Speed each second, pauses left out, NaN where missing, shape (n,). [m/s]
    altitude_m : array_like
        Altitude each second, NaN where missing, shape (n,). [m]
    weight_kg : float
        Weight of the rider, above 0. [kg]

    Returns
    -------
    numpy.ndarray
        Shape (n,), 0 or more. [W]

    Missing data
    ------------
    No value where speed or altitude is missing at the second or at an end of its window.

    Notes
    -----
    P = (m·g·(climb rate + 0.005·v) + ½·ρ·0.36 m²·v³ + m·d(v²/2)/dt) / 0.976, with m = weight + 9 kg for the bicycle and
    ρ of the standard atmosphere at that altitude. Climb rate and acceleration are means over 60 s. Negative power is 0
    (coasting, braking); more than 15 W/kg is 0 (a jump of position or altitude). No wind and no drafting. It scores
    the load and no other figure uses it. Measured on 6 rides of 1.2 to 6.7 h with power meter, from speed and altitude of
    the bike computer and the weight of its file: load off by 4 % in the median and 14 % at most, average power by 6 %
    and 17 %; with speed from GPS positions, load off by 6 % and 14 %. With an altitude that drifts by 3 m, as of a GPS
    receiver without a barometer (simulated on these rides): 11 % and 36 %, too high on flat rides. A ride in a group or
    with the wind counts too high, against the wind too low.

    *Worked example*: 10 m/s on flat ground with 71 kg + 9 kg: (39.2 + 220.5) / 0.976 = 266.1 W.

    References
    ----------
    Martin JC et al. Validation of a Mathematical Model for Road Cycling Power. J Appl Biomech 14:276, 1998. Constants
    Coachboard's own, typical for a road bicycle.

    Examples
    --------
    >>> estimated_power([10.0] * 3, [0.0] * 3, 71.0).round(1).tolist()  # (39.2 + 220.5) / 0.976
    [266.1, 266.1, 266.1]
    """
    if not weight_kg > 0:
        raise ValueError(f"weight_kg must be above 0, got {weight_kg}")
    speed, altitude = np.asarray(speed_mps, np.float64), np.asarray(altitude_m, np.float64)
    if speed.shape != altitude.shape:
        raise ValueError(f"speed_mps and altitude_m differ in length: {speed.shape[0]}, {altitude.shape[0]}")
    mass_kg = weight_kg + BICYCLE_KG
    air = AIR_KGPM3 * (1 - 2.25577e-5 * altitude) ** 4.25588
    raised_w = mass_kg * GRAVITY_MPS2 * _rate(altitude)
    rolling_w = mass_kg * GRAVITY_MPS2 * ROLLING_RESISTANCE * speed
    drag_w = air * DRAG_AREA_M2 * speed**3 / 2
    faster_w = mass_kg * _rate(speed**2 / 2)
    power = np.maximum((raised_w + rolling_w + drag_w + faster_w) / DRIVETRAIN_EFFICIENCY, 0.0)
    return np.where(power > HIGHEST_WPKG * weight_kg, 0.0, power)


def _rate(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Change a second, as the mean over the window around each one."""
    places = np.arange(len(values))
    first = np.maximum(places - WINDOW_S // 2, 0)
    last = np.minimum(places + WINDOW_S // 2, len(values) - 1)
    rate: NDArray[np.float64] = (values[last] - values[first]) / np.maximum(last - first, 1)
    return rate
