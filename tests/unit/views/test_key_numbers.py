"""Which numbers a phone shows first."""

from coachboard.views.widgets.cards import Card
from coachboard.views.widgets.key_numbers import first_on_phone


def test_a_phone_shows_the_key_numbers_filled_up_with_the_others_in_order():
    cards = [
        Card("Moving", "1:00", is_key=True),
        Card("Climbed", "50 m"),
        Card("Power", "200 W", is_key=True),
    ]
    cards += [Card(label, "1") for label in ("Cadence", "Work", "RPE", "Feeling", "Speed")]

    first = [card.label for card in first_on_phone(cards)]

    assert first == ["Moving", "Power", "Climbed", "Cadence", "Work", "RPE"]
