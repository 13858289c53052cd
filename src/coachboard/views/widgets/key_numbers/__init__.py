"""Many key numbers in one definition list: one browser element instead of a dozen."""

from collections.abc import Sequence

from coachboard.views.widgets.cards import Card
from coachboard.views.widgets.component import component

_PHONE_FIRST = 6


def draw_numbers(cards: Sequence[Card], *, key: str) -> None:
    """The numbers side by side; a phone shows six, two per row, and the others after a click."""
    first = first_on_phone(cards)
    component(__package__, "numbers", html="<dl></dl><button type=button></button>")(
        key=key, data=[_wire(card) | {"isFirst": card in first, "isLow": card.is_low} for card in cards]
    )


def first_on_phone(cards: Sequence[Card]) -> list[Card]:
    """The key numbers, followed by the others in their order."""
    return sorted(cards, key=lambda card: not card.is_key)[:_PHONE_FIRST]


def terms_of(cards: Sequence[Card]) -> str:
    """The explanations of all terms as the text of one help icon."""
    return "\n\n".join(f"**{card.label}:** {card.help}" for card in cards if card.help)


def _wire(card: Card) -> dict[str, str]:
    value, _, unit = card.value.partition(" ")
    return {"label": card.label, "value": value, "unit": unit, "note": card.note}
