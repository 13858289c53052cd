"""Comments on entries of calendars and on sessions, who has not read them, and when a mail names them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from coachboard.service.store import directory, people
from coachboard.service.store.tables import activities, comments, invitations, unread_comments, users
from coachboard.wire.comments import CommentMail

LEASE_S = 180
"""How long unsent mails belong to the process that took them, longer than a slow mail server takes; then the next one sends them."""
_MOST_UNREAD = 1_000
_UNREAD = unread_comments.join(
    comments,
    sa.and_(unread_comments.c.user_id == comments.c.user_id, unread_comments.c.comment_id == comments.c.id),
)


class Thread(NamedTuple):
    """The subject of comments: an entry of a calendar, or a session."""

    entry_id: str | None = None
    activity_id: str | None = None


class StoredActivityTitle(NamedTuple):
    """A session that is commented on."""

    user_id: str
    day: Any  # a date; None if unknown
    body: bytes


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment under its athlete."""

    id: str
    user_id: str
    thread: Thread
    author_id: str
    text: str
    created_at: datetime
    edited_at: datetime | None = None


class MailChoice(NamedTuple):
    """When a person in a time zone wants mails about comments, and where to; without an address there are none."""

    mail: CommentMail
    address: str | None
    zone: str | None


class Comments:
    """Reads and writes of comments in one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def of(self, thread: Thread) -> list[StoredComment]:
        """The comments of a thread, oldest first."""
        return self._stored(self._is_of(thread))

    def find(self, comment_id: str) -> StoredComment | None:
        return next(iter(self._stored(self._is(comment_id))), None)

    def add(self, comment: StoredComment, mail_at_by_reader: Mapping[str, int | None]) -> None:
        """Add a comment that these people have not read, with the time of their mail."""
        values = {
            "id": comment.id,
            "user_id": comment.user_id,
            **comment.thread._asdict(),
            "author_id": comment.author_id,
            "text": comment.text,
            "created_at": int(comment.created_at.timestamp() * 1e6),
        }
        directory.put(self._connection, comments, [values])
        rows = [
            {"user_id": comment.user_id, "comment_id": comment.id, "reader_id": reader, "mail_at": mail_at}
            for reader, mail_at in mail_at_by_reader.items()
        ]
        if rows:
            self._connection.execute(sa.insert(unread_comments), rows)

    def change(self, comment_id: str, text: str, edited_at: datetime) -> None:
        values = {"text": text, "edited_at": int(edited_at.timestamp())}
        self._connection.execute(sa.update(comments).where(self._is(comment_id)).values(values))

    def remove(self, comment_id: str) -> None:
        """Delete the comment, also from the mails that are not sent yet."""
        self._connection.execute(sa.delete(comments).where(self._is(comment_id)))

    def circle_of(self, user_id: str) -> set[str]:
        """The athlete, and the coaches and admins of their workspaces."""
        return {user_id} | people.coaches_of(self._connection, user_id)

    def sessions(self, ids: Collection[str]) -> dict[str, StoredActivityTitle]:
        """The sessions with these ids that are not deleted."""
        table = activities.c
        chosen = sa.select(table.id, table.user_id, table.day, table.body).where(
            directory.is_among(self._connection, activities, ids), table.deleted_at.is_(None)
        )
        rows = self._connection.execute(chosen)
        return {row.id: StoredActivityTitle(row.user_id, row.day, bytes(row.body)) for row in rows}

    # Readers.

    def unread_of(self, reader_id: str, ids: Collection[str] | None = None) -> list[StoredComment]:
        """The comments that a person has not read, oldest first; of these comments if `ids` are given."""
        is_meant = unread_comments.c.reader_id == reader_id
        if ids is not None:
            is_meant = sa.and_(is_meant, directory.is_among(self._connection, comments, ids))
        return self._stored(is_meant, _UNREAD)[-_MOST_UNREAD:]

    def mark_read(self, reader_id: str, ids: Collection[str]) -> None:
        is_meant = self._is_unread(reader_id, ids)
        self._connection.execute(sa.delete(unread_comments).where(is_meant))

    # Mails.

    def mail_choice_of(self, user_id: str) -> MailChoice:
        return self.mail_choices([user_id])[user_id]

    def mail_choices(self, ids: Collection[str]) -> dict[str, MailChoice]:
        """The choices of these people; the address of an invitation counts until another one is confirmed."""
        invited = (
            sa.select(invitations.c.email)
            .where(invitations.c.used_by == users.c.id)
            .order_by(invitations.c.used_at.desc())
            .limit(1)
            .scalar_subquery()
        )
        address = sa.func.coalesce(users.c.mail_address, invited).label("address")
        chosen = sa.select(users.c.id, users.c.comment_mail, address, users.c.time_zone)
        return {
            row.id: MailChoice(CommentMail(row.comment_mail or CommentMail.DAILY), row.address, row.time_zone)
            for row in self._connection.execute(chosen.where(users.c.id.in_(ids)))
        }

    def choose_mail(self, user_id: str, mail: CommentMail, address: str | None, mail_at: int | None) -> None:
        """Keep the choice; comments that wait for a mail are sent at that time."""
        values = {"comment_mail": mail, "mail_address": address}
        self._connection.execute(sa.update(users).where(users.c.id == user_id).values(values))
        waits = sa.and_(unread_comments.c.reader_id == user_id, unread_comments.c.mail_at.is_not(None))
        self._connection.execute(sa.update(unread_comments).where(waits).values(mail_at=mail_at))

    def due_readers(self, now: int) -> Sequence[str]:
        """The people for whom a mail is due."""
        chosen = sa.select(unread_comments.c.reader_id).where(unread_comments.c.mail_at <= now).distinct()
        return self._connection.scalars(chosen).all()

    def claim(self, reader_id: str, now: int) -> list[str]:
        """The due comments of a person, which no other process mails during the lease."""
        is_due = sa.and_(unread_comments.c.reader_id == reader_id, unread_comments.c.mail_at <= now)
        changed = sa.update(unread_comments).where(is_due).values(mail_at=now + LEASE_S)
        return list(self._connection.scalars(changed.returning(unread_comments.c.comment_id)))

    def finish(self, reader_id: str, ids: Iterable[str]) -> None:
        """Note that a mail with these comments is sent, or that none is to be."""
        is_meant = self._is_unread(reader_id, ids)
        self._connection.execute(sa.update(unread_comments).where(is_meant).values(mail_at=None))

    def _is(self, comment_id: str) -> sa.ColumnElement[bool]:
        return directory.is_among(self._connection, comments, [comment_id])

    def _is_unread(self, reader_id: str, ids: Iterable[str]) -> sa.ColumnElement[bool]:
        is_comment = directory.is_among(self._connection, unread_comments, [*ids], column="comment_id")
        return sa.and_(is_comment, unread_comments.c.reader_id == reader_id)

    def _is_of(self, thread: Thread) -> sa.ColumnElement[bool]:
        column = "activity_id" if thread.entry_id is None else "entry_id"
        return directory.is_among(
            self._connection, comments, [thread.entry_id or thread.activity_id or ""], column=column
        )

    def _stored(
        self, is_meant: sa.ColumnElement[bool], source: sa.FromClause = comments
    ) -> list[StoredComment]:
        chosen = sa.select(comments).select_from(source).where(is_meant)
        chosen = chosen.order_by(comments.c.created_at, comments.c.id)
        return [_comment(row) for row in self._connection.execute(chosen)]


def _comment(row: Any) -> StoredComment:
    return StoredComment(
        row.id,
        row.user_id,
        Thread(row.entry_id, row.activity_id),
        row.author_id,
        row.text,
        datetime.fromtimestamp(row.created_at / 1e6, UTC),
        None if row.edited_at is None else datetime.fromtimestamp(row.edited_at, UTC),
    )
