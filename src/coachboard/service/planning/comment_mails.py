"""Mails about comments: each is written when it is sent, from what its reader may still read and has not read."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, date
from email.message import EmailMessage
from urllib.parse import urlencode

from coachboard.plain_text import plain
from coachboard.plurals import count
from coachboard.service.ids import new_id
from coachboard.service.invitations.mail import Mailer, as_header
from coachboard.service.planning.comments import CommentedRow, readable_comments
from coachboard.service.planning.rights import Rights
from coachboard.service.store import Store
from coachboard.service.store.comments import StoredComment
from coachboard.wire.comments import CommentMail

_LOG = logging.getLogger(__name__)
_MOST_COMMENTS = 50
_LONGEST_NAME = 80

_Readable = Sequence[tuple[StoredComment, CommentedRow]]


def send_due_mails(
    store: Store,
    mailer: Mailer,
    *,
    today: Callable[[], date],
    clock: Callable[[], float],
    public_url: str | None,
) -> None:
    """Send one mail to each person for whom a mail about comments is due."""
    with store.reading_plans() as plans:
        readers = plans.comments.due_readers(int(clock()))
    for reader_id in readers:
        with store.changing_plans() as plans:
            ids = plans.comments.claim(reader_id, int(clock()))
        with store.reading_plans() as plans:
            choice = plans.comments.mail_choice_of(reader_id)
            unread = plans.comments.unread_of(reader_id, ids)
            readable = readable_comments(plans, Rights(plans, reader_id, today()), unread)
            names = plans.names(
                {
                    reader_id,
                    *(name for comment, _row in readable for name in (comment.author_id, comment.user_id)),
                }
            )
        is_sent = True
        if readable and choice.address and choice.mail is not CommentMail.OFF:
            message = comments_message(
                choice.address, readable, names, reader_id=reader_id, public_url=public_url
            )
            mailer.written(message)
            is_sent = mailer.deliver(message, choice.address, new_id("mail"))
        if is_sent:
            with store.changing_plans() as plans:
                plans.comments.finish(reader_id, ids)


def comments_message(
    address: str, readable: _Readable, names: dict[str, str], *, reader_id: str, public_url: str | None
) -> EmailMessage:
    """The mail: each comment with its author, athlete, entry and time, quoted as plain text."""
    base, parts = (public_url or "").rstrip("/"), list[str]()
    for comment, row in readable[:_MOST_COMMENTS]:
        author, athlete = (
            plain(names[id_], longest=_LONGEST_NAME) for id_ in (comment.author_id, row.user_id)
        )
        whose = "" if row.user_id in {comment.author_id, reader_id} else f" of {athlete}"
        day = f", {row.day:%Y-%m-%d}" if row.day else ""
        quoted = "\n".join(f"> {line}" for line in comment.text.splitlines())
        link = f"\n{base}{_link(comment, row, is_own=row.user_id == reader_id)}" if public_url else ""
        head = f"{author} on {plain(row.title, longest=_LONGEST_NAME)}{whose}{day}:"
        parts.append(
            f"{head}\n{quoted}\nWritten {comment.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC{link}\n"
        )
    if len(readable) > _MOST_COMMENTS:
        parts.append(f"{count(len(readable) - _MOST_COMMENTS, 'more comment')} in Coachboard.\n")
    authors = ", ".join(
        dict.fromkeys(plain(names[comment.author_id], longest=_LONGEST_NAME) for comment, _row in readable)
    )
    settings = f"{base}/settings" if public_url else "Settings"
    message = EmailMessage()
    subject = f"{count(len(readable), 'new comment')}: {plain(authors, longest=_LONGEST_NAME)}"
    message["Subject"] = as_header(subject)
    message["To"] = address
    message.set_content(
        "\n".join(parts)
        + f"\nTo change when these mails come, or to stop them: {settings}, Mails about comments.\n"
    )
    return message


def _link(comment: StoredComment, row: CommentedRow, *, is_own: bool) -> str:
    user = "me" if is_own else row.user_id
    if comment.thread.activity_id is not None:
        day = {"day": row.day.isoformat()} if row.day else {}
        return f"/activity?{urlencode({'athlete': user, 'activity': comment.thread.activity_id, **day})}"
    on = {"view": "week", "on": row.day.isoformat()} if row.day else {}
    return f"/calendar?{urlencode({'athlete': user, **on, 'open': comment.thread.entry_id})}"
