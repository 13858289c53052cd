"""The invitation form: addresses, workspace, role, a summary of the effect, and the send button."""

from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex

import streamlit as st

from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.loaders.local_store import StoreUnreachable
from coachboard.loaders.workspaces.page_data import (
    MOST_AT_ONCE,
    Addresses,
    Batch,
    invite,
    inviting_workspaces,
    read_addresses,
)
from coachboard.models.enums import InvitedRole
from coachboard.models.users import WorkspaceMembership
from coachboard.views.frame import connection, formats, own_data, state, theme
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md, plain
from coachboard.views.workspaces.sent import FORM_PX, SHOWN, ledger_of

LONGEST_NAME = 80
_TYPED = "workspaces.addresses"
_ROLE = "workspaces.role"
_MAIL = "workspaces.mail"
_PRESS = "workspaces.press"
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The form's values."""

    workspace: WorkspaceMembership
    addresses: Addresses
    role: InvitedRole
    with_mail: bool


def pick_workspace(page: Page) -> WorkspaceMembership | None:
    """The workspace to invite to, from the URL; None if the caller may invite to none."""
    offered = {membership.id: membership for membership in inviting_workspaces(page.profile)}
    if not offered:
        st.caption("Only coaches and admins of a workspace can invite.")
        return None
    asked = state.get_id("workspace")
    chosen = asked if asked in offered else next(iter(offered))
    state.set_param("workspace", chosen)
    if len(offered) > 1:
        key = "workspaces.workspace"
        if st.session_state.get(key) != chosen:
            st.session_state[key] = chosen
        st.selectbox(
            "Workspace",
            list(offered),
            key=key,
            format_func=lambda workspace_id: plain(offered[workspace_id].name),
            on_change=_take_workspace,
            args=(key,),
            width=440,
        )
    return offered[chosen]


def ask(page: Page, workspace: WorkspaceMembership | None) -> Asked | None:
    """The form: addresses are validated while the user types; the role; whether to send mail."""
    if workspace is None:
        return None
    with st.container(width=FORM_PX):
        typed = st.text_input(
            "E-mail addresses",
            key=_TYPED,
            live=True,
            placeholder="ana@example.org, ben@example.org",
            help="Separate addresses with commas or spaces; up to 50 at once.",
        )
        addresses = read_addresses((typed or "")[:_LONGEST])
        _draw_faults(addresses)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            # A control reports None if the first letter arrives before the control is drawn.
            if state.get(_ROLE) is None:
                state.put(_ROLE, InvitedRole.ATHLETE.value)
            role = st.segmented_control(
                "Role",
                [role.value for role in InvitedRole],
                key=_ROLE,
                required=True,
                format_func=formats.label,
            )
            with_mail = st.checkbox(
                "Send by e-mail",
                key=_MAIL,
                help="Without e-mail, the codes appear here for you to pass on.",
            )
        if with_mail:
            _draw_mail_fault(page)
    return Asked(workspace, addresses, InvitedRole(role or InvitedRole.ATHLETE), bool(with_mail))


def draw_send(page: Page, asked: Asked | None) -> None:
    """A summary of the effect, and the send button."""
    if asked is None:
        return
    st.markdown(_intention(asked), width=FORM_PX)
    state.put_default(_PRESS, token_hex(8))
    count, verb = len(asked.addresses.valid), "Send" if asked.with_mail else "Create"
    st.button(
        f"{verb} {formats.count(count, 'invitation')}" if count else f"{verb} invitations",
        key="workspaces.send",
        type=theme.main_button(),
        icon=":material/send:" if asked.with_mail else ":material/group_add:",
        disabled=not asked.addresses.can_be_sent,
        on_click=_send,
        args=(page, asked, state.get(_PRESS)),
    )


def _draw_mail_fault(page: Page) -> None:
    """Why no mail arrives: the service keeps the mails in a folder, where nobody who waits for one looks."""
    if not own_data.has_feature(page, "mail"):
        return
    with suppress(ServiceError):  # the page has said that the service does not answer
        if fault := page.client.own_data.mail_fault():
            st.warning(
                f"E-mails are not sent at present. {md(fault)}. Invite without e-mail and pass the codes on.",
                icon=":material/unsubscribe:",
            )


def _take_workspace(key: str) -> None:
    state.set_param("workspace", st.session_state[key])


def _draw_faults(addresses: Addresses) -> None:
    for fault in addresses.faults[:5]:
        st.error(
            f"“{md(fault.typed, longest=80)}” is not a valid address: {md(fault.says)}",
            icon=":material/error:",
        )
    if len(addresses.faults) > 5:
        st.caption(f"and {len(addresses.faults) - 5} more")
    if len(addresses.valid) > MOST_AT_ONCE:
        st.error(
            f"{formats.count(len(addresses.valid), 'address', 'addresses')}: send at most {MOST_AT_ONCE} at once.",
            icon=":material/error:",
        )
    if addresses.repeated:
        st.caption(f"{formats.count(addresses.repeated, 'repeated address', 'repeated addresses')} ignored.")


def _intention(asked: Asked) -> str:
    workspace = md(asked.workspace.name, longest=LONGEST_NAME)
    valid = asked.addresses.valid
    if not valid:
        return f"Enter e-mail addresses to invite people to **{workspace}**."
    who = md(valid[0]) if len(valid) == 1 else formats.count(len(valid), "person", "people")
    mail = (
        "Each person gets a code by e-mail."
        if asked.with_mail
        else "No e-mail is sent: the codes appear here for you to pass on."
    )
    return (
        f"Invite {who} to **{workspace}** as {asked.role.value}. {mail} "
        "Pending invitations keep their code and are extended by two days."
    )


def _send(page: Page, asked: Asked, press: str) -> None:
    """A button's callback, which runs once per click; the ledger records the press before sending."""
    batch = Batch(
        press=press,
        workspace=asked.workspace,
        addresses=asked.addresses.valid,
        role=asked.role,
        with_mail=asked.with_mail,
        sent_by=page.me.name,
    )
    state.put(SHOWN, press)
    state.put(_PRESS, token_hex(8))
    state.put(_TYPED, "")
    try:
        invite(page.client, ledger_of(page), batch, now=page.now)
    except StoreUnreachable:
        return  # the ledger below shows the reason
    except Unauthorized:
        connection.refuse(page.access)
