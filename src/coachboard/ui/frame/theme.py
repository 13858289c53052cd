"""The user's Streamlit theme; charts/palette.py has the colours."""

from typing import Literal

import streamlit as st

from coachboard.charts import palette
from coachboard.charts.palette import COMPLIANCE, INTENSITY_RAMP, Tone
from coachboard.streamlit_hooks.html_head import NARROW

__all__ = [
    "COMPLIANCE",
    "INTENSITY_RAMP",
    "colour",
    "is_dark",
    "is_phone",
    "main_button",
    "palette",
]


def is_dark() -> bool:
    """Whether the user's theme is dark; light until the browser reports it."""
    return st.context.theme.type == "dark"


def main_button() -> Literal["primary", "secondary"]:
    """The type of a page's main button: Streamlit writes white on the accent, contrast 2.2:1 in the dark theme."""
    return "secondary" if is_dark() else "primary"


def is_phone() -> bool:
    """Whether the window is as narrow as a phone's; before the browser reports it, by the user agent."""
    cookie = st.context.cookies.get(NARROW)
    if cookie is not None:
        return cookie == "1"
    headers = st.context.headers
    return headers.get("Sec-CH-UA-Mobile") == "?1" or "Mobi" in (headers.get("User-Agent") or "")


def colour(tone: Tone) -> str:
    """The theme's variant of a tone."""
    return tone.dark if is_dark() else tone.light
