"""The reader's theme: follow the system, light or dark; kept by the browser, the same for every page.

Streamlit keeps the choice of its own menu for the one address at which the page was loaded, so that it would be
gone after the next deep link. This writes the same entry for every page's address and loads the page again, which
is when Streamlit reads it.
"""

from collections.abc import Sequence
from importlib.resources import files

from coachboard.views.component import component

_MARKUP = files(__package__).joinpath("switch.html").read_text(encoding="utf-8")


def draw(pages: Sequence[str]) -> None:
    """Three radio buttons; `pages` are the addresses of the navigation, the one at the root as ""."""
    component(__package__, "switch", html=_MARKUP)(key="settings.theme", data={"pages": list(pages)})
