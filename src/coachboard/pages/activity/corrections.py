"""Corrections of the reader's own session: its fields, its files, deleting it."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, BinaryIO, cast

import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.execution.sessions import duration_s
from coachboard.loaders.import_jobs import pieces_of
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.session_fields import (
    FEELINGS,
    OFFSETS_MIN,
    TOO_LONG,
    WRONG_START,
    choose,
    draw_distance,
    draw_duration,
    draw_start,
    is_too_long,
    offset_words,
)
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.own_data import has_feature, say_rejected
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.activities import Activity
from coachboard.wire.enums import Sport, SubSport
from coachboard.wire.own_data import ActivityPatch, OwnActivity

_NEAR = timedelta(days=1)


def _draw_join(page: Page, row: OwnActivity) -> None:
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
            _change(lambda: page.client.own_data.join_activity(row.id, other.id, row.etag), "Not joined")


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


def _draw_replace(page: Page, row: OwnActivity) -> None:
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
            _change(
                lambda: page.client.own_data.replace_file(row.id, file.name, pieces, row.etag),
                "File not replaced",
            )


_OPEN, _OPENED = "activity.correcting", "activity.correction_opened"
_FIELDS = ("name", "description", "sport", "sub_sport", "rpe", "feeling")


@st.fragment
def draw_corrections(page: Page, data: ActivityData) -> None:
    """A button that opens the form; only on an own session of a service that takes corrections."""
    is_own = data.user_id in {state.OWN, page.profile.id}
    if not is_own or not has_feature(page, "activities"):
        return
    activity_id = data.activity.id
    is_open = state.get(_OPEN) == activity_id
    st.button(
        "Close" if is_open else "Edit session",
        key="activity.edit",
        type="tertiary",
        icon=":material/close:" if is_open else ":material/edit:",
        on_click=_toggle,
        args=(None if is_open else activity_id,),
    )
    if not is_open:
        return
    # The row as the form opened: a later one would hide a change in between, and its fields would count as edited here.
    row = state.get(_OPENED)
    if row is None:
        try:
            row = page.client.own_data.get_activity(activity_id)
        except ServiceError as error:
            notices.say(error)
            return
        state.put(_OPENED, row)
    _draw_form(page, row)
    _draw_more(page, row)


def _toggle(activity_id: str | None) -> None:
    state.forget(_OPENED)
    state.put(_OPEN, activity_id)


def _draw_form(page: Page, row: OwnActivity) -> None:
    with st.form(f"activity.form.{row.id}", border=True):
        values = _draw_fields(row) | _draw_start(row) | (_draw_typed(page, row) if row.by_hand else {})
        if st.form_submit_button("Save", type=theme.main_button()):
            _save(page, row, values)


def _draw_fields(row: OwnActivity) -> dict[str, Any]:
    key = f"activity.correct.{row.id}"
    name = st.text_input("Name", row.name or "", max_chars=500, key=f"{key}.name")
    description = st.text_area(
        "Description", row.description or "", max_chars=10_000, key=f"{key}.description"
    )
    left, right = st.columns(2)
    with left:
        sport = choose("Sport", list(Sport), row.sport, formats.sport, key=f"{key}.sport")
        rpe = choose("RPE (1 to 10)", list(range(1, 11)), row.rpe, str, key=f"{key}.rpe")
    with right:
        sub_sport = choose("Sub-sport", list(SubSport), row.sub_sport, formats.label, key=f"{key}.sub")
        feeling = choose("Feeling", list(FEELINGS), row.feeling, FEELINGS.__getitem__, key=f"{key}.feeling")
    values = (name.strip() or None, description.strip() or None, sport, sub_sport, rpe, feeling)
    return dict(zip(_FIELDS, values, strict=True))


def _draw_start(row: OwnActivity) -> dict[str, Any]:
    """The start on the athlete's clock; a service without these fields gets no question."""
    start = row.started_at_local or row.started_at
    if start is None or "started_at_local" not in row.model_fields_set:
        return {}
    key = f"activity.correct.{row.id}"
    local = draw_start(start.date(), start.time(), key=key)
    offsets = sorted({*OFFSETS_MIN, *([] if row.utc_offset is None else [row.utc_offset])})
    offset = choose("UTC offset", offsets, row.utc_offset, offset_words, key=f"{key}.offset")
    return {"started_at_local": local, "utc_offset": offset}


def _draw_typed(page: Page, row: OwnActivity) -> dict[str, Any]:
    """Duration and distance of a session that was entered by hand."""
    key = f"activity.correct.{row.id}"
    seconds = draw_duration(row.total_duration, key=key)
    return {"total_duration": seconds, "distance": draw_distance(page, row.distance, key=key)}


def _save(page: Page, row: OwnActivity, values: Mapping[str, Any]) -> None:
    """Send the changed fields."""
    if values.get("started_at_local", 0) is None:
        st.error(WRONG_START, icon=":material/error:")
        return
    changed = {name: value for name, value in values.items() if value != _opened_value(row, name)}
    if "utc_offset" in changed:
        changed["started_at_local"] = values["started_at_local"]  # the form shows local time: it stays
    if is_too_long(changed.get("total_duration")):
        st.error(TOO_LONG, icon=":material/error:")
        return
    if not changed:
        _close()
    _change(lambda: _correct(page, row, ActivityPatch(**changed)), "Not saved")


def _opened_value(row: OwnActivity, name: str) -> Any:
    if name != "started_at_local":
        return getattr(row, name)
    start = row.started_at_local or row.started_at
    return None if start is None else start.replace(tzinfo=None)


def _correct(page: Page, row: OwnActivity, patch: ActivityPatch) -> None:
    """Send the correction; the address follows a session that moved to another day."""
    now = page.client.own_data.correct_activity(row.id, patch, row.etag)
    start = now.started_at_local or now.started_at
    if "started_at_local" in patch.model_fields_set and start is not None:
        state.set_param("day", start.date().isoformat())


def _change(send: Callable[[], object], not_done: str) -> None:
    """Send a change and close the form; `not_done` names it if the service rejects it ("Not joined").

    A conflict writes nothing: it names the other change and keeps the form.
    """
    try:
        send()
    except EditConflict as conflict:
        current = conflict.current or {}
        opened, etag = state.get(_OPENED), current.get("etag")
        state.put(_OPENED, opened.model_copy(update={"etag": etag}) if etag else None)
        st.warning(_conflict_words(current, not_done), icon=":material/sync_problem:")
        return
    except ServiceError as error:
        notices.let_go(error)
        say_rejected(error, not_done)
        return
    _close()


def _conflict_words(current: Mapping[str, Any], not_done: str) -> str:
    if not current or current.get("deletedAt"):
        return f"{not_done}: the session was deleted meanwhile. Restore it on the page Import."
    name = md(str(current.get("name") or "Unnamed session"), longest=80)
    return (
        f"{not_done}: the session was changed meanwhile; its name is now “{name}”. Your entries are still in the form. "
        "Repeat your change to make it nevertheless, or close the form to keep the other change."
    )


def _close() -> None:
    state.forget(_OPEN, _OPENED)
    st.rerun()


def _draw_more(page: Page, row: OwnActivity) -> None:
    """The recording's files, and deleting the session."""
    with st.container(horizontal=True):
        if row.recorded_at is not None:
            st.button(
                "Return to recorded start",
                key="activity.recorded_start",
                icon=":material/undo:",
                type="tertiary",
                help=f"Recorded start: {formats.moment(row.recorded_at, today=page.today)} UTC.",
                on_click=_return_to_start,
                args=(page, row),
            )
        if row.files:
            _draw_join(page, row)
        _draw_replace(page, row)
        with st.popover("Delete session", icon=":material/delete:", type="tertiary"):
            st.markdown("Delete this session? It can be restored for 30 days on the page Import.")
            if st.button("Delete", key="activity.delete", type=theme.main_button()):
                _change(partial(_delete, page, row), "Not deleted")


def _return_to_start(page: Page, row: OwnActivity) -> None:
    _change(lambda: _correct(page, row, ActivityPatch(started_at_local=None)), "Not changed")


def _delete(page: Page, row: OwnActivity) -> None:
    page.client.own_data.delete_activity(row.id, row.etag)
    state.set_params({"activity": None, "day": None})
    st.toast("Session deleted. Restore it on the page Import within 30 days.", icon=":material/delete:")
