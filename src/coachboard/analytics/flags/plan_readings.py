"""Plans compared with sessions, and with the athlete's recovery."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from math import ceil, isnan, nan
from statistics import median
from typing import NamedTuple

from coachboard.analytics.flags.athlete_days import (
    LOOK_BACK_D,
    AthleteDays,
    Reading,
    how_far,
    last_session,
    rests_after_event,
    short,
)
from coachboard.analytics.flags.recovery_readings import (
    FEELING_LOW,
    feeling_low,
    hrv_line_low,
    is_last_night_poor,
    resting_hr_high,
    sleep_short,
)
from coachboard.analytics.planning.adherence import (
    DONE,
    HARD_STIMULI,
    WEEK_D,
    Adherence,
    Done,
    Match,
    Planned,
    last_week,
    summarize,
)
from coachboard.analytics.planning.work_steps import FULL_SHARE
from coachboard.analytics.plausible import or_zero
from coachboard.models.enums import Sport, TrainingStimulus
from coachboard.plurals import digits_to_tell, duration_hm


def _duration(hours: float, _digits: int) -> str:
    return duration_hm(hours * 3600)


def _rounded(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"


SIGNS = (
    ("7-day HRV {} ms", _rounded, hrv_line_low, 0.5),
    ("3-night resting heart rate {} bpm", _rounded, resting_hr_high, 3.0),
    ("3-night sleep {}", _duration, sleep_short, 6.5),
)
"""Signs of poor recovery at their watch limits, which are lower than the flags': a hard session adds to them.

Each names its days: the roster shows the 7-day mean of sleep, which without a name reads as a contradiction.
"""

SIGN = (
    "A sign is 7-day HRV 0.5 SD below the 60-day mean, 3-night resting heart rate 3 bpm above it, or 3-night sleep under "
    "6h30, each also outside the normal range by more than the measurement error"
)
"""The definition for the reader, in the rule of the flag and next to the morning's verdict."""

STRONG_SIGN_SD = 1.0
"""A single sign of a full standard deviation is enough (Kiviniemi et al. 2007)."""


class _Sign(NamedTuple):
    """The text of a sign, and the formats of its value and its normal range."""

    says: str
    write: Callable[[float, int], str]

    def words(self, found: Reading) -> str:
        """The value with the normal range, if known."""
        digits = digits_to_tell(found.value, found.low, found.high)
        value = self.says.format(self.write(found.value, digits))
        if isnan(found.low) or isnan(found.high):
            return value
        return f"{value} (normal {self.write(found.low, digits)}–{self.write(found.high, digits)})"


def recovery_signs(athlete: AthleteDays) -> list[tuple[str, Reading]]:
    """HRV, resting heart rate and sleep at their watch limits: each in words, with its reading."""
    signs = [(_Sign(says, write), read(athlete, limit)) for says, write, read, limit in SIGNS]
    return [("" if found.shortage else sign.words(found), found) for sign, found in signs]


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
    >>> from coachboard.analytics.planning.adherence import match_sessions
    >>> today, none = date(2026, 3, 1), np.full(87, np.nan)
    >>> hrv_ms = np.array([60.0, 64.0] * 40 + [50.0] * 7)
    >>> hard = Planned("tpr_1", date(2026, 3, 2), Sport.CYCLING, stimulus=TrainingStimulus.VO2MAX, duration_s=3600)
    >>> plans = match_sessions([hard], [], excuses=(), today=today)
    >>> found = hard_meets_poor_recovery(
    ...     AthleteDays(today, np.zeros(87), np.zeros(87), hrv_ms, none, none, none, matches=plans), 2.0)
    >>> found.is_raised, found.value
    (True, 1.0)
    """
    signs = recovery_signs(athlete)
    known = [found for _, found in signs if not found.shortage]
    if not known:
        return short("no recovery data: " + signs[0][1].shortage)
    poor = [(words, found) for words, found in signs if found.is_raised]
    is_hrv_alone = (
        len(poor) == 1 and signs[0][1].is_raised and not feeling_low(athlete, FEELING_LOW).is_raised
    )
    taxing = filter(is_taxing, open_plans_soon(athlete))
    hard = next((plan for plan in taxing if not (is_hrv_alone and _is_usual_length(athlete, plan))), None)
    strongest = max((found.deviations for _, found in poor if not isnan(found.deviations)), default=0.0)
    nights = [found.as_of for found in known if found.as_of is not None]
    return Reading(
        is_raised=hard is not None and (len(poor) >= threshold or strongest >= STRONG_SIGN_SD),
        value=float(len(poor)),
        low=0.0,
        high=float(len(known)),
        far=max((found.far for _, found in poor if not isnan(found.far)), default=nan),
        # Days count in the flags of the signs: ten days of low HRV would read as ten days of hard sessions.
        as_of=max(nights, default=None),
        detail=_meeting(hard, [words for words, _ in poor], athlete.today),
        due=hard.day if hard is not None else None,
    )


TAXING = HARD_STIMULI - {TrainingStimulus.NEUROMUSCULAR}
"""Strides and short sprints with full rests are no session to move after a poor night: an easy run with strides put a
beginner next to an athlete who is ill."""


def next_hard_session(athlete: AthleteDays) -> Planned | None:
    """The first open hard plan of today or tomorrow."""
    return next(filter(is_taxing, open_plans_soon(athlete)), None)


def open_plans_soon(athlete: AthleteDays) -> list[Planned]:
    """The open plans of today and tomorrow."""
    soon = (athlete.today, athlete.today + timedelta(days=1))
    plans = (match.planned for match in athlete.matches if match.adherence is Adherence.AHEAD)
    return [plan for plan in plans if plan is not None and plan.day in soon]


LONG_H = 3.0
"""A plan without a stimulus of this length is a long session: seven hours of today gave way to tomorrow's intervals.
Coachboard's own. [h]"""
LONG_TEMPO_H, TEMPO_LOAD = 1.5, 90.0
"""Tempo of this length or load is a hard session: 144 min of climbs went on after three poor nights. Coachboard's own."""


def is_taxing(plan: Planned) -> bool:
    """Whether a plan is hard enough to move after a poor night."""
    if plan.stimulus is TrainingStimulus.TEMPO:
        return plan.duration_s >= LONG_TEMPO_H * 3600 or plan.volume >= TEMPO_LOAD
    return plan.stimulus in TAXING if plan.stimulus else plan.duration_s >= LONG_H * 3600


LONGER_THAN_USUAL = 1.25
"""HRV-guided training replaces intensity by easy training on mornings of low HRV (Kiviniemi 2007, Vesterinen 2016, Javaloyes 2019): a
rider with low HRV alone and a usual ride of 3 h tomorrow was listed above a rider who had broken off the key session. Coachboard's own."""
USUAL_WEEKS = 4


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


def today_or_tomorrow(day: date, today: date) -> str:
    """The word for the day of a plan of `open_plans_soon`."""
    return "today" if day == today else "tomorrow"


def session_words(session: Planned | Done) -> str:
    """The type of a session, or its length without a type."""
    if not session.stimulus:
        return f"{duration_hm(session.duration_s)} session"
    stimulus = TrainingStimulus(str(session.stimulus))
    return "VO2max" if stimulus is TrainingStimulus.VO2MAX else stimulus.name.lower().replace("_", " ")


CUT_SHARE, MISSED_SHARE = 0.5, 1 / 3
"""A hard session that was broken off below half gave no training, and raised nothing: a rider nine days before a race with over-unders
stopped after 31 of 76 min. Two of seven left out is no reason to call: a coach read them as a normal week. Coachboard's own."""
HALF_MISSED, HALF_MISSED_URGENCY = 0.5, 3.0
"""From half of the planned time on, missed sessions are a reason to talk: a coach called a runner with 157 of 277 min and a rider with
230 of 428 min missed, and only made a note of a rower with 59 of 146 min. An athlete who leaves out the half of a double plan and
trains about as usual is no such case. Coachboard's own."""
USUAL_D = 28
"""The last week may differ from the usual: the four weeks before it are the usual time. [days]"""
BACK_SESSIONS = 3
"""Planned sessions done after the last missed one: the athlete is back, and the coach has nothing to ask."""


def missed_sessions(athlete: AthleteDays, threshold: float) -> Reading:
    """Plans of the last seven days that were neither done nor excused, unless the next `BACK_SESSIONS` were done.

    At least the limit, and a third of the plans. A hard session of which less than half was done counts as missed. An athlete
    who leaves out a recovery ride rests: nothing to ask. More urgent from half of the planned time on, unless the time done is
    80 % or more of the usual of the four weeks before, or no session was done at all, which has its own flag.

    Notes
    -----
    *Missing data*: plans excused by a medical or availability note, recovery sessions, and the seven days after an event of
    3 h or longer; not judged without a plan in these days. A session without a duration, distance or load counts as done.

    *Worked example*: 3 rides planned for the last days, none of them done: 3 missed, the limit is 2: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from coachboard.analytics.planning.adherence import match_sessions
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
    missed = [match.day for match in absent if not _is_recovery(match)]
    easy = len(absent) - len(missed)
    done = [match.day for match in week if match.adherence in DONE]
    limit = max(threshold, ceil(summary.due * MISSED_SHARE))
    since = sum(day > max(missed) for day in done) if missed else 0
    share = _missed_share(athlete, week, [match for match in absent if not _is_recovery(match)])
    is_half = share >= HALF_MISSED and _trains_less(athlete, week)
    return Reading(
        is_raised=len(missed) >= limit and since < BACK_SESSIONS and not rests_after_event(athlete),
        value=float(len(missed)),
        low=0.0,
        high=float(summary.due),
        limit=limit,
        far=how_far(len(missed), limit, normal=0),
        urgency=HALF_MISSED_URGENCY if is_half else 1.0,
        days_standing=(athlete.today - max(missed)).days if missed else 0,
        as_of=max(missed, default=athlete.today - timedelta(days=1)),
        detail=", ".join(
            f"{n} {what}"
            for n, what in (
                (round(share * 100) if is_half else 0, "% of the planned time"),
                (len(cut), "of them cut below half"),
                (excused, "more excused"),
                (easy, "more for recovery"),
            )
            if n
        ),
    )


def _missed_share(athlete: AthleteDays, week: Sequence[Match], missed: Sequence[Match]) -> float:
    """The missed part of the planned time that was not excused; 0 without planned times."""
    speeds = _speeds(athlete.matches)
    due_s = sum(
        or_zero(_planned_s(match, speeds)) for match in week if match.adherence is not Adherence.EXCUSED
    )
    return sum(or_zero(_planned_s(match, speeds)) for match in missed) / due_s if due_s > 0 else 0.0


def _trains_less(athlete: AthleteDays, week: Sequence[Match]) -> bool:
    """Whether the athlete trains, but less than usual; a week without a session is silence, which has its own flag."""
    usual_s = usual_day_s(athlete) * WEEK_D
    done_s = sum(or_zero(match.done.duration_s) for match in week if match.done is not None)
    is_usual = 0 < FULL_SHARE * usual_s <= done_s
    return bool(athlete.sessions_a_day[-WEEK_D:].any()) and not is_usual


def usual_day_s(athlete: AthleteDays) -> float:
    """Time done per day in the four weeks before the last seven days. [s]."""
    done_s = {
        match.done.id: or_zero(match.done.duration_s)
        for match in athlete.matches
        if match.done is not None and 7 < (athlete.today - match.done.day).days <= 7 + USUAL_D
    }
    return sum(done_s.values()) / USUAL_D


def _is_cut(match: Match) -> bool:
    """Whether less than half of a hard session was done."""
    plan, found = match.planned, match.compliance
    if match.adherence not in DONE or plan is None or found is None:
        return False
    return is_taxing(plan) and found.ratio < CUT_SHARE


def _is_recovery(match: Match) -> bool:
    return match.planned is not None and match.planned.stimulus is TrainingStimulus.RECOVERY


POOR_NIGHT_URGENCY = 1.5
"""The first poor night after unplanned load comes before the means of three and seven nights show it: a coach called a runner
after three unplanned runs of 4.5 h and one night of low HRV, before an athlete silent for 16 days. Coachboard's own."""


def over_plan(athlete: AthleteDays, threshold: float) -> Reading:
    """Done time, planned or not, over planned time of the seven days before today, whose plans are still open. [%].

    Notes
    -----
    A plan by distance counts with the speed of its session, otherwise with the athlete's median speed in the sport. More
    urgent if last night is the first poor one: HRV 2 SD below the athlete's mean, or resting heart rate 2 SD above it, and no
    sign of poor recovery over several nights.

    *Missing data*: sessions and plans without a duration or distance, and those of the day of an event; not judged with
    fewer than 2 plans that have them.

    *Worked example*: 2 rides of 1 h planned, both done, and 2 h without a plan: 4 h over 2 h = 200 %: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from coachboard.analytics.planning.adherence import match_sessions
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> at = [date(2026, 3, 3 + n) for n in range(3)]
    >>> plans = [Planned(f"tpr_{n}", day, Sport.CYCLING, duration_s=3600, activity_id=f"act_{n}")
    ...          for n, day in enumerate(at[:2])]
    >>> from coachboard.analytics.planning.adherence import Done
    >>> rides = [Done(f"act_{n}", day, Sport.CYCLING, duration_s=seconds)
    ...          for n, (day, seconds) in enumerate(zip(at, (3600, 3600, 7200)))]
    >>> matches = match_sessions(plans, rides, excuses=(), today=today)
    >>> found = over_plan(AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches), 150.0)
    >>> found.is_raised, found.value
    (True, 200.0)
    """
    first = athlete.today - timedelta(days=7)
    # An event that is no planned workout read as 182 % of the plan.
    week = [
        match
        for match in athlete.matches
        if first <= match.day < athlete.today and not {match.day, match.calendar_day} & athlete.event_days
    ]
    speeds = _speeds(athlete.matches)
    planned = [planned_s for m in week if (planned_s := _planned_s(m, speeds)) > 0]
    if len(planned) < 2:
        return short(f"{len(planned)} of 2 planned sessions with a duration or distance in 7 days")
    done = [m.done.duration_s for m in week if m.done is not None and not isnan(m.done.duration_s)]
    share = sum(done) / sum(planned) * 100
    return Reading(
        is_raised=share >= threshold,
        value=share,
        low=80.0,
        high=120.0,
        limit=threshold,
        far=how_far(share, threshold, normal=100),
        urgency=POOR_NIGHT_URGENCY if _is_first_poor_night(athlete) else 1.0,
        days_standing=1,
        as_of=last_session(athlete),
    )


def _is_first_poor_night(athlete: AthleteDays) -> bool:
    """Whether only last night is poor: signs over several nights have flags of their own."""
    has_sign = any(found.is_raised for _, found in recovery_signs(athlete))
    return is_last_night_poor(athlete) and not has_sign


def _planned_s(match: Match, speeds: Mapping[Sport | None, float]) -> float:
    """Planned time; for a plan by distance, its distance at the speed of its session. [s]."""
    plan, done = match.planned, match.done
    if plan is None:
        return nan
    if not isnan(plan.duration_s):
        return plan.duration_s
    own = done.distance_m / done.duration_s if done is not None and done.duration_s > 0 else nan
    speed = own if own > 0 else speeds.get(plan.sport, nan)
    return plan.distance_m / speed if speed > 0 else nan


def _speeds(matches: Sequence[Match]) -> dict[Sport | None, float]:
    """The athlete's median speed in each sport. [m/s]."""
    speeds: dict[Sport | None, list[float]] = defaultdict(list)
    for match in matches:
        if match.done is not None and match.done.distance_m > 0 and match.done.duration_s > 0:
            speeds[match.done.sport].append(match.done.distance_m / match.done.duration_s)
    return {sport: median(values) for sport, values in speeds.items()}


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
    >>> from coachboard.analytics.planning.adherence import match_sessions
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
        days_standing=max((athlete.today - last).days, 0),
        as_of=last,
    )
