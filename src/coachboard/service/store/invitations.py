"""Invitations, one pending for each workspace and address, and their mails.

A mail is in the database from the commit of its invitation until it is sent, each by one process at a time.
"""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from coachboard.models.enums import InvitedRole
from coachboard.models.invitations import WorkspaceInvitation
from coachboard.service.ids import new_id
from coachboard.service.store.records import PendingInvitation, QueuedMail
from coachboard.service.store.tables import invitations, queued_mails
from coachboard.service.store.upsert import insert_into

LEASE_S = 60
"""How long a mail belongs to the process that took it; a process that was killed leaves it to the next one."""
EXTENSION = timedelta(days=2)


def create(connection: sa.Connection, asked: PendingInvitation) -> WorkspaceInvitation:
    """Insert the invitation, or extend and return the pending one ("States and transitions").

    One statement on a unique constraint, so that two concurrent callers get the same invitation. A new invitation with a
    new code replaces an expired one.
    """
    statement = insert_into(connection, invitations).values(
        id=new_id("inv"),
        workspace_id=asked.workspace_id,
        address=asked.address,
        email=asked.email,
        role=asked.role,
        code=secrets.token_urlsafe(24),
        expires_at=int(asked.expires_at.timestamp()),
    )
    is_pending = invitations.c.expires_at > int(asked.now.timestamp())
    fresh = {
        name: sa.case((is_pending, invitations.c[name]), else_=statement.excluded[name])
        for name in ("id", "email", "role", "code")
    }
    extended = invitations.c.expires_at + int(EXTENSION.total_seconds())
    expires_at = sa.case((is_pending, extended), else_=statement.excluded.expires_at)
    row = connection.execute(
        statement.on_conflict_do_update(
            index_elements=["workspace_id", "address"], set_={**fresh, "expires_at": expires_at}
        ).returning(invitations)
    ).one()
    return WorkspaceInvitation(
        id=row.id,
        workspace_id=row.workspace_id,
        email=row.email,
        role=InvitedRole(row.role),
        code=row.code,
        expires_at=datetime.fromtimestamp(row.expires_at, UTC),
    )


def queue_mail(connection: sa.Connection, recipient: str, message: bytes) -> None:
    values = {"id": new_id("mail"), "recipient": recipient, "message": message, "claimed_until": 0}
    connection.execute(queued_mails.insert().values(values))


def take_mails(connection: sa.Connection, now: int) -> Sequence[QueuedMail]:
    """Claim what no other process is sending."""
    table = queued_mails.c
    rows = connection.execute(
        sa.update(queued_mails)
        .where(table.claimed_until < now)
        .values(claimed_until=now + LEASE_S)
        .returning(table.id, table.recipient, table.message)
    ).all()
    return [QueuedMail(row.id, row.recipient, row.message) for row in sorted(rows)]


def finish_mail(connection: sa.Connection, mail_id: str) -> None:
    connection.execute(sa.delete(queued_mails).where(queued_mails.c.id == mail_id))


def release_mails(connection: sa.Connection) -> None:
    """Take back all claims: the only process on this database starts."""
    connection.execute(sa.update(queued_mails).values(claimed_until=0))
