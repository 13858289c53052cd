"""Missed sessions."""

from collections.abc import Sequence
from datetime import timedelta
from math import ceil

from coachboard.execution.adherence import DONE, WEEK_D, Adherence, Match, last_week, summarize
from coachboard.execution.work_steps import FULL_SHARE
from coachboard.flags.athlete_days import (
    AthleteDays,
    is_taxing,
    planned_s,
    rests_after_event,
    speeds_of,
    usual_day_s,
)
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.formulas.plausible import or_zero
from coachboard.plain_text import plain
from coachboard.wire.enums import TrainingStimulus

CUT_SHARE, MISSED_SHARE = 0.5, 1 / 3
"""A hard session that was broken off below half gave no training, and raised nothing: a rider nine days before a race with over-unders
stopped after 31 of 76 min. Two of seven left out is no reason to call: a coach read them as a normal week. Coachboard's own."""
HALF_MISSED, _HALF = 0.5, "half of the planned time or more, and less training than usual"
"""From half of the planned time on, missed sessions are a reason to talk: a coach called a runner with 157 of 277 min and a rider with
230 of 428 min missed, and only made a note of a rower with 59 of 146 min. An athlete who leaves out the half of a double plan and
trains about as usual is no such case. Coachboard's own."""
_LONGEST_TITLE = 40
BACK_SESSIONS = 3
"""Planned sessions done after the last missed one: the athlete is back, and the coach has nothing to ask."""


def missed_sessions(athlete: AthleteDays, threshold: float) -> Reading:
    """Plans of the last seven days that were neither done nor excused, unless the next three were done.

    At least the limit, and a third of the plans. A hard session of which less than half was done counts as missed. An athlete
    who leaves out a recovery ride rests: nothing to ask. More urgent from half of the planned time on, unless the time done is
    80 % or more of the usual of the four weeks before, or no session was done at all, which has its own flag.

    Notes
    -----
    *Missing data*: plans excused by a medical, availability or rest day note, recovery sessions, and the seven days after an event of
    3 h or longer; not judged without a plan in these days. A session without a duration, distance or load counts as done.

    *Worked example*: 3 rides planned for the last days, none of them done: 3 missed, the limit is 2: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> from coachboard.execution.adherence import Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> plans = [Planned(f"tpr_{n}", date(2026, 3, 3 + n), Sport.CYCLING, duration_s=3600) for n in range(3)]
    >>> matches = match_sessions(plans, [], excuses=(), today=today)
    >>> days = AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches)
    >>> missed_sessions(days, 2.0).is_raised, missed_sessions(days, 2.0).value
    (True, 3.0)
    """
    week = last_week(athlete.matches, athlete.today)
    summary = summarize(week)
    excused = summary.counts[Adherence.EXCUSED]
    if summary.due == 0:
        return short("no session planned in the last 7 days")
    cut = [match for match in week if _is_cut(match) and match.day not in athlete.excused]
    absent = [*(match for match in week if match.adherence is Adherence.MISSED), *cut]
    training = [match for match in absent if not _is_recovery(match)]
    missed = [match.day for match in training]
    easy = len(absent) - len(missed)
    done = [match.day for match in week if match.adherence in DONE]
    limit = max(threshold, ceil(summary.due * MISSED_SHARE))
    since = sum(day > max(missed) for day in done) if missed else 0
    share = _missed_share(athlete, week, training)
    is_half = share >= HALF_MISSED and _trains_less(athlete, week)
    return Reading(
        is_raised=len(missed) >= limit and since < BACK_SESSIONS and not rests_after_event(athlete),
        value=float(len(missed)),
        low=0.0,
        high=float(summary.due),
        limit=limit,
        normal=0.0,
        factor=_HALF if is_half else "",
        days_active=(athlete.today - max(missed)).days if missed else 0,
        as_of=max(missed, default=athlete.today - timedelta(days=1)),
        detail=", ".join(
            [
                *_names(training),
                *(
                    f"{number} {words}"
                    for number, words in (
                        (round(share * 100) if is_half else 0, "% of the planned time"),
                        (len(cut), "of them cut below half"),
                        (excused, "more excused"),
                        (easy, "more for recovery"),
                    )
                    if number
                ),
            ]
        ),
    )


def _names(missed: Sequence[Match]) -> list[str]:
    """The titles of the missed sessions with their weekdays, newest first: a count is no word to an athlete."""
    return [
        f"{plain(match.planned.title, longest=_LONGEST_TITLE) or match.planned.sport or 'session'} ({match.day:%a})"
        for match in sorted(missed, key=lambda match: match.day, reverse=True)
        if match.planned is not None
    ]


def _missed_share(athlete: AthleteDays, week: Sequence[Match], missed: Sequence[Match]) -> float:
    """The missed part of the planned time that was not excused; 0 without planned times."""
    speeds = speeds_of(athlete.matches)
    due_s = sum(
        or_zero(planned_s(match, speeds)) for match in week if match.adherence is not Adherence.EXCUSED
    )
    return sum(or_zero(planned_s(match, speeds)) for match in missed) / due_s if due_s > 0 else 0.0


def _trains_less(athlete: AthleteDays, week: Sequence[Match]) -> bool:
    """Whether the athlete trains, but less than usual; a week without a session is silence, which has its own flag."""
    usual_s = usual_day_s(athlete) * WEEK_D
    done_s = sum(or_zero(match.done.duration_s) for match in week if match.done is not None)
    is_usual = 0 < FULL_SHARE * usual_s <= done_s
    return bool(athlete.sessions_a_day[-WEEK_D:].any()) and not is_usual


def _is_cut(match: Match) -> bool:
    """Whether less than half of a hard session was done."""
    plan, compliance = match.planned, match.compliance
    if match.adherence not in DONE or plan is None or compliance is None:
        return False
    return is_taxing(plan) and compliance.ratio < CUT_SHARE


def _is_recovery(match: Match) -> bool:
    return match.planned is not None and match.planned.stimulus is TrainingStimulus.RECOVERY


RULE = FlagRule(
    id="missed_sessions",
    title="Missed sessions",
    text="At least {threshold} missed in the last 7 days, a third of the plan or more, without an excusing note and without 3 sessions "
    "done since",
    threshold=2,
    bounds=(1, 20),
    unit="sessions",
    source="Coachboard's own threshold",
    topic=Topic.PLAN,
    weight=0.2,
    read=missed_sessions,
    factors={_HALF: 3.0},
    detail="{value} of {high} planned in the last 7 days",
    value_unit="",
    card="Done vs planned",
)
