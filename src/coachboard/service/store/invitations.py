"""Invitations, one pending for each workspace and address, and their mails.

A mail is in the database from the commit of its invitation until it is sent, each by one process at a time.
"""

import hmac
import os
import secrets
from base64 import b32encode, urlsafe_b64encode
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from coachboard.service.ids import new_id
from coachboard.service.store.keys import digest_of
from coachboard.service.store.originals import FILE_MODE, make_folder
from coachboard.service.store.people import full_name
from coachboard.service.store.records import (
    InvitationState,
    PendingInvitation,
    QueuedMail,
    StoredInvitation,
    Workspace,
)
from coachboard.service.store.tables import invitations, queued_mails, users, workspaces
from coachboard.service.store.upsert import insert_into
from coachboard.wire.base import LAST_DAY
from coachboard.wire.enums import InvitedRole, WorkspaceRole
from coachboard.wire.users import WorkspaceInvitation

LEASE_S = 180
"""How long a mail belongs to the process that took it, longer than a slow mail server takes; then the next one sends it."""
EXTENSION = timedelta(days=2)
_LAST_S = int(datetime(LAST_DAY.year, LAST_DAY.month, LAST_DAY.day, tzinfo=UTC).timestamp())
"""No repeat extends an invitation beyond this day: years above 9999 would end every list of invitations with an error."""
SECRET_FILE = "invitation.secret"  # noqa: S105 (a name)
_CODE_BYTES = 24


def secret_in(folder: Path) -> bytes:
    """The secret that codes are computed with, created on first use; processes that create it together get the same."""
    path = folder / SECRET_FILE
    with suppress(FileNotFoundError):
        return path.read_bytes()
    make_folder(folder)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb") as file:
            file.write(secrets.token_bytes(32))
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path.read_bytes()


def _code_of(secret: bytes, invitation_id: str) -> str:
    """The code of an invitation.

    The interface returns the existing code on a repeat, but a copy of the database must contain no valid code: the code
    is computed with a secret outside the database, which has only a hash of the code.
    """
    digest = hmac.digest(secret, f"coachboard invitation\0{invitation_id}".encode(), "sha256")
    return urlsafe_b64encode(digest[:_CODE_BYTES]).decode()


def address_code(secret: bytes, user_id: str, address: str, day: date) -> str:
    """The code of a day that confirms an address of a person; a copy of the database holds none, as above."""
    what = f"coachboard address\0{user_id}\0{address.lower()}\0{day}"
    return b32encode(hmac.digest(secret, what.encode(), "sha256")[:_ADDRESS_CODE_BYTES]).decode()


_ADDRESS_CODE_BYTES = 5
_SEVERAL = ""
"""Instead of the person who invited: several have got the code."""


def create(connection: sa.Connection, asked: PendingInvitation, secret: bytes) -> WorkspaceInvitation:
    """Insert the invitation, or extend and return the pending one ("States and transitions").

    One statement on a unique constraint, so that two concurrent callers get the same invitation. A new invitation with a
    new code replaces an expired or used one.
    """
    new = new_id("inv")
    statement = insert_into(connection, invitations).values(
        id=new,
        workspace_id=asked.workspace_id,
        address=asked.address,
        email=asked.email,
        role=asked.role,
        digest=digest_of(_code_of(secret, new)),
        expires_at=int(asked.expires_at.timestamp()),
        invited_by=asked.invited_by,
        used_at=None,
        used_by=None,
    )
    is_pending = sa.and_(
        invitations.c.expires_at > int(asked.now.timestamp()), invitations.c.used_at.is_(None)
    )
    fresh = {
        name: sa.case((is_pending, invitations.c[name]), else_=statement.excluded[name])
        for name in ("id", "email", "role", "digest")
    }
    new_by = statement.excluded.invited_by
    is_same_person = sa.or_(new_by.is_(None), invitations.c.invited_by == new_by)
    fresh["invited_by"] = sa.case(
        (sa.and_(is_pending, is_same_person), invitations.c.invited_by), (is_pending, _SEVERAL), else_=new_by
    )
    extended = invitations.c.expires_at + int(EXTENSION.total_seconds())
    is_last = sa.and_(is_pending, extended > _LAST_S)
    expires_at = sa.case((is_last, _LAST_S), (is_pending, extended), else_=statement.excluded.expires_at)
    row = connection.execute(
        statement.on_conflict_do_update(
            index_elements=["workspace_id", "address"],
            set_={**fresh, "expires_at": expires_at, "used_at": None, "used_by": None},
        ).returning(invitations)
    ).one()
    code = _code_of(secret, row.id)
    if row.digest != digest_of(code):
        # Of an earlier version, or the file of the secret is lost: its code is unknown, so this one replaces it.
        is_row = invitations.c.id == row.id
        connection.execute(sa.update(invitations).where(is_row).values(digest=digest_of(code)))
    return _with_code(row, code)


def change(
    connection: sa.Connection, invitation_id: str, new: PendingInvitation, secret: bytes
) -> WorkspaceInvitation | None:
    """Set the role, and how the same address is written; None for an invitation that was used or revoked."""
    code = _code_of(secret, invitation_id)
    invited_by = sa.case((invitations.c.invited_by == new.invited_by, new.invited_by), else_=_SEVERAL)
    row = connection.execute(
        sa.update(invitations)
        .where(invitations.c.id == invitation_id, invitations.c.used_at.is_(None))
        .values(email=new.email, role=new.role, digest=digest_of(code), invited_by=invited_by)
        .returning(invitations)
    ).one_or_none()
    return None if row is None else _with_code(row, code)


def _with_code(row: sa.Row[Any], code: str) -> WorkspaceInvitation:
    return WorkspaceInvitation(
        id=row.id,
        workspace_id=row.workspace_id,
        email=row.email,
        role=InvitedRole(row.role),
        code=code,
        expires_at=datetime.fromtimestamp(row.expires_at, UTC),
    )


_FOUND = (
    sa.select(
        invitations,
        workspaces.c.name,
        workspaces.c.slug,
        users.c.first_name,
        users.c.last_name,
    )
    .join(workspaces, workspaces.c.id == invitations.c.workspace_id)
    .outerjoin(users, users.c.id == invitations.c.invited_by)
)


def find(connection: sa.Connection, code: str, now: datetime) -> StoredInvitation | None:
    row = connection.execute(_FOUND.where(invitations.c.digest == digest_of(code))).one_or_none()
    return None if row is None else _stored(row, now)


def every(connection: sa.Connection, workspace_id: str | None, now: datetime) -> list[StoredInvitation]:
    """All invitations, or those of a workspace, the latest expiry last."""
    chosen = _FOUND.order_by(invitations.c.expires_at, invitations.c.id)
    if workspace_id is not None:
        chosen = chosen.where(invitations.c.workspace_id == workspace_id)
    return [_stored(row, now) for row in connection.execute(chosen)]


def use(connection: sa.Connection, code: str, user_id: str, now: datetime) -> bool:
    """Mark a pending invitation as used; one of two concurrent callers gets False."""
    moment = int(now.timestamp())
    is_pending = sa.and_(
        invitations.c.digest == digest_of(code),
        invitations.c.used_at.is_(None),
        invitations.c.expires_at > moment,
    )
    done = connection.execute(
        sa.update(invitations).where(is_pending).values(used_at=moment, used_by=user_id)
    )
    return done.rowcount > 0


def revoke(connection: sa.Connection, invitation_id: str) -> bool:
    """Delete an invitation that was not used; returns whether there was one."""
    is_meant = sa.and_(invitations.c.id == invitation_id, invitations.c.used_at.is_(None))
    return connection.execute(sa.delete(invitations).where(is_meant)).rowcount > 0


def revoke_made_by(connection: sa.Connection, workspace_id: str, user_id: str) -> None:
    """Delete the invitations to a workspace that were not used and whose code that person may have."""
    is_meant = sa.and_(
        invitations.c.workspace_id == workspace_id,
        invitations.c.invited_by.in_([user_id, _SEVERAL]),
        invitations.c.used_at.is_(None),
    )
    connection.execute(sa.delete(invitations).where(is_meant))


def _stored(row: sa.Row[Any], now: datetime) -> StoredInvitation:
    state = InvitationState.PENDING
    if row.used_at is not None:
        state = InvitationState.USED
    elif row.expires_at <= now.timestamp():
        state = InvitationState.EXPIRED
    return StoredInvitation(
        id=row.id,
        workspace=Workspace(row.workspace_id, row.name, row.slug),
        email=row.email,
        role=WorkspaceRole(row.role),
        inviter=full_name(row.first_name, row.last_name),
        expires_at=datetime.fromtimestamp(row.expires_at, UTC),
        state=state,
    )


def queue_mail(connection: sa.Connection, recipient: str, message: bytes) -> None:
    values = {"id": new_id("mail"), "recipient": recipient, "message": message, "claimed_until": 0}
    connection.execute(queued_mails.insert().values(values))


def take_mail(connection: sa.Connection, now: int) -> QueuedMail | None:
    """Claim a mail that no other process is sending: a claim on all of them would end before the last is sent."""
    table = queued_mails.c
    first = sa.select(sa.func.min(table.id)).where(table.claimed_until < now).scalar_subquery()
    row = connection.execute(
        sa.update(queued_mails)
        .where(table.id == first, table.claimed_until < now)
        .values(claimed_until=now + LEASE_S)
        .returning(table.id, table.recipient, table.message)
    ).one_or_none()
    return None if row is None else QueuedMail(row.id, row.recipient, row.message)


def finish_mail(connection: sa.Connection, mail_id: str) -> None:
    connection.execute(sa.delete(queued_mails).where(queued_mails.c.id == mail_id))


def release_mails(connection: sa.Connection) -> None:
    """Take back all claims: the only process on this database starts."""
    connection.execute(sa.update(queued_mails).values(claimed_until=0))
