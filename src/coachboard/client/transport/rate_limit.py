"""The rate limit: a sliding log of requests, shared by all processes that share the cache.

The log is a file beside an SQLite cache, or in the cache's PostgreSQL database.

The service allows 300 requests a minute for a key and 30 a minute for a queried user ("Limits"). A log of 61 s avoids
every 429, whichever way the service cuts its minutes: the extra second covers the way of a request to the service.
A slower request counts from its reply, because it arrived before it. `retry` waits for the limit and after a 429.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.schema import CALLS, HOLDS, VERSION
from coachboard.client.errors import LONGEST_RETRY_AFTER_S

KEY_LIMIT = 300
USER_LIMIT = 30
WINDOW_S = 61.0
QUICK_S = 0.5
"""A reply within this time: the request counts from its start."""


class Priority(Enum):
    """The caller that waits for a request; the value is the share of the limit that such requests may use."""

    PERSON = 1.0
    REFRESH = 0.9
    SYNC = 0.7
    BACKLOG = 0.3  # hours of requests: a roster that opens meanwhile needs 5 requests for each athlete


Call = tuple[str, float]
"""One logged request: the queried user, empty for none, and the moment."""


@dataclass(frozen=True, slots=True)
class Want:
    """A request to be made. `claim` names the fetch: only one process makes it at a time."""

    user_id: str
    priority: Priority
    claim: str
    is_needed: bool = False  # a page has nothing to show without it, so a longer wait is worth it


@dataclass(slots=True)
class Taken:
    """A logged request of this process; `at` moves to the reply of a slow request."""

    user_id: str
    at: float
    entry: int  # in the log
    moves: int  # how often the database was replaced (damaged, unreachable, back); then `entry` is another request


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a want: the logged request, or the seconds until the next attempt."""

    wait_s: float
    is_claimed: bool = False  # another process makes the same fetch
    taken: Taken | None = None

    @property
    def is_taken(self) -> bool:
        return self.wait_s <= 0 and not self.is_claimed


ALL = "all"
PERSONS = "persons"
"""Names of holds, which stop requests until a moment: all of the key, and all that no page waits for. Each user and each claim
of a fetch has a hold too."""
_AHEAD_S = 1.0  # a later moment was logged before the clock was set back
_CLAIM_S = 8.0
"""How long the claim of a killed process blocks the fetch; a slower fetch may be made twice."""
_CLAIM_POLL_S = 0.05


def wait_for(want: Want, calls: Sequence[Call], holds: Mapping[str, float], now: float) -> float:
    """The seconds until the request may be made, 0 for at once. Calls are ordered by time."""
    share = want.priority.value
    waits = [_wait_in(calls, int(KEY_LIMIT * share), now), holds.get(ALL, 0.0) - now]
    if want.user_id:
        own = [call for call in calls if call[0] == want.user_id]
        waits += [_wait_in(own, int(USER_LIMIT * share), now), holds.get(user_hold(want.user_id), 0.0) - now]
    if want.priority is not Priority.PERSON:
        waits.append(holds.get(PERSONS, 0.0) - now)
    return max(0.0, *waits)


def _wait_in(calls: Sequence[Call], limit: int, now: float) -> float:
    return calls[-limit][1] + WINDOW_S - now if len(calls) >= limit else 0.0


def user_hold(user_id: str) -> str:
    return f"user {user_id}"


def claim_hold(claim: str) -> str:
    """The hold of a claim. Versions of the cache share the rate limit, but not the fetched data."""
    return f"{VERSION} {claim}"


def holds_after(user_id: str, until: float, holds: Mapping[str, float], now: float) -> dict[str, float]:
    """The requests that a 429 stops: those of its user; all requests if it has no user or is for a second user.

    The service does not say which of its two limits was exceeded.
    """
    others = (name for name, end in holds.items() if name.startswith("user ") and end > now)
    if not user_id or any(name != user_hold(user_id) for name in others):
        return {ALL: until}
    return {user_hold(user_id): until}


class RateLimit:
    """The log of one scope: a service with an API key."""

    def __init__(self, database: Database, scope: str, clock: Callable[[], float]) -> None:
        self._database = database
        self._scope = scope
        self._clock = clock
        self._own: deque[Taken] = deque(maxlen=KEY_LIMIT)
        self._own_holds: dict[str, float] = {}
        self._seen_moves = database.moves
        self._cleaned_at = -inf
        self.refusals = 0  # 429s of this process; more than none: another program uses the key

    @steady
    def take(self, want: Want) -> Verdict:
        """Log the request if it may be made; check and entry are one transaction."""
        with self._database.writing(self._scope) as connection:
            now = self._clock()
            self._carry_over(connection)
            holds = self._holds(connection)
            claim = claim_hold(want.claim)
            if holds.get(claim, 0.0) > now:
                return Verdict(_CLAIM_POLL_S, is_claimed=True)
            wait_s = wait_for(want, self._calls(connection, now), holds, now)
            if wait_s > 0:
                if want.priority is Priority.PERSON:
                    self._hold(connection, {PERSONS: now + min(wait_s, WINDOW_S) + 1.0}, now)
                return Verdict(wait_s)
            entry = self._log(connection, want.user_id, now)
            if want.claim:
                self._hold(connection, {claim: now + _CLAIM_S}, now)
        taken = Taken(want.user_id, now, entry, self._database.moves)
        self._own.append(taken)
        return Verdict(0.0, taken=taken)

    def landed(self, taken: Taken | None) -> None:
        """Note that the request has ended, with a reply or with an error."""
        now = self._clock()
        if taken is None or 0 <= now - taken.at <= QUICK_S:
            return
        taken.at = now
        if taken.moves == self._database.moves:
            self._change(sa.update(CALLS).where(self._is_entry(taken)).values(at=now))

    def give_back(self, taken: Taken | None) -> None:
        """Remove a request that never left this machine: the service counts only requests that arrive."""
        if taken is None or taken not in self._own:
            return
        self._own.remove(taken)
        if taken.moves == self._database.moves:
            self._change(sa.delete(CALLS).where(self._is_entry(taken)))

    def release(self, claim: str) -> None:
        """Let other processes make the fetch."""
        self._change(sa.delete(HOLDS).where(HOLDS.c.scope == self._scope, HOLDS.c.name == claim_hold(claim)))

    @steady
    def hold(self, user_id: str, retry_after_s: float) -> None:
        """Stop requests after a 429, in all processes that share the log."""
        self.refusals += 1
        with self._database.writing(self._scope) as connection:
            now = self._clock()
            holds = holds_after(user_id, now + retry_after_s, self._holds(connection), now)
            self._hold(connection, holds, now)
            self._own_holds.update(holds)

    def rename(self, user_id: str, known_as: str) -> None:
        """Count the requests for `me` as requests for the owner's id, once the id is known."""
        which = CALLS.c.scope == self._scope, CALLS.c.user_id == user_id
        self._change(sa.update(CALLS).where(*which).values(user_id=known_as))
        for taken in list(self._own):
            if taken.user_id == user_id:
                taken.user_id = known_as

    @steady
    def left(self) -> int:
        """How many requests the key has left in this window."""
        with self._database.writing(self._scope) as connection:
            self._carry_over(connection)
            return KEY_LIMIT - len(self._calls(connection, self._clock()))

    @steady
    def _change(self, statement: sa.Update | sa.Delete) -> None:
        with self._database.writing(self._scope) as connection:
            connection.execute(statement)

    def _is_entry(self, taken: Taken) -> sa.ColumnElement[bool]:
        return sa.and_(CALLS.c.scope == self._scope, CALLS.c.id == taken.entry)

    def _carry_over(self, connection: Connection) -> None:
        """After a move of the database, log the requests of this process in the new database.

        Some may be in its log already: they count twice, for one minute.
        """
        moves = self._database.moves
        if moves == self._seen_moves:
            return
        self._seen_moves = moves
        now = self._clock()
        for taken in list(self._own):
            if taken.at > now - WINDOW_S:
                self._log(connection, taken.user_id, min(taken.at, now))
        longest = now + LONGEST_RETRY_AFTER_S
        holds = {name: min(until, longest) for name, until in self._own_holds.items() if until > now}
        self._hold(connection, holds, now)

    def _calls(self, connection: Connection, now: float) -> Sequence[Call]:
        since, is_ours = now - WINDOW_S, CALLS.c.scope == self._scope
        if not 0 <= now - self._cleaned_at < WINDOW_S:
            self._cleaned_at = now
            connection.execute(sa.delete(CALLS).where(is_ours, CALLS.c.at <= since))
        query = sa.select(CALLS.c.user_id, CALLS.c.at).where(is_ours, CALLS.c.at > since)
        calls: Sequence[Any] = connection.execute(query.order_by(CALLS.c.at)).all()
        if calls and calls[-1][1] > now + _AHEAD_S:
            # The clock was set back: a request ahead would block for hours, so it counts from this moment.
            connection.execute(sa.update(CALLS).where(is_ours, CALLS.c.at > now).values(at=now))
            calls = [(user_id, min(at, now)) for user_id, at in calls]
        return calls

    def _holds(self, connection: Connection) -> dict[str, float]:
        now, is_ours = self._clock(), HOLDS.c.scope == self._scope
        columns = (HOLDS.c.name, HOLDS.c.until, HOLDS.c.seconds)
        rows = connection.execute(sa.select(*columns).where(is_ours)).all()
        if any(until - seconds > now + _AHEAD_S for _, until, seconds in rows):
            # The clock was set back here too: such a hold starts again with its seconds.
            ahead = is_ours, HOLDS.c.until - HOLDS.c.seconds > now
            connection.execute(sa.update(HOLDS).where(*ahead).values(until=now + HOLDS.c.seconds))
        if any(until <= now - WINDOW_S for _, until, _ in rows):
            # Killed processes leave holds; every request reads all of them.
            connection.execute(sa.delete(HOLDS).where(is_ours, HOLDS.c.until <= now - WINDOW_S))
        return {name: min(until, now + seconds) for name, until, seconds in rows}

    def _hold(self, connection: Connection, holds: Mapping[str, float], now: float) -> None:
        for name, until in holds.items():
            connection.execute(sa.delete(HOLDS).where(HOLDS.c.scope == self._scope, HOLDS.c.name == name))
            values = {"scope": self._scope, "name": name, "until": until, "seconds": until - now}
            connection.execute(sa.insert(HOLDS).values(values))

    def _log(self, connection: Connection, user_id: str, at: float) -> int:
        values = {"scope": self._scope, "user_id": user_id, "at": at}
        inserted = connection.execute(sa.insert(CALLS).values(values))
        (entry,) = inserted.inserted_primary_key or (0,)
        return int(entry)
