"""A cache of callers and replies in one process.

Every change to the store raises one number in the store. The cache is dropped when that number changes: a revoked key
or a deleted row is gone with the next request, whichever process changed the store.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from coachboard.service.api.database_calls import within_deadline
from coachboard.service.api.errors import KeyRefused
from coachboard.service.store import Caller, Store
from coachboard.service.store.keys import digest_of

_MOST_BYTES = 16_000_000
_MOST_REPLY_BYTES = 256_000
_NOTE_EVERY_S = 3_600

ReplyKey = tuple[str, str, bytes, str]  # caller, path, query, encoding


@dataclass(frozen=True, slots=True)
class KnownReply:
    """A cached reply, and the queried user whose limit it counts against."""

    response: Response
    queried_user: str | None


@dataclass(slots=True)
class ReplyState:
    """Callers and replies that are valid for one version of the store on one day."""

    version: int
    today: date
    callers: dict[str, Caller] = field(default_factory=dict)
    replies: dict[ReplyKey, KnownReply] = field(default_factory=dict)
    size: int = 0

    def keep(self, key: ReplyKey, reply: KnownReply) -> None:
        """Cache a reply of up to `_MOST_REPLY_BYTES`; drop all replies when they exceed `_MOST_BYTES`."""
        length = len(reply.response.body)
        if length > _MOST_REPLY_BYTES:
            return
        if self.size + length > _MOST_BYTES:
            self.replies, self.size = {}, 0
        self.replies[key] = reply
        self.size += length


class ReplyCache:
    """The reply cache of one process over a store."""

    def __init__(self, store: Store, today: Callable[[], date], clock: Callable[[], float]) -> None:
        self._store = store
        self._today = today
        self._clock = clock
        self._current = ReplyState(-1, date.min)
        self._noted: dict[str, int] = {}

    async def ask(self, question: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Query the store: on the event loop for SQLite, in a thread for PostgreSQL."""
        if self._store.is_local:
            return question(*args, **named)
        return await within_deadline(question, *args, **named)

    async def current(self) -> ReplyState:
        """The callers and replies that are valid now."""
        version, today = await self.ask(self._store.version), self._today()
        if version != self._current.version or today != self._current.today:
            self._current = ReplyState(version, today)
        return self._current

    async def caller(self, key: str, replies_now: ReplyState) -> Caller:
        """The owner of a key; raises `KeyRefused`. Unknown keys are not cached: a caller can send any number of them."""
        digest = digest_of(key)
        caller = replies_now.callers.get(digest)
        if caller is None:
            caller = await self.ask(self._store.caller, digest)
            if caller is None:
                raise KeyRefused("This API key is not valid.")
            replies_now.callers[digest] = caller
        if caller.expires_at is not None and caller.expires_at <= datetime.fromtimestamp(self._clock(), UTC):
            raise KeyRefused("This API key has expired.")
        self._note_use(caller.key_id)
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
