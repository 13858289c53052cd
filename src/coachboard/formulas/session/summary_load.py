"""Load of sessions without a volume from the service, from their summary."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import nan
from typing import Protocol

from coachboard.formulas.session.session_load import hr_load_score, rpe_load
from coachboard.wire.enums import Gender, Sport

SPEED_EXPONENTS = {Sport.RUNNING: 2.0, Sport.SWIMMING: 3.0}
"""Sports whose load follows from speed, with the exponent of speed."""
RPE_RANGE = (1, 10)


class LoadMethod(StrEnum):
    """The method of a computed load, in order of preference."""

    POWER = "power"
    PACE = "pace"
    HEART_RATE = "heart rate"
    RPE = "RPE × min"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The athlete's reference values in a sport; None if unknown."""

    critical_power_w: float | None = None
    critical_speed_mps: float | None = None
    max_heart_rate_bpm: float | None = None
    resting_heart_rate_bpm: float | None = None
    gender: Gender | None = None


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """The values of a session that show its load; NaN if missing."""

    duration_s: float
    sport: Sport | None = None
    power_w: float = nan  # normalized if known, else average
    speed_mps: float = nan
    heart_rate_bpm: float = nan
    rpe: float = nan


def summary_load(summary: SessionSummary, thresholds: Thresholds) -> tuple[float, LoadMethod | None]:
    """Load of a session and the method it is computed by.

    Parameters
    ----------
    summary : SessionSummary
        Averages over the session. [s, W, m/s, bpm, 1 to 10]
    thresholds : Thresholds
        The athlete's reference values in the sport of the session. [W, m/s, bpm]

    Returns
    -------
    (float, LoadMethod or None)
        An hour at critical power, at critical speed, at 89 % of maximum heart rate or at RPE 7 is 100; (NaN, None) where
        the summary or the references allow no method. [score]

    Notes
    -----
    The first method that applies of power, pace (runs and swims), heart rate and RPE times minutes. The formulas are
    those of the loads from samples, with the averages of the session in the place of its samples: a session of hard intervals
    counts for less than from its samples, by pace and heart rate more so than by normalized power.

    *Missing data*: a session without the averages or the athlete's threshold for a method takes the next one; without
    any it has no load.

    *Worked example*: 60 min at 250 W normalized with a critical power of 250 W: 100.0 points.

    References
    ----------
    As those of the loads from samples; Foster et al. (2001), J Strength Cond Res 15:109.

    Examples
    --------
    >>> ride = SessionSummary(3600, Sport.CYCLING, power_w=250)
    >>> load, method = summary_load(ride, Thresholds(critical_power_w=250))
    >>> load, str(method)
    (100.0, 'power')
    >>> summary_load(SessionSummary(3600, rpe=7), Thresholds())[0]
    100.0
    """
    if not summary.duration_s > 0:
        return nan, None
    load_by_method = {
        LoadMethod.POWER: _by_power(summary, thresholds),
        LoadMethod.PACE: _by_pace(summary, thresholds),
        LoadMethod.HEART_RATE: _by_heart_rate(summary, thresholds),
        LoadMethod.RPE: _by_rpe(summary),
    }
    return next(((load, method) for method, load in load_by_method.items() if load >= 0), (nan, None))


class Scored(Protocol):
    """A session with the method of its load."""

    @property
    def load_method(self) -> LoadMethod | None: ...  # noqa: D102


def methods_of(sessions: Iterable[Scored]) -> tuple[LoadMethod, ...]:
    """Methods by which loads of these sessions are computed, the most frequent first; none where all are given.

    Examples
    --------
    >>> methods_of([])
    ()
    """
    counted = Counter(session.load_method for session in sessions if session.load_method is not None)
    return tuple(method for method, _ in counted.most_common())


def _by_power(summary: SessionSummary, thresholds: Thresholds) -> float:
    critical = thresholds.critical_power_w
    if not critical or not summary.power_w > 0:
        return nan
    return summary.duration_s * (summary.power_w / critical) ** 2 / 36


def _by_pace(summary: SessionSummary, thresholds: Thresholds) -> float:
    critical = thresholds.critical_speed_mps
    exponent = SPEED_EXPONENTS.get(summary.sport) if summary.sport else None
    if not critical or exponent is None or not summary.speed_mps > 0:
        return nan
    return float(summary.duration_s * (summary.speed_mps / critical) ** exponent / 36)


def _by_heart_rate(summary: SessionSummary, thresholds: Thresholds) -> float:
    rest, most = thresholds.resting_heart_rate_bpm, thresholds.max_heart_rate_bpm
    if not rest or not most or most <= rest or not summary.heart_rate_bpm > 0:
        return nan
    return hr_load_score(
        summary.heart_rate_bpm, summary.duration_s, rest_bpm=rest, max_bpm=most, gender=thresholds.gender
    )


def _by_rpe(summary: SessionSummary) -> float:
    lowest, highest = RPE_RANGE
    return rpe_load(summary.rpe, summary.duration_s) if lowest <= summary.rpe <= highest else nan
