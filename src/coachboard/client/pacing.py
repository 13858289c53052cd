"""The rate limit: a sliding log of requests, shared by all processes that share the database of the cache.

The service allows 300 requests a minute for a key and 30 a minute for a queried user ("Limits"). A log of 61 s avoids
every 429, whichever way the service cuts its minutes: the extra second covers the way of a request to the service.
A slower request counts from its reply, because it arrived before it. `retry` waits for the limit and after a 429.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coachboard.client.database import CALLS, HOLDS, CacheError, Database

KEY_LIMIT = 300
USER_LIMIT = 30
WINDOW_S = 61.0
QUICK_S = 0.5
"""A reply within this time: the request counts from its start."""

_ALL = "all"
"""The hold of all requests of a key; each user has a hold too."""
_AHEAD_S = 1.0  # a later moment was logged before the clock was set back


class Policy(Enum):
    """How a request waits; the value is the share of the limit that such requests may use.

    Background work takes hours of requests; a roster that opens meanwhile needs 5 for each athlete.
    """

    INTERACTIVE = 1.0
    BACKGROUND = 0.5


@dataclass(slots=True, eq=False)
class Call:
    """A logged request; `at` moves to the reply of a slow request."""

    user_id: str  # the queried user, empty for none
    at: float
    entry: int | None = None  # in the database, None where only this process knows the request


def wait_for(
    user_id: str, policy: Policy, calls: Sequence[tuple[str, float]], holds: Mapping[str, float], now: float
) -> float:
    """The seconds until the request may be made, 0 for at once. Calls (user, moment) are ordered by time."""
    share = policy.value
    waits = [_wait_in(calls, int(KEY_LIMIT * share), now), holds.get(_ALL, 0.0) - now]
    if user_id:
        own = [call for call in calls if call[0] == user_id]
        waits += [_wait_in(own, int(USER_LIMIT * share), now), holds.get(_hold_of(user_id), 0.0) - now]
    return max(0.0, *waits)


def _wait_in(calls: Sequence[tuple[str, float]], limit: int, now: float) -> float:
    return calls[-limit][1] + WINDOW_S - now if len(calls) >= limit else 0.0


def _hold_of(user_id: str) -> str:
    return f"user {user_id}"


def hold_after(user_id: str, holds: Mapping[str, float], now: float) -> str:
    """The name of the hold after a 429: of its user; of all requests if it has no user or is for a second user.

    The service does not say which of its two limits was exceeded.
    """
    others = (name for name, end in holds.items() if name.startswith("user ") and end > now)
    is_whole_key = not user_id or any(name != _hold_of(user_id) for name in others)
    return _ALL if is_whole_key else _hold_of(user_id)


class RateLimit:
    """The log of one scope: a service with an API key. While the database cannot be used, this process counts alone."""

    def __init__(self, database: Database, scope: str, clock: Callable[[], float]) -> None:
        self._database = database
        self._scope = scope
        self._clock = clock
        self._own: deque[Call] = deque(maxlen=KEY_LIMIT)
        self._own_holds: dict[str, float] = {}
        self.refusals = 0  # 429s of this process; more than none: another program uses the key

    def take(self, user_id: str, policy: Policy) -> Call | float:
        """Log the request if it may be made, else the seconds until the next attempt; check and entry are one transaction."""
        now = self._clock()
        call = Call(user_id, now)
        try:
            with self._database.writing(self._scope) as connection:
                calls = self._calls(connection, now)
                wait_s = wait_for(user_id, policy, calls, self._holds(connection, now), now)
                if wait_s > 0:
                    return wait_s
                call.entry = self._log(connection, call)
        except CacheError:
            wait_s = wait_for(user_id, policy, self._own_calls(now), self._own_holds, now)
            if wait_s > 0:
                return wait_s
        self._own.append(call)
        return call

    def landed(self, call: Call) -> None:
        """Note that the request has ended, with a reply or with an error."""
        now = self._clock()
        if not 0 <= now - call.at <= QUICK_S:
            call.at = now
            self._change(sa.update(CALLS).where(CALLS.c.id == call.entry).values(at=now), call)

    def give_back(self, call: Call) -> None:
        """Remove a request that never left this machine: the service counts only requests that arrive."""
        with suppress(ValueError):  # given back already
            self._own.remove(call)
            self._change(sa.delete(CALLS).where(CALLS.c.id == call.entry), call)

    def hold(self, user_id: str, retry_after_s: float) -> None:
        """Stop requests after a 429, in all processes that share the log."""
        self.refusals += 1
        now = self._clock()
        name = hold_after(user_id, self._own_holds, now)
        with suppress(CacheError), self._database.writing(self._scope) as connection:
            name = hold_after(user_id, self._holds(connection, now), now)
            is_same = HOLDS.c.scope == self._scope, HOLDS.c.name == name
            connection.execute(sa.delete(HOLDS).where(*is_same))
            hold = sa.insert(HOLDS).values(scope=self._scope, name=name, until=now + retry_after_s)
            connection.execute(hold.values(seconds=retry_after_s))
        self._own_holds[name] = now + retry_after_s

    def rename(self, user_id: str, known_as: str) -> None:
        """Count the requests for `me` as requests for the owner's id, once the id is known."""
        with suppress(CacheError), self._database.writing(self._scope) as connection:
            which = CALLS.c.scope == self._scope, CALLS.c.user_id == user_id
            connection.execute(sa.update(CALLS).where(*which).values(user_id=known_as))
        for call in list(self._own):
            if call.user_id == user_id:
                call.user_id = known_as

    def left(self) -> int:
        """How many requests the key has left in this window."""
        now = self._clock()
        try:
            with self._database.writing(self._scope) as connection:
                return KEY_LIMIT - len(self._calls(connection, now))
        except CacheError:
            return KEY_LIMIT - len(self._own_calls(now))

    def _change(self, statement: sa.Update | sa.Delete, call: Call) -> None:
        if call.entry is not None:
            with suppress(CacheError), self._database.writing(self._scope) as connection:
                connection.execute(statement)

    def _own_calls(self, now: float) -> list[tuple[str, float]]:
        for call in list(self._own):
            call.at = now if call.at > now + _AHEAD_S else call.at  # the clock was set back
        recent = [(call.user_id, call.at) for call in list(self._own) if call.at > now - WINDOW_S]
        return sorted(recent, key=lambda call: call[1])

    def _log(self, connection: Connection, call: Call) -> int:
        values = {"scope": self._scope, "user_id": call.user_id, "at": call.at}
        (entry,) = connection.execute(sa.insert(CALLS).values(values)).inserted_primary_key or (0,)
        return int(entry)

    def _calls(self, connection: Connection, now: float) -> Sequence[tuple[str, float]]:
        """The requests of this window. Requests of this process that the database lacks are logged first: it was away."""
        for call in list(self._own):
            if call.entry is None and call.at > now - WINDOW_S:
                call.entry = self._log(connection, call)
        since, is_ours = now - WINDOW_S, CALLS.c.scope == self._scope
        connection.execute(sa.delete(CALLS).where(is_ours, CALLS.c.at <= since))
        query = sa.select(CALLS.c.user_id, CALLS.c.at).where(is_ours).order_by(CALLS.c.at)
        calls: Sequence[Any] = connection.execute(query).all()
        if calls and calls[-1][1] > now + _AHEAD_S:
            # The clock was set back: a request ahead would block for hours, so it counts from this moment.
            connection.execute(sa.update(CALLS).where(is_ours, CALLS.c.at > now).values(at=now))
            calls = [(user_id, min(called_at, now)) for user_id, called_at in calls]
        return calls

    def _holds(self, connection: Connection, now: float) -> dict[str, float]:
        is_ours = HOLDS.c.scope == self._scope
        rows = connection.execute(
            sa.select(HOLDS.c.name, HOLDS.c.until, HOLDS.c.seconds).where(is_ours)
        ).all()
        if any(until - seconds > now + _AHEAD_S for _, until, seconds in rows):
            # The clock was set back here too: such a hold starts again with its seconds.
            ahead = is_ours, HOLDS.c.until - HOLDS.c.seconds > now
            connection.execute(sa.update(HOLDS).where(*ahead).values(until=now + HOLDS.c.seconds))
        connection.execute(sa.delete(HOLDS).where(is_ours, HOLDS.c.until <= now - WINDOW_S))
        return {name: min(until, now + seconds) for name, until, seconds in rows}
