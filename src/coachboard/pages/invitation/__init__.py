"""The sections of the page of an invitation: the code, its offer, and the account that accepts the invitation."""

from datetime import UTC, date, datetime, tzinfo

import streamlit as st
from pydantic import SecretStr, ValidationError

from coachboard.client.errors import NotFound, ServiceError, Unauthorized
from coachboard.ui.frame import connection, formats, navigation, notices, sign_in, state, theme
from coachboard.ui.frame.connection import Access, TooManyAttempts
from coachboard.ui.frame.page import own_zone
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import copy_button
from coachboard.ui.widgets.component import component, reported
from coachboard.wire.base import FIRST_DAY
from coachboard.wire.own_data import AcceptedInvitation, AcceptInvitation, InvitationOffer

__all__ = ["draw_acceptance", "draw_offer", "read_code"]

_LINK = "invitation.link"
_CODE, _OFFER, _FAULT = "invitation.code", "invitation.offer", "invitation.fault"
_DONE, _KEY = "invitation.done", "invitation.new_key"
_TYPED, _FIRST, _LAST, _BORN = (f"invitation.{name}" for name in ("typed", "first", "last", "born"))
_LONGEST = 100
_FAULTS = {
    "invitation_unknown": "This invitation code is not valid. It was mistyped or revoked, or a newer invitation replaced "
    "it. Open the link of the newest e-mail.",
    "invitation_used": "This invitation has been used. If you have an account, sign in. Otherwise ask for a new invitation.",
    "invitation_expired": "This invitation has expired. Ask for a new one.",
    "conflict": "You are already a member of this workspace. Your role stays as it is.",
}
_EFFECTS = {
    "athlete": "Its coaches and admins can read your training data.",
    "coach": "You can read the training data of its athletes.",
}


def read_code() -> str | None:
    """The code from the link or the form; None until there is one, and once it is used."""
    is_done = state.get(_DONE) is not None
    code: str | None = None if is_done else state.get(_CODE)
    component(__package__, "link", html="<span hidden></span>")(
        key=_LINK,
        data={"isWanted": code is None and not is_done, "isDone": is_done},
        on_code_change=_take_link,
    )
    if fault := state.get(_FAULT):
        st.error(fault, icon=":material/error:")
    if code is None and not is_done:
        _draw_code_form()
    return code


def draw_offer(code: str | None) -> InvitationOffer | None:
    """The workspace, the role and the inviter; None without a pending invitation."""
    offer: InvitationOffer | None = state.get(_OFFER) if code else None
    if offer is None:
        return None
    inviter = f"**{md(offer.inviter, longest=80)}** invites you" if offer.inviter else "You are invited"
    st.markdown(f"{inviter} to **{md(offer.workspace, longest=80)}** as {md(offer.role)}.")
    st.caption(f"{_EFFECTS.get(offer.role, '')} Valid until {valid_until(offer.expires_at, own_zone(''))}.")
    return offer


def valid_until(moment: datetime, zone: tzinfo | None) -> str:
    """`Tue 3 Nov 2026, 06:12 your time`; in UTC until the browser has reported its zone."""
    return f"{formats.moment(moment.astimezone(zone or UTC))} {'UTC' if zone is None else 'your time'}"


def draw_acceptance(code: str | None, offer: InvitationOffer | None) -> None:
    """The button that joins, the form of a new account, or the result."""
    if accepted := state.get(_DONE):
        _draw_result(accepted)
    elif code and offer:
        access = connection.current_access()
        if access is not None:
            _draw_joining(code, access)
        elif connection.has_login() and connection.signed_in_identity() is None:
            st.button(
                "Sign in to accept",
                key="invitation.login",
                type=theme.main_button(),
                icon=":material/login:",
                on_click=st.login,
            )
            st.caption("Sign in with your organization's account, then choose “I have an invitation”.")
        else:
            _draw_new_account(code)


def _draw_code_form() -> None:
    with st.form("invitation.form", border=False, width=440):
        st.text_input(
            "Invitation code",
            key=_TYPED,
            type="password",
            autocomplete="off",
            help="Open the link in the invitation e-mail, or enter its code here.",
        )
        st.form_submit_button("Continue", type=theme.main_button(), on_click=_take_typed)


def _take_link() -> None:
    _take(reported(_LINK, "code"))


def _take_typed() -> None:
    _take(state.get(_TYPED))
    state.put(_TYPED, "")


def _take(code: str | None) -> None:
    """Look a code up once; a rerun of the page must not count as another guess."""
    code = (code or "").strip()[:200]
    if not code:
        return
    state.forget(_DONE, _KEY, _CODE, _OFFER, _FAULT)
    try:
        offer = connection.look_up_invitation(code)
    except (ServiceError, TooManyAttempts) as error:
        state.put(_FAULT, _words(error))
    else:
        state.put(_OFFER, offer)
        state.put(_CODE, code)


def _words(error: ServiceError | TooManyAttempts) -> str:
    if isinstance(error, TooManyAttempts):
        return str(error)
    if error.code in _FAULTS:
        return _FAULTS[error.code]
    if isinstance(error, NotFound | Unauthorized):  # of a service without these requests
        return "This service does not accept invitation codes here. Ask the person who invited you."
    return f"The invitation could not be read. {notices.sentence(error)} Try again in a minute."


def _draw_joining(code: str, access: Access) -> None:
    st.button(
        f"Join as {_name(access)}",
        key="invitation.join",
        type=theme.main_button(),
        icon=":material/group_add:",
        on_click=_join,
        args=(code, access),
    )
    st.button("Use another account", key="invitation.other", type="tertiary", on_click=connection.sign_out)


def _name(access: Access) -> str:
    try:
        return md(formats.person(connection.client_for(access).get_user(state.OWN).value), longest=80)
    except ServiceError:
        return "the signed-in person"


def _join(code: str, access: Access) -> None:
    accepted = _accepted(AcceptInvitation(code=code), access)
    if accepted is not None:
        connection.probe(connection.client_for(access))  # the pages show the new workspace at once
        state.put(_DONE, accepted)


def _draw_new_account(code: str) -> None:
    st.subheader("Create your account", anchor=False)
    with st.form("invitation.account", border=False, width=440):
        st.text_input("First name", key=_FIRST, max_chars=_LONGEST, autocomplete="given-name")
        st.text_input("Last name (optional)", key=_LAST, max_chars=_LONGEST, autocomplete="family-name")
        st.date_input(
            "Date of birth (optional)",
            value=None,
            min_value=FIRST_DAY,
            max_value=date.today(),  # noqa: DTZ011 # a bound, a day more or less does not matter
            key=_BORN,
        )
        st.form_submit_button("Create account", type=theme.main_button(), on_click=_create, args=(code,))
    with st.expander("I have an account"):
        sign_in.draw_key_form()


def _create(code: str) -> None:
    names = {
        "first_name": state.get(_FIRST),
        "last_name": state.get(_LAST),
        "date_of_birth": state.get(_BORN),
    }
    given = {name: value.strip() if isinstance(value, str) else value for name, value in names.items()}
    if not given["first_name"]:
        state.put(_FAULT, "Enter your first name.")
        return
    try:
        asked = AcceptInvitation(code=code, **{name: value for name, value in given.items() if value})
    except ValidationError:
        state.put(_FAULT, "The name or the date of birth is not valid.")
        return
    accepted = _accepted(asked, None)
    if accepted is None or accepted.key is None:
        return
    key = SecretStr(accepted.key)
    is_stored = connection.store_key(key)
    state.forget_all()
    # The reply's key must not stay in two places.
    state.put(_DONE, accepted.model_copy(update={"key": None}))
    if not is_stored:
        state.put(_KEY, key)


def _accepted(asked: AcceptInvitation, access: Access | None) -> AcceptedInvitation | None:
    state.forget(_FAULT)
    try:
        return connection.accept_invitation(asked, access)
    except TooManyAttempts as error:
        state.put(_FAULT, str(error))
    except ServiceError as error:
        if error.code in _FAULTS:
            state.forget(_CODE, _OFFER)
        lost = (
            " The invitation may have been used: if it has, ask for a new one."
            if error.may_have_arrived
            else ""
        )
        state.put(_FAULT, _words(error) + ("" if error.code in _FAULTS else lost))
    return None


def _draw_result(accepted: AcceptedInvitation) -> None:
    st.success(
        f"You are now {md(accepted.role)} of **{md(accepted.workspace, longest=80)}**.",
        icon=":material/check_circle:",
    )
    key: SecretStr | None = state.get(_KEY)
    if key is not None:
        st.markdown("Save your API key now: it is shown once. It signs you in on every device.")
        copy_button.draw(key.get_secret_value(), name="API key", key="invitation.copy", is_large=True)
    if st.button("Open Coachboard", key="invitation.open", type=theme.main_button()):
        state.forget(_DONE, _KEY, _CODE, _OFFER)
        if key is not None:
            connection.take_typed(key)
        st.switch_page(navigation.page_path("roster"))
