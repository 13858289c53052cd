"""Nothing planned."""

from datetime import timedelta
from math import nan

from coachboard.flags.athlete_days import LOOK_BACK_D, AthleteDays
from coachboard.flags.flag import FlagRule, Reading, Topic, short


def no_plan(athlete: AthleteDays, threshold: float) -> Reading:
    """Days until the next planned session; needs a plan in the last 28 days. [days].

    An athlete who is away for longer than that by a note needs no plan yet.

    Notes
    -----
    *Missing data*: not judged without a plan in the last 28 days, or if some plans could not be read.

    *Worked example*: the last plan was for yesterday and the next is in 9 days, the limit is 7: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> from coachboard.execution.adherence import Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> plans = [Planned(f"tpr_{day}", day, Sport.CYCLING) for day in (date(2026, 3, 7), date(2026, 3, 17))]
    >>> matches = match_sessions(plans, [], excuses=(), today=today)
    >>> days = AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches)
    >>> no_plan(days, 7.0).is_raised, no_plan(days, 7.0).value
    (True, 9.0)
    """
    planned = [match.planned.day for match in athlete.matches if match.planned is not None]
    if not any(day >= athlete.today - timedelta(days=LOOK_BACK_D) for day in planned):
        return short("no plan in the last 28 days")
    ahead = [day for day in planned if day >= athlete.today]
    next_in = (min(ahead) - athlete.today).days if ahead else None
    last = max(planned)
    until = athlete.today + timedelta(days=threshold)
    is_away = any(start <= athlete.today and end >= until for start, end in athlete.away)
    if "plans" in athlete.unread and (next_in is None or next_in > threshold):
        return short("some plans could not be read", last)
    return Reading(
        is_raised=(next_in is None or next_in > threshold) and not is_away,
        value=float(next_in) if next_in is not None else nan,
        days_active=max((athlete.today - last).days, 0),
        as_of=last,
    )


RULE = FlagRule(
    id="no_plan",
    title="Nothing planned",
    text="No session planned for the next {threshold}, after a plan in the last 28 days, unless a note says that the athlete is away",
    threshold=7,
    bounds=(1, 56),
    unit="days",
    source="Coachboard's own threshold",
    topic=Topic.PLAN,
    weight=0.3,
    read=no_plan,
    is_todo=True,
)
