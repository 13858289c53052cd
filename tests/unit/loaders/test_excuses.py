"""The days that notes excuse, and the absences whose length they state."""

from datetime import date, timedelta

from coachboard.loaders.excuses import away_of, excuses_of, medical_notes
from coachboard.models.enums import NoteType
from coachboard.models.plans import Note

DAY = date(2026, 7, 3)


def note(kind, title, content=None):
    return Note(id="not_1", type=kind, title=title, content=content, date=DAY, time=None)


def excused(one):
    return [(day - DAY).days for day, _ in excuses_of([one], (), today=DAY + timedelta(days=20))]


def test_a_note_excuses_the_length_that_its_words_state():
    holiday = note(NoteType.AVAILABILITY, "Holiday", "Two weeks away, no pool.")

    assert sorted(excused(holiday)) == list(range(14))
    assert away_of([holiday]) == ((DAY, DAY + timedelta(days=13)),)
    assert excused(note(NoteType.AVAILABILITY, "Exams")) == [0]


def test_an_injury_may_state_a_length_and_a_test_or_another_note_may_not():
    assert max(excused(note(NoteType.MEDICAL, "Fracture", "Out for six weeks"))) == 41
    assert away_of([note(NoteType.MEDICAL, "Blood test", "Out for a week")]) == ()
    assert away_of([note(NoteType.MENTAL, "Stress", "Until Friday")]) == ()


def test_a_medical_note_keeps_its_text():
    texts = [
        found.content
        for content in ("Only in the evening", None)
        for found in medical_notes([note(NoteType.MEDICAL, "Cough", content)])
    ]

    assert texts == ["Only in the evening", ""]
