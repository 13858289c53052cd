"""Choose the theme: system, light or dark. The browser keeps it for all pages.

Streamlit's own menu saves the theme for the one address where the page was loaded, so the next deep link loses it.
This component writes the same localStorage entry for each page's address and reloads the page, because Streamlit
reads the entry only then.
"""

from collections.abc import Sequence
from importlib.resources import files

from coachboard.streamlit_hooks import hooks
from coachboard.ui.widgets.component import component

_MARKUP = files(__package__).joinpath("switch.html").read_text(encoding="utf-8")


def draw(pages: Sequence[str]) -> None:
    """Three radio buttons; `pages` are the addresses of the navigation, "" for the root."""
    if (entry := hooks.theme_entry()) is not None:
        draw_switch = component(__package__, "switch", html=_MARKUP)
        draw_switch(key="settings.theme", data={"pages": list(pages), "entry": entry})
