"""The last day of an absence, by the words of its note."""

from datetime import date

import pytest

from coachboard.execution.stated_length import stated_end

FRIDAY = date(2026, 7, 3)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Holiday. Two weeks away, no pool.", 14),
        ("Out for ten days", 10),
        ("Travelling until Friday", 8),
        ("Travelling until Saturday", 2),
        ("Away till 12 July", 10),
        ("Away through July 12th", 10),
        ("Back in the office, away until 2026-07-20", 18),
        ("Away until 2 January", 0),
        ("Away for 3 days, then a week with family", 7),
        ("Zwei Wochen Urlaub", 14),
        ("Auf Reisen bis Mittwoch", 6),
        ("Vacances, deux semaines", 14),
        ("Viaje hasta el jueves", 7),
        ("Ferie, tre giorni", 3),
    ],
)
def test_a_note_states_the_length_of_an_absence(text, days):
    end = stated_end(text, FRIDAY)

    assert ((end - FRIDAY).days + 1 if end else 0) == days


@pytest.mark.parametrize(
    "text",
    ["Exams", "Physio again in two weeks", "Pool closed once a week", "Can train 4 days a week", "Was away three days ago",
     "Ill for two days now", "Only mornings until Thursday", "Away for 300 days", "No hills until then", "Away until 31 June",
     "Away for a day"],
)  # fmt: skip
def test_other_words_state_no_length(text):
    assert stated_end(text, FRIDAY) is None


def test_a_date_of_the_next_year_is_ahead():
    assert stated_end("Away until 10 January", date(2026, 12, 20)) == date(2027, 1, 10)
