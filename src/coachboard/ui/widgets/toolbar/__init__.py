"""A row of controls in one component: radio buttons, a search field, a picker, buttons.

Each of Streamlit's own controls costs the browser 25 to 50 ms at page load; this row costs one element. It draws real
radio buttons, fields and buttons, so that keyboards and screen readers work.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coachboard.plain_text import plain
from coachboard.ui.widgets.component import component, reported


@dataclass(frozen=True, slots=True)
class RadioRow:
    """Radio buttons; the value is the key of the chosen option."""

    name: str
    label: str
    options: Mapping[str, str]
    chosen: str
    is_labelled: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    """A combobox that matches any part of a name and of its note, and ignores accents.

    `chosen` is in no option if nothing is chosen.
    """

    name: str
    label: str
    options: Mapping[str, str]
    chosen: str = ""
    placeholder: str = ""
    width: int = 190  # px
    notes: Mapping[str, str] = field(default_factory=dict)  # quieter text after options in the list
    is_for_narrow: bool = False  # for a window in which tables may be cards
    is_disabled: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """A search field; its value is sent on Enter or when it loses the focus."""

    name: str
    label: str
    text: str = ""
    width: int = 150  # px
    placeholder: str = ""  # else the label


@dataclass(frozen=True, slots=True)
class Press:
    """A button with a label; `says` is the value that a click sends. With `href` it is a link.

    `st.page_link` to the open page leaves the former address in the browser: a reload, the next click and the way back
    led to the former session.
    """

    name: str
    label: str
    says: str = ""
    help: str = ""
    is_quiet: bool = False
    is_on: bool | None = None  # of a toggle button
    icon: str = ""  # the name of a Material icon that the page loads anyway
    note: str = ""  # quieter text after the label
    goes_on: bool = False  # takes the focus if the button that led here is gone
    is_open: bool | None = None  # of a button that shows or hides the following content; Escape hides it
    href: str = ""


Control = RadioRow | Pick | Search | Press
_KINDS: Mapping[type, str] = {RadioRow: "radio", Pick: "pick", Search: "search", Press: "press"}


def draw_bar(
    controls: Sequence[Control],
    *,
    key: str,
    on_change: Callable[[str, str], None] = lambda _name, _says: None,
) -> None:
    """Draw the row; `on_change` gets a control's name and value before the rerun."""
    component(__package__, "bar", html='<div class="bar"></div>')(
        key=key,
        data=[_wire(control) for control in controls],
        width="content",
        on_action_change=lambda: _pass_on(key, on_change),
    )


def _wire(control: Control) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(control, name) for name in control.__slots__}
    if "options" in fields:
        notes = fields.pop("notes", {})
        fields["options"] = [
            [key, plain(str(text)), *([note] if (note := plain(notes.get(key))) else [])]
            for key, text in fields["options"].items()
        ]
    return {"kind": _KINDS[type(control)], **fields}


def _pass_on(key: str, on_change: Callable[[str, str], None]) -> None:
    report = reported(key, "action")
    if isinstance(report, dict):
        on_change(str(report["name"]), str(report["says"]))
