"""The last changes of the plan, athlete by athlete: who, when, what, and a button that takes each back."""

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.client.planning import PlanConflict
from coachboard.pages.calendar import planning
from coachboard.pages.calendar.data import CalendarData
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.planning import BatchChange, BatchRecord, PlanOp

_MOST_ROWS = 20
_MOST_CHANGES = 3
_REFUSED = "calendar.undo refused"
_VERBS = {
    PlanOp.CREATE: "Added",
    PlanOp.UPDATE: "Changed",
    PlanOp.MOVE: "Moved",
    PlanOp.COPY: "Copied",
    PlanOp.DELETE: "Deleted",
    PlanOp.PAIR: "Paired",
    PlanOp.UNPAIR: "Unpaired",
    PlanOp.SKIP: "Skipped",
    PlanOp.UNSKIP: "No longer skipped:",
}


def draw_history(page: Page, data: CalendarData) -> None:
    """The last changes of each athlete, newest first."""
    for athlete in data.athletes:
        if athlete.entries is None:
            continue
        if len(data.athletes) > 1:
            st.markdown(f"**{md(page.names[athlete.user_id])}**")
        try:
            records = page.client.planning.history(athlete.user_id)
        except ServiceError as error:
            notices.say(error, about="The changes of the plan")
            continue
        if not records:
            st.caption("No changes yet. Every change of the plan appears here and can be undone.")
        for record in records[:_MOST_ROWS]:
            _draw_record(page, record)


def _draw_record(page: Page, record: BatchRecord) -> None:
    who = record.by.name if record.by else "Coachboard"
    when = formats.ago(record.created_at, page.now)
    facts = [who, when, record.source or "", "undone" if record.undone_by else ""]
    with st.container(gap=None):
        st.markdown(md(record_words(record)))
        # Beside the short line: beside a long one the button would move below it.
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(md(" · ".join(fact for fact in facts if fact)), width="content")
            _draw_undo(page, record)
    if record.undone_by is None and state.get(_REFUSED) == record.id:
        st.caption("Entries of this change were changed again since. The rest can be undone without them.")


def _draw_undo(page: Page, record: BatchRecord) -> None:
    if not record.may_undo or record.undone_by is not None:
        return
    refused = state.get(_REFUSED) == record.id
    st.button(
        "Undo the rest" if refused else "Undo",
        key=f"calendar.undo.{record.id}",
        type="tertiary",
        on_click=_undo,
        args=(page, record, refused),
    )


def _undo(page: Page, record: BatchRecord, force: bool) -> None:  # noqa: FBT001 (an argument of a button)
    try:
        planning.undo_record(page, record.id, force=force)
        state.forget(_REFUSED)
    except PlanConflict:
        state.put(_REFUSED, record.id)
    except ServiceError as error:
        notices.say(error, about="Undo")


def record_words(record: BatchRecord) -> str:
    """`Moved Threshold from Tue 3 Mar to Thu 5 Mar`."""
    parts = [_change_words(change) for change in record.changes[:_MOST_CHANGES]]
    more = record.total - len(parts)
    text = "; ".join([*parts, f"{more} more"] if more > 0 else parts)
    return f"Undid: {text}" if record.undo_of else text


def _change_words(change: BatchChange) -> str:
    day, title = planning.day_words(change.date), plain(change.title, longest=60)
    if change.op is PlanOp.MOVE and change.from_date not in {None, change.date}:
        return f"{_VERBS[change.op]} {title} from {planning.day_words(change.from_date)} to {day}"
    return f"{_VERBS[change.op]} {title} ({day})"
