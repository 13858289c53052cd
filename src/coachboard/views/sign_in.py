"""The ways in: a key typed once, a signed-in identity, and in the demo its three keys."""

import streamlit as st

from coachboard.client.http import check_key
from coachboard.views import connection, state, theme
from coachboard.views.connection import DEMO_KEYS
from coachboard.views.text import md

_FIELD = "sign_in.key"
_FAULT = "sign_in.fault"


def draw() -> None:
    """The form in place of a page, and why it is there."""
    st.title("Sign in", anchor=False)
    _draw_reason()
    with st.container(width=440):
        if connection.has_login() and connection.signed_in_identity() is None:
            _draw_login()
            return
        st.caption(f"Service: {md(connection.base_url())}")
        _draw_form()
        if connection.is_embedded():
            _draw_demo_keys()


def _draw_reason() -> None:
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/key_off:")
    elif connection.was_refused():
        st.error(
            "The service does not accept the key: it is wrong, revoked or expired. "
            "You have been signed out. Sign in with a valid key.",
            icon=":material/key_off:",
        )


def _draw_login() -> None:
    st.caption("Sign in with your organization's account. Your API key is stored encrypted on this server.")
    st.button(
        "Sign in", type=theme.main_button(), key="sign_in.login", on_click=st.login, icon=":material/login:"
    )


def _draw_form() -> None:
    with st.form("sign_in", border=False, clear_on_submit=True):
        st.text_input(
            "API key",
            type="password",
            key=_FIELD,
            autocomplete="off",
            help=_kept_how(),
        )
        st.form_submit_button("Sign in", type=theme.main_button(), on_click=_take_typed_key)


def _kept_how() -> str:
    if connection.signed_in_identity():
        return "Stored encrypted on this server, linked to your sign-in. Remove it in Settings."
    return "Kept in the server's memory for this browser session only. Signing out deletes it."


def _take_typed_key() -> None:
    typed = state.get(_FIELD, "")
    try:
        key = check_key(typed)
    except ValueError:
        state.put(
            _FAULT,
            "This doesn't look like a key: keys have only ASCII letters, digits and symbols, no spaces.",
        )
        return
    connection.take_typed(key)


def _draw_demo_keys() -> None:
    st.caption("Or use a demo key:")
    with st.container(horizontal=True):
        for name in DEMO_KEYS:
            st.button(
                name.capitalize(), key=f"sign_in.demo.{name}", on_click=connection.use_demo, args=(name,)
            )
