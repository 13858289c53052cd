"""Long session before an event."""

from coachboard.flags.athlete_days import AthleteDays, next_event, plans_until
from coachboard.flags.flag import FlagRule, Reading, Topic
from coachboard.plurals import count

LAST_DAYS = 3


def long_before_event(athlete: AthleteDays, threshold: float) -> Reading:
    """The longest session planned in the last three days before an event of the next seven days. [h].

    Notes
    -----
    *Missing data*: plans without a duration. A workout planned as a race is no event: it is often done without a taper.

    *Worked example*: an Ironman in 5 days and a ride of 6 h planned 2 days before it, more than 2.5 h: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> from coachboard.execution.adherence import Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> ride = Planned("tpr_1", date(2026, 3, 11), Sport.CYCLING, duration_s=6 * 3600)
    >>> matches = match_sessions([ride], [], excuses=(), today=today)
    >>> race = (date(2026, 3, 13), "Ironman Wales")
    >>> days = AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches, events=[race])
    >>> reading = long_before_event(days, 2.5)
    >>> reading.is_raised, reading.value, reading.detail
    (True, 6.0, '2 days before Ironman Wales')
    """
    event = next_event(athlete)
    if event is None:
        return Reading(is_raised=False)
    day, name = event
    timed = [plan for plan in plans_until(athlete, day) if plan.duration_s > 0]
    near = [plan for plan in timed if (day - plan.day).days <= LAST_DAYS]
    longest = max(near, key=lambda plan: plan.duration_s, default=None)
    if longest is None:
        return Reading(is_raised=False, as_of=athlete.today)
    hours = longest.duration_s / 3600
    return Reading(
        is_raised=hours >= threshold,
        value=hours,
        limit=threshold,
        as_of=athlete.today,
        detail=f"{count((day - longest.day).days, 'day')} before {name}",
        due=longest.day,
    )


RULE = FlagRule(
    id="long_before_event",
    title="Long session before an event",
    text="A session of {threshold} h or more planned in the last 3 days before an event",
    threshold=2.5,
    bounds=(0.5, 12),
    unit="h",
    source="Bosquet et al. 2007: a taper of 41 to 60 % less time; limit chosen by Coachboard",
    topic=Topic.PLAN,
    weight=1.0,
    read=long_before_event,
    argues_against_plan=True,
    short_title="Long session, event near",
)
