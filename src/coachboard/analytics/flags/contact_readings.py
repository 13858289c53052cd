"""Flags that suggest contact with the athlete: no session, medical note."""

from collections.abc import Iterator
from datetime import date, timedelta
from math import floor

import numpy as np

from coachboard.analytics.flags.athlete_days import AthleteDays, Reading, how_far, last_session, short
from coachboard.analytics.flags.plan_readings import (
    is_taxing,
    open_plans_soon,
    session_words,
    today_or_tomorrow,
)
from coachboard.analytics.planning.adherence import EXCUSING_NOTES, HARD_STIMULI, Done
from coachboard.analytics.planning.illness import (
    Absence,
    Medical,
    absences,
    is_loaded_by,
    is_unclear,
    kind_of,
)
from coachboard.models.enums import Sport

REGULAR_DAYS, REGULAR_WINDOW_D = 3, 28
"""Days with a session that make a pause notable: an athlete with one recording in a year was flagged for 90 days."""
_ABSENT = frozenset({Medical.ILLNESS, Medical.INJURY})
NEW_D = 3
NEW_URGENCY = 5.0
"""An illness noted in the last days comes before tired athletes: training while ill can cost weeks. So does a crash or a
possible fracture before any session: a coach called an athlete who waited for an X-ray, with an easy ride due, first of ten.
Coachboard's own."""
LOADED_URGENCY = 4.0
"""A hard session in the sport that loads the injured part, today or tomorrow: a coach called a runner with a tight calf and
a run of four hours before a skier with the same note. Coachboard's own."""
HARD_SOON_URGENCY = 2.5
"""An injury, or an illness of more days, with a hard session today or tomorrow, which can still be changed: a coach called
an athlete with a tight calf and a ride of four hours before one with an older calf and easy days. So does an easy session that
loads the injured part, and an illness with a hard session since its note. Coachboard's own."""


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
    >>> found = no_session(AthleteDays(date(2026, 3, 1), 60 * sessions, sessions, none, none, none, none), 5.0)
    >>> found.is_raised, found.value, found.high
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
        far=how_far(days, limit, normal=0),
        days_standing=max(days - int(limit) + 1, 0),
        as_of=last,
        detail="excused by a note" if excused else "",
    )


def _is_noted(athlete: AthleteDays, last: date) -> bool:
    """Whether a note without a length, an illness or an injury explains the silence since the last session."""
    with_length = {start for start, _ in athlete.away}
    return any(
        kind in EXCUSING_NOTES and last < day <= athlete.today and day not in with_length
        for day, kind in athlete.notes
    ) or any(
        # A session after the note shows that the note does not explain the silence.
        note.day >= last and kind_of(note.title) in _ABSENT
        for note in athlete.medical
    )


def medical_note(athlete: AthleteDays, threshold: float) -> Reading:
    """The newest illness or injury: noted in the last days, or still open; tests do not count. [days].

    Notes
    -----
    Open until a note of recovery, or until normal training. Its severity is highest in the first three days and then falls,
    since the coach knows of it, unless a new note renews it.

    *Missing data*: notes hidden from the coach, and medical notes that name neither an illness nor an injury.

    *Worked example*: "Fever" noted 5 days ago and no session since: still open on its day 6: raised. VO2max planned for tomorrow is
    named with it.

    Examples
    --------
    >>> from datetime import date
    >>> from coachboard.analytics.planning.illness import MedicalNote
    >>> none, fever = np.full(30, np.nan), MedicalNote(date(2026, 2, 24), "Fever")
    >>> found = medical_note(AthleteDays(date(2026, 3, 1), *[np.zeros(30)] * 2, *[none] * 4, medical=[fever]), 3.0)
    >>> found.is_raised, found.detail, found.days_standing
    (True, 'Fever (illness)', 6)
    """
    found = absences_of(athlete)
    if not found:
        return Reading(is_raised=False)
    newest = found[-1]
    # A blood test during an illness is no new illness, and the note of recovery is no note of illness.
    noted = max(
        note.day
        for note in athlete.medical
        if newest.start <= note.day <= newest.end and kind_of(note.title) in _ABSENT
    )
    return Reading(
        urgency=_urgency(athlete, newest, noted),
        is_raised=newest.is_open or (athlete.today - noted).days < threshold,
        days_standing=(athlete.today - newest.start).days + 1,
        as_of=noted,
        detail="; ".join(
            (
                f"{newest.title} ({newest.kind})" if newest.title else str(newest.kind),
                *_training_through(athlete, newest),
            )
        ),
    )


def _training_through(athlete: AthleteDays, absence: Absence) -> Iterator[str]:
    """The last hard session since an illness began, and the next session that argues for a call.

    "Cold, sore throat" alone hid the reason to call: hill sprints of yesterday.
    """
    is_injury = absence.kind is Medical.INJURY
    last = max(_hard_sessions(athlete), key=lambda done: done.day, default=None)
    if last is not None and last.day >= absence.start and not is_injury:
        ago = (athlete.today - last.day).days
        yield f"{session_words(last)} {('today', 'yesterday')[ago] if ago < 2 else f'{ago} days ago'}"
    for plan in sorted(open_plans_soon(athlete), key=lambda plan: plan.day):
        if is_taxing(plan) or (is_injury and is_loaded_by(absence.title, plan.sport)):
            yield f"{session_words(plan)} due {today_or_tomorrow(plan.day, athlete.today)}"
            return


def _urgency(athlete: AthleteDays, absence: Absence, noted: date) -> float:
    soon, is_injury = open_plans_soon(athlete), absence.kind is Medical.INJURY
    is_new = (athlete.today - noted).days < NEW_D
    if is_new and (not is_injury or (soon and is_unclear(absence.title))):
        return NEW_URGENCY
    loading = [plan for plan in soon if is_injury and is_loaded_by(absence.title, plan.sport)]
    if any(map(is_taxing, loading)):
        return LOADED_URGENCY
    is_trained_through = not is_injury and any(done.day >= absence.start for done in _hard_sessions(athlete))
    if is_injury:
        borne = _sports_since(athlete, noted)
        soon = [plan for plan in soon if plan.sport not in borne]
    return HARD_SOON_URGENCY if loading or is_trained_through or any(map(is_taxing, soon)) else 1.0


def _sports_since(athlete: AthleteDays, noted: date) -> set[Sport | None]:
    """Sports of the sessions after an injury was noted: the part bears them, since no note followed.

    A skier with a tight calf, who had done 75 min of tempo on skis since, had three hours of skiing flagged as urgent.
    """
    return {m.done.sport for m in athlete.matches if m.done is not None and m.done.day > noted}


def _hard_sessions(athlete: AthleteDays) -> list[Done]:
    return [m.done for m in athlete.matches if m.done is not None and m.done.stimulus in HARD_STIMULI]


def absences_of(athlete: AthleteDays) -> tuple[Absence, ...]:
    """The athlete's illnesses and injuries, oldest first."""
    trained = {
        athlete.today - timedelta(days=int(n)) for n in np.flatnonzero(athlete.sessions_a_day[::-1] > 0)
    }
    return absences(
        athlete.medical, trained, today=athlete.today, hard={done.day for done in _hard_sessions(athlete)}
    )
