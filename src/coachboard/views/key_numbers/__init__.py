"""Many key numbers in one row: one small definition list, so that a dozen cost the browser one element."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from coachboard.views.cards import Card

_STYLE = """<style>
dl.key-numbers { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0; padding: 0;
  font-variant-numeric: tabular-nums; }
.key-numbers div { min-width: 0; }
.key-numbers dt, .key-numbers small { font-size: 12px; line-height: 16px; white-space: nowrap; opacity: .72; }
.key-numbers dt { font-weight: 400; }
.key-numbers dd { margin: 0; font-size: 17px; font-weight: 600; line-height: 23px; white-space: nowrap; }
.key-numbers dd span { font-size: 12px; font-weight: 400; margin-left: 3px; }
.key-numbers small { display: block; min-height: 16px; font-weight: 400; }
@media (max-width: 640px) { dl.key-numbers { display: grid; grid-template-columns: 1fr 1fr; } }
</style>"""


def draw_numbers(cards: Sequence[Card]) -> None:
    """The numbers side by side, two a row on a phone; every text is shown as it is written."""
    st.html(f'{_STYLE}<dl class="key-numbers">{"".join(_item(card) for card in cards)}</dl>')


def terms_of(cards: Sequence[Card]) -> str:
    """What the terms among the numbers mean, as the text of one help mark."""
    return "\n\n".join(f"**{card.label}:** {card.help}" for card in cards if card.help)


def _item(card: Card) -> str:
    value, _, unit = escape(card.value).partition(" ")
    quiet = f"<span>{unit}</span>" if unit else ""
    note = f"<small>{escape(card.note)}</small>" if card.note else ""
    return f"<div><dt>{escape(card.label)}</dt><dd>{value}{quiet}{note}</dd></div>"
