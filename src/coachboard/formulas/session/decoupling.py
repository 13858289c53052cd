"""Decoupling: power (or speed) against heart rate in the two halves of a session."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.session.power import normalized_power, variability_index

SHORTEST_DECOUPLING_S = 5_400
"""90 min: shorter sessions show mostly warm-up. [s]"""

HIGHEST_VARIABILITY = 1.05
"""Above this variability index the halves differ in effort, not in heart rate response. [-]"""

_SHORTEST_S = 600
"""Each half needs the 5 min of normalized power. [s]"""

SHORTEST_EFFICIENCY_S = 1_200
COUPLED_PCT = 5.0
"""Below this loss effort and heart rate count as coupled. [%]"""


@dataclass(frozen=True, slots=True)
class Decoupling:
    """Output per beat of both halves and the loss, NaN where unknown; and why it means little, if so."""

    first: float
    second: float
    loss_pct: float
    caution: str | None

    @property
    def is_coupled(self) -> bool:
        """Whether the loss is below 5 %."""
        return self.loss_pct < COUPLED_PCT


def efficiency_factor(output: float, heart_rate_bpm: float) -> float:
    """Output per beat.

    Parameters
    ----------
    output : float
        Normalized power or grade-adjusted speed. [W or m/min]
    heart_rate_bpm : float
        Average heart rate. [bpm]

    Returns
    -------
    float
        NaN where either is unknown or the rate is 0. [W/bpm or m/beat]

    Notes
    -----
    Normalized power divided by average heart rate; without a power meter grade-adjusted metres per minute on foot,
    metres per minute in water.

    *Missing data*: samples without a value; shown from 20 min, because heart rate follows an effort late.

    *Worked example*: 210 W normalized at 140 bpm: 210 / 140 = 1.5 W per beat.

    References
    ----------
    Friel J. The Triathlete's Training Bible. VeloPress, 4th ed. 2016.

    Examples
    --------
    >>> efficiency_factor(210.0, 140.0)
    1.5
    """
    return output / heart_rate_bpm if heart_rate_bpm > 0 else math.nan


def loss_pct(first: float, second: float) -> float:
    """Loss of output per beat from the first to the second half.

    Parameters
    ----------
    first, second : float
        Output per beat of each half. [W/bpm]

    Returns
    -------
    float
        Positive for drift, negative where the second half was the better; NaN where unknown. [%]

    Notes
    -----
    (EF1 - EF2) / EF1. Others divide heart rate by power: the sign is the same, the value slightly larger.

    Examples
    --------
    >>> round(loss_pct(193 / 136, 195 / 142), 2)
    3.23
    """
    return (first - second) / first * 100 if first > 0 else math.nan


def decoupling(output: ArrayLike, heart_rate_bpm: ArrayLike, *, is_power: bool = True) -> Decoupling:
    """Decoupling: output per beat, first half vs second half.

    Parameters
    ----------
    output : array_like
        Power, or speed (grade-adjusted for runs), one sample a second, NaN where missing, shape (n,).
        [W or m/s]
    heart_rate_bpm : array_like
        NaN where missing, shape (n,). [bpm]
    is_power : bool
        Whether `output` is power, which is normalized; speed is averaged.

    Returns
    -------
    Decoupling
        With a caution in words below 90 min or, by power, at a variability index above 1.05; NaN below 10 min.

    Notes
    -----
    Seconds with a heart rate above 0 are split in the middle. Below 90 min it shows mostly the warm-up, and above a
    variability index of 1.05 the halves differ in effort: it is shown with a caution.

    *Missing data*: seconds without a heart rate; none below 10 min.

    *Worked example*: 200 W at 130 bpm, then 200 W at 140 bpm: (200 / 130 − 200 / 140) / (200 / 130) = 7.14 %.

    References
    ----------
    Friel J, as in the efficiency factor; conditions after Maunder E et al. The importance of 'durability' in
    the physiological profiling of endurance athletes. Sports Med 51:1619, 2021.
    doi:10.1007/s40279-021-01459-0.

    Examples
    --------
    >>> decoupling([200.0] * 6000, [130.0] * 3000 + [140.0] * 3000).loss_pct.__round__(2)
    7.14
    >>> decoupling([200.0] * 600, [130.0] * 600).caution
    'means little: 10 min, below 90 min'
    """
    series, rate = np.asarray(output, np.float64), np.asarray(heart_rate_bpm, np.float64)
    if series.shape != rate.shape:
        raise ValueError(f"output and heart_rate_bpm differ in length: {series.shape}, {rate.shape}")
    beating = rate > 0
    series, rate = series[beating], rate[beating]
    if reason := _why_not(series):
        return Decoupling(math.nan, math.nan, math.nan, reason)
    middle = len(series) // 2
    first, second = (
        efficiency_factor(_output(series[half], is_power=is_power), float(rate[half].mean()))
        for half in (slice(None, middle), slice(middle, None))
    )
    return Decoupling(first, second, loss_pct(first, second), _caution(series, is_power=is_power))


def _output(series: NDArray[np.float64], *, is_power: bool) -> float:
    if is_power:
        return normalized_power(series)
    measured = series[np.isfinite(series)]
    return float(measured.mean()) if len(measured) else math.nan


def _why_not(series: NDArray[np.float64]) -> str | None:
    if not np.isfinite(series).any():
        return "heart rate and power (or speed) were never recorded together"
    if len(series) < _SHORTEST_S:
        return f"only {len(series) // 60} min with heart rate; needs {_SHORTEST_S // 60} min"
    return None


def _caution(series: NDArray[np.float64], *, is_power: bool) -> str | None:
    if len(series) < SHORTEST_DECOUPLING_S:
        return f"means little: {len(series) // 60} min, below {SHORTEST_DECOUPLING_S // 60} min"
    variability = variability_index(series) if is_power else 1.0
    if not variability <= HIGHEST_VARIABILITY:
        return f"means little: uneven, variability index {_above(variability)}, above {HIGHEST_VARIABILITY:g}"
    return None


def _above(variability: float) -> str:
    """Enough digits to distinguish the index from the limit: 1.054 must not read as 1.05."""
    digits = next((digits for digits in range(2, 9) if round(variability, digits) > HIGHEST_VARIABILITY), 9)
    return f"{variability:.{digits}f}"
