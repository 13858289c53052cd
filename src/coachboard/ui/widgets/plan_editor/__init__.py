"""The editor of a calendar entry: a panel at the right of the window, with a workout's text beside its profile.

The panel keeps what is typed in the tab until it is saved: a reload, a refusal and a lost connection lose nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from coachboard.plain_text import plain
from coachboard.ui.widgets.component import camel, component, pass_on

FieldKind = Literal["text", "date", "time", "number", "choice", "check", "lines", "workout"]


@dataclass(frozen=True, slots=True)
class EditorField:
    """A field; `options` are values and labels of a choice."""

    name: str
    label: str
    kind: FieldKind
    value: str | bool = ""
    options: Sequence[tuple[str, str]] = ()
    hint: str = ""
    is_wide: bool = False
    is_disabled: bool = False


@dataclass(frozen=True, slots=True)
class ProfileBar:
    """A step of the profile: its length, and the range of its target in any unit that the steps share."""

    seconds: float
    low: float
    high: float
    colour: str
    spoken: str


@dataclass(frozen=True, slots=True)
class LocatedError:
    """An error in the text, with its place from 1 and what to write instead."""

    line: int
    column: int
    text: str
    proposal: str


@dataclass(frozen=True, slots=True)
class MissingAmounts:
    """Why amounts are not known; `link` is the address of the page where the reader sets the value."""

    text: str
    link: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class WorkoutPreview:
    """The workout of the text: its profile, its amounts with their labels, the errors."""

    bars: Sequence[ProfileBar] = ()
    spoken: str = ""
    facts: Sequence[tuple[str, str]] = ()
    problems: Sequence[LocatedError] = ()
    missing: MissingAmounts | None = None
    title: str = ""  # of a workout that is saved without one


@dataclass(frozen=True, slots=True)
class EditorPanel:
    """An open entry; `id` is empty if none is open. `saved` names the draft that was saved and can go."""

    id: str = ""
    version: str = ""  # another one draws the fields again
    draft_key: str = ""  # person and entry
    new_draft_key: str = ""  # person and new entry: gets the draft if its entry was deleted
    gone: str = ""  # names the draft of an entry that was deleted
    saved: str = ""
    answered: int = 0  # number of the last report of `on_act`
    title: str = ""
    fields: Sequence[EditorField] = ()
    can_save: bool = False
    save_label: str = "Save"
    actions: Sequence[tuple[str, ...]] = ()  # name and label of further buttons, and a question to confirm
    remarks: str = ""
    refusal: str = ""
    theirs: Sequence[
        tuple[str, str, str]
    ] = ()  # name, label and value of each field that another person changed
    can_be_draft: bool = False  # the text has errors, which a draft may have
    preview: WorkoutPreview | None = None
    templates: Sequence[tuple[str, str]] = ()  # title and text
    help: Sequence[tuple[str, str]] = ()  # an example of the grammar and its meaning


EditorReport = Mapping[str, Any]
"""Values from the browser, to be checked: `act` with `values`, or `text`, `sport` and `date` while a person types."""

_MARKUP = '<section class="editor"></section>'


def draw_editor(
    panel: EditorPanel,
    *,
    key: str,
    on_typed: Callable[[EditorReport], None],
    on_act: Callable[[EditorReport], None],
) -> None:
    """Draw the panel over the page."""
    _editor()(
        key=key,
        data=camel(asdict(replace(panel, title=plain(panel.title)))),
        height="content",
        on_typed_change=lambda: pass_on(key, "typed", on_typed),
        on_act_change=lambda: pass_on(key, "act", on_act),
    )


def forget_drafts() -> None:
    """Remove the drafts of all entries from the browser's tab."""
    _editor()(key="plan.forget", data={"forget": True}, height="content")


def _editor() -> Any:
    return component(__package__, "editor", html=_MARKUP, parts=("answer",))
