"""The two rate limits ("Limits"), counted in fixed windows of a minute.

spec: not shown: how windows begin and whether callers share a user's counter. Windows are the minutes of the clock.
A queried user is counted for each key: otherwise one coach could lock out another, or the athlete.
"""

import math
from collections.abc import Callable
from typing import Protocol

from coachboard import monitoring
from coachboard.service.api.database_calls import within_deadline
from coachboard.service.api.errors import TooManyRequests
from coachboard.service.store import Store

WINDOW_S = 60
PER_KEY = 300
PER_USER = 30
PER_KEY_OWN = 1_200
"""Requests under `/own/v1` and `/plan/v1` together, which count apart from those of the interface."""
PER_FEED = 30
"""Reads of one subscription; a calendar reads it once in some minutes or hours."""
PER_AUTHOR = 30
"""Comments that one person writes or changes."""
PER_ADDRESS = 4
"""Codes that a person gets at a new address, or sends back: guesses take too long."""
PER_KEY_FILES = 6_000
"""Files sent under `/own/v1`, one request each: a folder of 5,000 files left the open pages no request."""


class Counters(Protocol):
    async def count(self, name: str, window: int) -> int:
        """Increment the counter of that window; returns the new value."""


class OwnCounters:
    """Counters of a single process."""

    def __init__(self) -> None:
        self._window = -1
        self._used: dict[str, int] = {}

    async def count(self, name: str, window: int) -> int:
        if window != self._window:
            self._window, self._used = window, {}
        used = self._used[name] = self._used.get(name, 0) + 1
        return used


class SharedCounters:
    """Counters in the database, for several processes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._window = -1

    async def count(self, name: str, window: int) -> int:
        if window != self._window:
            self._window = window
            # Another process's clock may lag: keep the previous window.
            await within_deadline(self._store.forget_counts_before, window - 1)
        return await within_deadline(self._store.count, name, window)


class RateLimits:
    """Counts requests and rejects those beyond the limits."""

    def __init__(self, counters: Counters, clock: Callable[[], float]) -> None:
        self._counters = counters
        self._clock = clock

    async def take_for_key(self, key_id: str) -> None:
        """Count a request of that key; raises `TooManyRequests`."""
        await self._take(key_id, PER_KEY, "requests of this API key")

    async def take_for_own_data(self, key_id: str) -> None:
        """Count a request of that key under `/own/v1` or `/plan/v1`; raises `TooManyRequests`."""
        await self._take(f"{key_id} own", PER_KEY_OWN, "requests for own data of this API key")

    async def take_for_file(self, key_id: str) -> None:
        """Count a file that is sent with that key; raises `TooManyRequests`."""
        await self._take(f"{key_id} files", PER_KEY_FILES, "files of this API key")

    async def take_for_feed(self, feed_id: str) -> None:
        """Count a read of a subscription; raises `TooManyRequests`."""
        await self._take(f"feed {feed_id}", PER_FEED, "reads of this subscription")

    async def take_for_comment(self, author_id: str) -> None:
        """Count a comment that a person writes or changes; raises `TooManyRequests`."""
        await self._take(f"comments {author_id}", PER_AUTHOR, "comments")

    async def take_for_address(self, user_id: str) -> None:
        """Count a code that is sent to a person's new address, or comes back from it; raises `TooManyRequests`."""
        await self._take(f"address {user_id}", PER_ADDRESS, "codes for an address")

    async def take_for_user(self, key_id: str, user_id: str) -> None:
        """Count a request of that key for that queried user; raises `TooManyRequests`."""
        await self._take(f"{key_id} {user_id}", PER_USER, "requests for this user")

    async def _take(self, name: str, most: int, what: str) -> None:
        now = self._clock()
        window = int(now // WINDOW_S)
        if await self._counters.count(name, window) > most:
            monitoring.RATE_LIMITED.add(what)
            retry_after_s = max(1, math.ceil((window + 1) * WINDOW_S - now))
            text = f"More than {most} {what} in a minute; try again in {retry_after_s} s."
            raise TooManyRequests(text, retry_after_s=retry_after_s)
