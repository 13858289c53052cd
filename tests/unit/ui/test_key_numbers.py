"""Key numbers: those that a phone shows first, and the unit beside a number."""

import pytest

from coachboard.ui.widgets.key_numbers import Card, _wire, first_on_phone


def test_a_phone_shows_the_key_numbers_filled_up_with_the_others_in_order():
    cards = [
        Card("Moving", "1:00", is_key=True),
        Card("Climbed", "50 m"),
        Card("Power", "200 W", is_key=True),
    ]
    cards += [Card(label, "1") for label in ("Cadence", "Work", "RPE", "Feeling", "Speed")]

    first = [card.label for card in first_on_phone(cards)]

    assert first == ["Moving", "Power", "Climbed", "Cadence", "Work", "RPE"]


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("214 W", "214", "W"),
        ("−3 bpm", "−3", "bpm"),
        ("1:05:00", "1:05:00", ""),
        ("as recorded", "as recorded", ""),
    ],
)
def test_a_number_has_its_unit_in_small_letters_and_words_stay_together(text, number, unit):
    """The first word of "as recorded" was large and the second one small."""
    sent = _wire(Card("Timestamps", text))

    assert (sent["value"], sent["unit"]) == (number, unit)
