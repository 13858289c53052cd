"""The characteristic of a lap beside its intensity: all-out, low or high cadence, rising, uneven; definitions of this project.

`laps` finds the laps and their intensity, and asks here for the characteristic.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coachboard.formulas.session.power import rolling_mean
from coachboard.wire.enums import EASY_INTENSITIES, LapCharacteristic, LapIntensity

LONGEST_INTRA_RECOVERY_S = 300

MAXIMUM_SHARE = 0.95
MAXIMUM_SPRINT_PCT = 300.0
"""An all-out sprint reaches three times critical power for a second. [%]"""
SHORTEST_MODELLED_S, LONGEST_MODELLED_S = 120, 1200

TORQUE_CADENCE_RPM = 65.0
HIGH_CADENCE_RPM = 100.0
SHORTEST_CADENCE_S = 30

PROGRESSIVE_RISE = 0.15
PROGRESSIVE_FIT = 0.7
SHORTEST_PROGRESSIVE_S = 60

DYNAMIC_VARIATION = 0.2
SHORTEST_DYNAMIC_S = 120
_SMOOTH_S = 10


@dataclass(frozen=True, slots=True)
class Signals:
    """The series that traits use, one sample per second."""

    power_w: NDArray[np.float64]
    critical_power_w: float
    cadence_rpm: NDArray[np.float64] | None
    torque_nm: NDArray[np.float64] | None
    w_prime_j: float | None

    @classmethod
    def of(
        cls,
        power_w: NDArray[np.float64],
        critical_power_w: float,
        cadence_rpm: ArrayLike | None,
        torque_nm: ArrayLike | None,
        w_prime_j: float | None,
    ) -> "Signals":
        """Cut the series to one length."""
        cadence, torque = (
            None if series is None else np.asarray(series, np.float64) for series in (cadence_rpm, torque_nm)
        )
        for name, series in (("cadence_rpm", cadence), ("torque_nm", torque)):
            if series is not None and series.shape != power_w.shape:
                raise ValueError(f"{name} has shape {series.shape}, power {power_w.shape}")
        return cls(power_w, critical_power_w, cadence, torque, w_prime_j)


def trait_of(signals: Signals, start: int, stop: int, intensity: LapIntensity) -> LapCharacteristic | None:
    """First matching trait of a lap, in the order of the table below.

    Parameters
    ----------
    signals : Signals
        Series of the whole session.
    start, stop : int
        First sample, and the one after the last.
    intensity : LapIntensity
        Band of the stretch.

    Returns
    -------
    LapCharacteristic or None
        None for easy stretches, save `progressive` (a warm-up that rises).

    Notes
    -----
    ===========  ==========================================================================================
    maximum      sprint: a second at 300 % of critical power; effort of 2 to 20 min: mean at least 95 % of
                 CP + W'/t (where W' is known)
    torque       from 30 s: median cadence, pedalled seconds only, at most 65 rpm
    cadence      from 30 s: median cadence at least 100 rpm
    progressive  from 60 s: the straight line through the power rises by 15 % of its mean and explains 70 %
                 of the variance of 10 s means
    dynamic      from 120 s: 10 s means vary by 20 % (standard deviation over mean)
    ===========  ==========================================================================================

    Examples
    --------
    >>> ramp = np.linspace(200.0, 300.0, 300)
    >>> str(trait_of(Signals.of(ramp, 280.0, None, None, None), 0, 300, LapIntensity.TEMPO))
    'progressive'
    """
    if intensity in EASY_INTENSITIES:
        return LapCharacteristic.PROGRESSIVE if _is_progressive(signals.power_w[start:stop]) else None
    checks = (
        (LapCharacteristic.MAXIMUM, _is_maximum(signals, start, stop, intensity)),
        (LapCharacteristic.TORQUE, _cadence(signals, start, stop) <= TORQUE_CADENCE_RPM),
        (LapCharacteristic.CADENCE, _cadence(signals, start, stop) >= HIGH_CADENCE_RPM),
        (LapCharacteristic.PROGRESSIVE, _is_progressive(signals.power_w[start:stop])),
        (LapCharacteristic.DYNAMIC, _is_dynamic(signals.power_w[start:stop])),
    )
    return next((trait for trait, holds in checks if holds), None)


def _is_maximum(signals: Signals, start: int, stop: int, intensity: LapIntensity) -> bool:
    power, duration_s = signals.power_w[start:stop], stop - start
    if intensity is LapIntensity.NEUROMUSCULAR:
        return bool(power.max() >= MAXIMUM_SPRINT_PCT / 100 * signals.critical_power_w)
    if signals.w_prime_j is None or not SHORTEST_MODELLED_S <= duration_s <= LONGEST_MODELLED_S:
        return False
    possible_w = signals.critical_power_w + signals.w_prime_j / duration_s
    return bool(power.mean() >= MAXIMUM_SHARE * possible_w)


def _cadence(signals: Signals, start: int, stop: int) -> float:
    """Median cadence while pedalling; from torque if cadence was not recorded, else NaN."""
    if stop - start < SHORTEST_CADENCE_S:
        return float("nan")
    if signals.cadence_rpm is not None:
        cadence = signals.cadence_rpm[start:stop]
    elif signals.torque_nm is not None:
        torque = signals.torque_nm[start:stop]
        cadence = signals.power_w[start:stop] / np.where(torque > 0, torque, np.nan) * 30 / np.pi
    else:
        return float("nan")
    pedalled = cadence[cadence > 0]
    return float(np.median(pedalled)) if len(pedalled) else float("nan")


def _is_progressive(power: NDArray[np.float64]) -> bool:
    if len(power) < SHORTEST_PROGRESSIVE_S or power.mean() <= 0:
        return False
    smooth = rolling_mean(power, _SMOOTH_S)
    centred_s = np.arange(len(smooth)) - (len(smooth) - 1) / 2
    slope = float(centred_s @ smooth / (centred_s @ centred_s))
    if slope * len(power) < PROGRESSIVE_RISE * power.mean():
        return False
    return bool(slope**2 * (centred_s @ centred_s) >= PROGRESSIVE_FIT * np.sum((smooth - smooth.mean()) ** 2))


def _is_dynamic(power: NDArray[np.float64]) -> bool:
    if len(power) < SHORTEST_DYNAMIC_S or power.mean() <= 0:
        return False
    return bool(rolling_mean(power, _SMOOTH_S).std() >= DYNAMIC_VARIATION * power.mean())
