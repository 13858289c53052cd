"""The verdict on the morning: the signs of poor recovery and illness in one word, by a rule that is shown with it."""

from dataclasses import dataclass
from enum import StrEnum

from coachboard.analytics.flags.athlete_days import AthleteDays
from coachboard.analytics.flags.contact_readings import absences_of
from coachboard.analytics.flags.plan_readings import SIGN, STRONG_SIGN_SD, recovery_signs
from coachboard.analytics.flags.recovery_readings import NORMAL_RANGE
from coachboard.analytics.planning.illness import Medical

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
    poor = tuple(words for words, found in signs if found.is_raised)
    normal = tuple(words for words, found in signs if not found.is_raised and not found.shortage)
    unknown = tuple(
        f"{name}: {found.shortage}" for name, (_, found) in zip(_NAMES, signs, strict=True) if found.shortage
    )
    ill = tuple(
        one.title or str(one.kind)
        for one in absences_of(athlete)
        if one.is_open and one.kind is Medical.ILLNESS
    )
    if ill:
        return MorningVerdict(Morning.ILL, (*ill[-1:], *poor), normal, unknown)
    is_strong = any(found.is_raised and found.deviations >= STRONG_SIGN_SD for _, found in signs)
    if len(poor) >= POOR_SIGNS or is_strong:
        return MorningVerdict(Morning.POOR, poor, normal, unknown)
    if poor:
        return MorningVerdict(Morning.WATCH, poor, normal, unknown)
    is_known = len(normal) >= LEAST_KNOWN
    return MorningVerdict(Morning.NORMAL if is_known else Morning.UNKNOWN, (), normal, unknown)
