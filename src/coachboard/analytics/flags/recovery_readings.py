"""Recovery compared with the normal range: heart rate variability, resting heart rate, sleep, feeling."""

from dataclasses import replace
from datetime import date
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.flags.athlete_days import (
    EVENT_REST_D,
    AthleteDays,
    Reading,
    days_at_end,
    how_far,
    last_known,
    rests_after_event,
    short,
)
from coachboard.analytics.planning.illness import Medical, kind_of
from coachboard.analytics.recovery import hrv
from coachboard.analytics.recovery.baseline import (
    LINE_D,
    MINIMUM_DAYS,
    WINDOW_D,
    own_normal,
    trailing_count,
    trailing_mean,
)

RESTING_HR_WIDTH_SD = 0.5
RESTING_HR_D = 3
_NORMAL_WIDTH_SD = 0.5
SLEEP_WIDTH_SD = 1.0
"""Half width of the normal range of sleep, the same on every page."""
NORMAL_RANGE = f"{WINDOW_D}-day mean ± {_NORMAL_WIDTH_SD:g} SD (HRV, resting heart rate) or ± {SLEEP_WIDTH_SD:g} SD (sleep)"
"""The definition for the reader, next to each list of normal ranges."""
RESTING_HR_SD, RESTING_HR_LEAST_BPM, RESTING_HR_EARLIER_BPM = 2.0, 3.0, 2.0
"""A mean of three nights 2 SD above the athlete's own is rare: at 5 bpm alone, a rider with an SD of 1.6 bpm raised nothing
at + 4.4 bpm, with low HRV and low feel scores. Under 3 bpm it is daily variation, and a coach who sets a limit of 40 bpm
wants silence. Coachboard's own."""
RESTING_HR_UNCERTAINTY_BPM = 1.0
SLEEP_UNCERTAINTY_H = 0.25
HRV_UNCERTAINTY_MS = 1.0
"""Errors of wearables over several nights, Coachboard's own: a value closer to the edge of the normal range is no flag."""
FEELING_LOW, LEAST_LOW_SCORES = 2.0, 2
BEST_FEELING = 5.0
"""The best feel score, from which low ones are far: the mean of an athlete who feels bad for weeks falls with the scores."""
LEAST_SCORES = 5
"""Scores before the last three that give a normal range: with the last three in the range, it was 1.6 to 3.8 for an athlete
who fell from 4 to 1.7, and for one who always says 2 each session was flagged."""
FEELING_DROP, FEELING_DROP_OVER = 1.0, 1.0
"""A mean of three a point below the athlete's own, and at most a point over the flag's limit: a rider who usually says 3.7
and then 4, 2 and 2 before three hours of climbs raised nothing. Coachboard's own."""
FEELING_UNCERTAINTY = 1 / 3
"""One of three scores a point lower."""
POOR_NIGHT_SD = 2.0
RECENT_NIGHT_D = 2
"""An older night does not describe this morning."""


def hrv_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The 7-day mean of ln HRV against the normal range. [ms].

    Raised if it is below the mean of 60 days by the limit of the flag, in SD, and beyond the normal range (0.5 SD) by the standard error of a
    mean of so many nights and by 1 ms; a single low night is not enough.

    Notes
    -----
    *Missing data*: nights without HRV; the seven days after an event of 3 h or longer, unless the athlete is ill or feels bad;
    not judged with fewer than 14 nights of 60, or none in the last two days.

    *Worked example*: 60 and 64 ms in turn for 80 nights, then 7 nights of 50 ms: the 7-day mean is 50 ms, below the
    limit: raised.

    Examples
    --------
    >>> none = np.full(87, np.nan)
    >>> hrv_ms = np.array([60.0, 64.0] * 40 + [50.0] * 7)
    >>> found = hrv_low(AthleteDays(date(2026, 3, 1), np.zeros(87), np.zeros(87), hrv_ms, none, none, none), 1.0)
    >>> found.is_raised, round(found.value, 1)
    (True, 50.0)
    """
    found = hrv_line_low(athlete, threshold)
    return replace(found, is_raised=False) if found.is_raised and _is_expected(athlete) else found


def _is_expected(athlete: AthleteDays) -> bool:
    """Whether low HRV follows from a long event: neither an illness nor low feel scores explain it."""
    is_ill = any(
        0 <= (athlete.today - note.day).days <= EVENT_REST_D and kind_of(note.title) is Medical.ILLNESS
        for note in athlete.medical
    )
    return rests_after_event(athlete) and not is_ill and not feeling_low(athlete, FEELING_LOW).is_raised


def hrv_line_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The reading of `hrv_low`, also after a long event: a hard session soon after it needs the sign."""
    logs, line = hrv.ln_hrv(athlete.hrv_ms), hrv.seven_day_line(athlete.hrv_ms)
    if shortage := _night_shortage(logs, line, athlete.today):
        return short(shortage, last_known(logs, athlete.today))
    normal = own_normal(logs, width_sd=_NORMAL_WIDTH_SD)
    nights = trailing_count(logs)
    sure_sd = _NORMAL_WIDTH_SD + 1 / np.sqrt(np.maximum(nights, 1))
    limit = normal.mean - np.maximum(threshold, sure_sd) * normal.deviation
    without_lowest = (line * nights - _lowest(logs, LINE_D)) / np.maximum(nights - 1, 1)
    holds = (
        (line <= limit)
        & (np.exp(line) <= np.exp(normal.low) - HRV_UNCERTAINTY_MS)
        & (without_lowest < normal.low)
    )
    value, low = float(np.exp(line[-1])), float(np.exp(normal.low[-1]))
    limit_ms = min(float(np.exp(limit[-1])), low - HRV_UNCERTAINTY_MS)
    return Reading(
        is_raised=bool(holds[-1]),
        value=value,
        low=low,
        high=float(np.exp(normal.high[-1])),
        limit=limit_ms,
        far=how_far(value, limit_ms, normal=float(np.exp(normal.mean[-1]))),
        deviations=_deviations(normal.mean[-1] - line[-1], normal.deviation[-1]),
        days_standing=days_at_end(holds),
        as_of=last_known(logs, athlete.today),
    )


def resting_hr_high(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of three nights, above the normal range by 1 bpm and above the mean of 60 days by the flag's limit. [bpm].

    The limit is up to 2 bpm lower for an athlete with steady nights: 2 SD, at least 3 bpm. A single high night is not
    enough: the mean of the others is above the normal range, too, by 1 bpm.

    Notes
    -----
    *Missing data*: nights without a heart rate; not judged with fewer than 14 nights of 60, or none in the last two
    days.

    *Worked example*: 50 and 51 bpm in turn for 80 nights, then 3 nights of 57 bpm: the mean of 57 is more than 5
    bpm above 50.5: raised.

    Examples
    --------
    >>> none = np.full(83, np.nan)
    >>> bpm = np.array([50.0, 51.0] * 40 + [57.0] * 3)
    >>> found = resting_hr_high(AthleteDays(date(2026, 3, 1), np.zeros(83), np.zeros(83), none, bpm, none, none), 5.0)
    >>> found.is_raised, round(found.value, 1)
    (True, 57.0)
    """
    values, line = athlete.resting_hr_bpm, trailing_mean(athlete.resting_hr_bpm, RESTING_HR_D, minimum_days=2)
    if shortage := _night_shortage(values, line, athlete.today):
        return short(shortage, last_known(values, athlete.today))
    normal = own_normal(values, width_sd=RESTING_HR_WIDTH_SD)
    least = max(RESTING_HR_LEAST_BPM, threshold - RESTING_HR_EARLIER_BPM)
    above = np.fmin(threshold, np.maximum(RESTING_HR_SD * normal.deviation, least))
    limit = np.maximum(normal.mean + above, normal.high + RESTING_HR_UNCERTAINTY_BPM)
    nights = trailing_count(values, RESTING_HR_D)
    without_highest = (line * nights + _lowest(-values, RESTING_HR_D)) / np.maximum(nights - 1, 1)
    holds = (line >= limit) & (without_highest >= normal.high + RESTING_HR_UNCERTAINTY_BPM)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        limit=float(limit[-1]),
        far=how_far(float(line[-1]), float(limit[-1]), normal=float(normal.mean[-1])),
        deviations=_deviations(line[-1] - normal.mean[-1], normal.deviation[-1]),
        days_standing=days_at_end(holds),
        as_of=last_known(values, athlete.today),
    )


def is_last_night_poor(athlete: AthleteDays) -> bool:
    """Whether HRV of last night is 2 SD below the athlete's mean, or resting heart rate 2 SD above it.

    One night is no flag, since one in forty is so low by chance.
    """
    logs, bpm = hrv.ln_hrv(athlete.hrv_ms), athlete.resting_hr_bpm
    low, high = own_normal(logs, width_sd=POOR_NIGHT_SD).low, own_normal(bpm, width_sd=POOR_NIGHT_SD).high
    return bool(logs[-1] <= low[-1] or bpm[-1] >= high[-1])


def sleep_short(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of three days, naps included, below the flag's limit and 0.25 h below the normal range if known. [h].

    Notes
    -----
    *Missing data*: days without a main sleep; not judged with fewer than 2 of the last 3 days.

    *Worked example*: 8 and 7.5 h in turn, then 3 nights of 5 h, limit 6.5 h: the mean of 5 h is below it and below
    the normal range: raised.

    Examples
    --------
    >>> none = np.full(70, np.nan)
    >>> asleep_h = np.array([8.0, 7.5] * 33 + [8.0, 5.0, 5.0, 5.0])
    >>> found = sleep_short(AthleteDays(date(2026, 3, 1), np.zeros(70), np.zeros(70), none, none, asleep_h, none), 6.5)
    >>> found.is_raised, round(found.value, 1)
    (True, 5.0)
    """
    asleep_h = athlete.asleep_24h_h
    line = trailing_mean(asleep_h, 3, minimum_days=2)
    as_of = last_known(asleep_h, athlete.today)
    if isnan(line[-1]):
        return short("no recent nights", as_of)
    normal = own_normal(asleep_h, width_sd=SLEEP_WIDTH_SD)
    is_usual = line > normal.low - SLEEP_UNCERTAINTY_H  # False where the normal range is unknown
    holds = (line < threshold) & ~is_usual
    limit = float(np.fmin(threshold, normal.low[-1] - SLEEP_UNCERTAINTY_H))
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        limit=limit,
        far=how_far(float(line[-1]), limit, normal=float(normal.mean[-1])),
        deviations=_deviations(normal.mean[-1] - line[-1], normal.deviation[-1]),
        days_standing=days_at_end(holds),
        as_of=as_of,
    )


def feeling_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of the last three rated sessions, below the normal range of the scores before if known. [1 to 5].

    The limit is up to a point higher where that is a point below the athlete's own mean; two of the three are then below
    the normal range, since a single bad day is not enough.

    Notes
    -----
    *Missing data*: sessions without a score; not judged with fewer than 3 in 14 days.

    *Worked example*: scores of 4, 4, 3, 4, 4 and 4 before, then 2, 1 and 2: the mean of 1.7 is below the limit of 2 and
    below the normal range: raised.

    Examples
    --------
    >>> scores, none = (4, 4, 3, 4, 4, 4, 2, 1, 2), np.full(30, np.nan)
    >>> rated = [(date(2026, 2, 19 + n), float(score)) for n, score in enumerate(scores)]
    >>> days = AthleteDays(date(2026, 3, 1), *[np.zeros(30)] * 2, *[none] * 4, feelings=rated)
    >>> feeling_low(days, 2.0).is_raised, round(feeling_low(days, 2.0).value, 1)
    (True, 1.7)
    """
    recent = [rated for rated in athlete.feelings if (athlete.today - rated[0]).days <= 14]
    if len(recent) < 3:
        return short(f"needs 3 rated sessions in 14 days, has {len(recent)}")
    before = [feeling for _, feeling in athlete.feelings[:-3]]
    value = float(np.mean([feeling for _, feeling in recent[-3:]]))
    is_known = len(before) >= LEAST_SCORES
    usual, spread = (float(np.mean(before)), float(np.std(before))) if is_known else (nan, nan)
    low = usual - spread
    is_drop = sum(feeling < low for _, feeling in recent[-3:]) >= LEAST_LOW_SCORES
    drop = min(usual - FEELING_DROP, threshold + FEELING_DROP_OVER) if is_drop else nan
    limit = float(np.fmin(np.fmax(threshold, drop), low - FEELING_UNCERTAINTY))
    return Reading(
        is_raised=value <= limit,
        value=value,
        low=low,
        high=usual + spread,
        limit=limit,
        far=how_far(value, limit, normal=BEST_FEELING),
        days_standing=(athlete.today - recent[-3][0]).days,
        as_of=recent[-1][0],
    )


def _lowest(values: NDArray[np.float64], days: int) -> NDArray[np.float64]:
    """The lowest valid value of so many days up to each; NaN without any."""
    padded = np.concatenate([np.full(days - 1, np.inf), np.where(np.isnan(values), np.inf, values)])
    lowest = np.lib.stride_tricks.sliding_window_view(padded, days).min(axis=1)
    return np.where(np.isinf(lowest), nan, lowest)


def _deviations(distance: float, deviation: float) -> float:
    return float(distance / deviation) if deviation > 0 else nan


def _night_shortage(values: NDArray[np.float64], line: NDArray[np.float64], today: date) -> str:
    nights = int((~np.isnan(values[-61:-1])).sum())
    if nights < MINIMUM_DAYS:
        return f"needs {MINIMUM_DAYS} nights, has {nights}"
    newest = last_known(values, today)
    if newest is None or (today - newest).days > RECENT_NIGHT_D or isnan(line[-1]):
        return "no recent nights"
    return ""
