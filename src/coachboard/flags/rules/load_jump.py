"""Load spike."""

from coachboard.flags.athlete_days import LOOK_BACK_D, AthleteDays, days_at_end, last_session, training_days
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.formulas.recovery.baseline import own_normal
from coachboard.formulas.season.load import own_start
from coachboard.formulas.season.monotony import ACUTE_D, CHRONIC_D, acute_chronic_loads, acute_chronic_ratio


def load_jump(athlete: AthleteDays, threshold: float) -> Reading:
    """Acute:chronic ratio at the start of the day.

    Notes
    -----
    Weighted mean load of 7 days over that of 28 days, both up to yesterday.

    *Missing data*: days without a session count as 0; not judged with fewer than 28 days from the first session on.

    *Worked example*: 60 days of load 50, then 7 days of 200: the ratio of the two means is 1.7, above the limit of
    1.5: raised.

    Examples
    --------
    >>> import numpy as np
    >>> from datetime import date
    >>> load, none = np.array([50.0] * 60 + [200.0] * 7 + [0.0]), np.full(68, np.nan)
    >>> spike = load_jump(AthleteDays(date(2026, 3, 1), load, np.ones(68), none, none, none, none), 1.5)
    >>> spike.is_raised, round(spike.value, 1)
    (True, 1.7)
    """
    days = training_days(athlete)
    if days < LOOK_BACK_D:
        return short(f"needs {LOOK_BACK_D} days of training, has {days}", last_session(athlete))
    start = own_start(athlete.daily_load)
    ratio = acute_chronic_ratio(athlete.daily_load, start=start)
    acute, chronic = acute_chronic_loads(athlete.daily_load, start=start)
    holds = ratio > threshold
    usual = own_normal(ratio, width_sd=1)
    return Reading(
        is_raised=bool(holds[-1]),
        value=float(ratio[-1]),
        low=float(usual.low[-1]),
        high=float(usual.high[-1]),
        limit=threshold,
        normal=1.0,
        # Fatigue and fitness next to it weigh the days differently: 38 ÷ 36 is no 1.62.
        detail=f"load {acute[-1]:.0f} a day over {ACUTE_D} days ÷ {chronic[-1]:.0f} a day over {CHRONIC_D} days (recent days weigh more; not the same "
        "as fatigue ÷ fitness)",
        days_active=days_at_end(holds),
        as_of=last_session(athlete),
    )


RULE = FlagRule(
    id="load_jump",
    title="Load spike",
    text="Acute:chronic ratio above {threshold}: weighted load of the last 7 days ÷ that of 28 days; shown only together with another flag",
    threshold=1.5,
    bounds=(0.5, 5),
    unit="",
    source="Gabbett 2016; disputed by Impellizzeri et al. 2020, so it only appears together with another flag",
    topic=Topic.LOAD,
    weight=0.15,
    read=load_jump,
    detail="acute:chronic ratio {value}",
    digits=2,
    card="Load, 7 days",
    argues_against_plan=True,
    is_supporting=True,
)
