"""The user's API keys: list, create, name and revoke them."""

from datetime import datetime

import pandas as pd
import streamlit as st
from pydantic import SecretStr

from coachboard.client.errors import ServiceError
from coachboard.ui.frame import connection, formats, notices, own_data, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import copy_button
from coachboard.wire.own_data import NewKey, OwnKey

_PICK, _NEW_NAME, _DAYS = "settings.key", "settings.key_name", "settings.key_days"
_NEW, _FAULT, _REVOKING = "settings.new_key", "settings.key_fault", "settings.revoking"
_FOREVER = 0
_ENDS = {_FOREVER: "No expiry", 30: "30 days", 90: "90 days", 365: "1 year"}
_LONGEST = 100


def draw_keys(page: Page) -> None:
    """All valid keys as a table, and the forms; nothing if the service cannot list them."""
    if not own_data.has_feature(page, "keys"):
        return
    st.header("API keys", anchor=False)
    try:
        rows = page.client.own_data.list_keys()
    except ServiceError as error:
        notices.say(error, about="your keys")
        return
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/error:")
    st.dataframe(_frame(page, rows), hide_index=True, key="settings.keys", width="content")
    _draw_new_key()
    left, right = st.columns(2, gap="large")
    with left:
        _draw_form(page)
    with right:
        _draw_change(page, rows)


def _frame(page: Page, rows: tuple[OwnKey, ...]) -> pd.DataFrame:
    def ago(moment: datetime | None, otherwise: str) -> str:
        return formats.ago(moment, page.now) if moment else otherwise

    return pd.DataFrame(
        {
            "Name": [_name(row) for row in rows],
            "Last used": [
                "this session" if row.is_current else ago(row.last_used_at, "never") for row in rows
            ],
            "Created": [ago(row.created_at, "") for row in rows],
            "Valid until": [
                formats.day(row.expires_at.date(), today=page.today) if row.expires_at else "no expiry"
                for row in rows
            ],
        }
    )


def _name(row: OwnKey) -> str:
    return plain(row.label) or "Unnamed"


def _draw_new_key() -> None:
    key: SecretStr | None = state.get(_NEW)
    if key is None:
        return
    with st.container(border=True, width=620):
        st.markdown("Save this key now: it is shown once.")
        copy_button.draw(key.get_secret_value(), name="API key", key="settings.copy_key", is_large=True)
        st.button("Done", key="settings.key_saved", on_click=state.forget, args=(_NEW,))


def _draw_form(page: Page) -> None:
    with st.form("settings.key_form", border=False):
        st.text_input(
            "Name of the new key", key=_NEW_NAME, max_chars=_LONGEST, placeholder="Script on my laptop"
        )
        st.selectbox("Valid for", list(_ENDS), key=_DAYS, format_func=_ENDS.__getitem__, width=200)
        st.form_submit_button("Create key", type=theme.main_button(), on_click=_create, args=(page,))


def _draw_change(page: Page, rows: tuple[OwnKey, ...]) -> None:
    named = {row.id: row for row in rows}
    picked = st.selectbox(
        "Change a key",
        list(named),
        key=_PICK,
        index=None,
        placeholder="Choose a key",
        format_func=lambda id_: _name(named[id_]) if id_ in named else "",
    )
    row = named.get(picked or "")
    if row is None:
        return
    with st.form(f"settings.rename.{row.id}", border=False):
        field = f"settings.label.{row.id}"
        state.put_default(field, plain(row.label))
        st.text_input("Name", key=field, max_chars=_LONGEST)
        st.form_submit_button("Rename", on_click=_rename, args=(page, row.id, field))
    _draw_revoking(page, row, _made_by(row, rows))


def _made_by(row: OwnKey, rows: tuple[OwnKey, ...]) -> list[OwnKey]:
    """The keys that the key made, also through others: they are revoked with it."""
    made = [other for other in rows if other.made_by == row.id]
    return made + [further for other in made for further in _made_by(other, rows)]


def _draw_revoking(page: Page, row: OwnKey, made: list[OwnKey]) -> None:
    if state.get(_REVOKING) != row.id:
        st.button(
            "Revoke",
            key="settings.revoke",
            icon=":material/delete:",
            on_click=state.put,
            args=(_REVOKING, row.id),
        )
        return
    is_own = any(key.is_current for key in (row, *made))
    effect = "You will be signed out." if is_own else "Programs that use it stop working."
    names = ", ".join(f"**{md(_name(key), longest=80)}**" for key in made)
    also = f" {formats.count(len(made), 'key')} that it made will be revoked too: {names}." if made else ""
    st.markdown(f"Revoke **{md(_name(row), longest=80)}**?{also} {effect}")
    with st.container(horizontal=True):
        label = f"Revoke {formats.count(len(made) + 1, 'key')}" if made else "Revoke key"
        st.button(label, key="settings.revoke_yes", on_click=_revoke, args=(page, row, is_own))
        st.button("Keep", key="settings.revoke_no", type="tertiary", on_click=state.forget, args=(_REVOKING,))


def _create(page: Page) -> None:
    state.forget(_FAULT)
    label, days = (state.get(_NEW_NAME) or "").strip(), state.get(_DAYS)
    if not label:
        state.put(_FAULT, "Enter a name for the key.")
        return
    new = NewKey(label=label, expires_in_days=days) if days else NewKey(label=label)
    try:
        created = page.client.own_data.create_key(new)
    except ServiceError as error:
        state.put(_FAULT, f"The key was not created. {notices.with_cause(error)}")
        return
    state.put(_NEW, SecretStr(created.key))
    state.put(_NEW_NAME, "")


def _rename(page: Page, key_id: str, field: str) -> None:
    state.forget(_FAULT)
    label = (state.get(field) or "").strip()
    if not label:
        state.put(_FAULT, "Enter a name for the key.")
        return
    try:
        page.client.own_data.rename_key(key_id, label)
    except ServiceError as error:
        state.put(_FAULT, f"The key was not renamed. {notices.with_cause(error)}")


def _revoke(page: Page, row: OwnKey, is_own: bool) -> None:  # noqa: FBT001 (of a callback)
    state.forget(_FAULT, _REVOKING)
    try:
        page.client.own_data.revoke_key(row.id)
    except ServiceError as error:
        state.put(_FAULT, f"The key was not revoked. {notices.with_cause(error)}")
        return
    state.forget(_PICK)
    if is_own:
        connection.refuse(page.access)
