"""The verdict on the morning: the signs of poor recovery and illness in one word, by a rule that is shown with it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import isnan

from coachboard.flags.athlete_days import AthleteDays, absences_of
from coachboard.flags.flag import Reading
from coachboard.flags.nights import NORMAL_RANGE
from coachboard.flags.rules.hrv_low import hrv_line_low
from coachboard.flags.rules.resting_hr_high import resting_hr_high
from coachboard.flags.rules.sleep_short import sleep_short
from coachboard.formulas.recovery.illness import Medical
from coachboard.plurals import digits_to_tell, duration_hm

SIGNS: tuple[tuple[str, str, Callable[[AthleteDays, float], Reading], float], ...] = (
    ("7-day HRV", "ms", hrv_line_low, 0.5),
    ("3-night resting heart rate", "bpm", resting_hr_high, 3.0),
    ("3-night sleep", "h", sleep_short, 6.5),
)
"""Signs of poor recovery at their watch limits, which are lower than the flags': a hard session adds to them.

Each names its days: the roster shows the 7-day mean of sleep, which without a name reads as a contradiction.
"""
SIGN = (
    "A sign is 7-day HRV 0.5 SD below the 60-day mean, 3-night resting heart rate 3 bpm above it, or 3-night sleep under "
    "6h30, each also outside the normal range by more than the measurement error"
)
"""The definition for the reader, in the rule of the flag and next to the morning's verdict."""
STRONG_SIGN_SD = 1.0
"""A single sign of a full standard deviation is enough (Kiviniemi et al. 2007)."""


def recovery_signs(athlete: AthleteDays) -> list[tuple[str, Reading]]:
    """HRV, resting heart rate and sleep at their watch limits: each in words, with its reading."""
    signs = [(name, unit, read(athlete, limit)) for name, unit, read, limit in SIGNS]
    return [("" if sign.shortage else _sign_words(name, unit, sign), sign) for name, unit, sign in signs]


def _sign_words(name: str, unit: str, sign: Reading) -> str:
    """The value with the normal range, if there is one."""
    digits = digits_to_tell(sign.value, sign.low, sign.high)

    def write(value: float) -> str:
        return duration_hm(value * 3600) if unit == "h" else f"{value:.{digits}f}"

    words = f"{name} {write(sign.value)}" if unit == "h" else f"{name} {write(sign.value)} {unit}"
    is_normal_known = not isnan(sign.low + sign.high)
    return f"{words} (normal {write(sign.low)}–{write(sign.high)})" if is_normal_known else words


LEAST_KNOWN = 2
POOR_SIGNS = 2
RULE = (
    f"Ill: an open illness note. Poor recovery: {POOR_SIGNS} signs, or 1 sign at least 1 SD off the mean. Watch: 1 sign. "
    f"Normal: no sign, with at least {LEAST_KNOWN} of HRV, resting heart rate and sleep measured. {SIGN}. "
    f"Normal range: {NORMAL_RANGE}."
)
NO_RULE = f"A verdict needs nights with at least {LEAST_KNOWN} of HRV, resting heart rate and sleep."
"""In place of the rule where there is nothing to judge."""


class Morning(StrEnum):
    """The verdicts."""

    ILL = "ill"
    POOR = "poor recovery"
    WATCH = "watch"
    NORMAL = "normal recovery"
    UNKNOWN = "no verdict"


@dataclass(frozen=True, slots=True)
class MorningVerdict:
    """The verdict with the signs that decide it, the normal ones, and why others are not known."""

    morning: Morning
    deciding: tuple[str, ...]
    normal: tuple[str, ...]
    unknown: tuple[str, ...]


_NAMES = ("HRV", "resting heart rate", "sleep")


def morning_verdict(athlete: AthleteDays) -> MorningVerdict:
    """The athlete's recovery this morning.

    Parameters
    ----------
    athlete : AthleteDays
        Nights, sessions and medical notes up to today.

    Returns
    -------
    MorningVerdict

    Notes
    -----
    An open illness decides. Otherwise the signs are those of the flag "Hard session, poor recovery": the 7-day mean of HRV
    0.5 SD below the mean of 60 days, three nights of resting heart rate 3 bpm above it, three days of sleep below
    6.5 h; each also outside the athlete's normal range by more than the error of a wearable. Two signs, or one of a
    full SD, are poor recovery; one is a watch. An injury is no sign of poor recovery. Coachboard's own rule.

    *Missing data*: a sign without enough nights (14 of 60, one in the last two days) is not known. With fewer than two
    known signs and none of them poor there is no verdict.

    *Worked example*: HRV 1.2 SD below the mean of 60 days, heart rate and sleep normal: one sign of a full SD, poor
    recovery.

    References
    ----------
    Kiviniemi et al. (2007), doi:10.1007/s00421-007-0552-2; Plews et al. (2013), doi:10.1007/s40279-013-0071-8;
    illness: Schwellnus et al. (2016), doi:10.1136/bjsports-2016-096572.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> usual, none = np.array([50.0, 51.0] * 43 + [50.0]), np.full(87, np.nan)
    >>> hrv_ms, slept = np.array([60.0, 64.0] * 40 + [58.5] * 7), np.full(87, 8.0)
    >>> athlete = AthleteDays(date(2026, 3, 1), np.zeros(87), np.zeros(87), hrv_ms, usual, slept, none)
    >>> str(morning_verdict(athlete).morning)
    'poor recovery'
    """
    signs = recovery_signs(athlete)
    poor = tuple(words for words, sign in signs if sign.is_raised)
    normal = tuple(words for words, sign in signs if not sign.is_raised and not sign.shortage)
    unknown = tuple(
        f"{name}: {sign.shortage}" for name, (_, sign) in zip(_NAMES, signs, strict=True) if sign.shortage
    )
    ill = tuple(
        absence.title or str(absence.kind)
        for absence in absences_of(athlete)
        if absence.is_open and absence.kind is Medical.ILLNESS
    )
    if ill:
        return MorningVerdict(Morning.ILL, (*ill[-1:], *poor), normal, unknown)
    is_strong = any(sign.is_raised and sign.deviations >= STRONG_SIGN_SD for _, sign in signs)
    if len(poor) >= POOR_SIGNS or is_strong:
        return MorningVerdict(Morning.POOR, poor, normal, unknown)
    if poor:
        return MorningVerdict(Morning.WATCH, poor, normal, unknown)
    morning = Morning.NORMAL if len(normal) >= LEAST_KNOWN else Morning.UNKNOWN
    return MorningVerdict(morning, (), normal, unknown)
