"""The files of the reader's own session: join it with its other half, replace its file, download the original."""

from collections.abc import Callable
from datetime import timedelta
from typing import BinaryIO, cast

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders.import_jobs import pieces_of
from coachboard.loaders.matching import duration_s
from coachboard.ui.frame import formats, notices, theme
from coachboard.ui.frame.page import Page
from coachboard.wire.activities import Activity
from coachboard.wire.own_data import OwnActivity

Change = Callable[[Callable[[], object], str], None]
"""Sends a change of the session; the text names the change if the service rejects it ("Not joined")."""
_NEAR = timedelta(days=1)


def draw_join(page: Page, row: OwnActivity, etag: str, change: Change) -> None:
    """The sessions within a day, and the button that appends the chosen one."""
    with st.popover("Join", icon=":material/merge:", type="tertiary"):
        try:
            near = _near(page, row)
        except ServiceError as error:
            notices.say(error)
            return
        if not near:
            notices.say_empty(
                "No other session within a day of this one.", fills="Import the other half first."
            )
            return
        st.markdown(
            "Append the recording of another session, for a ride in two files. This session keeps its name. The "
            "other one is deleted; to separate the two, restore it on the page Import within 30 days."
        )
        other = st.selectbox(
            "Other session",
            near,
            format_func=lambda session: _session_label(page, session),
            index=None,
            key=f"activity.join.{row.id}",
            placeholder="Choose a session",
        )
        if st.button(
            "Join", key="activity.join", type=theme.main_button(), disabled=other is None
        ) and isinstance(other, Activity):
            change(lambda: page.client.own_data.join_activity(row.id, other.id, etag), "Not joined")


def _near(page: Page, row: OwnActivity) -> list[Activity]:
    """Other sessions that start within a day of this one, the nearest first."""
    start = row.started_at
    if start is None:
        return []
    # A local date can be a day from that of the timestamp.
    days = ((start - 2 * _NEAR).date(), (start + 2 * _NEAR).date())
    rows = page.client.list_activities("me", *days).value
    near = [
        (abs(session.started_at - start), session)
        for session in rows
        if session.id != row.id and session.started_at is not None
    ]
    return [session for gap, session in sorted(near, key=lambda pair: pair[0]) if gap <= _NEAR]


def _session_label(page: Page, session: Activity) -> str:
    when = formats.moment(session.started_at_local or session.started_at, today=page.today)
    return f"{when}: {formats.session_title(session)}, {formats.duration_hm(duration_s(session))}"


def draw_replace(page: Page, row: OwnActivity, etag: str, change: Change) -> None:
    """The place for another file, and the button that reads the session from it."""
    with st.popover("Replace file", icon=":material/swap_horiz:", type="tertiary"):
        st.markdown(
            "Read this session from another file, for example from the device instead of an app. Name and corrections "
            "stay; everything measured comes from the new file."
        )
        file = st.file_uploader(
            "New file (FIT, TCX or GPX, also .gz)",
            type=["fit", "tcx", "gpx", "gz"],
            key=f"activity.replacement.{row.id}",
        )
        if (
            st.button("Replace", key="activity.replace", type=theme.main_button(), disabled=file is None)
            and file
        ):
            file.seek(0)  # a rejected attempt has read it to the end
            pieces = pieces_of(cast("BinaryIO", file))
            change(
                lambda: page.client.own_data.replace_file(row.id, file.name, pieces, etag),
                "File not replaced",
            )
