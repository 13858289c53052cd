"""A row of key numbers that wraps on a narrow screen; the same on every page."""

from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from coachboard.views.frame.text import md

_WIDTH_PX = 140
OVER_MOVING = "Distance over moving time."
"""Note of speeds and paces of a session or a part of it."""


@dataclass(frozen=True, slots=True)
class Card:
    """A number with its name; the note says the reference, the help explains a term."""

    label: str
    value: str
    note: str = ""
    help: str | None = None
    is_key: bool = False  # one of the first that a phone shows
    is_low: bool = False  # a value to notice, in colour


def draw_cards(cards: Iterable[Card], *, width: int = _WIDTH_PX) -> None:
    """The numbers side by side, two per row on a phone; all text is shown literally."""
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
