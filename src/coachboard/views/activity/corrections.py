"""Corrections of the reader's own session: its fields, its files, deleting it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.models.enums import Sport, SubSport
from coachboard.models.own_data import ActivityPatch, OwnActivity
from coachboard.views.activity.recording_files import draw_download, draw_join, draw_replace, say_rejected
from coachboard.views.frame import formats, notices, state, theme
from coachboard.views.frame.own_data import has_feature
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md

_OPEN, _OPENED = "activity.correcting", "activity.correction_opened"
_FEELINGS = {1: "1, very weak", 2: "2, weak", 3: "3, normal", 4: "4, strong", 5: "5, very strong"}
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
        values = _draw_fields(row)
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
        sport = _choose("Sport", list(Sport), row.sport, formats.sport, key=f"{key}.sport")
        rpe = _choose("RPE (1 to 10)", list(range(1, 11)), row.rpe, str, key=f"{key}.rpe")
    with right:
        sub_sport = _choose("Sub-sport", list(SubSport), row.sub_sport, formats.label, key=f"{key}.sub")
        feeling = _choose(
            "Feeling", list(_FEELINGS), row.feeling, _FEELINGS.__getitem__, key=f"{key}.feeling"
        )
    values = (name.strip() or None, description.strip() or None, sport, sub_sport, rpe, feeling)
    return dict(zip(_FIELDS, values, strict=True))


def _choose(label: str, options: list[Any], value: Any, words: Callable[[Any], str], *, key: str) -> Any:
    index = options.index(value) if value in options else None
    return st.selectbox(label, options, index=index, format_func=words, key=key, placeholder="–")


def _save(page: Page, row: OwnActivity, values: Mapping[str, Any]) -> None:
    """Send the changed fields."""
    changed = {name: value for name, value in values.items() if value != getattr(row, name)}
    if not changed:
        _close()
    _change(
        lambda: page.client.own_data.correct_activity(row.id, ActivityPatch(**changed), row.etag), "Not saved"
    )


def _change(send: Callable[[], object], not_done: str) -> None:
    """Send a change and close the form. A conflict writes nothing: it names the other change and keeps the form."""
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
        if row.files:
            draw_join(page, row, row.etag, _change)
        draw_replace(page, row, row.etag, _change)
        if row.files:
            draw_download(page, row)
        with st.popover("Delete session", icon=":material/delete:", type="tertiary"):
            st.markdown("Delete this session? It can be restored for 30 days on the page Import.")
            if st.button("Delete", key="activity.delete", type=theme.main_button()):
                _change(partial(_delete, page, row, row.etag), "Not deleted")


def _delete(page: Page, row: OwnActivity, etag: str) -> None:
    page.client.own_data.delete_activity(row.id, etag)
    state.set_params({"activity": None, "day": None})
    st.toast("Session deleted. Restore it on the page Import within 30 days.", icon=":material/delete:")
