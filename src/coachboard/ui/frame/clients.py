"""The clients of this process: one per key, closed some minutes after the last session with that key has ended."""

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakSet

from coachboard.client import Client
from coachboard.client.waiting import CLOSE_S, Memo

V = TypeVar("V")

IDLE_S = 300.0
"""How long a client without a session is kept: a reload ends one session and begins another."""

MOST_IDLE = 64
"""Clients without a session; beyond it the least recently used one is closed at once."""


MOST_SHARED = 8
"""Values that a client's sessions share, such as the roster of one day with its thresholds."""


class Use:
    """A browser session's claim on a client: it ends with the session's state, and while the tab is closed."""

    def __init__(self, is_open: Callable[[], bool] = lambda: True) -> None:
        self.is_open = is_open


@dataclass(slots=True)
class _Entry:
    used_at: float
    client: Client | None = None
    making: threading.Lock = field(default_factory=threading.Lock)
    users: WeakSet[Use] = field(default_factory=WeakSet)
    shared: Memo[Any] = field(default_factory=lambda: Memo(MOST_SHARED))


class Clients:
    """Safe for many threads; `end` runs before a client is closed."""

    def __init__(self, *, end: Callable[[Client], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._end = end
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def get(self, owner: str, use: Use, make: Callable[[], Client]) -> Client:
        """The client of this key, made on first use and kept at least as long as `use` lives and its tab is open."""
        with self._lock:
            now = self._clock()
            entry = self._entries.setdefault(owner, _Entry(now))
            entry.used_at = now
            entry.users.add(use)
            closing = self._take_idle(now)
        self._close(closing)
        with entry.making:  # not the lock of all clients: a locked cache would hold up every page
            if entry.client is None:
                entry.client = make()
            return entry.client

    def shared(self, client: Client, key: Hashable, make: Callable[[], V]) -> V:
        """A value that the sessions of this client share, made on first use and dropped when the client is closed."""
        with self._lock:
            entry = next((entry for entry in self._entries.values() if entry.client is client), None)
        if entry is None:  # closed meanwhile
            return make()
        with entry.making:
            value: V | None = entry.shared.get(key)
            if value is None:
                value = make()
                entry.shared.put(key, value)
            return value

    def close_idle(self) -> None:
        """Close the clients that no open tab has used for a while."""
        with self._lock:
            closing = self._take_idle(self._clock())
        self._close(closing)

    def close_all(self) -> None:
        with self._lock:
            closing, self._entries = [entry.client for entry in self._entries.values() if entry.client], {}
        self._close(closing)

    def _take_idle(self, now: float) -> list[Client]:
        idle = []
        for owner, entry in self._entries.items():
            if any(use.is_open() for use in entry.users):
                entry.used_at = now
            else:
                idle.append((entry.used_at, owner))
        idle.sort()
        spare = len(idle) - MOST_IDLE
        old = [
            owner for place, (used_at, owner) in enumerate(idle) if place < spare or now - used_at > IDLE_S
        ]
        return [client for owner in old if (client := self._entries.pop(owner).client)]

    def _close(self, clients: list[Client]) -> None:
        """Close them together: one after the other, each with a wait, held the end of the process for 20 s and more."""
        for client in clients:
            self._end(client)
            client.end()
        until = time.monotonic() + CLOSE_S
        for client in clients:
            client.close(max(until - time.monotonic(), 0.0))
