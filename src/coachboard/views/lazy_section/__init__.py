"""What lies far below the first window is drawn when the reader comes near it, so that a page opens with its answer.

A small script stands in its place and reports when it comes into view; for whoever does not scroll it is a button.
"""

from collections.abc import Sequence
from typing import NamedTuple

from coachboard.views import state
from coachboard.views.component import component, reported


class Place(NamedTuple):
    """A part of the page under its heading; `shows` names what will stand there."""

    key: str
    shows: str
    heading: str = ""


def is_near(key: str, *, shows: str) -> bool:
    """Whether the reader has come near this place; `shows` names what will stand here. For use in a fragment."""
    return is_any_near(key, [Place(key, shows)])


def is_any_near(key: str, places: Sequence[Place]) -> bool:
    """Whether the reader has come near one of these; until then they stand under their headings. For a fragment.

    Several in one cost a page that opens as much as one of them: 20 ms of the browser for four.
    """
    if has_come(key):
        return True
    component(__package__, "lazy_section", html='<div class="places"></div>')(
        key=f"{key}.watch",
        data=[{"key": one.key, "heading": one.heading, "label": f"Show {one.shows}"} for one in places],
        height=sum(_HEIGHT_PX + (_HEADING_PX if one.heading else 0) for one in places),
        on_near_change=lambda: _come_to_one(key, places),
    )
    return False


def has_come(key: str) -> bool:
    """Whether the reader has been there."""
    return bool(state.get(f"{key}.near"))


def come(key: str) -> None:
    """Note that the reader is there; also for a link that leads to the place itself."""
    state.put(f"{key}.near", True)


def _come_to_one(key: str, places: Sequence[Place]) -> None:
    come(key)
    near = reported(f"{key}.watch", "near")
    if any(near == one.key for one in places):
        come(near)


_HEIGHT_PX = 400
"""About what will stand there, so that the page is as long before as after."""
_HEADING_PX = 48
