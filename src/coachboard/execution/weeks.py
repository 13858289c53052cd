"""Weekly totals by sport or by stimulus."""

from collections.abc import Iterable
from datetime import date, timedelta

import pandas as pd

from coachboard.execution.adherence import Done, Planned
from coachboard.formulas.days import DAYS_A_WEEK, week_start
from coachboard.formulas.frames import (
    DISTANCE_M,
    DURATION_S,
    SESSIONS,
    SPORT,
    STIMULUS,
    VOLUME,
    WEEK,
)

_AMOUNTS = [DURATION_S, DISTANCE_M, VOLUME]
NOT_STATED = "unknown"
"""The group of sessions without a sport or a stimulus."""


def week_totals(
    sessions: Iterable[Done] | Iterable[Planned], *, by: str = SPORT, first_weekday: int = 0
) -> pd.DataFrame:
    """Duration, distance, load and number of sessions of each week and group.

    Parameters
    ----------
    sessions : iterable of Done or of Planned
        In any order. [s, m, score]
    by : str
        SPORT or STIMULUS.
    first_weekday : int
        0 is Monday.

    Returns
    -------
    DataFrame
        Columns WEEK (date of its first day), `by`, DURATION_S, DISTANCE_M, VOLUME, SESSIONS; by week, group.

    Notes
    -----
    Sums of the amounts of the group's sessions; a session counts in the week of its local day.

    *Missing data*: a missing amount adds nothing, the session still counts; an amount that no session of the group has
    is missing.

    *Worked example*: two rides with a load of 55 in a week: 55 + 55 = 110, 2 sessions.

    Examples
    --------
    >>> from coachboard.wire.enums import Sport
    >>> ride = Done("act_1", date(2026, 3, 4), Sport.CYCLING, None, 3600, 30000.0, 55.0)
    >>> week_totals([ride, ride])[[WEEK, VOLUME, SESSIONS]].values.tolist()
    [[datetime.date(2026, 3, 2), 110.0, 2]]
    """
    if by not in (SPORT, STIMULUS):
        raise ValueError(f"by must be {SPORT!r} or {STIMULUS!r}, got {by!r}")
    rows = [
        (week_start(s.day, first_weekday=first_weekday), s.sport if by == SPORT else s.stimulus, s)
        for s in sessions
    ]
    frame = pd.DataFrame(
        [(week, str(group or NOT_STATED), s.duration_s, s.distance_m, s.volume) for week, group, s in rows],
        columns=[WEEK, by, *_AMOUNTS],
    )
    grouped = frame.groupby([WEEK, by], sort=True)
    return grouped[_AMOUNTS].sum(min_count=1).assign(**{SESSIONS: grouped.size()}).reset_index()


def weekly_volume(
    days: Iterable[date], volumes: Iterable[float], *, last_day: date, weeks: int
) -> list[float]:
    """Load of the rolling weeks that end on a day, oldest first: the numbers of a sparkline.

    Parameters
    ----------
    days : iterable of date
        Day of each session.
    volumes : iterable of float
        Volume of each session, NaN where not scored. [score]
    last_day : date
        Last day of the last week; each week is the seven days up to it.
    weeks : int
        How many weeks.

    Returns
    -------
    list of float
        Length `weeks`, 0 for a week without sessions. [score]

    Examples
    --------
    >>> weekly_volume([date(2026, 3, 1), date(2026, 3, 8)], [40, 60], last_day=date(2026, 3, 8), weeks=2)
    [40.0, 60.0]
    """
    first = last_day - timedelta(days=weeks * DAYS_A_WEEK - 1)
    totals = [0.0] * weeks
    for day, volume in zip(days, volumes, strict=True):
        position = (day - first).days
        if 0 <= position < weeks * DAYS_A_WEEK and volume == volume:  # noqa: PLR0124 (NaN)
            totals[position // DAYS_A_WEEK] += volume
    return totals
