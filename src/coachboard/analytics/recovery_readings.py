"""Recovery against the own normal: heart rate variability, resting heart rate, sleep, how sessions felt."""

from dataclasses import replace
from datetime import date
from math import isnan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics import hrv
from coachboard.analytics.baseline import MINIMUM_DAYS, own_normal, trailing_mean
from coachboard.analytics.flag_readings import AthleteDays, Reading, days_at_end, last_known, short

SLEEP_WIDTH_SD = 1.0
"""Half width of the own normal of sleep, the same wherever it is shown."""
RECENT_NIGHT_D = 2
"""A night older than this many days says nothing about this morning."""


def hrv_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The 7-day line of ln HRV against its own normal; numbers are given back in ms."""
    logs = hrv.ln_hrv(athlete.hrv_ms)
    found = _against_normal(
        logs, hrv.seven_day_line(athlete.hrv_ms), athlete.today, width=threshold, below=True
    )
    return replace(
        found,
        value=float(np.exp(found.value)),
        low=float(np.exp(found.low)),
        high=float(np.exp(found.high)),
    )


def resting_hr_high(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of three nights against the own normal. [bpm]."""
    line = trailing_mean(athlete.resting_hr_bpm, 3, minimum_days=2)
    return _against_normal(athlete.resting_hr_bpm, line, athlete.today, width=threshold, below=False)


def sleep_short(athlete: AthleteDays, threshold: float) -> Reading:
    """Mean of three days, naps included, against the limit, with the normal range. [h]."""
    asleep_h = athlete.asleep_24h_h
    line = trailing_mean(asleep_h, 3, minimum_days=2)
    as_of = last_known(asleep_h, athlete.today)
    if isnan(line[-1]):
        return short("no recent nights", as_of)
    normal = own_normal(asleep_h, width_sd=SLEEP_WIDTH_SD)
    holds = line < threshold
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        days_standing=days_at_end(holds),
        as_of=as_of,
    )


def feeling_low(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of the last three rated sessions. [1 to 5]."""
    recent = [rated for rated in athlete.feelings if (athlete.today - rated[0]).days <= 14]
    if len(recent) < 3:
        return short(f"needs 3 rated sessions in 14 days, has {len(recent)}")
    usual = [value for _, value in athlete.feelings]
    value = float(np.mean([feeling for _, feeling in recent[-3:]]))
    spread = float(np.std(usual))
    return Reading(
        is_raised=value <= threshold,
        value=value,
        low=float(np.mean(usual)) - spread,
        high=float(np.mean(usual)) + spread,
        days_standing=(athlete.today - recent[-3][0]).days,
        as_of=recent[-1][0],
    )


def _against_normal(
    values: NDArray[np.float64], line: NDArray[np.float64], today: date, *, width: float, below: bool
) -> Reading:
    if shortage := _night_shortage(values, line, today):
        return short(shortage, last_known(values, today))
    normal = own_normal(values, width_sd=0.5)
    # The threshold is in standard deviations below and in units of the series above.
    holds = line <= normal.mean - width * normal.deviation if below else line >= normal.mean + width
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        days_standing=days_at_end(holds),
        as_of=last_known(values, today),
    )


def _night_shortage(values: NDArray[np.float64], line: NDArray[np.float64], today: date) -> str:
    nights = int((~np.isnan(values[-61:-1])).sum())
    if nights < MINIMUM_DAYS:
        return f"needs {MINIMUM_DAYS} nights, has {nights}"
    newest = last_known(values, today)
    if newest is None or (today - newest).days > RECENT_NIGHT_D or isnan(line[-1]):
        return "no recent nights"
    return ""
