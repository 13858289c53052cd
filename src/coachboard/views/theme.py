"""What Streamlit says about the reader's theme; the colours themselves are in charts/palette.py."""

from typing import Literal

import streamlit as st

from coachboard.charts import palette
from coachboard.charts.palette import COMPLIANCE, INTENSITY_RAMP, QUANTITIES, Tone
from coachboard.launch.page_head import NARROW

QUANTITY_COLOURS = {name: tone.light for name, tone in QUANTITIES.items()}

__all__ = [
    "COMPLIANCE",
    "INTENSITY_RAMP",
    "QUANTITY_COLOURS",
    "colour",
    "is_dark",
    "is_phone",
    "main_button",
    "palette",
]


def is_dark() -> bool:
    """Whether the reader looks at the dark theme; light until the browser has said."""
    return st.context.theme.type == "dark"


def main_button() -> Literal["primary", "secondary"]:
    """The kind of a page's main button: Streamlit writes white on the accent, 2.2:1 on the dark theme's."""
    return "secondary" if is_dark() else "primary"


def is_phone() -> bool:
    """Whether the window is as narrow as a phone's; before the browser has told, whether it calls itself one."""
    told = st.context.cookies.get(NARROW)
    if told is not None:
        return told == "1"
    headers = st.context.headers
    return headers.get("Sec-CH-UA-Mobile") == "?1" or "Mobi" in (headers.get("User-Agent") or "")


def colour(tone: Tone) -> str:
    """The variant of a tone for the reader's theme."""
    return tone.dark if is_dark() else tone.light
