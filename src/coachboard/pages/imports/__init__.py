"""The sections of the import page, in the order of the page."""

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages.imports.by_hand import draw_by_hand
from coachboard.pages.imports.opened import draw_opened
from coachboard.pages.imports.upload import draw_earlier, draw_upload, open_imports
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.own_data import OwnActivity

__all__ = ["draw_by_hand", "draw_deleted", "draw_earlier", "draw_opened", "draw_upload", "open_imports"]


def draw_deleted(page: Page) -> None:
    """The deleted sessions with a button each; nothing without one."""
    deleted = page.client.own_data.list_deleted()
    if not deleted:
        return
    st.header("Deleted sessions", anchor=False)
    st.caption("Deleted sessions can be restored for 30 days.")
    for row in deleted:
        with st.container(horizontal=True, vertical_alignment="center"):
            day = formats.day(row.started_at.date() if row.started_at else None, today=page.today)
            st.markdown(f"{md(row.name or 'Unnamed session')}, {day}", width="content")
            st.button("Restore", key=f"imports.restore.{row.id}", on_click=_restore, args=(page, row))


def _restore(page: Page, row: OwnActivity) -> None:
    try:
        page.client.own_data.restore_activity(row.id, row.etag)
    except ServiceError as error:
        st.toast(f"Not restored. {notices.sentence(error)}", icon=":material/cloud_off:")
