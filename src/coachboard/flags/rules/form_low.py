"""Very low form."""

from math import nan

import numpy as np

from coachboard.flags.athlete_days import AthleteDays, days_at_end, last_session, training_days
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.formulas.frames import FITNESS, FORM
from coachboard.formulas.recovery.baseline import own_normal
from coachboard.formulas.season.load import CLASSIC, fitness_fatigue_form, own_start

VERY_LOW_FORM, LEAST_LOW_FORM = -35.0, -10.0
"""The limit in percent of fitness, as Coachboard sets it. Form above −10 points is no deep fatigue (TrainingPeaks: −10 to −30 is productive training). With a fitness of 12, one
long run is −60 % of fitness. [points]"""
LOW_FORM_D = 5
"""With a rest day, form is low for three mornings after a planned big weekend, with hard sessions for four: at three,
a coach was called for a weekend that went as planned. Load beyond the plan has its own flag at once. Coachboard's own."""


def form_low(athlete: AthleteDays, threshold: float) -> Reading:
    """Form at the start of the day: at most the limit in percent of fitness, and −10 points, for 5 days.

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
    >>> low = form_low(AthleteDays(date(2026, 3, 1), load, np.ones(104), none, none, none, none), -35.0)
    >>> low.is_raised, round(low.value), low.detail[:10], low.days_active
    (True, -58, 'fitness 77', 12)
    """
    days = training_days(athlete)
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
        normal=0.0,
        days_active=days_low,
        as_of=last_session(athlete),
        detail=f"fitness {fitness[-1]:.0f} (limit {threshold:g} % of it, but never closer to zero than {LEAST_LOW_FORM:g})".replace(
            "-", "−"
        ),
    )


RULE = FlagRule(
    id="form_low",
    title="Very low form",
    text="Form at or below {threshold} % of fitness and at or below −10 points, for 5 days or more",
    threshold=VERY_LOW_FORM,
    bounds=(-200, 0),
    unit="%",
    source="intervals.icu: form in percent of fitness, high risk from −30 %; Coachboard flags 5 points lower; "
    "TrainingPeaks: form of −10 to −30 points is productive training",
    topic=Topic.LOAD,
    weight=0.3,
    read=form_low,
    detail="form {value}",
    value_unit="",
    card="Form",
    argues_against_plan=True,
)
