"""Invite people to a workspace: parse addresses, send each once, report the outcome."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parseaddr

from email_validator import EmailNotValidError, validate_email

from coachboard.client import Client
from coachboard.client.errors import RateLimited, ServiceError, Unauthorized, Unreachable
from coachboard.loaders.local_store import StoreUnreachable
from coachboard.loaders.workspaces.ledger import Entry, Ledger, SendOutcome
from coachboard.models.enums import InvitedRole, WorkspaceRole
from coachboard.models.invitations import CreateWorkspaceInvitation
from coachboard.models.users import UserProfile, WorkspaceMembership

MOST_AT_ONCE = 50
"""A sixth of the key's requests per minute, so that the rest of the dashboard keeps working."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
"""Invisible characters that come along when an address is copied from a page."""
_SEPARATORS = re.compile(r"[\s,;]+")
_NAMED = re.compile(r"[^<>,;\n]*<([^<>\s]+)>")
_INVITING = frozenset({WorkspaceRole.COACH, WorkspaceRole.ADMIN})


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


def inviting_workspaces(profile: UserProfile) -> tuple[WorkspaceMembership, ...]:
    """The workspaces in which the caller may invite."""
    return tuple(membership for membership in profile.workspaces or () if membership.role in _INVITING)


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
            stopped = _stopping(_send(client, ledger, entry))
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


def _send(client: Client, ledger: Ledger, entry: Entry) -> ServiceError | None:
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
