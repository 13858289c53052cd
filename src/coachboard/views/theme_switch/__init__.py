"""The reader's theme: follow the system, light or dark; kept by the browser, the same for every page.

Streamlit keeps the choice of its own menu for the one address at which the page was loaded, so that it would be
gone after the next deep link. This writes the same entry for every page's address and loads the page again, which
is when Streamlit reads it.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st


def draw(pages: Sequence[str]) -> None:
    """Three radio buttons; `pages` are the addresses of the navigation, the one at the root as ""."""
    _component()(key="settings.theme", data={"pages": list(pages)})


@cache
def _component() -> Any:
    folder = files(__package__)
    return st.components.v2.component(
        "coachboard_theme_switch",
        html=folder.joinpath("switch.html").read_text(encoding="utf-8"),
        css=folder.joinpath("switch.css").read_text(encoding="utf-8"),
        js=folder.joinpath("switch.js").read_text(encoding="utf-8"),
    )
