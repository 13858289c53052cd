"""The days on which notes excuse a missed plan; every page reads them here."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from coachboard.client.planning import PlanDecision
from coachboard.execution.adherence import EXCUSING_NOTES, HARD_STIMULI, Done
from coachboard.execution.stated_length import stated_end
from coachboard.formulas.recovery.illness import Medical, MedicalNote, absences, kind_of
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note

ILLNESS_DAYS = 60
"""Days of notes before a range: twice as long as an illness without a newer note lasts."""


def medical_notes(notes: Iterable[Note], decisions: Iterable[PlanDecision] = ()) -> tuple[MedicalNote, ...]:
    """The medical notes with their own words, oldest first."""
    medical = (
        MedicalNote(note.date, note.title, note.content or "", last_day)
        for note, last_day in _with_last_days(notes, decisions)
        if note.type is NoteType.MEDICAL
    )
    return tuple(sorted(medical, key=lambda note: note.day))


def hard_days(sessions: Iterable[Done]) -> set[date]:
    """Days with a hard session."""
    return {session.day for session in sessions if session.stimulus in HARD_STIMULI}


def excuses_of(
    notes: Sequence[Note],
    sessions: Sequence[Done] | None,
    decisions: Sequence[PlanDecision] = (),
    *,
    today: date,
) -> list[tuple[date, NoteType]]:
    """Days that excuse a missed plan: each note's days, its stated length, and every day of an illness or injury."""
    trained = {session.day for session in sessions or ()}
    medical = medical_notes(notes, decisions)
    covered = [
        (absence.start + timedelta(days=n), NoteType.MEDICAL)
        for absence in absences(medical, trained, today=today, hard=hard_days(sessions or ()))
        for n in range((absence.end - absence.start).days + 1)
    ]
    for note, end in _with_length(notes, decisions):
        covered += [(note.date + timedelta(days=n), note.type) for n in range((end - note.date).days + 1)]
    return list(dict.fromkeys([*covered, *((note.date, note.type) for note in notes)]))


def away_of(notes: Iterable[Note], decisions: Iterable[PlanDecision] = ()) -> tuple[tuple[date, date], ...]:
    """First and last day of the absences whose length a note states."""
    return tuple((note.date, end) for note, end in _with_length(notes, decisions))


def on_each_day(notes: Iterable[Note], decisions: Iterable[PlanDecision]) -> list[Note]:
    """Each note once for each of its days."""
    return [
        note.model_copy(update={"date": note.date + timedelta(days=n)})
        for note, last_day in _with_last_days(notes, decisions)
        for n in range(((last_day or note.date) - note.date).days + 1)
    ]


def _with_length(notes: Iterable[Note], decisions: Iterable[PlanDecision]) -> Iterator[tuple[Note, date]]:
    """Notes of an absence with its last day, set by a person or stated in words."""
    for note, last_day in _with_last_days(notes, decisions):
        is_absence = note.type is not NoteType.MEDICAL or kind_of(note.title) in {
            Medical.ILLNESS,
            Medical.INJURY,
        }
        if note.type in EXCUSING_NOTES and is_absence:
            end = last_day or stated_end(f"{note.title}. {note.content or ''}", note.date)
            if end is not None:
                yield note, end


def _with_last_days(
    notes: Iterable[Note], decisions: Iterable[PlanDecision]
) -> Iterator[tuple[Note, date | None]]:
    """Each note with the last day that a person set; a note of several days may begin before the listed ones."""
    spans = {decision.entry_id: (decision.note, decision.last_day) for decision in decisions if decision.note}
    yield from spans.values()
    yield from ((note, None) for note in notes if note.id not in spans)
