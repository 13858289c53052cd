"""Many key numbers in one row: one small definition list, so that a dozen cost the browser one element."""

from collections.abc import Sequence

from coachboard.views.cards import Card
from coachboard.views.component import component


def draw_numbers(cards: Sequence[Card], *, key: str) -> None:
    """The numbers side by side, two a row on a phone; every text is shown as it is written."""
    component(__package__, "numbers", html="<dl></dl>")(key=key, data=[_wire(card) for card in cards])


def terms_of(cards: Sequence[Card]) -> str:
    """What the terms among the numbers mean, as the text of one help mark."""
    return "\n\n".join(f"**{card.label}:** {card.help}" for card in cards if card.help)


def _wire(card: Card) -> dict[str, str]:
    value, _, unit = card.value.partition(" ")
    return {"label": card.label, "value": value, "unit": unit, "note": card.note}
