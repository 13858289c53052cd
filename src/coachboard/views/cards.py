"""A row of key numbers: small, calm, wrapping on a narrow screen; the same on every page."""

from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from coachboard.views.text import md

_WIDTH_PX = 140
OVER_MOVING = "Distance over moving time."
"""What every speed and pace of a session or a part of one is counted over."""


@dataclass(frozen=True, slots=True)
class Card:
    """One number with its name; the note says against what, the help explains a term on demand."""

    label: str
    value: str
    note: str = ""
    help: str | None = None
    is_key: bool = False  # among the first that a phone shows


def draw_cards(cards: Iterable[Card], *, width: int = _WIDTH_PX) -> None:
    """The numbers side by side, two a row on a phone; every text is shown as it is written."""
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
