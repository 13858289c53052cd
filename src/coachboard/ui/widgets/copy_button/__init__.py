"""A text to copy, with a button that copies it and confirms.

Streamlit's code block shows its button only under a mouse, and fails silently if the browser forbids copying. Every
browser forbids it over plain HTTP, for example in a club's own network.
"""

from importlib.resources import files

from coachboard.ui.widgets.component import component

_MARKUP = files(__package__).joinpath("copying.html").read_text(encoding="utf-8")


def draw(text: str, *, name: str, key: str, is_large: bool = False, is_folded: bool = False) -> None:
    """The text, shown literally; folded, it is a line that opens, with the same button below."""
    component(__package__, "copying", html=_MARKUP)(
        key=key,
        data={"text": text, "name": name, "isLarge": is_large, "isFolded": is_folded},
    )
