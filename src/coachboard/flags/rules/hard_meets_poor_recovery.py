"""Hard session, poor recovery."""

from datetime import date
from math import isnan, nan
from statistics import median

from coachboard.execution.adherence import WEEK_D, Planned
from coachboard.flags.athlete_days import (
    LONG_H,
    AthleteDays,
    is_taxing,
    open_plans_soon,
    session_words,
    today_or_tomorrow,
)
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.morning import STRONG_SIGN_SD, recovery_signs
from coachboard.flags.rules.feeling_low import FEELING_LOW, feeling_low
from coachboard.wire.enums import TrainingStimulus

LONGER_THAN_USUAL = 1.25
"""HRV-guided training replaces intensity by easy training on mornings of low HRV (Kiviniemi 2007, Vesterinen 2016, Javaloyes 2019): a
rider with low HRV alone and a usual ride of 3 h tomorrow was listed above a rider who had broken off the key session. Coachboard's own."""
USUAL_WEEKS = 4


def hard_meets_poor_recovery(athlete: AthleteDays, threshold: float) -> Reading:
    """Signs of poor recovery before a hard session of today or tomorrow: at least the limit, or one of a full SD.

    With low HRV as the only sign, and no low feel scores, a long session without a stimulus or of durability is hard if it is 25 %
    longer than the athlete's usual long session of the sport: the median of the longest ones of the last four weeks, or 3 h if none is known.

    Notes
    -----
    *Missing data*: signs whose nights are missing count as none; not judged without any.

    *Worked example*: HRV of 60 and 64 ms in turn for 80 nights, then 7 nights of 50 ms, and VO2max intervals tomorrow:
    1 sign, more than 1 SD below the mean: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> from coachboard.execution.adherence import Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 1), np.full(87, np.nan)
    >>> hrv_ms = np.array([60.0, 64.0] * 40 + [50.0] * 7)
    >>> hard = Planned("tpr_1", date(2026, 3, 2), Sport.CYCLING, stimulus=TrainingStimulus.VO2MAX, duration_s=3600)
    >>> plans = match_sessions([hard], [], excuses=(), today=today)
    >>> meets = hard_meets_poor_recovery(
    ...     AthleteDays(today, np.zeros(87), np.zeros(87), hrv_ms, none, none, none, matches=plans), 2.0)
    >>> meets.is_raised, meets.value
    (True, 1.0)
    """
    signs = recovery_signs(athlete)
    measured = [sign for _, sign in signs if not sign.shortage]
    if not measured:
        return short("no recovery data: " + signs[0][1].shortage)
    poor = [(words, sign) for words, sign in signs if sign.is_raised]
    is_hrv_alone = (
        len(poor) == 1 and signs[0][1].is_raised and not feeling_low(athlete, FEELING_LOW).is_raised
    )
    taxing = filter(is_taxing, open_plans_soon(athlete))
    hard = next((plan for plan in taxing if not (is_hrv_alone and _is_usual_length(athlete, plan))), None)
    most_sd = max((sign.deviations for _, sign in poor if not isnan(sign.deviations)), default=0.0)
    nights = [sign.as_of for sign in measured if sign.as_of is not None]
    return Reading(
        is_raised=hard is not None and (len(poor) >= threshold or most_sd >= STRONG_SIGN_SD),
        value=float(len(poor)),
        low=0.0,
        high=float(len(measured)),
        strongest=max((sign.far for _, sign in poor if not isnan(sign.far)), default=nan),
        # Days count in the flags of the signs: ten days of low HRV would read as ten days of hard sessions.
        as_of=max(nights, default=None),
        detail=_meeting(hard, [words for words, _ in poor], athlete.today),
        due=hard.day if hard is not None else None,
    )


def _is_usual_length(athlete: AthleteDays, plan: Planned) -> bool:
    """Whether the plan is an easy long session of about the usual length; with no session of the sport known, below `LONG_H`."""
    if plan.stimulus not in {None, TrainingStimulus.DURABILITY}:
        return False
    longest_s: dict[int, float] = {}
    for match in athlete.matches:
        if match.done is not None and match.done.sport == plan.sport and match.done.duration_s > 0:
            weeks_ago = ((athlete.today - match.done.day).days - 1) // WEEK_D
            longest_s[weeks_ago] = max(longest_s.get(weeks_ago, 0.0), match.done.duration_s)
    usual_s = [longest for weeks_ago, longest in longest_s.items() if 0 <= weeks_ago < USUAL_WEEKS]
    most_s = LONGER_THAN_USUAL * median(usual_s) if usual_s else LONG_H * 3600
    return not plan.duration_s >= most_s


def _meeting(hard: Planned | None, poor: list[str], today: date) -> str:
    if hard is None:
        return ""
    return (
        f"{session_words(hard)} {today_or_tomorrow(hard.day, today)}; {', '.join(poor) or 'normal recovery'}"
    )


RULE = FlagRule(
    id="hard_meets_poor_recovery",
    title="Hard session, poor recovery",
    text="Hard session due today or tomorrow with at least {threshold} of poor recovery (low HRV, high resting heart rate, short sleep), "
    "or 1 strong sign",
    threshold=2,
    bounds=(1, 3),
    unit="signs",
    source="Adapted from Kiviniemi et al. 2007, Javaloyes et al. 2019 (HRV-guided training: low HRV moves intensity); combination chosen by Coachboard",
    topic=Topic.RECOVERY,  # its signs raise the flags of recovery: as a further topic they would count twice
    weight=1.0,
    read=hard_meets_poor_recovery,
    detail="",  # the reading names each sign
    argues_against_plan=True,
    short_title="Poor recovery",
)
