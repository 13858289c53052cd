"""A text to be passed on, with a button that copies it and says whether it did.

Streamlit's block of code has such a button only while a mouse is over it, and is silent where the browser forbids
copying; over plain http, as in a club's own network, every browser does.
"""

from importlib.resources import files

from coachboard.views.component import component

_MARKUP = files(__package__).joinpath("copying.html").read_text(encoding="utf-8")


def draw(text: str, *, name: str, key: str, is_large: bool = False, is_folded: bool = False) -> None:
    """The text, nothing in it interpreted; folded, it is a line that opens, with the same button under it."""
    component(__package__, "copying", html=_MARKUP)(
        key=key,
        data={"text": text, "name": name, "isLarge": is_large, "isFolded": is_folded},
    )
