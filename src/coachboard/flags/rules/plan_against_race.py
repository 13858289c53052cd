"""Plan too hard before an event."""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from coachboard.analytics.planning.adherence import DONE, Adherence, Planned
from coachboard.analytics.plausible import or_zero
from coachboard.flags.athlete_days import (
    AthleteDays,
    events_ahead,
    is_taxing,
    open_plans_soon,
    session_words,
    today_or_tomorrow,
    usual_day_s,
)
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.rules.form_low import VERY_LOW_FORM, form_low
from coachboard.models.enums import TrainingStimulus
from coachboard.plurals import count, duration_hm

LONG_BEFORE_EVENT_H, LONG_BEFORE_EVENT_D = 2.5, 3
"""A session of this length in the last days before an event costs the event: an athlete had a ride of six hours planned two days
before an Ironman. Coachboard's own."""
TAPER_D = 3
"""As much planned time as usual is no taper, which takes off 41 to 60 % (Bosquet et al. 2007); at 80 % of it a small race with
one easy run more was flagged. Fewer than three days to the event give no rate. The last week may taper already: it is not part of the
usual time. [days]"""
NO_TAPER = "only the taper is missing"
"""A missing taper costs 2 to 3 % of performance (Bosquet et al. 2007), and an athlete may leave out half of such a plan: a coach
called an athlete with ten nights of 4.6 h before one with a double plan. Coachboard's own."""
FRESH_D = 3
"""Very low form needs more than three days of rest: a hard session of these days is done at the cost of the event, while a big
weekend without an event after it may take its time (`LOW_FORM_D`). [days]"""
TRAINING_RACE, TRAINING_RACE_D = "only a weekly race", 6
"""A weekly race is trained through (Friel's race C): a triathlete who races a sprint of 63 min every Saturday was above two
athletes with an injury and short nights. The same title, done so many days before or earlier. Coachboard's own. [days]"""
SEVERAL = "several reasons"


class _AgainstPlan(NamedTuple):
    """A reason against the plan: the day of the event, the words, the planned day and the factor."""

    event: date
    words: str
    due: date | None = None
    factor: str = ""


def plan_against_race(athlete: AthleteDays, threshold: float) -> Reading:
    """Days until the event whose plan is too hard: a long session, as much time as usual, or a hard session at low form. [days].

    Long: 2.5 h in its last three days. As much: planned time per day until the event at least the time done per day in the four
    weeks before the last one. Low form: form at or below the limit of very low form, a hard session today or tomorrow, and the
    event or a workout planned as a race in three days or less; less urgent before a workout that was done under the same title in
    an earlier week.

    Notes
    -----
    *Missing data*: plans without a duration, and days of the event; time is not compared with an event in less than three days
    or without sessions in these four weeks; form that is not known. A workout planned as a race is often done without a taper:
    it counts for low form only.

    *Worked example*: an Ironman in 5 days and a ride of 6 h planned 2 days before it, more than 2.5 h: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> from coachboard.analytics.planning.adherence import match_sessions
    >>> from coachboard.models.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> ride = Planned("tpr_1", date(2026, 3, 11), Sport.CYCLING, duration_s=6 * 3600)
    >>> matches = match_sessions([ride], [], excuses=(), today=today)
    >>> race = (date(2026, 3, 13), "Ironman Wales")
    >>> days = AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches, events=[race])
    >>> against = plan_against_race(days, 7.0)
    >>> against.is_raised, against.detail
    (True, '6h00 session 2 days before Ironman Wales')
    """
    ahead = [event for event in events_ahead(athlete) if event[0] > athlete.today]
    if not ahead:
        return short("no event planned")
    signs = [sign for sign in _signs(athlete, ahead) if (sign.event - athlete.today).days <= threshold]
    nearest = min((sign.event for sign in signs), default=ahead[0][0])
    return Reading(
        is_raised=bool(signs),
        value=float((nearest - athlete.today).days),
        factor=SEVERAL if len(signs) > 1 else "".join(sign.factor for sign in signs),
        as_of=athlete.today,
        detail=", ".join(sign.words for sign in signs),
        due=next((sign.due for sign in signs if sign.due is not None), None),
    )


def _signs(athlete: AthleteDays, ahead: list[tuple[date, str]]) -> Iterator[_AgainstPlan]:
    events = [event for event in ahead if event in athlete.events]
    if events:
        yield from _long_session(athlete, events[0])
        yield from _no_taper(athlete, events[0])
    yield from _low_form(athlete, ahead[0])


def _plans_until(athlete: AthleteDays, day: date) -> list[Planned]:
    plans = {
        match.planned.id: match.planned
        for match in athlete.matches
        if match.adherence is Adherence.AHEAD and match.planned is not None and match.planned.day < day
    }
    return list(plans.values())


def _long_session(athlete: AthleteDays, event: tuple[date, str]) -> Iterator[_AgainstPlan]:
    day, name = event
    near = (plan for plan in _plans_until(athlete, day) if (day - plan.day).days <= LONG_BEFORE_EVENT_D)
    long = (plan for plan in near if plan.duration_s >= LONG_BEFORE_EVENT_H * 3600)
    longest = max(long, key=lambda plan: plan.duration_s, default=None)
    if longest is not None:
        before = count((day - longest.day).days, "day")
        yield _AgainstPlan(
            day, f"{duration_hm(longest.duration_s)} session {before} before {name}", longest.day
        )


def _no_taper(athlete: AthleteDays, event: tuple[date, str]) -> Iterator[_AgainstPlan]:
    day, name = event
    in_d, usual_s = (day - athlete.today).days, usual_day_s(athlete)
    planned_s = sum(or_zero(plan.duration_s) for plan in _plans_until(athlete, day)) / in_d
    if in_d >= TAPER_D and usual_s > 0 and planned_s >= usual_s:
        words = f"{duration_hm(planned_s)} a day planned until {name}, usually {duration_hm(usual_s)}"
        yield _AgainstPlan(day, words, factor=NO_TAPER)


def _low_form(athlete: AthleteDays, event: tuple[date, str]) -> Iterator[_AgainstPlan]:
    day, name = event
    in_d, form = (day - athlete.today).days, form_low(athlete, VERY_LOW_FORM)
    if in_d > FRESH_D or not form.value <= form.limit:
        return
    hard = (plan for plan in open_plans_soon(athlete) if is_taxing(plan) and plan.day < day)
    plan = next((plan for plan in hard if plan.stimulus is not TrainingStimulus.RACE), None)
    if plan is not None:
        due = f"{session_words(plan)} {today_or_tomorrow(plan.day, athlete.today)}"
        low = f"{form.value:.0f}".replace("-", "−")
        words = f"{due} at a form of {low}, {count(in_d, 'day')} before {name}"
        yield _AgainstPlan(day, words, plan.day, TRAINING_RACE if _is_training_race(athlete, event) else "")


def _is_training_race(athlete: AthleteDays, event: tuple[date, str]) -> bool:
    """Whether a workout planned as a race was done under the same title in an earlier week."""
    day, name = event
    past = (match.planned for match in athlete.matches if match.adherence in DONE)
    return event not in athlete.events and any(
        plan is not None
        and plan.title.casefold() == name.casefold()
        and (day - plan.day).days >= TRAINING_RACE_D
        for plan in past
    )


RULE = FlagRule(
    id="plan_against_race",
    title="Plan too hard before an event",
    text="Event within {threshold}, and one of three reasons. (1) A session of 2.5 h or more in the 3 days before it. "
    "(2) 3 days or more to go, and no less time planned per day than usual. (3) 3 days or less to go, a hard session today "
    "or tomorrow, and form at or below both −35 % of fitness and −10 points. For (3), a workout planned as a race is an "
    "event, too",
    threshold=7,
    bounds=(1, 14),
    unit="days",
    source="Bosquet et al. 2007: a taper of 41 to 60 % less time; limits chosen by Coachboard",
    topic=Topic.PLAN,
    weight=1.0,
    read=plan_against_race,
    factors={NO_TAPER: 0.6, TRAINING_RACE: 0.6, SEVERAL: 1.3},
    detail="event in {value}",
    short="Hard plan before event",
)
