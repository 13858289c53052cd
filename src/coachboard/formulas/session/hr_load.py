"""Load of a session from heart rate or perceived exertion, for sessions without power."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.wire.enums import Gender

# Banister's two fits of lactate to heart rate reserve. Sauce keeps 0.64 for both and changes only the
# exponent, which is a mistake and not a variant.
_FITS = {Gender.MALE: (0.64, 1.92), Gender.FEMALE: (0.86, 1.67)}


def trimp(
    heart_rate_bpm: ArrayLike, minutes: ArrayLike, *, rest_bpm: float, max_bpm: float, gender: Gender
) -> float:
    """Training impulse: minutes weighted by the exponential of the heart-rate reserve used.

    Parameters
    ----------
    heart_rate_bpm : array_like, shape (n,) or scalar
        Mean heart rate of each stretch, NaN where not recorded. [bpm]
    minutes : array_like, shape (n,) or scalar
        Length of each stretch. [min]
    rest_bpm, max_bpm : float
        Resting and maximum heart rate. [bpm]
    gender : Gender
        Which fit; `other` takes the mean of the two results, a choice of this project.

    Returns
    -------
    float
        Arbitrary units, 0 or more; NaN where nothing was recorded.

    Notes
    -----
    Σ min · HRr · 0.64 · e^(1.92·HRr) for men, 0.86 and 1.67 for women; HRr is clipped to 0..1.

    References
    ----------
    Banister (1991), in MacDougall et al., Physiological Testing of the High-Performance Athlete.

    Examples
    --------
    >>> round(trimp(163, 60, rest_bpm=60, max_bpm=190, gender=Gender.MALE), 2)
    139.28
    """
    if not max_bpm > rest_bpm:
        raise ValueError(f"max_bpm must exceed rest_bpm, got {max_bpm} and {rest_bpm}")
    rate = np.asarray(heart_rate_bpm, dtype=np.float64)
    reserve = np.minimum(np.maximum((rate - rest_bpm) / (max_bpm - rest_bpm), 0), 1)
    used = np.asarray(minutes, dtype=np.float64) * reserve
    fits = _FITS.values() if gender is Gender.OTHER else (_FITS[gender],)
    return sum(_impulse(used, reserve, *fit) for fit in fits) / len(fits)


def _impulse(
    used_min: NDArray[np.float64], reserve: NDArray[np.float64], factor: float, exponent: float
) -> float:
    parts = used_min * factor * np.exp(exponent * reserve)
    total = float(np.sum(parts))
    if not np.isnan(total):
        return total
    return float("nan") if np.isnan(parts).all() else float(np.nansum(parts))


def heart_rate_stress(
    session_trimp: float, *, threshold_bpm: float, rest_bpm: float, max_bpm: float, gender: Gender
) -> float:
    """A training impulse on the scale where an hour at threshold heart rate is 100.

    Parameters
    ----------
    session_trimp : float
        Training impulse of the session.
    threshold_bpm, rest_bpm, max_bpm : float
        Lactate threshold, resting and maximum heart rate. [bpm]
    gender : Gender
        As in `trimp`.

    Returns
    -------
    float
        0 or more; NaN where the impulse is.

    References
    ----------
    elevate (Thomas Champagne), heart-rate stress score and its published tests.

    Examples
    --------
    >>> round(heart_rate_stress(333, threshold_bpm=163, rest_bpm=60, max_bpm=190, gender=Gender.MALE), 4)
    239.0876
    """
    return session_trimp / _hour_at(threshold_bpm, rest_bpm, max_bpm, gender) * 100


@lru_cache(maxsize=1024)
def _hour_at(threshold_bpm: float, rest_bpm: float, max_bpm: float, gender: Gender) -> float:
    return trimp(threshold_bpm, 60, rest_bpm=rest_bpm, max_bpm=max_bpm, gender=gender)


def session_rpe_load(rpe: float, minutes: float) -> float:
    """Perceived exertion times minutes.

    Parameters
    ----------
    rpe : float
        Session rating, 1 to 10, NaN where not rated.
    minutes : float
        Duration of the session. [min]

    Returns
    -------
    float
        Arbitrary units; NaN where either is missing.

    References
    ----------
    Foster et al. (2001), J Strength Cond Res 15:109–115.

    Examples
    --------
    >>> session_rpe_load(6, 90)
    540
    """
    if rpe < 0 or minutes < 0:
        raise ValueError(f"rpe and minutes must not be negative, got {rpe} and {minutes}")
    return rpe * minutes
