"""Hard days in a row."""

from datetime import date, timedelta

from coachboard.flags.athlete_days import (
    AthleteDays,
    is_taxing,
    open_plans_soon,
    session_words,
    today_or_tomorrow,
)
from coachboard.flags.flag import FlagRule, Reading, Topic
from coachboard.wire.enums import TrainingStimulus


def hard_days_in_a_row(athlete: AthleteDays, threshold: float) -> Reading:
    """Days in a row with a hard session, done or open, up to the hard plan of today or tomorrow. [days].

    Hard is what moves after a poor night: threshold to test, long tempo, and three hours without a type. A race of today or
    tomorrow raises nothing, since the stages of an event follow each other.

    Notes
    -----
    *Missing data*: sessions without a type under three hours count as easy.

    *Worked example*: VO2max two days ago and yesterday, and threshold planned for today: 3 days in a row, the limit is 3: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from coachboard.execution.adherence import Done, Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none, hard = date(2026, 3, 8), np.full(30, np.nan), TrainingStimulus.VO2MAX
    >>> done = [Done(f"act_{n}", today - timedelta(n), Sport.CYCLING, hard, 3600) for n in (1, 2)]
    >>> plan = Planned("tpr_1", today, Sport.CYCLING, TrainingStimulus.THRESHOLD, 3600)
    >>> matches = match_sessions([plan], done, excuses=(), today=today)
    >>> reading = hard_days_in_a_row(AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches), 3.0)
    >>> reading.is_raised, reading.value, reading.detail
    (True, 3.0, 'threshold today')
    """
    ahead = {plan.day: plan for plan in open_plans_soon(athlete) if is_taxing(plan)}
    done = {match.done.day for match in athlete.matches if match.done is not None and is_taxing(match.done)}
    rows = {
        day: _days_up_to(day, done | ahead.keys())
        for day, plan in sorted(ahead.items())
        if plan.stimulus is not TrainingStimulus.RACE
    }
    due = next((day for day, days in rows.items() if days >= threshold), None)
    return Reading(
        is_raised=due is not None,
        value=float(max(rows.values(), default=0)),
        limit=threshold,
        normal=0.0,
        as_of=athlete.today,
        detail=f"{session_words(ahead[due])} {today_or_tomorrow(due, athlete.today)}" if due else "",
        due=due,
    )


def _days_up_to(day: date, hard: set[date]) -> int:
    days = 0
    while day - timedelta(days=days) in hard:
        days += 1
    return days


RULE = FlagRule(
    id="hard_days_in_a_row",
    title="Hard days in a row",
    text="Hard sessions on at least {threshold} in a row, with the one planned for today or tomorrow",
    threshold=3,
    bounds=(2, 10),
    unit="days",
    source="Stanley et al. 2013: heart rate variability needs 48 h or more to return after high intensity; limit chosen by Coachboard",
    topic=Topic.PLAN,
    weight=0.4,
    read=hard_days_in_a_row,
    detail="{value} with the planned one",
    argues_against_plan=True,
    short_title="Hard days in a row",
)
