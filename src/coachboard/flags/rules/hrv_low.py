"""Low HRV."""

from dataclasses import replace

import numpy as np

from coachboard.flags.athlete_days import (
    EVENT_REST_D,
    AthleteDays,
    days_at_end,
    last_known,
    rests_after_event,
)
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.nights import HRV_UNCERTAINTY_MS, HRV_WIDTH_SD, deviations, lowest, night_shortage
from coachboard.flags.rules.feeling_low import FEELING_LOW, feeling_low
from coachboard.formulas.recovery import hrv
from coachboard.formulas.recovery.baseline import LINE_D, trailing_count
from coachboard.formulas.recovery.illness import Medical, kind_of


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
    >>> from datetime import date
    >>> none = np.full(87, np.nan)
    >>> hrv_ms = np.array([60.0, 64.0] * 40 + [50.0] * 7)
    >>> reading = hrv_low(AthleteDays(date(2026, 3, 1), np.zeros(87), np.zeros(87), hrv_ms, none, none, none), 1.0)
    >>> reading.is_raised, round(reading.value, 1)
    (True, 50.0)
    """
    reading = hrv_line_low(athlete, threshold)
    is_expected = reading.is_raised and _is_expected(athlete)
    return replace(reading, is_raised=False) if is_expected else reading


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
    if shortage := night_shortage(logs, line, athlete.today):
        return short(shortage, last_known(logs, athlete.today))
    normal = hrv.normal_range(athlete.hrv_ms, width_sd=HRV_WIDTH_SD)
    nights = trailing_count(logs)
    sure_sd = HRV_WIDTH_SD + 1 / np.sqrt(np.maximum(nights, 1))
    limit = normal.mean - np.maximum(threshold, sure_sd) * normal.deviation
    without_lowest = (line * nights - lowest(logs, LINE_D)) / np.maximum(nights - 1, 1)
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
        normal=float(np.exp(normal.mean[-1])),
        deviations=deviations(normal.mean[-1] - line[-1], normal.deviation[-1]),
        days_active=days_at_end(holds),
        as_of=last_known(logs, athlete.today),
    )


RULE = FlagRule(
    id="hrv_low",
    title="Low HRV",
    text="7-day HRV at least {threshold} SD below the 60-day mean and clearly below the normal range, except in the week after "
    "a long event",
    threshold=1.0,
    bounds=(0.1, 5),
    unit="SD",
    source="Kiviniemi et al. 2007 (mean − 1 SD); Plews et al. 2013 use ±0.5 SD for the normal range",
    topic=Topic.RECOVERY,
    weight=0.5,
    read=hrv_low,
    detail="7-day mean {value}",
    value_unit="ms",
    has_normal=True,
    card="HRV",
    argues_against_plan=True,
)
