"""The calls that may be made: a sliding log kept with the cache, so that all who share the cache share it.

The service counts 300 a minute for a key and 30 a minute for a queried user ("Limits"). A log of 61 s meets no
429 whichever way the service cuts its minutes; the second more covers what a request takes to arrive. Where one
takes longer, its call counts from the moment of the reply, before which it has arrived.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf

from coachboard.client.cache import calls as log
from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.plain import Asking
from coachboard.client.cache.tables import VERSION
from coachboard.client.http import LONGEST_RETRY_AFTER_S

KEY_LIMIT = 300
USER_LIMIT = 30
WINDOW_S = 61.0
QUICK_S = 0.5
"""How long a request may be on its way for its call to count from when it was taken."""


class Priority(Enum):
    """Who waits for a call; the value is the share of the budget that such calls may use up."""

    PERSON = 1.0
    REFRESH = 0.9
    SYNC = 0.7


Call = tuple[str, float]
"""One logged call: the queried user, empty where there was none, and the moment."""


@dataclass(frozen=True, slots=True)
class Want:
    """A call that somebody wants to make; `claim` names the fetch, which only one process is to do.

    `is_needed` tells that there is nothing to show without it, so that it is worth more patience.
    """

    user_id: str
    priority: Priority
    claim: str
    is_needed: bool = False


@dataclass(slots=True)
class Taken:
    """A call of this process; `at` moves to the reply where the request was long on its way."""

    user_id: str
    at: float
    entry: int  # in the log
    moves: int  # of the database, after which the entry is another's


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a want: taken, or the seconds until it is worth asking again."""

    wait_s: float
    is_claimed: bool = False  # another process is fetching the same
    taken: Taken | None = None

    @property
    def is_taken(self) -> bool:
        return self.wait_s <= 0 and not self.is_claimed


ALL = "all"
PERSONS = "persons"
_AHEAD_S = 1.0  # what is noted from further ahead comes from before the clock was set back
_CLAIM_S = 8.0
"""How long the claim of a killed process holds others up; what takes longer may be fetched twice, at worst."""
_CLAIM_POLL_S = 0.05


def wait_for(want: Want, calls: Sequence[Call], holds: Mapping[str, float], now: float) -> float:
    """The seconds until the call may be made; 0 when it may be made at once. Calls are ordered by time."""
    share = want.priority.value
    waits = [
        _wait_in(calls, int(KEY_LIMIT * share), now),
        holds.get(ALL, 0.0) - now,
    ]
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
    """What one version of the cache fetches is of no use to another, which shares the budget with it."""
    return f"{VERSION} {claim}"


def holds_after(user_id: str, until: float, holds: Mapping[str, float], now: float) -> dict[str, float]:
    """What a 429 holds up: the user it came for; everything, when it came for no user or for a second one.

    The service does not say which of its two limits was exceeded.
    """
    others = (name for name, end in holds.items() if name.startswith("user ") and end > now)
    if not user_id or any(name != user_hold(user_id) for name in others):
        return {ALL: until}
    return {user_hold(user_id): until}


class Budget:
    """The log of one scope (a service under a key) in the cache's database."""

    def __init__(self, database: Database, scope: str, clock: Callable[[], float]) -> None:
        self._database = database
        self._scope = scope
        self._clock = clock
        self._own: deque[Taken] = deque(maxlen=KEY_LIMIT)
        self._own_holds: dict[str, float] = {}
        self._seen_moves = database.moves
        self._forgot_at = -inf
        self.refusals = 0  # 429s met by this process: none, unless another program uses the key

    @steady
    def take(self, want: Want) -> Verdict:
        """Log the call if it may be made; all checks and the entry are one transaction."""
        with self._database.noting(self._scope) as statements:
            now = self._clock()
            self._bring_along(statements)
            holds = self._holds(statements)
            claim = claim_hold(want.claim)
            if holds.get(claim, 0.0) > now:
                return Verdict(_CLAIM_POLL_S, is_claimed=True)
            wait_s = wait_for(want, self._calls(statements, now), holds, now)
            if wait_s > 0:
                if want.priority is Priority.PERSON:
                    self._hold(statements, {PERSONS: now + min(wait_s, WINDOW_S) + 1.0}, now)
                return Verdict(wait_s)
            entry = self._log(statements, want.user_id, now)
            if want.claim:
                self._hold(statements, {claim: now + _CLAIM_S}, now)
        taken = Taken(want.user_id, now, entry, self._database.moves)
        self._own.append(taken)
        return Verdict(0.0, taken=taken)

    def landed(self, taken: Taken | None) -> None:
        """Note that the reply to a call is there, or will not come."""
        now = self._clock()
        if taken is None or 0 <= now - taken.at <= QUICK_S:
            return
        taken.at = now
        if taken.moves == self._database.moves:
            self._restamp(taken)

    @steady
    def give_back(self, taken: Taken | None) -> None:
        """Undo a call that never left this machine: the service counts what reaches it."""
        if taken is None or taken not in self._own:
            return
        self._own.remove(taken)
        if taken.moves == self._database.moves:
            with self._database.noting(self._scope) as statements:
                statements.run(log.STRIKE, {"of_scope": self._scope, "of_entry": taken.entry})

    @steady
    def release(self, claim: str) -> None:
        """Let others do the fetch."""
        with self._database.noting(self._scope) as statements:
            statements.run(log.LET_GO, {"of_scope": self._scope, "of_name": claim_hold(claim)})

    @steady
    def hold(self, user_id: str, retry_after_s: float) -> None:
        """Honour a 429 for all who share the budget."""
        self.refusals += 1
        with self._database.noting(self._scope) as statements:
            now = self._clock()
            holds = holds_after(user_id, now + retry_after_s, self._holds(statements), now)
            self._hold(statements, holds, now)
            self._own_holds.update(holds)

    @steady
    def rename(self, user_id: str, known_as: str) -> None:
        """Count calls for a user under the id by which the user is known since."""
        with self._database.noting(self._scope) as statements:
            statements.run(log.RENAME, {"of_scope": self._scope, "of_user": user_id, "known_as": known_as})
        for taken in list(self._own):
            if taken.user_id == user_id:
                taken.user_id = known_as

    @steady
    def left(self) -> int:
        """How many calls the key has left in this window."""
        with self._database.noting(self._scope) as statements:
            self._bring_along(statements)
            return KEY_LIMIT - len(self._calls(statements, self._clock()))

    @steady
    def _restamp(self, taken: Taken) -> None:
        with self._database.noting(self._scope) as statements:
            statements.run(log.RESTAMP, {"of_scope": self._scope, "of_entry": taken.entry, "now": taken.at})

    def _bring_along(self, statements: Asking) -> None:
        """Where the cache has moved, what this process knows of its calls goes into the log there.

        Some of them may stand there already: they then count twice, for a minute at most.
        """
        moves = self._database.moves
        if moves == self._seen_moves:
            return
        self._seen_moves = moves
        now = self._clock()
        for taken in list(self._own):
            if taken.at > now - WINDOW_S:
                self._log(statements, taken.user_id, min(taken.at, now))
        longest = now + LONGEST_RETRY_AFTER_S
        holds = {name: min(until, longest) for name, until in self._own_holds.items() if until > now}
        self._hold(statements, holds, now)

    def _calls(self, statements: Asking, now: float) -> Sequence[Call]:
        since = now - WINDOW_S
        if not 0 <= now - self._forgot_at < WINDOW_S:
            self._forgot_at = now
            statements.run(log.FORGET, {"of_scope": self._scope, "before": since})
        calls: Sequence[Call] = statements.rows(log.SINCE, {"of_scope": self._scope, "after": since})
        if calls and calls[-1][1] > now + _AHEAD_S:
            # The clock was set back: what lies ahead counts from this moment, or it would block for as long.
            statements.run(log.PULL_BACK, {"of_scope": self._scope, "after": now, "now": now})
            calls = [(user_id, min(at, now)) for user_id, at in calls]
        return calls

    def _holds(self, statements: Asking) -> dict[str, float]:
        now = self._clock()
        rows = statements.rows(log.HELD, {"of_scope": self._scope})
        if any(until - seconds > now + _AHEAD_S for _, until, seconds in rows):
            # Here too the clock was set back: such a hold begins anew, or it would last as much longer.
            statements.run(log.RESTART_HOLDS, {"of_scope": self._scope, "now": now})
        if any(until <= now - WINDOW_S for _, until, _ in rows):
            # Whoever noted them was killed before taking them back; every call reads what stands here.
            statements.run(log.FORGET_HOLDS, {"of_scope": self._scope, "before": now - WINDOW_S})
        return {name: min(until, now + seconds) for name, until, seconds in rows}

    def _hold(self, statements: Asking, holds: Mapping[str, float], now: float) -> None:
        for name, until in holds.items():
            statements.run(
                log.HOLD,
                {"of_scope": self._scope, "of_name": name, "until": until, "seconds": until - now},
            )

    def _log(self, statements: Asking, user_id: str, at: float) -> int:
        of = {"of_scope": self._scope, "of_user": user_id, "now": at}
        ((entry,),) = statements.rows(log.LOG, of)
        return int(entry)
