"""Short sleep."""

import numpy as np

from coachboard.flags.athlete_days import AthleteDays, days_at_end, last_known
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.nights import SLEEP_UNCERTAINTY_H, SLEEP_WIDTH_SD, deviations, recent_shortage
from coachboard.formulas.recovery.baseline import own_normal, trailing_mean


def sleep_short(athlete: AthleteDays, threshold: float) -> Reading:
    """The mean of three days, naps included, below the flag's limit and 0.25 h below the normal range if known. [h].

    Notes
    -----
    *Missing data*: days without a main sleep; not judged with fewer than 2 of the last 3 days.

    *Worked example*: 8 and 7.5 h in turn, then 3 nights of 5 h, limit 6.5 h: the mean of 5 h is below it and below
    the normal range: raised.

    Examples
    --------
    >>> from datetime import date
    >>> none = np.full(70, np.nan)
    >>> asleep_h = np.array([8.0, 7.5] * 33 + [8.0, 5.0, 5.0, 5.0])
    >>> short_nights = sleep_short(AthleteDays(date(2026, 3, 1), np.zeros(70), np.zeros(70), none, none, asleep_h, none), 6.5)
    >>> short_nights.is_raised, round(short_nights.value, 1)
    (True, 5.0)
    """
    asleep_h = athlete.asleep_24h_h
    line = trailing_mean(asleep_h, 3, minimum_days=2)
    as_of = last_known(asleep_h, athlete.today)
    if shortage := recent_shortage(asleep_h, line, athlete.today):
        return short(shortage, as_of)
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
        normal=float(normal.mean[-1]),
        deviations=deviations(normal.mean[-1] - line[-1], normal.deviation[-1]),
        days_active=days_at_end(holds),
        as_of=as_of,
    )


RULE = FlagRule(
    id="sleep_short",
    title="Short sleep",
    text="Mean sleep of 3 days below {threshold} h, naps included, and at least 15 min below the normal range",
    threshold=6.0,
    bounds=(1, 12),
    unit="h",
    source="Hirshkowitz et al. 2015: under 6 h is not recommended for adults",
    topic=Topic.RECOVERY,
    weight=0.4,
    read=sleep_short,
    detail="3-night mean {value}",
    has_normal=True,
    card="Sleep",
    argues_against_plan=True,
)
