"""Training intensity distribution of a season: easy, moderate and hard by time and by session, and its pattern."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import log10, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.wire.enums import LapIntensity, TrainingStimulus

POLARIZED_ABOVE = 2.0
"""Polarization index above which a distribution is polarized (Treff et al. 2019)."""
ZONE_OF_INTENSITY = {
    LapIntensity.RECOVERY: 0,
    LapIntensity.AEROBIC: 0,
    LapIntensity.TEMPO: 1,
    LapIntensity.THRESHOLD: 1,
    LapIntensity.VO2MAX: 2,
    LapIntensity.ANAEROBIC: 2,
    LapIntensity.NEUROMUSCULAR: 2,
}
"""Seiler's three zones: below 70, 70 to 105, above 105 % of critical power; a choice of this project."""

ZONE_OF_STIMULUS = {
    TrainingStimulus.RECOVERY: 0,
    TrainingStimulus.AEROBIC: 0,
    TrainingStimulus.DURABILITY: 0,
    TrainingStimulus.HEAT: 0,
    TrainingStimulus.ACTIVATION: 0,
    TrainingStimulus.TEMPO: 1,
    TrainingStimulus.THRESHOLD: 1,
    TrainingStimulus.LACTATE_CLEARANCE: 1,
    TrainingStimulus.VO2MAX: 2,
    TrainingStimulus.ANAEROBIC: 2,
    TrainingStimulus.NEUROMUSCULAR: 2,
    TrainingStimulus.TEST: 2,
    TrainingStimulus.RACE: 2,
}
"""The zone of a whole session, by its dominant stimulus; a choice of this project."""

LEAST_Z2 = 0.01
"""Replaces an empty moderate zone, because the index would be infinite (Treff et al. 2019)."""
LEAST_Z3 = 0.01
"""With a smaller hard share a season is base training, and polarization does not apply."""

TREND_D, TREND_LEAST_D = 28, 8
"""Days of a value of the trend, and how many of them need training; a choice of this project."""


class ZonePattern(StrEnum):
    """The standard names of the three zones' order."""

    BASE = "base"
    POLARIZED = "polarized"
    PYRAMIDAL = "pyramidal"
    THRESHOLD = "threshold"
    HIGH_INTENSITY = "high intensity"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ThreeZones:
    """Shares of easy, moderate and hard; NaN without data."""

    z1: float
    z2: float
    z3: float

    @property
    def polarization_index(self) -> float:
        """The index if defined, else NaN."""
        return polarization_index(self.z1, self.z2, self.z3)

    @property
    def distribution(self) -> ZonePattern:
        """The name of this distribution."""
        return distribution(self.z1, self.z2, self.z3)


def _shares(amounts: Iterable[tuple[int, float]]) -> ThreeZones:
    totals = [0.0, 0.0, 0.0]
    for zone, amount in amounts:
        totals[zone] += amount
    whole = sum(totals)
    return ThreeZones(*(total / whole for total in totals)) if whole else ThreeZones(nan, nan, nan)


def zones_by_time(seconds: Mapping[LapIntensity, float]) -> ThreeZones:
    """Shares of the three zones by time.

    Parameters
    ----------
    seconds : mapping of LapIntensity to float
        Time in each band over the period. [s]

    Returns
    -------
    ThreeZones
        Fractions that add up to 1; NaN without any time.

    Notes
    -----
    Time in the bands of a zone divided by the time in all bands.

    *Missing data*: time outside classified laps.

    *Worked example*: 80 min aerobic, 5 min tempo and 15 min VO2max: 80 / 100 = 0.8 easy.

    Examples
    --------
    >>> zones_by_time({LapIntensity.AEROBIC: 80, LapIntensity.TEMPO: 5, LapIntensity.VO2MAX: 15}).z1
    0.8
    """
    return _shares((ZONE_OF_INTENSITY[band], amount) for band, amount in seconds.items())


def zones_by_session(stimuli: Iterable[TrainingStimulus | None]) -> ThreeZones:
    """Shares of the three zones by session, each counted once by its dominant stimulus.

    Parameters
    ----------
    stimuli : iterable of TrainingStimulus or None
        One a session; None is left out.

    Returns
    -------
    ThreeZones
        Fractions that add up to 1; NaN without any session.

    Notes
    -----
    The same season is about 90/10 by time and 80/20 by session, so the page always names the method.

    *Missing data*: sessions without a stimulus.

    *Worked example*: four aerobic sessions and one VO2max session: 1 / 5 = 0.2 hard.

    Examples
    --------
    >>> zones_by_session([TrainingStimulus.AEROBIC] * 4 + [TrainingStimulus.VO2MAX]).z3
    0.2
    """
    return _shares((ZONE_OF_STIMULUS[stimulus], 1.0) for stimulus in stimuli if stimulus is not None)


def polarization_index(z1: float, z2: float, z3: float) -> float:
    """Treff's index, where it is defined.

    Parameters
    ----------
    z1, z2, z3 : float
        Fractions of easy, moderate and hard, 0 to 1.

    Returns
    -------
    float
        Above 2.00 is polarized; NaN unless z1 > z3 > z2.

    Notes
    -----
    log10(z1 / z2 · z3 · 100); an empty moderate zone counts as 0.01.

    *Missing data*: not defined unless easy > hard > moderate; no moderate time counts as 1 %.

    *Worked example*: 68 % easy, 6 % moderate and 26 % hard: log10(0.68 / 0.06 · 0.26 · 100) = 2.47.

    References
    ----------
    Treff et al. (2019), Front Physiol 10:707, doi:10.3389/fphys.2019.00707.

    Examples
    --------
    >>> round(polarization_index(0.68, 0.06, 0.26), 6)
    2.469331
    >>> polarization_index(0.75, 0.20, 0.05)
    nan
    """
    if not z1 > z3 > z2:
        return nan
    return log10(z1 / (z2 or LEAST_Z2) * z3 * 100)


def polarization_trend(zone_s: ArrayLike) -> NDArray[np.float64]:
    """Polarization index of the 28 days up to each day.

    Parameters
    ----------
    zone_s : array_like, shape (n, 3)
        Easy, moderate and hard time of each day, oldest first. [s]

    Returns
    -------
    ndarray
        Shape (n,); NaN where the index is not defined, on the first 27 days, and with fewer than 8 days of training.

    Notes
    -----
    The index of the sums of the 28 days: it has a value only while easy > hard > moderate, so a
    gap in the line is another distribution or too little training.

    *Missing data*: no value on the first 27 days, with fewer than 8 days of training, or where the index is not
    defined.

    *Worked example*: 28 days of 68 min easy, 6 min moderate and 26 min hard: log10(0.68 / 0.06 · 0.26 · 100) =
    2.47.

    Examples
    --------
    >>> polarization_trend([[68, 6, 26]] * 28)[-1].round(3)
    np.float64(2.469)
    """
    days = np.asarray(zone_s, np.float64)
    out = np.full(len(days), np.nan)
    for day in range(TREND_D - 1, len(days)):
        window = days[day - TREND_D + 1 : day + 1]
        whole = window.sum()
        if (window.sum(axis=1) > 0).sum() >= TREND_LEAST_D:
            out[day] = polarization_index(*(float(share) for share in window.sum(axis=0) / whole))
    return out


def distribution(z1: float, z2: float, z3: float) -> ZonePattern:
    """The pattern of a season by the order of its zones; the first pattern that holds.

    Parameters
    ----------
    z1, z2, z3 : float
        Fractions of easy, moderate and hard, 0 to 1.

    Returns
    -------
    ZonePattern
        `UNKNOWN` for NaN. Polarized by the order of the zones alone: the index of such a season can be below 2.0.

    References
    ----------
    Treff et al. (2019), doi:10.3389/fphys.2019.00707.

    Examples
    --------
    >>> str(distribution(0.8, 0.15, 0.05)), str(distribution(0.95, 0.05, 0.0))
    ('pyramidal', 'base')
    """
    orders = (
        (z3 < LEAST_Z3 and z1 >= z2, ZonePattern.BASE),
        (z1 > z3 > z2, ZonePattern.POLARIZED),
        (z1 >= z2 >= z3, ZonePattern.PYRAMIDAL),
        (z2 >= max(z1, z3), ZonePattern.THRESHOLD),
        (z3 >= max(z1, z2), ZonePattern.HIGH_INTENSITY),
        (z1 >= z3 >= z2, ZonePattern.POLARIZED),
    )
    return next((name for holds, name in orders if holds), ZonePattern.UNKNOWN)
