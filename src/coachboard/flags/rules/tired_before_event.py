"""Hard session at very low form before an event."""

from datetime import date

from coachboard.execution.adherence import DONE
from coachboard.flags.athlete_days import (
    AthleteDays,
    events_ahead,
    is_taxing,
    open_plans_soon,
    session_words,
    today_or_tomorrow,
)
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.rules.form_low import VERY_LOW_FORM, form_low
from coachboard.plurals import count
from coachboard.wire.enums import TrainingStimulus

TRAINING_RACE, TRAINING_RACE_D = "a workout planned as a race, done under this title in an earlier week", 6
"""A weekly race is trained through (Friel's race C): a triathlete who races a sprint of 63 min every Saturday was above two
athletes with an injury and short nights. The same title, done so many days before or earlier. Coachboard's own. [days]"""


def tired_before_event(athlete: AthleteDays, threshold: float) -> Reading:
    """Days until an event or a workout planned as a race, with a hard session today or tomorrow at very low form. [days].

    Very low form needs more than three days of rest: a hard session of these days is done at the cost of the event.

    Notes
    -----
    *Missing data*: not judged without an event or planned race ahead, or if form is not known.

    *Worked example*: form is −58 points, −75 % of a fitness of 77, VO2max is planned for tomorrow and a race in 2 days, within 3
    days: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from coachboard.execution.adherence import Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(104, np.nan)
    >>> load, race = np.array([50.0] * 90 + [150.0] * 14), (date(2026, 3, 10), "Hill climb")
    >>> hard = Planned("tpr_1", date(2026, 3, 9), Sport.CYCLING, stimulus=TrainingStimulus.VO2MAX, duration_s=3600)
    >>> matches = match_sessions([hard], [], excuses=(), today=today)
    >>> days = AthleteDays(today, load, np.ones(104), *[none] * 4, matches=matches, events=[race])
    >>> reading = tired_before_event(days, 3.0)
    >>> reading.is_raised, reading.detail
    (True, 'VO2max tomorrow at a form of −58, 2 days before Hill climb')
    """
    ahead = [event for event in events_ahead(athlete) if event[0] > athlete.today]
    form = form_low(athlete, VERY_LOW_FORM)
    if not ahead:
        return Reading(is_raised=False)
    if form.shortage:
        return short(form.shortage)
    (day, name), in_d = ahead[0], (ahead[0][0] - athlete.today).days
    hard = (plan for plan in open_plans_soon(athlete) if is_taxing(plan) and plan.day < day)
    plan = next((plan for plan in hard if plan.stimulus is not TrainingStimulus.RACE), None)
    if plan is None or in_d > threshold or not form.value <= form.limit:
        return Reading(is_raised=False, value=float(in_d), as_of=athlete.today)
    due = f"{session_words(plan)} {today_or_tomorrow(plan.day, athlete.today)}"
    points = f"{form.value:.0f}".replace("-", "−")
    return Reading(
        is_raised=True,
        value=float(in_d),
        factor=TRAINING_RACE if _is_training_race(athlete, ahead[0]) else "",
        as_of=athlete.today,
        detail=f"{due} at a form of {points}, {count(in_d, 'day')} before {name}",
        due=plan.day,
    )


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
    id="tired_before_event",
    title="Very low form before an event",
    text="Hard session today or tomorrow, an event or race within {threshold}, and form at or below both −35 % of fitness and "
    "−10 points",
    threshold=3,
    bounds=(1, 7),
    unit="days",
    source="Bosquet et al. 2007: fatigue falls over days of less training; limits chosen by Coachboard",
    topic=Topic.PLAN,
    weight=1.0,
    read=tired_before_event,
    factors={TRAINING_RACE: 0.6},
    detail="",  # the reading names the days
    argues_against_plan=True,
    short_title="Low form before event",
)
