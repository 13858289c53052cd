"""Mails in the database from the commit of their invitation until they are sent, each by one process at a time."""

from collections.abc import Sequence

import sqlalchemy as sa

from coachboard.service.ids import new_id
from coachboard.service.store.records import QueuedMail
from coachboard.service.store.tables import queued_mails

LEASE_S = 60
"""How long a mail belongs to the process that took it; a process that was killed leaves it to the next one."""


def queue(connection: sa.Connection, recipient: str, message: bytes) -> None:
    values = {"id": new_id("mail"), "recipient": recipient, "message": message, "claimed_until": 0}
    connection.execute(queued_mails.insert().values(values))


def take(connection: sa.Connection, now: int) -> Sequence[QueuedMail]:
    """Claim what no other process is sending."""
    table = queued_mails.c
    rows = connection.execute(
        sa.update(queued_mails)
        .where(table.claimed_until < now)
        .values(claimed_until=now + LEASE_S)
        .returning(table.id, table.recipient, table.message)
    ).all()
    return [QueuedMail(row.id, row.recipient, row.message) for row in sorted(rows)]


def finish(connection: sa.Connection, mail_id: str) -> None:
    connection.execute(sa.delete(queued_mails).where(queued_mails.c.id == mail_id))


def release(connection: sa.Connection) -> None:
    """Take back all claims: the only process on this database starts."""
    connection.execute(sa.update(queued_mails).values(claimed_until=0))
