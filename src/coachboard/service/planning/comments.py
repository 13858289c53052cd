"""Comments on entries and sessions: users who may read the row read and write them; the author changes and deletes."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from hmac import compare_digest
from math import ceil
from typing import NamedTuple
from zoneinfo import ZoneInfo

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import lines_of, name_of
from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow, NotAllowed, TooManyRequests
from coachboard.service.api.limits import WINDOW_S, RateLimits
from coachboard.service.api.request_checks import PLAN_PATH
from coachboard.service.ids import is_id, new_id
from coachboard.service.invitations.endpoint import deliverable
from coachboard.service.invitations.mail import Mailer, address_message
from coachboard.service.own_data.requests import (
    caller_of,
    expected_tag,
    list_reply,
    read_model,
    reply,
    stale_reply,
    tag_of,
)
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes, Calendars
from coachboard.service.store.comments import MailChoice, StoredComment, Thread
from coachboard.service.store.plans import Plans
from coachboard.wire.comments import (
    Comment,
    CommentMail,
    CommentMailChoice,
    CommentText,
    NewCommentMail,
    ReadComments,
    UnreadComment,
)
from coachboard.wire.planning import Person

MOST_COMMENTS = 500
"""Comments of one entry or session."""
AT_ONCE_S = 60
"""Delay of a mail "at once": a comment that its author deletes within a minute is in no mail."""
MOST_CODES = 20
"""Codes that are mailed for one person in a day (UTC), as an address may be a stranger's."""
_DAY_S = 86_400
DAILY_AT = time(6)
"""Time of the daily mail, in the zone of its reader."""
_NO_ROW = {
    "entry_id": "No such entry, or you have no access.",
    "activity_id": "No such session, or you have no access.",
}
_NO_COMMENT = "No such comment, or you have no access."


class CommentedRow(NamedTuple):
    """An entry or a session that a person may read and comment on."""

    user_id: str
    title: str
    day: date | None


class CommentRoutes(CalendarRoutes):
    """The routes of comments."""

    def __init__(self, calendars: Calendars, limits: RateLimits, mailer: Mailer) -> None:
        super().__init__(calendars)
        self._mailer = mailer
        self._limits = limits

    def routes(self) -> list[Route]:
        comments = f"{PLAN_PATH}/comments"
        threads = (
            f"{PLAN_PATH}/entries/{{entry_id}}/comments",
            f"{PLAN_PATH}/activities/{{activity_id}}/comments",
        )
        return [
            *(Route(path, self.list_comments, methods=["GET"]) for path in threads),
            *(Route(path, self.add, methods=["POST"]) for path in threads),
            Route(f"{comments}/unread", self.list_unread, methods=["GET"]),
            Route(f"{comments}/read", self.mark_read, methods=["POST"]),
            Route(f"{comments}/mail", self.get_mail, methods=["GET"]),
            Route(f"{comments}/mail", self.choose_mail, methods=["PUT"]),
            Route(f"{comments}/{{comment_id}}", self.change, methods=["PATCH"]),
            Route(f"{comments}/{{comment_id}}", self.delete, methods=["DELETE"]),
        ]

    async def list_comments(self, request: Request) -> Response:
        return list_reply(await self._read(self._thread, request))

    def _thread(self, plans: Plans, rights: Rights, request: Request) -> list[Comment]:
        thread, _row = _asked(plans, rights, request)
        return _replies(plans, rights, plans.comments.of(thread))

    async def add(self, request: Request) -> Response:
        text = _text(await read_model(request, CommentText))
        await self._read(_asked, request)
        await self._limits.take_for_comment(caller_of(request))
        return reply(await self._write(self._add, request, text))

    def _add(self, plans: Plans, rights: Rights, request: Request, text: str) -> Comment:
        thread, row = _asked(plans, rights, request)
        earlier, now = plans.comments.of(thread), self._now()
        if len(earlier) >= MOST_COMMENTS:
            raise Conflict(f"There are {MOST_COMMENTS} comments; delete one of yours first.")
        if earlier:  # the order stays where two processes have different clocks
            now = max(now, earlier[-1].created_at + timedelta(microseconds=1))
        comment = StoredComment(new_id("cmt", row.user_id), row.user_id, thread, rights.caller_id, text, now)
        readers = plans.comments.circle_of(row.user_id) - {rights.caller_id}
        mail_at = {
            reader: None if choice.address is None else self._due(choice.mail, choice.zone)
            for reader, choice in plans.comments.mail_choices(readers).items()
        }
        plans.comments.add(comment, mail_at)
        return _replies(plans, rights, [comment])[0]

    async def change(self, request: Request) -> Response:
        tag, text = expected_tag(request), _text(await read_model(request, CommentText))
        await self._read(_own, request)
        await self._limits.take_for_comment(caller_of(request))
        comment, is_changed = await self._write(self._change, request, tag, text)
        return reply(comment, etag=comment.etag) if is_changed else stale_reply(comment)

    def _change(
        self, plans: Plans, rights: Rights, request: Request, tag: str, text: str
    ) -> tuple[Comment, bool]:
        stored = _own(plans, rights, request)
        is_same = _tag(stored) == tag
        if is_same:
            plans.comments.change(stored.id, text, self._now())
        changed = plans.comments.find(stored.id)
        assert changed is not None
        return _replies(plans, rights, [changed])[0], is_same

    async def delete(self, request: Request) -> Response:
        return reply(await self._write(self._delete, request))

    def _delete(self, plans: Plans, rights: Rights, request: Request) -> Comment:
        stored = _own(plans, rights, request)
        gone = _replies(plans, rights, [stored])[0]
        plans.comments.remove(stored.id)
        return gone

    async def list_unread(self, request: Request) -> Response:
        return list_reply(await self._read(self._unread, request))

    def _unread(self, plans: Plans, rights: Rights, _request: Request) -> list[UnreadComment]:
        readable = readable_comments(plans, rights, plans.comments.unread_of(rights.caller_id))
        written = _replies(plans, rights, [comment for comment, _row in readable])
        return [
            UnreadComment(
                **{name: getattr(comment, name) for name in Comment.model_fields},
                title=row.title,
                date=row.day,
            )
            for comment, (_stored, row) in zip(written, readable, strict=True)
        ]

    async def mark_read(self, request: Request) -> Response:
        asked = await read_model(request, ReadComments)
        ids = tuple(filter(is_id, asked.ids))

        def mark(plans: Plans, rights: Rights, _request: Request) -> None:
            plans.comments.mark_read(rights.caller_id, ids)

        await self._write(mark, request)
        return reply(ReadComments(ids=ids))

    async def get_mail(self, request: Request) -> Response:
        return reply(self._choice(await self._read(_mail_choice, request)))

    async def choose_mail(self, request: Request) -> Response:
        """Keep the choice; a new address first gets a code, as it may be another person's."""
        asked = await read_model(request, NewCommentMail)
        address = deliverable(asked.address) if asked.address and asked.address.strip() else None
        kept = await self._read(_mail_choice, request)
        if (
            address is not None and address.lower() != (kept.address or "").lower()
        ):  # not casefold: ß is no ss
            await self._limits.take_for_address(caller_of(request))
            if asked.code is None:
                await run_in_threadpool(self._count_code, caller_of(request))
                await run_in_threadpool(self._send_code, caller_of(request), address)
                return reply(self._choice(kept, unconfirmed=address))
            if not await run_in_threadpool(self._is_code, caller_of(request), address, asked.code):
                raise InvalidRequest("code: is not that of the mail, or older than a day.")

        def choose(plans: Plans, rights: Rights, _request: Request) -> MailChoice:
            mail_at = self._due(asked.mail, kept.zone)
            plans.comments.choose_mail(rights.caller_id, asked.mail, address, mail_at)
            chosen = plans.comments.mail_choice_of(rights.caller_id)
            if chosen.address is None and asked.mail is CommentMail.AT_ONCE:
                raise InvalidRequest("address: enter the address for the mails.")
            return chosen

        return reply(self._choice(await self._write(choose, request)))

    def _choice(self, choice: MailChoice, *, unconfirmed: str | None = None) -> CommentMailChoice:
        return CommentMailChoice(
            mail=choice.mail,
            address=choice.address,
            unconfirmed=unconfirmed,
            has_mail_server=self._mailer.has_server,
        )

    def _count_code(self, user_id: str) -> None:
        """Count a mailed code in the day (UTC); raises `TooManyRequests`."""
        now_s = self._now().timestamp()
        end_s = (now_s // _DAY_S + 1) * _DAY_S
        window = int(end_s // WINDOW_S) - 1  # the last of the day: counts of past windows are deleted
        if self._store.count(f"address codes {user_id}", window) > MOST_CODES:
            text = f"More than {MOST_CODES} codes in a day; try again tomorrow."
            raise TooManyRequests(text, retry_after_s=ceil(end_s - now_s))

    def _send_code(self, user_id: str, address: str) -> None:
        message = address_message(address, self._store.address_code(user_id, address, self._now().date()))
        self._store.queue_mail(address, self._mailer.written(message))
        self._mailer.send_queued(self._store)

    def _is_code(self, user_id: str, address: str, code: str) -> bool:
        typed, today = code.strip().upper(), self._now().date()
        days = (today, today - timedelta(days=1))
        codes = [self._store.address_code(user_id, address, day) for day in days]
        return any(compare_digest(typed.encode(), each.encode()) for each in codes)

    def _due(self, mail: CommentMail, zone: str | None) -> int | None:
        """When a mail about a comment of now is due, in s since 1970."""
        if mail is CommentMail.OFF:
            return None
        return due_at(self._now(), zone) if mail is CommentMail.DAILY else int(self._clock()) + AT_ONCE_S


def due_at(now: datetime, zone: str | None) -> int:
    """The next time of the daily mail in that zone, else in UTC, in s since 1970."""
    local = now.astimezone(ZoneInfo(zone) if zone else UTC)
    at = datetime.combine(local.date(), DAILY_AT, local.tzinfo)
    later = at if at > local else datetime.combine(local.date() + timedelta(days=1), DAILY_AT, local.tzinfo)
    return int(later.timestamp())


def readable_comments(
    plans: Plans, rights: Rights, comments: Iterable[StoredComment]
) -> list[tuple[StoredComment, CommentedRow]]:
    """The comments whose row the person may read, each with the row."""
    listed = list(comments)
    rows = _readable_rows(plans, rights, [comment.thread for comment in listed])
    return [(comment, rows[comment.thread]) for comment in listed if comment.thread in rows]


def _readable_rows(plans: Plans, rights: Rights, threads: Iterable[Thread]) -> dict[Thread, CommentedRow]:
    """The entries and sessions of these threads that the person may read."""
    listed = list(threads)
    entries = plans.find_all(thread.entry_id for thread in listed if thread.entry_id)
    sessions = plans.comments.sessions([thread.activity_id for thread in listed if thread.activity_id])
    rows: dict[Thread, CommentedRow] = {}
    for row in entries.values():
        if rights.may_read(row):
            rows[Thread(entry_id=row.id)] = CommentedRow(row.user_id, _title(row.body), row.day)
    for activity_id, session in sessions.items():
        if rights.may_read_calendar(session.user_id):
            rows[Thread(activity_id=activity_id)] = CommentedRow(
                session.user_id, _title(session.body), session.day
            )
    return rows


def _title(body: bytes) -> str:
    row = orjson.loads(body)
    return name_of(row.get("title") or row.get("name")) or str(row.get("sport") or "Session").capitalize()


def _asked(plans: Plans, rights: Rights, request: Request) -> tuple[Thread, CommentedRow]:
    """The entry or session of the path; raises `NoSuchRow` unless the caller may read it."""
    name, row_id = next((name, request.path_params[name]) for name in _NO_ROW if name in request.path_params)
    thread = Thread(**{name: row_id})
    row = _readable_rows(plans, rights, [thread]).get(thread) if is_id(row_id) else None
    if row is None:
        raise NoSuchRow(_NO_ROW[name])
    return thread, row


def _own(plans: Plans, rights: Rights, request: Request) -> StoredComment:
    """The caller's comment of the path. Raises `NoSuchRow`, and `NotAllowed` for another person's."""
    comment_id = request.path_params["comment_id"]
    stored = plans.comments.find(comment_id) if is_id(comment_id) else None
    if stored is None or not _readable_rows(plans, rights, [stored.thread]):
        raise NoSuchRow(_NO_COMMENT)
    if stored.author_id != rights.caller_id:
        raise NotAllowed("Only its author may change or delete a comment.")
    return stored


def _text(asked: CommentText) -> str:
    text = lines_of(asked.text)
    if text is None:
        raise InvalidRequest("text: has no visible character.")
    return text


def _replies(plans: Plans, rights: Rights, listed: list[StoredComment]) -> list[Comment]:
    names = plans.names(comment.author_id for comment in listed)
    unread = {
        comment.id for comment in plans.comments.unread_of(rights.caller_id, [each.id for each in listed])
    }
    return [
        Comment(
            id=comment.id,
            user_id=comment.user_id,
            entry_id=comment.thread.entry_id,
            activity_id=comment.thread.activity_id,
            author=Person(id=comment.author_id, name=names[comment.author_id]),
            text=comment.text,
            created_at=comment.created_at,
            edited_at=comment.edited_at,
            is_own=comment.author_id == rights.caller_id,
            is_unread=comment.id in unread,
            etag=_tag(comment),
        )
        for comment in listed
    ]


def _tag(comment: StoredComment) -> str:
    return tag_of(comment.id, comment.text)


def _mail_choice(plans: Plans, rights: Rights, _request: Request) -> MailChoice:
    return plans.comments.mail_choice_of(rights.caller_id)
