"""Many key numbers in one definition list: one browser element instead of a dozen."""

from collections.abc import Sequence
from dataclasses import dataclass

from coachboard.ui.widgets.component import component

_PHONE_FIRST = 6


@dataclass(frozen=True, slots=True)
class Card:
    """A number with its name; the note says the reference, the help explains a term."""

    label: str
    value: str
    note: str = ""
    help: str | None = None
    is_key: bool = False  # one of the first six on a phone
    is_low: bool = False  # a value to notice, in colour


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
    number, _, unit = card.value.partition(" ")
    value, unit = (number, unit) if any(map(str.isdigit, number)) else (card.value, "")
    return {"label": card.label, "value": value, "unit": unit, "note": card.note}
