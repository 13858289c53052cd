"""The workspaces page: the caller's roles, the form, what will happen, and what was sent."""

from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.client.errors import Unauthorized
from coachboard.loaders import ledger as ledgers
from coachboard.loaders.ledger import Entry, Ledger, Outcome
from coachboard.loaders.workspaces import (
    MOST_AT_ONCE,
    Addresses,
    Batch,
    invite,
    inviting_workspaces,
    read_addresses,
)
from coachboard.models.enums import InvitedRole
from coachboard.models.users import WorkspaceMembership
from coachboard.views import connection, export, formats, notices, state
from coachboard.views.shell import Page
from coachboard.views.text import md, plain

_TYPED = "workspaces.addresses"
_ROLE = "workspaces.role"
_MAIL = "workspaces.mail"
_PRESS = "workspaces.press"
_SHOWN = "workspaces.shown"
_CLEARING = "workspaces.clearing"
_LONGEST = 20_000
_FORM_PX = 620
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form holds at the moment."""

    workspace: WorkspaceMembership
    addresses: Addresses
    role: InvitedRole
    with_mail: bool


def ledger_of(page: Page) -> Ledger:
    return Ledger(page.store, page.fingerprint)


def draw_memberships(page: Page) -> None:
    """The workspaces of the caller with their role in each."""
    memberships = page.profile.workspaces or ()
    if not memberships:
        notices.say_empty(
            "You are in no workspace.", fills="An invitation from a coach would put you in one."
        )
        return
    rows = [
        (plain(member.name, longest=_LONGEST_NAME), plain(member.slug, longest=30), str(member.role))
        for member in memberships
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=["Workspace", "Short name", "Your role"]),
        hide_index=True,
        key="workspaces.memberships",
        width=_FORM_PX,
        column_config={"Workspace": _wide(330), "Short name": _wide(160), "Your role": _wide(120)},
    )


def _wide(width_px: int) -> Any:
    """A column of that width, so that a long name does not push the others out of the window."""
    return st.column_config.TextColumn(width=width_px)


def pick_workspace(page: Page) -> WorkspaceMembership | None:
    """The workspace to invite to, from the address; None where the caller may invite to none."""
    offered = {membership.id: membership for membership in inviting_workspaces(page.profile)}
    if not offered:
        st.caption("Only a coach or an admin of a workspace can invite; your key is neither.")
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


def ask(workspace: WorkspaceMembership | None) -> Asked | None:
    """The form: addresses read as they are typed, the role, whether a mail goes out."""
    if workspace is None:
        return None
    with st.container(width=_FORM_PX):
        typed = st.text_input(
            "E-mail addresses",
            key=_TYPED,
            live=True,
            placeholder="ana@example.org, ben@example.org",
            help="Several parted by commas or spaces; up to 50 at once.",
        )
        addresses = read_addresses((typed or "")[:_LONGEST])
        _draw_faults(addresses)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            state.put_default(_ROLE, InvitedRole.ATHLETE.value)
            role = st.segmented_control(
                "Role",
                [role.value for role in InvitedRole],
                key=_ROLE,
                required=True,
                format_func=formats.label,
            )
            with_mail = st.checkbox(
                "Let the service send the mail",
                key=_MAIL,
                help="Otherwise nobody is told: you pass the code on yourself.",
            )
    return Asked(workspace, addresses, InvitedRole(str(role)), bool(with_mail))


def draw_send(page: Page, asked: Asked | None) -> None:
    """What will happen, in words, and the button that does it."""
    if asked is None:
        return
    st.markdown(_intention(asked), width=_FORM_PX)
    state.put_default(_PRESS, token_hex(8))
    count = len(asked.addresses.valid)
    st.button(
        f"Send {formats.count(count, 'invitation')}" if count else "Send invitations",
        key="workspaces.send",
        type="primary",
        icon=":material/send:",
        disabled=not asked.addresses.can_be_sent,
        on_click=_send,
        args=(page, asked, state.get(_PRESS)),
    )


def draw_sent(page: Page) -> None:
    """What the last press sent: the code large, its expiry, a message ready to copy."""
    press = state.get(_SHOWN)
    for entry in ledger_of(page).entries_of(press) if press else ():
        _draw_entry(page, entry)


def draw_ledger(page: Page) -> None:
    """All invitations sent from here with this key, newest first."""
    entries = ledger_of(page).entries()
    if not entries:
        notices.say_empty(
            "Nothing was sent from here with this key.",
            fills="The service cannot list pending invitations, so this ledger keeps those sent from this dashboard.",
        )
        return
    st.caption(
        "Invitations sent from this dashboard with this key; the service cannot list others. "
        "The row says what the service answered, not whether the invitation was taken up."
    )
    frame = _shown_frame(page, entries)
    st.dataframe(frame, hide_index=True, key="workspaces.ledger", column_config=_LEDGER_COLUMNS)
    with st.container(horizontal=True, gap="medium"):
        export.draw_downloads(ledgers.as_frame(entries), name="invitations", key="workspaces.export")
        _draw_clearing(page)


_LEDGER_COLUMNS = {
    "Sent": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", width=140),
    "Expires": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", width=140),
    "Extensions": st.column_config.NumberColumn(width=80),
}


def _take_workspace(key: str) -> None:
    state.set_param("workspace", st.session_state[key])


def _draw_faults(addresses: Addresses) -> None:
    for fault in addresses.faults[:5]:
        st.error(f"“{md(fault.typed, longest=80)}” is no address: {md(fault.says)}", icon=":material/error:")
    if len(addresses.faults) > 5:
        st.caption(f"and {len(addresses.faults) - 5} more")
    if len(addresses.valid) > MOST_AT_ONCE:
        st.error(
            f"{len(addresses.valid)} addresses; send up to {MOST_AT_ONCE} at once.", icon=":material/error:"
        )
    if addresses.repeated:
        st.caption(f"{formats.count(addresses.repeated, 'repeated address', 'repeated addresses')} left out.")


def _intention(asked: Asked) -> str:
    workspace = md(asked.workspace.name, longest=_LONGEST_NAME)
    valid = asked.addresses.valid
    if not valid:
        return f"Type an address to invite somebody to **{workspace}**."
    who = md(valid[0]) if len(valid) == 1 else formats.count(len(valid), "person", "people")
    mail = (
        "The service mails each of them a code."
        if asked.with_mail
        else "No mail goes out: the codes appear here for you to pass on."
    )
    return (
        f"This invites {who} to **{workspace}** as {asked.role.value}. {mail} "
        "Whoever is invited already keeps their code, and it stays valid two days longer."
    )


def _send(page: Page, asked: Asked, press: str) -> None:
    """In the button's callback, which runs once a click; the press is claimed in the ledger before it goes out."""
    batch = Batch(
        press=press,
        workspace=asked.workspace,
        addresses=asked.addresses.valid,
        role=asked.role,
        with_mail=asked.with_mail,
        sent_by=page.me.name,
    )
    state.put(_SHOWN, press)
    state.put(_PRESS, token_hex(8))
    state.put(_TYPED, "")
    try:
        invite(page.client, ledger_of(page), batch, now=page.now)
    except Unauthorized:
        connection.refuse(page.access)


def _draw_entry(page: Page, entry: Entry) -> None:
    with st.container(border=True, gap="xsmall", width=_FORM_PX):
        st.markdown(f"**{md(entry.email)}** · {_OUTCOMES[entry.outcome]}")
        if entry.code is None:
            st.markdown(_what_now(entry))
            return
        # As a block of code it has a copy button, and nothing in it is interpreted.
        st.code(plain(entry.code), language=None, wrap_lines=True)
        st.caption(_expiry(page, entry))
        with st.popover("Message to copy", icon=":material/mail:", type="tertiary"):
            st.code(_message(page, entry), language=None, wrap_lines=True)


_OUTCOMES = {
    Outcome.SENDING: ":material/hourglass: being sent",
    Outcome.CREATED: ":material/check_circle: invited",
    Outcome.EXTENDED: ":material/update: already pending: extended by two days",
    Outcome.UNCLEAR: ":material/help: may have arrived",
    Outcome.FAILED: ":material/error: not accepted",
    Outcome.UNSENT: ":material/pause_circle: not sent",
}


def _what_now(entry: Entry) -> str:
    reason = f"{md(entry.says)}. " if entry.says else ""
    endings = {
        Outcome.UNCLEAR: "The connection was lost midway, so the invitation may exist. Sending it again is safe: "
        "it gives the same code and two more days, or makes the invitation now.",
        Outcome.SENDING: "The answer has not come yet. If it stays so, the invitation may have arrived; "
        "sending it again gives the same code and two more days, or makes the invitation now.",
        Outcome.FAILED: "The service made no invitation. Correct what it names, then send again.",
        Outcome.UNSENT: "It was not sent, because the one before it failed. Send it again later.",
    }
    return reason + endings.get(entry.outcome, "")


def _expiry(page: Page, entry: Entry) -> str:
    if entry.expires_at is None:
        return "The service stated no expiry."
    local = entry.expires_at.astimezone()
    extended = f" Extended {formats.count(entry.extensions, 'time')} from here." if entry.extensions else ""
    return (
        f"Expires {formats.moment(local, today=page.today)}, {formats.countdown(local, page.now)}.{extended}"
    )


def _message(page: Page, entry: Entry) -> str:
    until = (
        f"\nIt is valid until {formats.moment(entry.expires_at.astimezone())}." if entry.expires_at else ""
    )
    return (
        f"Hello,\n\n{page.me.name} invites you to join {plain(entry.workspace_name)} as {entry.role}.\n"
        f"Your invitation code: {plain(entry.code)}{until}\n\n"
        "Enter the code under the same e-mail address that this was sent to.\n"
    )


def _shown_frame(page: Page, entries: tuple[Entry, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Sent": [entry.sent_at.astimezone().replace(tzinfo=None) for entry in entries],
            "Address": [plain(entry.email) for entry in entries],
            "Workspace": [plain(entry.workspace_name) for entry in entries],
            "Role": [entry.role for entry in entries],
            "Outcome": [str(entry.outcome) for entry in entries],
            "Code": [plain(entry.code) or formats.MISSING for entry in entries],
            "Expires": [
                entry.expires_at.astimezone().replace(tzinfo=None) if entry.expires_at else None
                for entry in entries
            ],
            "Left": [formats.countdown(entry.expires_at, page.now) for entry in entries],
            "Extensions": [entry.extensions for entry in entries],
            "Sent by": [plain(entry.sent_by) for entry in entries],
        }
    )


def _draw_clearing(page: Page) -> None:
    if not state.get(_CLEARING):
        st.button(
            "Clear", key="workspaces.clear", type="tertiary", icon=":material/delete:", on_click=_ask_clear
        )
        return
    st.button("Clear for good", key="workspaces.clear_yes", on_click=_clear, args=(page,))
    st.button("Keep", key="workspaces.clear_no", type="tertiary", on_click=state.forget, args=(_CLEARING,))


def _ask_clear() -> None:
    state.put(_CLEARING, True)


def _clear(page: Page) -> None:
    ledger_of(page).clear()
    state.forget(_CLEARING, _SHOWN)
