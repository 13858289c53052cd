"""Comments on an entry or a session with a field for a new one; its draft stays in the tab through a reload."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from coachboard.ui.widgets.component import camel, component, pass_on


@dataclass(frozen=True, slots=True)
class ThreadComment:
    """A comment with its facts in words; all of it is shown as plain text."""

    id: str
    author: str
    when: str
    text: str
    is_own: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class CommentPanel:
    """The comments, oldest first; `saved` is the number of the last report that was done, `answered` of the last one."""

    comments: Sequence[ThreadComment]
    draft_key: str  # person and row
    longest: int  # characters of a comment
    answered: int = 0
    saved: int = 0
    refusal: str = ""


CommentReport = Mapping[str, Any]
"""Values from the browser, to be checked: `act` (`add`, `change`, `delete`) with `id`, `text` and `number`."""


def draw_comments(panel: CommentPanel, *, key: str, on_act: Callable[[CommentReport], None]) -> None:
    """Draw the comments and the field."""
    component(__package__, "thread", html='<section class="thread"></section>', parts=("answer",))(
        key=key,
        data=camel(asdict(panel)),
        height="content",
        on_act_change=lambda: pass_on(key, "act", on_act),
    )
