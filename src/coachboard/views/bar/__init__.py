"""A row of controls in one component: choices, a search field, somebody to pick, buttons.

Streamlit's own cost the browser 25 to 50 ms each before a page is there; this row costs it one element. It draws real
radio buttons, fields and buttons, so that a keyboard and a screen reader get what a mouse gets.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from coachboard.views.component import component, reported


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few, all of them seen; what is heard is the key of the one chosen."""

    name: str
    label: str
    options: Mapping[str, str]
    chosen: str
    is_labelled: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """One of many, found by a part of its name, whatever its accents; `chosen` is none of them where nobody is."""

    name: str
    label: str
    options: Mapping[str, str]
    chosen: str = ""
    placeholder: str = ""
    width: int = 190  # px
    is_for_narrow: bool = False  # for a window in which tables may be cards
    is_disabled: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """A field for words, heard at Enter or when it is left."""

    name: str
    label: str
    text: str = ""
    width: int = 150  # px
    placeholder: str = ""  # else the label


@dataclass(frozen=True, slots=True)
class Press:
    """A button; `says` is what is heard, the label is what is read."""

    name: str
    label: str
    says: str
    help: str = ""
    is_quiet: bool = False
    is_on: bool | None = None  # of a button that stays pressed
    icon: str = ""  # a name among the Material symbols that the page has anyway
    note: str = ""  # quieter, behind the label
    goes_on: bool = False  # takes the focus where what was pressed to come here is gone
    is_open: bool | None = None  # of a button that folds out what follows it; Escape folds it in again


Control = Choice | Pick | Search | Press
_KINDS: Mapping[type, str] = {Choice: "choice", Pick: "pick", Search: "search", Press: "press"}


def draw_bar(
    controls: Sequence[Control],
    *,
    key: str,
    hears: Callable[[str, str], None],
    width: Literal["stretch", "content"] | int = "content",
) -> None:
    """Draw the row; `hears` gets the name of a control and what it says, before the page runs anew."""
    component(__package__, "bar", html='<div class="bar"></div>')(
        key=key,
        data=[_wire(control) for control in controls],
        width=width,
        on_told_change=lambda: _pass_on(key, hears),
    )


def _wire(control: Control) -> dict[str, Any]:
    told: dict[str, Any] = {name: getattr(control, name) for name in control.__slots__}
    if "options" in told:
        told["options"] = [[key, str(text)] for key, text in told["options"].items()]
    return {"kind": _KINDS[type(control)], **told}


def _pass_on(key: str, hears: Callable[[str, str], None]) -> None:
    report = reported(key, "told")
    if isinstance(report, dict):
        hears(str(report["name"]), str(report["says"]))
