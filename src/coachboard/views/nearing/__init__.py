"""What lies far below the first window is drawn when the reader comes near it, so that a page opens with its answer.

A small script stands in its place and reports when it comes into view; for whoever does not scroll it is a button.
"""

from coachboard.views import state
from coachboard.views.component import component


def is_near(key: str, *, shows: str) -> bool:
    """Whether the reader has come near this place; `shows` names what will stand here. For use in a fragment."""
    if state.get(f"{key}.near"):
        return True
    component(__package__, "nearing", html="<button type=button></button>")(
        key=f"{key}.watch",
        data={"label": f"Show {shows}"},
        height=_HEIGHT_PX,
        on_near_change=lambda: come(key),
    )
    return False


def come(key: str) -> None:
    """Note that the reader is there; also for a link that leads to the place itself."""
    state.put(f"{key}.near", True)


_HEIGHT_PX = 400
"""About what will stand there, so that the page is as long before as after."""
