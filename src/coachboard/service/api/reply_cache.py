"""A cache of callers and replies in one process.

Every change of a person's rows raises their number in the store. A reply is valid while the numbers of its caller and of
the person whose rows it has are the same: a deleted row is gone with the next request, whichever process changed the
store, and so is a revoked key. The order of a request:

1. Read the numbers (`ReplyCache.check`; `about` for rows of another person). If a cached reply has the same, send it.
2. Else read the rows.
3. Cache the reply under the numbers of step 1 (`keep`). If the rows changed after step 1, these numbers are old and the
   next request reads again; numbers read after the rows could be newer than the rows.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from coachboard.service.api.database_calls import ask
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
class CheckedRequest:
    """A request with a valid key, about the rows of `owner_id`.

    `numbers` are those of the caller and the owner before the rows are read, `reply` the cached reply with these numbers.
    """

    caller: Caller
    reply_key: ReplyKey
    today: date
    owner_id: str
    numbers: Numbers
    reply: Response | None

    @property
    def encoding(self) -> str:
        return self.reply_key[-1]


class _CachedReply(NamedTuple):
    """A reply of today, the person whose rows it has, and the numbers before they were read."""

    response: Response
    owner_id: str
    numbers: Numbers


class ReplyCache:
    """The reply cache of one process over a store."""

    def __init__(self, store: Store, today: Callable[[], date], clock: Callable[[], float]) -> None:
        self._store = store
        self._today = today
        self._clock = clock
        self._noted: dict[str, int] = {}
        self._begin(date.min)

    def _begin(self, day: date) -> None:
        """Forget the callers and replies of another day: the rows that a caller sees depend on the day."""
        self._day = day
        self._callers: dict[str, Caller] = {}
        self._replies: dict[ReplyKey, _CachedReply] = {}
        self._size = 0

    async def check(self, key: str, path: str, query: bytes, encoding: str) -> CheckedRequest:
        """The request with the caller who has the key; raises `KeyRefused`.

        Unknown keys are not cached: a caller can send any number of them.
        """
        today = self._today()
        if today != self._day:
            self._begin(today)
        digest, request = digest_of(key), (path, query, encoding)
        caller = self._callers.get(digest)
        checked = None if caller is None else await self._checked(caller, request, today)
        if checked is None:
            caller = await ask(self._store, self._store.caller, digest)
            checked = None if caller is None else await self._checked(caller, request, today, is_new=True)
        if caller is None or checked is None:
            raise KeyRefused(_NOT_VALID)
        self._callers[digest] = caller
        if caller.expires_at is not None and caller.expires_at <= datetime.fromtimestamp(self._clock(), UTC):
            raise KeyRefused("This API key has expired.")
        self._note_use(caller.key_id)
        return checked

    async def _checked(
        self, caller: Caller, request: tuple[str, bytes, str], today: date, *, is_new: bool = False
    ) -> CheckedRequest | None:
        """The request of this caller; None if the key is not valid or the caller has changed since they were read."""
        reply_key = (caller.user_id, *request)
        cached = self._replies.get(reply_key)
        owner_id = _owner_in(request[0], caller) if cached is None else cached.owner_id
        numbers: Numbers | None = await ask(self._store, self._store.pulse, caller.key_id, owner_id)
        if numbers is None or (numbers.caller != caller.number and not is_new):
            return None
        # A caller who changes while they are read keeps the older number: no reply to them is valid longer.
        numbers = Numbers(caller.number, numbers.owner)
        reply = cached.response if cached is not None and cached.numbers == numbers else None
        return CheckedRequest(caller, reply_key, today, owner_id, numbers, reply)

    async def about(self, checked: CheckedRequest, owner_id: str) -> CheckedRequest:
        """The same request about rows of another person, whose number is read before their rows."""
        if owner_id == checked.owner_id:
            return checked
        numbers: Numbers | None = await ask(self._store, self._store.pulse, checked.caller.key_id, owner_id)
        if numbers is None:
            raise KeyRefused(_NOT_VALID)
        return replace(checked, owner_id=owner_id, numbers=checked.numbers._replace(owner=numbers.owner))

    def keep(self, checked: CheckedRequest, response: Response, owner_id: str) -> Response:
        """Cache a reply with rows of this person for the same caller, path, query and encoding, and return it.

        A reply of another day or person is not cached, nor is a large one. All are dropped when they exceed `_MOST_BYTES`.
        """
        length = len(response.body)
        if owner_id != checked.owner_id or checked.today != self._day or length > _MOST_REPLY_BYTES:
            return response
        old = self._replies.pop(checked.reply_key, None)
        self._size += length - (0 if old is None else len(old.response.body))
        if self._size > _MOST_BYTES:
            self._replies, self._size = {}, length
        self._replies[checked.reply_key] = _CachedReply(response, owner_id, checked.numbers)
        return response

    def _note_use(self, key_id: str) -> None:
        """Write a key's last use, once an hour and in a thread: no request waits for a write."""
        now = int(self._clock())
        if abs(now - self._noted.get(key_id, 0)) >= _NOTE_EVERY_S:
            self._noted[key_id] = now
            asyncio.get_running_loop().run_in_executor(None, self._write_use, key_id, now)

    def _write_use(self, key_id: str, now: int) -> None:
        with suppress(SQLAlchemyError, OSError):  # the next use is written within the hour
            self._store.note_key_use(key_id, now)


def named_user(path: str) -> str | None:
    """The user in a path of the interface, an id or `me`; None in any other path."""
    return path.removeprefix("/users/").partition("/")[0] if path.startswith("/users/") else None


def _owner_in(path: str, caller: Caller) -> str:
    """The person in a path; without one the caller."""
    named = named_user(path)
    return caller.user_id if named is None or named == "me" or not is_id(named) else named
