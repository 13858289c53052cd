"""Scores of a session: volume (training load), intensity (0 to 100) and dominant stimulus.

The service names volume and intensity without definitions, so these are definitions of this project for imported
recordings. The two scores are separate: do not multiply them.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.session import hr_load
from coachboard.formulas.session.power import normalized_power, rolling_mean
from coachboard.wire.enums import Gender, LapIntensity, TrainingStimulus

THRESHOLD_SHARE_OF_MAX_HR = 0.89
"""Heart rate at threshold if only the maximum is known; 0.88 to 0.92 in trained endurance athletes."""

RPE_AT_THRESHOLD = 7.0
"""An hour with RPE 7 scores 100."""

Points = tuple[tuple[int, int], ...]

# Intensity points (0 to 100) by percent of critical power, critical speed and maximum heart rate; linear between pairs.
POWER_POINTS = ((0, 0), (70, 40), (90, 60), (105, 75), (130, 90), (180, 100))
SPEED_POINTS = ((0, 0), (84, 40), (95, 60), (102, 75), (115, 90), (130, 100))
HEART_RATE_POINTS = ((50, 0), (60, 15), (70, 30), (80, 50), (90, 70), (100, 100))
INTENSITY_WINDOW_S = 30
"""Window of the means that score points. [s]"""

STIMULUS_WEIGHTS = {
    LapIntensity.AEROBIC: 1.0,
    LapIntensity.TEMPO: 2.0,
    LapIntensity.THRESHOLD: 5.0,
    LapIntensity.VO2MAX: 12.0,
    LapIntensity.ANAEROBIC: 25.0,
    LapIntensity.NEUROMUSCULAR: 60.0,
}
"""Weight of a minute in a band for the stimulus: 6 min at threshold or 30 s of sprinting outweigh 30 min of aerobic riding.
threshold or 30 s of sprinting."""

RECOVERY_PCT = 55.0
"""A session with an average below this share of critical power is recovery. [%]"""


def power_load(power_w: ArrayLike, dt_s: ArrayLike, critical_power_w: float) -> float:
    """Load from power: an hour at critical power is 100.

    Parameters
    ----------
    power_w : array_like
        Recorded samples, pauses left out, NaN where missing (0 W), shape (n,). [W]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    critical_power_w : float
        Above 0. [W]

    Returns
    -------
    float
        0 or more; NaN where no sample has a value or fewer than 30 samples were taken. [points]

    Notes
    -----
    seconds * (NP / CP)^2 / 36. Coggan's training stress with critical power in the place of threshold power.

    *Missing data*: no load with fewer than 30 samples of power.

    *Worked example*: an hour at a critical power of 250 W: 3600 · (250 / 250)² / 36 = 100.

    Examples
    --------
    >>> round(power_load([250.0] * 3600, 1, 250.0), 6)
    100.0
    """
    if not critical_power_w > 0:
        raise ValueError(f"critical_power_w must be above 0, got {critical_power_w}")
    power = np.asarray(power_w, np.float64)
    seconds = float(np.sum(np.broadcast_to(np.asarray(dt_s, np.float64), power.shape)))
    return seconds * (normalized_power(power) / critical_power_w) ** 2 / 36


def pace_load(
    speed_mps: ArrayLike, dt_s: ArrayLike, critical_speed_mps: float, *, exponent: float = 2.0
) -> float:
    """Load from speed: an hour at critical speed is 100.

    Parameters
    ----------
    speed_mps : array_like
        Speed (for runs grade-adjusted where the grade is known), NaN where missing, shape (n,). [m/s]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    critical_speed_mps : float
        Above 0. [m/s]
    exponent : float
        2 for running; 3 for swimming, where drag makes the cost rise with the cube.

    Returns
    -------
    float
        0 or more; NaN where no sample has a value. [points]

    Notes
    -----
    sum of dt * (v / CS)^exponent / 36. Time without movement adds nothing.

    Examples
    --------
    >>> pace_load([4.0] * 3600, 1, 4.0)
    100.0
    """
    if not critical_speed_mps > 0:
        raise ValueError(f"critical_speed_mps must be above 0, got {critical_speed_mps}")
    speed = np.asarray(speed_mps, np.float64)
    is_measured = np.isfinite(speed)
    if not is_measured.any():
        return math.nan
    seconds = np.broadcast_to(np.asarray(dt_s, np.float64), speed.shape)[is_measured]
    return float(np.sum(seconds * (np.maximum(speed[is_measured], 0) / critical_speed_mps) ** exponent) / 36)


def hr_load_score(
    heart_rate_bpm: ArrayLike,
    dt_s: ArrayLike,
    *,
    rest_bpm: float,
    max_bpm: float,
    gender: Gender | None = None,
) -> float:
    """Load from heart rate: an hour at threshold heart rate is 100.

    Parameters
    ----------
    heart_rate_bpm : array_like
        Heart rate, NaN where missing, shape (n,). [bpm]
    dt_s : array_like
        Duration of each sample, a scalar or shape (n,). [s]
    rest_bpm, max_bpm : float
        Resting and maximum heart rate. [bpm]
    gender : Gender, optional
        Which of Banister's fits; unknown takes the mean of both.

    Returns
    -------
    float
        0 or more; NaN where no sample has a value. [points]

    Notes
    -----
    Banister's impulse over that of 60 min at threshold, taken at 89 % of the maximum.

    References
    ----------
    As `hr_load.trimp` and `hr_load.heart_rate_stress`.

    Examples
    --------
    >>> round(hr_load_score([0.89 * 190] * 3600, 1, rest_bpm=60, max_bpm=190), 6)
    100.0
    """
    fit = gender or Gender.OTHER
    rate = np.asarray(heart_rate_bpm, np.float64)
    minutes = np.broadcast_to(np.asarray(dt_s, np.float64), rate.shape) / 60
    impulse = hr_load.trimp(rate, minutes, rest_bpm=rest_bpm, max_bpm=max_bpm, gender=fit)
    threshold_bpm = THRESHOLD_SHARE_OF_MAX_HR * max_bpm
    return hr_load.heart_rate_stress(
        impulse, threshold_bpm=threshold_bpm, rest_bpm=rest_bpm, max_bpm=max_bpm, gender=fit
    )


def rpe_load(rpe: float, duration_s: float) -> float:
    """Load where nothing else is known: exertion times minutes, an hour rated 7 is 100.

    Parameters
    ----------
    rpe : float
        1 to 10.
    duration_s : float
        Duration of the session. [s]

    Returns
    -------
    float
        0 or more. [points]

    References
    ----------
    Scale: Coachboard's own; Foster C et al. A new approach to monitoring exercise training. J Strength Cond Res 15:109, 2001.

    Examples
    --------
    >>> rpe_load(7, 3600)
    100.0
    """
    return hr_load.session_rpe_load(rpe, duration_s / 60) / (RPE_AT_THRESHOLD * 60) * 100


def intensity_score(
    *,
    power_pct: ArrayLike | None = None,
    speed_pct: ArrayLike | None = None,
    heart_rate_pct: ArrayLike | None = None,
    rpe: float | None = None,
    dt_s: float = 1.0,
) -> float:
    """Intensity, 0 to 100: how hard the part of the session was that did the work.

    Parameters
    ----------
    power_pct, speed_pct, heart_rate_pct : array_like, optional
        Percent of critical power, of critical speed, of maximum heart rate, one sample a second, NaN where
        missing; the first that has values is used. [%]
    rpe : float, optional
        1 to 10, used where none of them has.
    dt_s : float
        Duration of each sample, 30 at most. [s]

    Returns
    -------
    float
        0 to 100, NaN where nothing is known. It is not an intensity factor.

    Notes
    -----
    Each 30 s mean has points (percent of critical power 70: 40, 90: 60, 105: 75, 130: 90, 180: 100, linear
    between) and the weight of the load it makes (percent squared); the score is the weighted mean. Coasting and easy
    recoveries therefore weigh little: a set of hard intervals scores as hard, not as the mean of hard and easy. From
    exertion: ten times it.

    Examples
    --------
    >>> round(intensity_score(power_pct=[65.0] * 3600), 1)
    37.1
    >>> round(intensity_score(power_pct=([120.0] * 240 + [50.0] * 240) * 5), 1)
    74.5
    """
    for series, points in (
        (power_pct, POWER_POINTS),
        (speed_pct, SPEED_POINTS),
        (heart_rate_pct, HEART_RATE_POINTS),
    ):
        values = _known(series)
        if len(values):
            return _weighted_points(values, points, max(1, round(INTENSITY_WINDOW_S / dt_s)))
    return math.nan if rpe is None else 10.0 * rpe


def stimulus(
    seconds: Mapping[LapIntensity, float], *, average_pct: float | None = None
) -> TrainingStimulus | None:
    """The dominant stimulus of a session.

    Parameters
    ----------
    seconds : mapping of LapIntensity to float
        Time in bands, as `zones.time_in_bands` gives it. [s]
    average_pct : float, optional
        Average power as percent of critical power: an aerobic session below 55 % is recovery. [%]

    Returns
    -------
    TrainingStimulus or None
        None where no time is known.

    Notes
    -----
    The band with the largest time times weight (`STIMULUS_WEIGHTS`): most time alone would call every
    session aerobic, as warm-up and recoveries outlast the intervals.

    Examples
    --------
    >>> str(stimulus({LapIntensity.AEROBIC: 3600.0, LapIntensity.VO2MAX: 900.0}))
    'vo2max'
    """
    weighted = {band: seconds.get(band, 0.0) * weight for band, weight in STIMULUS_WEIGHTS.items()}
    if not sum(weighted.values()) > 0:
        return None
    band = max(weighted, key=weighted.__getitem__)
    if band is LapIntensity.AEROBIC and average_pct is not None and average_pct < RECOVERY_PCT:
        return TrainingStimulus.RECOVERY
    return TrainingStimulus(band.value)


def _known(series: ArrayLike | None) -> NDArray[np.float64]:
    values = np.asarray([] if series is None else series, np.float64)
    is_known = np.isfinite(values)
    return values if is_known.all() else values[is_known]


def _weighted_points(values: NDArray[np.float64], table: Points, window: int) -> float:
    efforts, effort_points = np.array(table, np.float64).T
    means = rolling_mean(values, min(window, len(values)))
    points, weights = np.interp(means, efforts, effort_points), np.maximum(means, 0) ** 2
    total = float(weights.sum())
    if not total > 0:
        return 0.0
    return min(float(np.sum(points * weights)) / total, 100.0)  # sums round to 100.00000000000001
