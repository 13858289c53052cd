"""No recent session."""

from datetime import date
from math import floor

import numpy as np

from coachboard.execution.adherence import EXCUSING_NOTES
from coachboard.flags.athlete_days import AthleteDays, last_session
from coachboard.flags.flag import FlagRule, Reading, Topic, short
from coachboard.formulas.recovery.illness import Medical, kind_of
from coachboard.wire.enums import NoteType

REGULAR_DAYS, REGULAR_WINDOW_D = 3, 28
"""Days with a session that make a pause notable: an athlete with one recording in a year was flagged for 90 days."""
_ABSENCES = EXCUSING_NOTES - {NoteType.REST_DAY}
"""A day off explains one day."""
_ABSENT = frozenset({Medical.ILLNESS, Medical.INJURY})


def no_session(athlete: AthleteDays, threshold: float) -> Reading:
    """Days since the last session, more than nine of ten usual pauses, unless a note excuses them. [days].

    Notes
    -----
    *Missing data*: not judged with fewer than 3 training days in the 4 weeks before the last session, after 90 days
    without a session, and if some sessions could not be read. A medical or availability note since then excuses; with a stated
    length ("two weeks away"), until as many days after it as raise the flag.

    *Worked example*: a session every second day, then 6 days without: more than the limit of 5 days and than the usual
    pause of 2: raised.

    Examples
    --------
    >>> from datetime import date
    >>> sessions, none = np.array([0.0, 1.0] * 42 + [0.0] * 6), np.full(90, np.nan)
    >>> silent = no_session(AthleteDays(date(2026, 3, 1), 60 * sessions, sessions, none, none, none, none), 5.0)
    >>> silent.is_raised, silent.value, silent.high
    (True, 6.0, 2.0)
    """
    last = last_session(athlete)
    if "sessions" in athlete.unread and (last is None or (athlete.today - last).days >= threshold):
        return short("some sessions could not be read", last)
    if last is None or (athlete.today - last).days > 90:
        return short("no session in the last 90 days", last)
    days = (athlete.today - last).days
    before = athlete.sessions_a_day[: len(athlete.sessions_a_day) - days][-REGULAR_WINDOW_D:]
    regular = int((before > 0).sum())
    if regular < REGULAR_DAYS:
        return short(
            f"needs {REGULAR_DAYS} training days in the 4 weeks before the last session, has {regular}", last
        )
    # An athlete who rides every Saturday was flagged on each Thursday.
    longest_usual = float(np.percentile(np.diff(np.flatnonzero(athlete.sessions_a_day[-91:] > 0)), 90))
    limit = max(threshold, floor(longest_usual) + 1)
    excused = _is_noted(athlete, last) or any(
        start <= athlete.today and end > last and (athlete.today - end).days < limit
        for start, end in athlete.away
    )
    return Reading(
        is_raised=days >= limit and not excused,
        value=float(days),
        low=1.0,
        high=longest_usual,
        limit=limit,
        normal=0.0,
        days_active=max(days - int(limit) + 1, 0),
        as_of=last,
        detail="excused by a note" if excused else "",
    )


def _is_noted(athlete: AthleteDays, last: date) -> bool:
    """Whether a note without a length, an illness or an injury explains the silence since the last session."""
    with_length = {start for start, _ in athlete.away}
    return any(
        kind in _ABSENCES and last < day <= athlete.today and day not in with_length
        for day, kind in athlete.notes
    ) or any(
        # A session after the note shows that the note does not explain the silence.
        note.day >= last and kind_of(note.title) in _ABSENT
        for note in athlete.medical
    )


RULE = FlagRule(
    id="no_session",
    title="No recent session",
    text="No session for at least {threshold}, longer than 90 % of the athlete's pauses, and no note that explains it",
    threshold=5,
    bounds=(1, 90),
    unit="days",
    source="Coachboard's own threshold",
    topic=Topic.CONTACT,
    weight=0.3,
    read=no_session,
    short_title="No session",
)
