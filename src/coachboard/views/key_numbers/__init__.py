"""Many key numbers in one row: one small definition list, so that a dozen cost the browser one element."""

from collections.abc import Sequence

from coachboard.views.cards import Card
from coachboard.views.component import component

_PHONE_FIRST = 6


def draw_numbers(cards: Sequence[Card], *, key: str) -> None:
    """The numbers side by side; a phone shows six, two a row, and the others on demand."""
    first = first_on_phone(cards)
    component(__package__, "numbers", html="<dl></dl><button type=button></button>")(
        key=key, data=[_wire(card) | {"isFirst": card in first} for card in cards]
    )


def first_on_phone(cards: Sequence[Card]) -> list[Card]:
    """The key numbers, filled up with the others in their order."""
    return sorted(cards, key=lambda card: not card.is_key)[:_PHONE_FIRST]


def terms_of(cards: Sequence[Card]) -> str:
    """What the terms among the numbers mean, as the text of one help mark."""
    return "\n\n".join(f"**{card.label}:** {card.help}" for card in cards if card.help)


def _wire(card: Card) -> dict[str, str]:
    value, _, unit = card.value.partition(" ")
    return {"label": card.label, "value": value, "unit": unit, "note": card.note}
