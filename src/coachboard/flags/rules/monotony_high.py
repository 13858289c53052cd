"""High monotony."""

from datetime import timedelta

from coachboard.flags.athlete_days import AthleteDays, days_at_end, last_session
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.formulas.recovery.baseline import own_normal
from coachboard.formulas.season.monotony import rolling_monotony


def monotony_high(athlete: AthleteDays, threshold: float) -> Reading:
    """Monotony of the seven days up to yesterday, since today is not over.

    Notes
    -----
    *Missing data*: days without a session count as 0; not judged with fewer than 4 sessions in these days.

    *Worked example*: a week of 60, 60, 60, 60, 60, 60 and 20: the mean of 54.3 over the standard deviation of 14.0 is
    3.9: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> load, none = np.array([60.0, 60, 60, 60, 60, 60, 20, 0]), np.full(8, np.nan)
    >>> high = monotony_high(AthleteDays(date(2026, 3, 1), load, np.ones(8), none, none, none, none), 2.0)
    >>> high.is_raised, round(high.value, 1)
    (True, 3.9)
    """
    week = athlete.sessions_a_day[-8:-1]
    if len(week) < 7 or week.sum() < 4:
        return short(f"needs 4 sessions in 7 days, has {int(week.sum())}", last_session(athlete))
    values = rolling_monotony(athlete.daily_load[:-1])
    holds = values >= threshold
    usual = own_normal(values, width_sd=1)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(values[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        limit=threshold,
        normal=0.0,
        days_active=days_at_end(holds),
        as_of=athlete.today - timedelta(days=1),
    )


RULE = FlagRule(
    id="monotony_high",
    title="High monotony",
    text="7-day monotony at {threshold} or more: mean daily load ÷ its standard deviation; shown only together with another flag",
    threshold=2.0,
    bounds=(0.5, 10),
    unit="",
    source="Foster 1998; high monotony alone is common in steady training, so it only appears together with another flag",
    topic=Topic.LOAD,
    weight=0.2,
    read=monotony_high,
    detail="7-day monotony {value}",
    digits=2,
    is_supporting=True,
)
