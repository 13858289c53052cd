"""The days on which notes excuse a missed plan; every page reads them here."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from coachboard.analytics.planning.adherence import HARD_STIMULI, Done
from coachboard.analytics.planning.illness import MedicalNote, absences
from coachboard.models.enums import NoteType
from coachboard.models.plans import Note


def medical_notes(notes: Iterable[Note]) -> tuple[MedicalNote, ...]:
    """The medical notes with their own words, oldest first."""
    found = (MedicalNote(note.date, note.title) for note in notes if note.type is NoteType.MEDICAL)
    return tuple(sorted(found, key=lambda note: note.day))


def hard_days(sessions: Iterable[Done]) -> set[date]:
    """Days with a hard session."""
    return {session.day for session in sessions if session.stimulus in HARD_STIMULI}


def excuses_of(
    notes: Sequence[Note], sessions: Sequence[Done] | None, *, today: date
) -> list[tuple[date, NoteType]]:
    """Days that excuse a missed plan: each note's own day, and every day of an illness or injury."""
    trained = {session.day for session in sessions or ()}
    covered = [
        (absence.start + timedelta(days=n), NoteType.MEDICAL)
        for absence in absences(medical_notes(notes), trained, today=today, hard=hard_days(sessions or ()))
        for n in range((absence.end - absence.start).days + 1)
    ]
    return [*covered, *((note.date, note.type) for note in notes)]
