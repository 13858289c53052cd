"""No rest day."""

from datetime import timedelta

from coachboard.flags.athlete_days import AthleteDays, days_at_end
from coachboard.flags.flag import FlagRule, Reading, Topic

REST_LOAD = 20.0
"""A load up to this is rest: a walk, or half an hour of very easy riding. Coachboard's own."""


def no_rest_day(athlete: AthleteDays, threshold: float) -> Reading:
    """Days in a row with a load above 20, up to yesterday, since today is not over; at most 28 are counted. [days].

    Notes
    -----
    *Missing data*: a session without a load counts as rest.

    *Worked example*: a load of 40 on each of the 15 days up to yesterday: 15 days in a row, the limit is 14: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> load, none = np.array([0.0, *[40.0] * 15, 0.0]), np.full(17, np.nan)
    >>> reading = no_rest_day(AthleteDays(date(2026, 3, 1), load, np.ones(17), *[none] * 4), 14.0)
    >>> reading.is_raised, reading.value
    (True, 15.0)
    """
    days = days_at_end(athlete.daily_load[:-1] > REST_LOAD)
    return Reading(
        is_raised=days >= threshold,
        value=float(days),
        limit=threshold,
        normal=0.0,
        days_active=max(days - int(threshold) + 1, 0),
        as_of=athlete.today - timedelta(days=1),
    )


RULE = FlagRule(
    id="no_rest_day",
    title="No rest day",
    text="A load above 20 on at least {threshold} in a row; shown only together with another flag",
    threshold=14,
    bounds=(7, 28),
    unit="days",
    source="Brenner 2007: a day or two off a week for young athletes; limit chosen by Coachboard. Many adults train every day without "
    "harm, so it only appears together with another flag",
    topic=Topic.LOAD,
    weight=0.2,
    read=no_rest_day,
    detail="{value} in a row with training",
    is_supporting=True,
)
