"""The days on which notes excuse a missed plan; every page reads them here."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from coachboard.analytics.planning.adherence import EXCUSING_NOTES, HARD_STIMULI, Done
from coachboard.analytics.planning.illness import Medical, MedicalNote, absences, kind_of
from coachboard.analytics.planning.stated_length import stated_end
from coachboard.models.enums import NoteType
from coachboard.models.plans import Note


def medical_notes(notes: Iterable[Note]) -> tuple[MedicalNote, ...]:
    """The medical notes with their own words, oldest first."""
    medical = (
        MedicalNote(note.date, note.title, note.content or "")
        for note in notes
        if note.type is NoteType.MEDICAL
    )
    return tuple(sorted(medical, key=lambda note: note.day))


def hard_days(sessions: Iterable[Done]) -> set[date]:
    """Days with a hard session."""
    return {session.day for session in sessions if session.stimulus in HARD_STIMULI}


def excuses_of(
    notes: Sequence[Note], sessions: Sequence[Done] | None, *, today: date
) -> list[tuple[date, NoteType]]:
    """Days that excuse a missed plan: each note's own day, its stated length, and every day of an illness or injury."""
    trained = {session.day for session in sessions or ()}
    covered = [
        (absence.start + timedelta(days=n), NoteType.MEDICAL)
        for absence in absences(medical_notes(notes), trained, today=today, hard=hard_days(sessions or ()))
        for n in range((absence.end - absence.start).days + 1)
    ]
    for note, end in _with_length(notes):
        covered += [(note.date + timedelta(days=n), note.type) for n in range(1, (end - note.date).days + 1)]
    return [*covered, *((note.date, note.type) for note in notes)]


def away_of(notes: Iterable[Note]) -> tuple[tuple[date, date], ...]:
    """First and last day of the absences whose length a note states."""
    return tuple((note.date, end) for note, end in _with_length(notes))


def _with_length(notes: Iterable[Note]) -> Iterator[tuple[Note, date]]:
    """Notes of an absence that state a length, with its last day."""
    for note in notes:
        is_absence = note.type is not NoteType.MEDICAL or kind_of(note.title) in {
            Medical.ILLNESS,
            Medical.INJURY,
        }
        if note.type in EXCUSING_NOTES and is_absence:
            end = stated_end(f"{note.title}. {note.content or ''}", note.date)
            if end is not None:
                yield note, end
