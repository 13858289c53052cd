"""Illness or injury."""

from collections.abc import Iterator
from datetime import date

from coachboard.flags.athlete_days import (
    AthleteDays,
    absences_of,
    hard_sessions,
    is_taxing,
    open_plans_soon,
    session_words,
    today_or_tomorrow,
)
from coachboard.flags.flag import FlagRule, Reading, Topic
from coachboard.formulas.recovery.illness import Absence, Medical, is_loaded_by, is_unclear, kind_of
from coachboard.wire.enums import Sport

_ABSENT = frozenset({Medical.ILLNESS, Medical.INJURY})
NEW_D = 3
NEW, UNCLEAR = "illness noted in the last 3 days", "new crash or possible fracture, session today or tomorrow"
"""An illness noted in the last days comes before tired athletes: training while ill can cost weeks. So does a crash or a
possible fracture before any session: a coach called an athlete who waited for an X-ray, with an easy ride due, first of ten.
Coachboard's own."""
LOADED = "hard session today or tomorrow that loads the injury"
"""A hard session in the sport that loads the injured part, today or tomorrow: a coach called a runner with a tight calf and
a run of four hours before a skier with the same note. Coachboard's own."""
HARD_SOON, LIGHTLY_LOADED, TRAINED = (
    "hard session today or tomorrow, for an injury in a sport not done since",
    "easy session today or tomorrow that loads the injury",
    "hard session done while ill",
)
"""An injury, or an illness of more days, with a hard session today or tomorrow, which can still be changed: a coach called
an athlete with a tight calf and a ride of four hours before one with an older calf and easy days. So does an easy session that
loads the injured part, and an illness with a hard session since its note. Coachboard's own."""


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
    >>> import numpy as np
    >>> from datetime import date
    >>> from coachboard.formulas.recovery.illness import MedicalNote
    >>> none, fever = np.full(30, np.nan), MedicalNote(date(2026, 2, 24), "Fever")
    >>> ill = medical_note(AthleteDays(date(2026, 3, 1), *[np.zeros(30)] * 2, *[none] * 4, medical=[fever]), 3.0)
    >>> ill.is_raised, ill.detail, ill.days_active
    (True, 'Fever (illness)', 6)
    """
    noted_absences = absences_of(athlete)
    if not noted_absences:
        return Reading(is_raised=False)
    newest = noted_absences[-1]
    # A blood test during an illness is no new illness, and the note of recovery is no note of illness.
    note = max(
        (
            note
            for note in athlete.medical
            if newest.start <= note.day <= newest.end and kind_of(note.title) in _ABSENT
        ),
        key=lambda note: note.day,
    )
    noted = note.day
    return Reading(
        factor=_factor(athlete, newest, noted),
        is_raised=newest.is_open or (athlete.today - noted).days < threshold,
        days_active=(athlete.today - newest.start).days + 1,
        as_of=noted,
        note=note.content,
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
    last = max(hard_sessions(athlete), key=lambda done: done.day, default=None)
    if last is not None and last.day >= absence.start and not is_injury:
        ago = (athlete.today - last.day).days
        yield f"{session_words(last)} {('today', 'yesterday')[ago] if ago < 2 else f'{ago} days ago'}"
    for plan in sorted(open_plans_soon(athlete), key=lambda plan: plan.day):
        if is_taxing(plan) or (is_injury and is_loaded_by(absence.title, plan.sport)):
            yield f"{session_words(plan)} due {today_or_tomorrow(plan.day, athlete.today)}"
            return


def _factor(athlete: AthleteDays, absence: Absence, noted: date) -> str:
    soon, is_injury = open_plans_soon(athlete), absence.kind is Medical.INJURY
    is_new = (athlete.today - noted).days < NEW_D
    if is_new and not is_injury:
        return NEW
    if is_new and soon and is_unclear(absence.title):
        return UNCLEAR
    loading = [plan for plan in soon if is_injury and is_loaded_by(absence.title, plan.sport)]
    if any(map(is_taxing, loading)):
        return LOADED
    if loading:
        return LIGHTLY_LOADED
    borne = _sports_since(athlete, noted) if is_injury else set()
    if any(is_taxing(plan) and plan.sport not in borne for plan in soon):
        return HARD_SOON
    is_trained = not is_injury and any(done.day >= absence.start for done in hard_sessions(athlete))
    return TRAINED if is_trained else ""


def _sports_since(athlete: AthleteDays, noted: date) -> set[Sport | None]:
    """Sports of the sessions after an injury was noted: the part bears them, since no note followed.

    A skier with a tight calf, who had done 75 min of tempo on skis since, had three hours of skiing flagged as urgent.
    """
    return {m.done.sport for m in athlete.matches if m.done is not None and m.done.day > noted}


RULE = FlagRule(
    id="medical_note",
    title="Illness or injury",
    text="Illness or injury noted in the last {threshold}, or its note is still open: no note of recovery and no return to normal training",
    threshold=3,
    bounds=(1, 90),
    unit="days",
    source="Coachboard's own threshold; return to training in steps: Schwellnus et al. 2016 (IOC consensus)",
    topic=Topic.CONTACT,
    weight=0.6,
    read=medical_note,
    factors={NEW: 5.0, UNCLEAR: 5.0, LOADED: 4.0, LIGHTLY_LOADED: 2.5, HARD_SOON: 2.5, TRAINED: 2.5},
    argues_against_plan=True,
    fades=True,
)
