"""What a process remembers between requests: whose keys are whose, and replies it has just made.

Every change to the store counts up one number in it; what was remembered under another number is forgotten,
so that a revoked key or a deleted row is gone with the next request, whichever process changed it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from coachboard.service.errors import Unauthorized
from coachboard.service.store import Caller, Store
from coachboard.service.store.keys import digest_of

_MOST_BYTES = 64_000_000
_MOST_REPLY_BYTES = 256_000

ReplyKey = tuple[str, str, bytes, str]  # caller, path, query, encoding


@dataclass(frozen=True, slots=True)
class KnownReply:
    """A reply that may be sent again, and the user it is about, whose limit it counts against."""

    response: Response
    queried_user: str | None


@dataclass(slots=True)
class Remembered:
    """What holds while the store is at one version and the day is the same."""

    version: int
    today: date
    callers: dict[str, Caller] = field(default_factory=dict)
    replies: dict[ReplyKey, KnownReply] = field(default_factory=dict)
    size: int = 0

    def keep(self, key: ReplyKey, reply: KnownReply) -> None:
        """Remember a reply, unless it is large; all are dropped when they take too much room."""
        length = len(reply.response.body)
        if length > _MOST_REPLY_BYTES:
            return
        if self.size + length > _MOST_BYTES:
            self.replies, self.size = {}, 0
        self.replies[key] = reply
        self.size += length


class Memory:
    """The remembered state of one process over a store."""

    def __init__(self, store: Store, today: Callable[[], date], clock: Callable[[], float]) -> None:
        self._store = store
        self._today = today
        self._clock = clock
        self._current = Remembered(-1, date.min)

    async def ask(self, question: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Ask the store: on the event loop where it answers within the process, else in a thread."""
        if self._store.is_local:
            return question(*args, **named)
        return await run_in_threadpool(question, *args, **named)

    async def current(self) -> Remembered:
        """What is remembered and still true."""
        version, today = await self.ask(self._store.version), self._today()
        if version != self._current.version or today != self._current.today:
            self._current = Remembered(version, today)
        return self._current

    async def caller(self, key: str, remembered: Remembered) -> Caller:
        """Whose key it is; raises `Unauthorized`. Unknown keys are not remembered: there is no end of them."""
        digest = digest_of(key)
        caller = remembered.callers.get(digest)
        if caller is None:
            caller = await self.ask(self._store.caller, digest)
            if caller is None:
                raise Unauthorized("This API key is not valid.")
            remembered.callers[digest] = caller
        if caller.expires_at is not None and caller.expires_at <= datetime.fromtimestamp(self._clock(), UTC):
            raise Unauthorized("This API key has expired.")
        return caller
