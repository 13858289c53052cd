"""`Card`, the record of a key number, and a plain row of cards for sections; `key_numbers` draws those of a headline."""

from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from coachboard.views.frame.text import md

_WIDTH_PX = 140


@dataclass(frozen=True, slots=True)
class Card:
    """A number with its name; the note says the reference, the help explains a term."""

    label: str
    value: str
    note: str = ""
    help: str | None = None
    is_key: bool = False  # in a headline: one of the first six on a phone
    is_low: bool = False  # in a headline: a value to notice, in colour


def draw_cards(cards: Iterable[Card], *, width: int = _WIDTH_PX) -> None:
    """The numbers side by side, two per row on a phone.

    Label, value and note are shown literally; `help` is Markdown of this project, never text of a service.
    """
    with st.container(horizontal=True, gap="small"):
        for card in cards:
            st.metric(
                md(card.label),
                md(card.value),
                md(card.note) or None,
                delta_color="off",
                delta_arrow="off",
                help=card.help,
                width=width,
            )
