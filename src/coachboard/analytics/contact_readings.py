"""Athletes who need a word: nothing recorded, illness noted."""

from datetime import date
from math import nan

import numpy as np

from coachboard.analytics.adherence import EXCUSING_NOTES
from coachboard.analytics.flag_readings import LOOK_BACK_D, AthleteDays, Reading, last_session, short
from coachboard.models.enums import NoteType


def no_session(athlete: AthleteDays, threshold: float) -> Reading:
    """Days since the last session, unless a note excuses them. [days]."""
    last = last_session(athlete)
    if last is None or (athlete.today - last).days > 90:
        return short("no session in the last 90 days", last)
    days = (athlete.today - last).days
    excused = any(kind in EXCUSING_NOTES and last < day <= athlete.today for day, kind in athlete.notes)
    gaps = np.diff(np.flatnonzero(athlete.sessions_a_day[-91:] > 0))
    return Reading(
        is_raised=days >= threshold and not excused,
        value=float(days),
        low=1.0,
        high=float(np.percentile(gaps, 90)) if len(gaps) else nan,
        days_standing=max(days - int(threshold) + 1, 0),
        as_of=last,
        detail="excused by a note" if excused else "",
    )


def medical_note(athlete: AthleteDays, threshold: float) -> Reading:
    """Whether the newest medical note is recent; the days since the first note of the same illness."""
    past = sorted(day for day, kind in athlete.notes if kind is NoteType.MEDICAL and day <= athlete.today)
    if not past:
        return Reading(is_raised=False)
    age = (athlete.today - past[-1]).days
    first = _first_of_run(past, athlete.today)
    return Reading(
        is_raised=age < threshold,
        days_standing=(athlete.today - first).days + 1,
        as_of=past[-1],
        detail=athlete.medical_titles.get(past[-1], ""),
    )


def _first_of_run(days: list[date], today: date) -> date:
    first = days[-1]
    for day in reversed(days):
        if (first - day).days > 2 or (today - day).days > LOOK_BACK_D:
            break
        first = day
    return first
