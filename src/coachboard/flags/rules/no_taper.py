"""No taper before an event."""

from coachboard.flags.athlete_days import AthleteDays, next_event, plans_until, usual_day_s
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.formulas.plausible import or_zero
from coachboard.plurals import duration_hm

TAPER_D = 3
"""Fewer days to the event give no rate. At 80 % of the usual time a small race with one easy run more was flagged. [days]"""


def no_taper(athlete: AthleteDays, threshold: float) -> Reading:
    """Time planned a day until an event in three to seven days, of the time done a day in the four weeks before the last one. [%].

    The last week may taper already: it is not part of the usual time.

    Notes
    -----
    *Missing data*: plans without a duration; not judged without sessions in these four weeks. A workout planned as a race is no
    event: it is often done without a taper.

    *Worked example*: an hour a day in the weeks before and an hour a day planned until an event in 3 days: 100 %: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date, timedelta
    >>> from coachboard.execution.adherence import Done, Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> done = [Done(f"act_{n}", today - timedelta(n), Sport.CYCLING, duration_s=3600) for n in range(1, 36)]
    >>> plans = [Planned(f"tpr_{n}", today + timedelta(n), Sport.CYCLING, duration_s=3600) for n in range(3)]
    >>> matches = match_sessions(plans, done, excuses=(), today=today)
    >>> race = (today + timedelta(3), "Ironman Wales")
    >>> days = AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches, events=[race])
    >>> no_taper(days, 100.0).is_raised, no_taper(days, 100.0).value
    (True, 100.0)
    """
    event, usual_s = next_event(athlete), usual_day_s(athlete)
    if event is None or (event[0] - athlete.today).days < TAPER_D:
        return Reading(is_raised=False)
    if usual_s <= 0:
        return short("no session in the four weeks before the last one")
    day, name = event
    planned_s = (
        sum(or_zero(plan.duration_s) for plan in plans_until(athlete, day)) / (day - athlete.today).days
    )
    return Reading(
        is_raised=planned_s / usual_s * 100 >= threshold,
        value=planned_s / usual_s * 100,
        limit=threshold,
        as_of=athlete.today,
        detail=f"{duration_hm(planned_s)} a day until {name}, usually {duration_hm(usual_s)}",
    )


RULE = FlagRule(
    id="no_taper",
    title="No taper before an event",
    text="At least {threshold} % of the usual time a day planned until an event in 3 to 7 days",
    threshold=100.0,
    bounds=(40, 300),
    unit="%",
    source="Bosquet et al. 2007: a taper of 41 to 60 % less time gains 2 to 3 %; limit chosen by Coachboard",
    topic=Topic.PLAN,
    # An athlete may leave out half of such a plan: ten nights of 4.6 h come before it.
    weight=0.6,
    read=no_taper,
    detail="planned {value} of the usual time",
    short_title="No taper",
)
