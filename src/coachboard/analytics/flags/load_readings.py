"""Load compared with the athlete's usual load: form, acute:chronic ratio, monotony."""

from datetime import timedelta
from math import nan

import numpy as np

from coachboard.analytics.flags.athlete_days import (
    LOOK_BACK_D,
    AthleteDays,
    Reading,
    days_at_end,
    how_far,
    last_session,
    short,
)
from coachboard.analytics.frames import FITNESS, FORM
from coachboard.analytics.recovery.baseline import own_normal
from coachboard.analytics.season.load import CLASSIC, fitness_fatigue_form, own_start
from coachboard.analytics.season.monotony import (
    ACUTE_D,
    CHRONIC_D,
    acute_chronic_loads,
    acute_chronic_ratio,
    rolling_monotony,
)

VERY_LOW_FORM, LEAST_LOW_FORM = -35.0, -10.0
"""The limit in percent of fitness, as Coachboard sets it. Form above −10 points is no deep fatigue (TrainingPeaks: −10 to −30 is productive training). With a fitness of 12, one
long run is −60 % of fitness. [points]"""
LOW_FORM_D = 5
"""With a rest day, form is low for three mornings after a planned big weekend, with hard sessions for four: at three,
a coach was called for a weekend that went as planned. Load beyond the plan has its own flag at once. Coachboard's own."""


def form_low(athlete: AthleteDays, threshold: float) -> Reading:
    """Form at the start of the day: at most `threshold` percent of fitness, and `LEAST_LOW_FORM`, for `LOW_FORM_D` days.

    The value is in points. A percentage says nothing at a low fitness: −31 points are −132 % of a fitness of 23.

    Notes
    -----
    *Missing data*: days without a session count as 0; not judged with fewer than 42 days from the first session on, nor
    in the days in which the means settle.

    *Worked example*: 90 days of load 50, then 14 days of 150: form is −58 points, −75 % of a fitness
    of 77, on 12 mornings in a row: raised.

    Examples
    --------
    >>> from datetime import date
    >>> load, none = np.array([50.0] * 90 + [150.0] * 14), np.full(104, np.nan)
    >>> found = form_low(AthleteDays(date(2026, 3, 1), load, np.ones(104), none, none, none, none), -35.0)
    >>> found.is_raised, round(found.value), found.detail, found.days_standing
    (True, -58, 'fitness 77', 12)
    """
    days = _training_days(athlete)
    if days < CLASSIC.fitness_d:
        return short(f"needs {CLASSIC.fitness_d:g} days of training, has {days}", last_session(athlete))
    start = own_start(athlete.daily_load)
    frame = fitness_fatigue_form(athlete.daily_load, start=start)
    fitness, form = frame[FITNESS].to_numpy(copy=True), frame[FORM].to_numpy(copy=True)
    limit = np.minimum(fitness * threshold / 100, LEAST_LOW_FORM)
    form[: start.settled_at] = nan
    holds = form <= limit
    usual = own_normal(form, width_sd=1)
    days_low = days_at_end(holds)
    return Reading(
        is_raised=days_low >= LOW_FORM_D,
        value=float(form[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        limit=float(limit[-1]),
        far=how_far(float(form[-1]), float(limit[-1]), normal=0),
        days_standing=days_low,
        as_of=last_session(athlete),
        detail=f"fitness {fitness[-1]:.0f}",
    )


def load_jump(athlete: AthleteDays, threshold: float) -> Reading:
    """Acute:chronic ratio at the start of the day.

    Notes
    -----
    Weighted mean load of 7 days over that of 28 days, both up to yesterday.

    *Missing data*: days without a session count as 0; not judged with fewer than 28 days from the first session on.

    *Worked example*: 60 days of load 50, then 7 days of 200: the ratio of the two means is 1.7, above the limit of
    1.5: raised.

    Examples
    --------
    >>> from datetime import date
    >>> load, none = np.array([50.0] * 60 + [200.0] * 7 + [0.0]), np.full(68, np.nan)
    >>> found = load_jump(AthleteDays(date(2026, 3, 1), load, np.ones(68), none, none, none, none), 1.5)
    >>> found.is_raised, round(found.value, 1)
    (True, 1.7)
    """
    days = _training_days(athlete)
    if days < LOOK_BACK_D:
        return short(f"needs {LOOK_BACK_D} days of training, has {days}", last_session(athlete))
    start = own_start(athlete.daily_load)
    ratio = acute_chronic_ratio(athlete.daily_load, start=start)
    acute, chronic = acute_chronic_loads(athlete.daily_load, start=start)
    holds = ratio > threshold
    usual = own_normal(ratio, width_sd=1)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(ratio[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        limit=threshold,
        far=how_far(float(ratio[-1]), threshold, normal=1),
        # Fatigue and fitness next to it weigh the days differently: 38 ÷ 36 is no 1.62.
        detail=f"load {acute[-1]:.0f} a day over {ACUTE_D} days ÷ {chronic[-1]:.0f} a day over {CHRONIC_D} days (recent days weigh more; not the same "
        "as fatigue ÷ fitness)",
        days_standing=days_at_end(holds),
        as_of=last_session(athlete),
    )


def monotony_high(athlete: AthleteDays, threshold: float) -> Reading:
    """Monotony of the seven days up to yesterday, since today is not over.

    Notes
    -----
    *Missing data*: days without a session count as 0; not judged with fewer than 4 sessions in these days.

    *Worked example*: a week of 60, 60, 60, 60, 60, 60 and 20: the mean of 54.3 over the standard deviation of 14.0 is
    3.9: raised.

    Examples
    --------
    >>> from datetime import date
    >>> load, none = np.array([60.0, 60, 60, 60, 60, 60, 20, 0]), np.full(8, np.nan)
    >>> found = monotony_high(AthleteDays(date(2026, 3, 1), load, np.ones(8), none, none, none, none), 2.0)
    >>> found.is_raised, round(found.value, 1)
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
        far=how_far(float(values[-1]), threshold, normal=0),
        days_standing=days_at_end(holds),
        as_of=athlete.today - timedelta(days=1),
    )


def _training_days(athlete: AthleteDays) -> int:
    trained = np.flatnonzero(athlete.sessions_a_day > 0)
    return int(len(athlete.sessions_a_day) - trained[0]) if len(trained) else 0
