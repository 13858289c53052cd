"""High resting heart rate."""

import numpy as np

from coachboard.flags.athlete_days import AthleteDays, days_at_end, last_known
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.nights import (
    RESTING_HR_UNCERTAINTY_BPM,
    RESTING_HR_WIDTH_SD,
    deviations,
    lowest,
    night_shortage,
)
from coachboard.formulas.recovery.baseline import own_normal, trailing_count, trailing_mean

RESTING_HR_D = 3
RESTING_HR_SD, RESTING_HR_LEAST_BPM, RESTING_HR_EARLIER_BPM = 2.0, 3.0, 2.0
"""A mean of three nights 2 SD above the athlete's own is rare: at 5 bpm alone, a rider with an SD of 1.6 bpm raised nothing
at + 4.4 bpm, with low HRV and low feel scores. Under 3 bpm it is daily variation, and a coach who sets a limit of 40 bpm
wants silence. Coachboard's own."""


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
    >>> from datetime import date
    >>> none = np.full(83, np.nan)
    >>> bpm = np.array([50.0, 51.0] * 40 + [57.0] * 3)
    >>> high = resting_hr_high(AthleteDays(date(2026, 3, 1), np.zeros(83), np.zeros(83), none, bpm, none, none), 5.0)
    >>> high.is_raised, round(high.value, 1)
    (True, 57.0)
    """
    values, line = athlete.resting_hr_bpm, trailing_mean(athlete.resting_hr_bpm, RESTING_HR_D, minimum_days=2)
    if shortage := night_shortage(values, line, athlete.today):
        return short(shortage, last_known(values, athlete.today))
    normal = own_normal(values, width_sd=RESTING_HR_WIDTH_SD)
    least = max(RESTING_HR_LEAST_BPM, threshold - RESTING_HR_EARLIER_BPM)
    above = np.fmin(threshold, np.maximum(RESTING_HR_SD * normal.deviation, least))
    limit = np.maximum(normal.mean + above, normal.high + RESTING_HR_UNCERTAINTY_BPM)
    nights = trailing_count(values, RESTING_HR_D)
    without_highest = (line * nights + lowest(-values, RESTING_HR_D)) / np.maximum(nights - 1, 1)
    holds = (line >= limit) & (without_highest >= normal.high + RESTING_HR_UNCERTAINTY_BPM)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(line[-1]),
        low=float(normal.low[-1]),
        high=float(normal.high[-1]),
        limit=float(limit[-1]),
        normal=float(normal.mean[-1]),
        deviations=deviations(line[-1] - normal.mean[-1], normal.deviation[-1]),
        days_active=days_at_end(holds),
        as_of=last_known(values, athlete.today),
    )


RULE = FlagRule(
    id="resting_hr_high",
    title="High resting heart rate",
    text="Mean resting heart rate of 3 nights at least {threshold} bpm above the 60-day mean, or up to 2 bpm less for an athlete with "
    "steady nights",
    threshold=5.0,
    bounds=(1, 40),
    unit="bpm",
    source="Common coaching practice: watch at 3 to 4 bpm, act at 5 bpm (section-11 readiness rules)",
    topic=Topic.RECOVERY,
    weight=0.45,
    read=resting_hr_high,
    detail="3-night mean {value}",
    has_normal=True,
    card="Resting heart rate",
    argues_against_plan=True,
)
