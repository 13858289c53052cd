"""Limit failed attempts per network address, so that no key and no invitation code can be guessed."""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable

LIMIT = 10
WINDOW_S = 60.0


class Throttle:
    """Counts failed attempts in a sliding window."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, limit: int = LIMIT) -> None:
        self._clock = clock
        self._limit = limit
        self._lock = threading.Lock()
        self._failed: defaultdict[str, deque[float]] = defaultdict(deque)

    def note_failure(self, address: str) -> None:
        with self._lock:
            self._forget_old()
            self._failed[address].append(self._clock())

    def wait_s(self, address: str) -> float:
        """The seconds until this address may try again; 0 if it may try now."""
        with self._lock:
            self._forget_old()
            failed = self._failed.get(address, ())
            is_over = len(failed) >= self._limit
            return failed[-self._limit] + WINDOW_S - self._clock() if is_over else 0.0

    def _forget_old(self) -> None:
        since = self._clock() - WINDOW_S
        for address, failed in list(self._failed.items()):
            while failed and failed[0] <= since:
                failed.popleft()
            if not failed:
                del self._failed[address]
