"""Low feel scores."""

from math import nan

import numpy as np

from coachboard.flags.athlete_days import AthleteDays
from coachboard.flags.flag import FlagRule, Reading, Topic, short

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
    >>> from datetime import date
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
        normal=BEST_FEELING,
        days_active=(athlete.today - recent[-3][0]).days,
        as_of=recent[-1][0],
    )


RULE = FlagRule(
    id="feeling_low",
    title="Low feel scores",
    text="Mean of the last 3 feel scores (5 = best) {threshold} or lower, or a point below the athlete's usual, and clearly below "
    "the normal range",
    threshold=FEELING_LOW,
    bounds=(1, 5),
    unit="of 5",
    source="Saw et al. 2016: self-ratings respond to load earlier than measurements; threshold chosen by Coachboard",
    topic=Topic.RECOVERY,
    weight=0.4,
    read=feeling_low,
    detail="mean of the last 3 feel scores {value}",
    digits=1,
    has_normal=True,
    argues_against_plan=True,
)
