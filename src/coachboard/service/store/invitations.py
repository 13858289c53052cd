"""Invitations: one pending for each workspace and address, also under concurrent requests."""

import secrets
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from coachboard.models.enums import InvitedRole
from coachboard.models.invitations import WorkspaceInvitation
from coachboard.service.ids import new_id
from coachboard.service.store.records import PendingInvitation
from coachboard.service.store.tables import invitations
from coachboard.service.store.upsert import insert_into

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
