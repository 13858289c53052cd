"""Well over plan."""

from datetime import timedelta
from math import isnan

from coachboard.flags.athlete_days import AthleteDays, last_session, planned_s, speeds_of
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.flags.morning import recovery_signs
from coachboard.formulas.recovery import hrv
from coachboard.formulas.recovery.baseline import own_normal

POOR_NIGHT_SD = 2.0
_POOR_NIGHT = "first night with HRV 2 SD below or resting heart rate 2 SD above the mean"
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
    >>> from datetime import date
    >>> from coachboard.execution.adherence import Done, Planned, match_sessions
    >>> from coachboard.wire.enums import Sport
    >>> today, none = date(2026, 3, 8), np.full(30, np.nan)
    >>> days = [date(2026, 3, 3 + n) for n in range(3)]
    >>> plans = [Planned(f"tpr_{n}", day, Sport.CYCLING, duration_s=3600, activity_id=f"act_{n}")
    ...          for n, day in enumerate(days[:2])]
    >>> rides = [Done(f"act_{n}", day, Sport.CYCLING, duration_s=seconds)
    ...          for n, (day, seconds) in enumerate(zip(days, (3600, 3600, 7200)))]
    >>> matches = match_sessions(plans, rides, excuses=(), today=today)
    >>> over = over_plan(AthleteDays(today, *[np.zeros(30)] * 2, *[none] * 4, matches=matches), 150.0)
    >>> over.is_raised, over.value
    (True, 200.0)
    """
    first = athlete.today - timedelta(days=7)
    # An event that is no planned workout read as 182 % of the plan.
    week = [
        match
        for match in athlete.matches
        if first <= match.day < athlete.today and not {match.day, match.calendar_day} & athlete.event_days
    ]
    speeds = speeds_of(athlete.matches)
    planned = [seconds for match in week if (seconds := planned_s(match, speeds)) > 0]
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
        normal=100.0,
        factor=_POOR_NIGHT if _is_first_poor_night(athlete) else "",
        days_active=1,
        as_of=last_session(athlete),
    )


def _is_first_poor_night(athlete: AthleteDays) -> bool:
    """Whether only last night is poor: signs over several nights have flags of their own."""
    has_sign = any(sign.is_raised for _, sign in recovery_signs(athlete))
    return _is_last_night_poor(athlete) and not has_sign


def _is_last_night_poor(athlete: AthleteDays) -> bool:
    """Whether HRV of last night is 2 SD below the athlete's mean, or resting heart rate 2 SD above it.

    One night is no flag, since one in forty is so low by chance.
    """
    logs, bpm = hrv.ln_hrv(athlete.hrv_ms), athlete.resting_hr_bpm
    low, high = own_normal(logs, width_sd=POOR_NIGHT_SD).low, own_normal(bpm, width_sd=POOR_NIGHT_SD).high
    return bool(logs[-1] <= low[-1] or bpm[-1] >= high[-1])


RULE = FlagRule(
    id="over_plan",
    title="Well over plan",
    text="At least {threshold} % of the planned time done in the 7 days before today, without the days of events",
    threshold=150.0,
    bounds=(100, 1_000),
    unit="%",
    source="TrainingPeaks' published limit for one session, applied to a week",
    topic=Topic.LOAD,
    weight=0.4,
    read=over_plan,
    factors={_POOR_NIGHT: 1.5},
    detail="time done in 7 days {value} of the planned time",
)
