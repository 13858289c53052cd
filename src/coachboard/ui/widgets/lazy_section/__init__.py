"""Draw a section when the user scrolls near it, so that the top of the page appears first.

Until then a placeholder reports when it scrolls into view; its button loads the section without scrolling.
"""

from collections.abc import Sequence
from typing import NamedTuple

from coachboard.ui.frame import state
from coachboard.ui.widgets.component import component, reported


class Section(NamedTuple):
    """A section with its heading; `shows` names its content on the button."""

    key: str
    shows: str
    heading: str = ""


def is_near(key: str, *, shows: str) -> bool:
    """Whether the user has scrolled near this section; `shows` names its content. For use in a fragment."""
    return is_any_near(key, [Section(key, shows)])


def is_any_near(key: str, places: Sequence[Section]) -> bool:
    """Whether the user has scrolled near one of these sections; until then draw their headings. For a fragment.

    One component for four sections costs the browser 20 ms, as much as for one section.
    """
    if is_reached(key):
        return True
    component(__package__, "lazy_section", html='<div class="places"></div>')(
        key=f"{key}.watch",
        data=[
            {"key": place.key, "heading": place.heading, "label": f"Show {place.shows}"} for place in places
        ],
        height=sum(_HEIGHT_PX + (_HEADING_PX if place.heading else 0) for place in places),
        on_near_change=lambda: _open_near_section(key, places),
    )
    return False


def is_reached(key: str) -> bool:
    """Whether the user has reached the section."""
    return bool(state.get(f"{key}.near"))


def mark_reached(key: str) -> None:
    """Mark the section as reached; also for a link that leads to it."""
    state.put(f"{key}.near", True)


def _open_near_section(key: str, places: Sequence[Section]) -> None:
    mark_reached(key)
    near = reported(f"{key}.watch", "near")
    if any(near == place.key for place in places):
        mark_reached(near)


_HEIGHT_PX = 400
"""About the height of the section, so that the page keeps its length when it loads."""
_HEADING_PX = 48
