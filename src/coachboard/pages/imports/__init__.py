"""The sections of the import page, in the order of the page, with the form for a session that has no file."""

from typing import Any

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages import session_fields as fields
from coachboard.pages.imports.opened import draw_opened
from coachboard.pages.imports.upload import draw_earlier, draw_upload, open_imports
from coachboard.ui.frame import formats, navigation, notices, theme
from coachboard.ui.frame.own_data import has_feature, say_rejected
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.enums import Sport
from coachboard.wire.own_data import NewActivity, OwnActivity

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


_KEY = "imports.by_hand"


def draw_by_hand(page: Page) -> None:
    """A form in an expander; saving it opens the session."""
    if not has_feature(page, "activities"):
        return
    with (
        st.expander("Enter a session without a file", icon=":material/edit_note:"),
        st.form(_KEY, border=False),
    ):
        values = _draw_fields(page)
        if st.form_submit_button("Save session", type=theme.main_button()):
            _save(page, values)


def _draw_fields(page: Page) -> dict[str, Any]:
    # A default that follows the clock would replace the entry a minute later.
    start = fields.draw_start(page.today, None, key=_KEY)
    sport = fields.choose("Sport", list(fields.SPORTS), Sport.CYCLING, formats.sport, key=f"{_KEY}.sport")
    seconds = fields.draw_duration(None, key=_KEY)
    metres = fields.draw_distance(page, None, key=_KEY)
    left, right = st.columns(2)
    with left:
        rpe = fields.choose("RPE (1 to 10)", list(range(1, 11)), None, str, key=f"{_KEY}.rpe")
    with right:
        options = list(fields.FEELINGS)
        feeling = fields.choose("Feeling", options, None, fields.FEELINGS.__getitem__, key=f"{_KEY}.feeling")
    name = st.text_input("Name", max_chars=500, key=f"{_KEY}.name")
    note = st.text_area("Note", max_chars=10_000, key=f"{_KEY}.note")
    st.caption("The load follows from RPE and duration. Times are those of your own clock.")
    texts = {"name": name.strip() or None, "description": note.strip() or None}
    figures = {"total_duration": seconds, "distance": metres, "rpe": rpe, "feeling": feeling}
    return {"started_at_local": start, "sport": sport, **texts, **figures}


def _save(page: Page, values: dict[str, Any]) -> None:
    start = values["started_at_local"]
    if start is None:
        st.error(fields.WRONG_START, icon=":material/error:")
        return
    if values["total_duration"] is None and values["distance"] is None:
        st.error("Enter a duration or a distance.", icon=":material/error:")
        return
    if fields.is_too_long(values["total_duration"]):
        st.error(fields.TOO_LONG, icon=":material/error:")
        return
    offset = start.replace(tzinfo=page.zone).utcoffset()
    # Zones of former times had offsets of odd minutes, which the interface does not have.
    minutes = 0 if offset is None else round(offset.total_seconds() / 900) * 15
    try:
        row = page.client.own_data.add_activity(NewActivity(utc_offset=minutes, **values))
    except ServiceError as error:
        notices.let_go(error)
        say_rejected(error, "Not saved")
        return
    params = {"athlete": page.profile.id, "activity": row.id, "day": start.date().isoformat()}
    st.switch_page(navigation.page_path("activity"), query_params=params)
