"""Sign-in: a typed key, an OpenID Connect identity, or a demo key."""

import streamlit as st

from coachboard.client import ServiceError, Unauthorized, Unreachable
from coachboard.client.http import check_key
from coachboard.listening import DASHBOARD
from coachboard.ui.frame import connection, notices, setting_faults, state, theme
from coachboard.ui.frame.connection import DEMO_KEYS
from coachboard.ui.frame.text import md
from coachboard.ui.widgets.plan_editor import forget_drafts

_FIELD = "sign_in.key"
_FAULT = "sign_in.fault"


def draw() -> None:
    """The sign-in form in place of a page, with the reason."""
    st.title("Sign in", anchor=False)
    forget_drafts()
    _draw_reason()
    for fault in setting_faults.wrong():
        st.warning(md(fault), icon=":material/settings_alert:")
    with st.container(width=440):
        if connection.has_login() and connection.signed_in_identity() is None:
            _draw_login()
            return
        st.caption(f"Service: {md(connection.base_url())}")
        draw_key_form()
        if connection.has_demo_keys():
            _draw_demo_keys()
        # A link would fail where the page is opened without the navigation.
        if st.button("I have an invitation", key="sign_in.invited", type="tertiary", icon=":material/mail:"):
            st.switch_page(str(DASHBOARD / "pages" / "invitation.py"))


def _draw_reason() -> None:
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/key_off:")
    elif connection.was_refused():
        st.error(
            "The data service does not accept the key: it is wrong, revoked or expired. "
            "You have been signed out. Sign in with a valid key.",
            icon=":material/key_off:",
        )
    elif connection.is_own_computer():
        st.info(
            "Run `coachboard open` in a terminal: it signs this browser in. A sign-in link works once.",
            icon=":material/terminal:",
        )


def _draw_login() -> None:
    st.caption("Sign in with your organization's account. Your API key is stored encrypted on this server.")
    st.button(
        "Sign in", type=theme.main_button(), key="sign_in.login", on_click=st.login, icon=":material/login:"
    )


def draw_key_form() -> None:
    """The form of the key."""
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
    try:
        connection.check_typed(key)
    except connection.TooManyAttempts as error:
        state.put(_FAULT, str(error))
    except ServiceError as error:
        state.put(_FAULT, _why_not(error))
    else:
        connection.take_typed(key)


def _why_not(error: ServiceError) -> str:
    message = notices.saying(error)
    if isinstance(error, Unauthorized):
        return f"{message.happened} {message.next_step}"
    if isinstance(error, Unreachable) and not connection.is_embedded():
        return (
            f"The key could not be checked. {notices.sentence(error)} Try again in a minute, or check the address "
            "of the service in the setting COACHBOARD\\_BASE\\_URL."
        )
    return f"The key could not be checked. {notices.sentence(error)} Try again in a minute."


def _draw_demo_keys() -> None:
    st.caption("Or use a demo key:")
    with st.container(horizontal=True):
        for name in DEMO_KEYS:
            st.button(
                name.capitalize(), key=f"sign_in.demo.{name}", on_click=connection.use_demo, args=(name,)
            )
