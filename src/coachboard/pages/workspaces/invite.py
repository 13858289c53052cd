"""Invite people to a workspace: parse addresses, say the effect, send each once, report the outcome."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parseaddr
from secrets import token_hex

import streamlit as st
from email_validator import EmailNotValidError, validate_email

from coachboard.client import Client
from coachboard.client.errors import RateLimited, ServiceError, Unauthorized, Unreachable
from coachboard.loaders.local_store import StoreUnreachable
from coachboard.pages.workspaces.ledger import Entry, Ledger, SendOutcome
from coachboard.pages.workspaces.sent import FORM_PX, SHOWN, ledger_of
from coachboard.ui.frame import connection, formats, own_data, state, theme
from coachboard.ui.frame.page import Page, inviting_workspaces
from coachboard.ui.frame.text import md, plain
from coachboard.wire.enums import InvitedRole
from coachboard.wire.users import CreateWorkspaceInvitation, WorkspaceMembership

MOST_AT_ONCE = 50
"""A sixth of the key's requests per minute, so that the rest of the dashboard keeps working."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
"""Invisible characters that come along when an address is copied from a page."""
_SEPARATORS = re.compile(r"[\s,;]+")
_NAMED = re.compile(r"[^<>,;\n]*<([^<>\s]+)>")


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of the typed text that is no e-mail address, with the reason."""

    typed: str
    says: str


@dataclass(frozen=True, slots=True)
class Addresses:
    """The typed addresses: each once, in order."""

    valid: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    repeated: int = 0

    @property
    def can_be_sent(self) -> bool:
        return bool(self.valid) and not self.faults and len(self.valid) <= MOST_AT_ONCE


@dataclass(frozen=True, slots=True)
class Batch:
    """One press of the button: `press` is its token, the same in every rerun."""

    press: str
    workspace: WorkspaceMembership
    addresses: tuple[str, ...]
    role: InvitedRole
    with_mail: bool
    sent_by: str


def read_addresses(typed: str) -> Addresses:
    """Addresses separated by commas, semicolons, spaces or lines; accepts `Name <address>`.

    Checks a domain by form only: a DNS query would reveal who is invited.
    """
    words = [word for word in _SEPARATORS.split(_NAMED.sub(r" \1 ", _INVISIBLE.sub("", typed))) if word]
    valid: dict[str, str] = {}
    faults: list[Fault] = []
    repeated = 0
    for word in words:
        address = _checked(word)
        if isinstance(address, Fault):
            faults.append(address)
        elif address.lower() in valid:
            repeated += 1
        else:
            valid[address.lower()] = address
    return Addresses(tuple(valid.values()), tuple(faults), repeated)


def invite(client: Client, ledger: Ledger, batch: Batch, *, now: datetime) -> tuple[Entry, ...]:
    """Send the invitations that this press has not sent; raises only `Unauthorized`, the entries have other errors."""
    entries = _claimed(ledger, batch, now)
    stopped: ServiceError | None = None
    for entry in entries:
        if stopped is None:
            stopped = _stopping(_send_entry(client, ledger, entry))
        else:
            ledger.settle(replace(entry, outcome=SendOutcome.UNSENT, says=_reason(stopped)))
    if isinstance(stopped, Unauthorized):
        raise stopped
    return ledger.entries_of(batch.press)


_NOT_WRITTEN = "The dashboard's database could not be written."


def _checked(word: str) -> str | Fault:
    try:
        return validate_email(parseaddr(word)[1] or word, check_deliverability=False).normalized
    except EmailNotValidError as error:
        return Fault(word, str(error))


def _claimed(ledger: Ledger, batch: Batch, now: datetime) -> tuple[Entry, ...]:
    """The addresses that this press may send to; once the store fails, the rest is reported as not sent."""
    claimed: list[Entry] = []
    entries = iter(_entries(batch, now))
    for entry in entries:
        try:
            if ledger.claim(entry):
                claimed.append(entry)
        except StoreUnreachable:
            for unsent in (entry, *entries):
                ledger.remember(replace(unsent, outcome=SendOutcome.UNSENT, says=_NOT_WRITTEN))
    return tuple(claimed)


def _entries(batch: Batch, now: datetime) -> Iterable[Entry]:
    for position, address in enumerate(batch.addresses[:MOST_AT_ONCE]):
        yield Entry(
            token=f"{batch.press}:{position:03}",
            sent_at=now,
            sent_by=batch.sent_by,
            workspace_id=batch.workspace.id,
            workspace_name=batch.workspace.name,
            email=address,
            role=str(batch.role),
            with_mail=batch.with_mail,
        )


def _send_entry(client: Client, ledger: Ledger, entry: Entry) -> ServiceError | None:
    """Send one invitation and store the outcome; returns its error."""
    request = CreateWorkspaceInvitation(
        email=entry.email, role=InvitedRole(entry.role), send_invitation_email=entry.with_mail
    )
    try:
        invitation = client.create_invitation(entry.workspace_id, request)
    except ServiceError as error:
        ledger.settle(replace(entry, outcome=_outcome(error), says=_reason(error)))
        return error
    # After the answer, as another window of the same key may have sent meanwhile.
    before = _latest(ledger, entry)
    was_pending = before is not None and before.code == invitation.code
    ledger.settle(
        replace(
            entry,
            outcome=SendOutcome.EXTENDED if was_pending else SendOutcome.CREATED,
            code=invitation.code,
            expires_at=invitation.expires_at,
            extensions=before.extensions + 1 if before is not None and was_pending else 0,
            says=None if was_pending else _doubt(ledger, entry),
        )
    )
    return None


def _latest(ledger: Ledger, entry: Entry) -> Entry | None:
    """None where the store cannot be read: the invitation has been sent, which must be reported."""
    with suppress(StoreUnreachable):
        return ledger.latest(entry.workspace_id, entry.email)
    return None


def _outcome(error: ServiceError) -> SendOutcome:
    if error.may_have_arrived:
        return SendOutcome.UNCLEAR
    # An unsent invitation was not rejected, so that there is nothing to correct.
    return SendOutcome.UNSENT if isinstance(error, Unreachable) else SendOutcome.FAILED


def _doubt(ledger: Ledger, entry: Entry) -> str | None:
    """A sentence if an earlier request for this address had no answer: the code may be of that request."""
    try:
        is_open = ledger.may_have_arrived(entry.workspace_id, entry.email, before=entry.token)
    except StoreUnreachable:
        return None
    if not is_open:
        return None
    return "An earlier attempt got no answer. If it arrived, this is its code, extended by two days."


def _stopping(error: ServiceError | None) -> ServiceError | None:
    """An error after which sending the others is pointless."""
    return error if isinstance(error, Unreachable | RateLimited | Unauthorized) else None


def _reason(error: ServiceError) -> str:
    """The error's class and the service's words; never the URL of the request."""
    words = f": {error.words}" if error.words else ""
    return f"{error.summary}{words}"


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
        st.caption("Only coaches and admins of a workspace can invite.")
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
