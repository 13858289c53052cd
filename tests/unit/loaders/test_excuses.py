"""The days that notes excuse, and the absences whose length they state."""

from datetime import date, timedelta

import pytest

from coachboard.client.planning import PlanDecision
from coachboard.formulas.recovery.illness import absences
from coachboard.loaders.excuses import away_of, excuses_of, medical_notes, on_each_day
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note

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


@pytest.mark.parametrize("kind", [NoteType.MEDICAL, NoteType.AVAILABILITY, NoteType.REST_DAY])
@pytest.mark.parametrize("is_listed", [True, False])
def test_a_note_of_several_days_excuses_each_of_them_and_no_more(kind, is_listed):
    """Also one that begins before the days of the list."""
    away = note(kind, "Away")
    span = PlanDecision(away.id, note=away, last_day=DAY + timedelta(days=4))
    listed = [away] if is_listed else []

    days = excuses_of(listed, (), [span], today=DAY + timedelta(days=20))

    assert {(day - DAY).days for day, _ in days} == set(range(5))
    assert {noted for _, noted in days} == {kind}
    assert away_of(listed, [span]) == ((DAY, DAY + timedelta(days=4)),)
    assert [each.date for each in on_each_day(listed, [span])] == [DAY + timedelta(days=n) for n in range(5)]


def test_an_illness_lasts_until_the_day_that_a_person_set():
    ill = note(NoteType.MEDICAL, "Illness")
    (open_one,) = absences(medical_notes([ill]), [], today=DAY + timedelta(days=3))
    span = PlanDecision(ill.id, note=ill, last_day=DAY + timedelta(days=1))
    (ended,) = absences(medical_notes([ill], [span]), [], today=DAY + timedelta(days=3))

    assert (open_one.is_open, ended.is_open) == (True, False)
    assert ended.end == DAY + timedelta(days=1)
