"""A cache of callers and replies in one process.

Every change of a person's rows raises their number in the store. A reply is valid while the numbers of its caller and of
the person whose rows it has are the same: a deleted row is gone with the next request, whichever process changed the
store, and so is a revoked key. The order of a request:

1. Read the numbers (`ReplyCache.admit`; `about` for rows of another person). If a cached reply has the same, send it.
2. Else read the rows.
3. Cache the reply under the numbers of step 1 (`Admission.keep`). If the rows changed after step 1, these numbers are old
   and the next request reads again; numbers read after the rows could be newer than the rows.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from coachboard.service.api.database_calls import within_deadline
from coachboard.service.api.errors import KeyRefused
from coachboard.service.ids import is_id
from coachboard.service.store import Caller, Numbers, Store
from coachboard.service.store.keys import digest_of

_MOST_BYTES = 16_000_000
_MOST_REPLY_BYTES = 256_000
_NOTE_EVERY_S = 3_600

_NOT_VALID = "This API key is not valid."

ReplyKey = tuple[str, str, bytes, str]  # caller, path, query, encoding


@dataclass(frozen=True, slots=True)
class KnownReply:
    """A cached reply, the person whose rows it has, and the numbers before they were read.

    `is_counted` if the reply counts against the limit of that person.
    """

    response: Response
    owner_id: str
    numbers: Numbers
    is_counted: bool


@dataclass(slots=True)
class ReplyState:
    """Callers and replies of one day."""

    today: date
    callers: dict[str, Caller] = field(default_factory=dict)
    replies: dict[ReplyKey, KnownReply] = field(default_factory=dict)
    size: int = 0

    def keep(self, key: ReplyKey, reply: KnownReply) -> None:
        """Cache a reply of up to `_MOST_REPLY_BYTES`; drop all replies when they exceed `_MOST_BYTES`."""
        length = len(reply.response.body)
        if length > _MOST_REPLY_BYTES:
            return
        self.drop(key)
        if self.size + length > _MOST_BYTES:
            self.replies, self.size = {}, 0
        self.replies[key] = reply
        self.size += length

    def drop(self, key: ReplyKey) -> None:
        reply = self.replies.pop(key, None)
        self.size -= 0 if reply is None else len(reply.response.body)


@dataclass(frozen=True, slots=True)
class Admission:
    """A request with a valid key, its cached reply, and the numbers of the caller and of the person whose rows it is about."""

    caller: Caller
    reply_key: ReplyKey
    reply: KnownReply | None
    replies_now: ReplyState
    owner_id: str
    numbers: Numbers

    @property
    def today(self) -> date:
        return self.replies_now.today

    def keep(self, response: Response, owner_id: str, *, is_counted: bool = False) -> Response:
        """Cache the reply for the same caller, path, query and encoding, unless it is about another person."""
        if owner_id == self.owner_id:
            reply = KnownReply(response, owner_id, self.numbers, is_counted)
            self.replies_now.keep(self.reply_key, reply)
        return response


class ReplyCache:
    """The reply cache of one process over a store."""

    def __init__(self, store: Store, today: Callable[[], date], clock: Callable[[], float]) -> None:
        self._store = store
        self._today = today
        self._clock = clock
        self._current = ReplyState(date.min)
        self._noted: dict[str, int] = {}

    async def ask(self, question: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Query the store: on the event loop for SQLite, in a thread for PostgreSQL."""
        if self._store.is_local:
            return question(*args, **named)
        return await within_deadline(question, *args, **named)

    def _current_state(self) -> ReplyState:
        """The callers and replies of today."""
        today = self._today()
        if today != self._current.today:
            self._current = ReplyState(today)
        return self._current

    async def admit(self, key: str, path: str, query: bytes, encoding: str) -> Admission:
        """The owner of a key, with the cached reply if it is valid; raises `KeyRefused`.

        Unknown keys are not cached: a caller can send any number of them.
        """
        replies_now, digest, request = self._current_state(), digest_of(key), (path, query, encoding)
        caller = replies_now.callers.get(digest)
        admission = None if caller is None else await self._admission(caller, request, replies_now)
        if admission is None:
            replies_now.callers.pop(digest, None)
            caller = await self._read_caller(digest)
            admission = await self._admission(caller, request, replies_now, is_new=True)
        if caller is None or admission is None:
            raise KeyRefused(_NOT_VALID)
        replies_now.callers[digest] = caller
        if caller.expires_at is not None and caller.expires_at <= datetime.fromtimestamp(self._clock(), UTC):
            raise KeyRefused("This API key has expired.")
        self._note_use(caller.key_id)
        return admission

    async def _admission(
        self,
        caller: Caller,
        request: tuple[str, bytes, str],
        replies_now: ReplyState,
        *,
        is_new: bool = False,
    ) -> Admission | None:
        """The request of this caller; None if the key is not valid or the caller has changed since they were read."""
        reply_key = (caller.user_id, *request)
        reply = replies_now.replies.get(reply_key)
        owner_id = _owner_in(request[0], caller) if reply is None else reply.owner_id
        numbers: Numbers | None = await self.ask(self._store.pulse, caller.key_id, owner_id)
        if numbers is None or (numbers.caller != caller.number and not is_new):
            return None
        # A caller who changes while they are read keeps the older number: no reply to them is valid longer.
        numbers = Numbers(caller.number, numbers.owner)
        if reply is not None and reply.numbers != numbers:
            replies_now.drop(reply_key)
            reply = None
        return Admission(caller, reply_key, reply, replies_now, owner_id, numbers)

    async def about(self, admission: Admission, owner_id: str) -> Admission:
        """The same request about rows of another person, whose number is read before their rows."""
        if owner_id == admission.owner_id:
            return admission
        numbers: Numbers | None = await self.ask(self._store.pulse, admission.caller.key_id, owner_id)
        if numbers is None:
            raise KeyRefused(_NOT_VALID)
        return replace(admission, owner_id=owner_id, numbers=admission.numbers._replace(owner=numbers.owner))

    async def _read_caller(self, digest: str) -> Caller:
        caller: Caller | None = await self.ask(self._store.caller, digest)
        if caller is None:
            raise KeyRefused(_NOT_VALID)
        return caller

    def _note_use(self, key_id: str) -> None:
        """Write a key's last use, once an hour and in a thread: no request waits for a write."""
        now = int(self._clock())
        if abs(now - self._noted.get(key_id, 0)) >= _NOTE_EVERY_S:
            self._noted[key_id] = now
            asyncio.get_running_loop().run_in_executor(None, self._write_use, key_id, now)

    def _write_use(self, key_id: str, now: int) -> None:
        with suppress(SQLAlchemyError, OSError):  # the next use is written within the hour
            self._store.note_key_use(key_id, now)


def _owner_in(path: str, caller: Caller) -> str:
    """The person of a path under `/users/`; of any other path the caller."""
    parent, _, rest = path.rpartition("/users/")
    named = rest.partition("/")[0]
    return named if not parent and named != "me" and is_id(named) else caller.user_id
