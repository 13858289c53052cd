"""Fetches that failed a moment ago: told to those who are shown what is known, and not tried again at once."""

import threading
from collections.abc import Callable, Hashable

from coachboard.client.errors import ServiceError

REST_S = 15.0
"""How long a fetch that failed is not tried again while there is something to show."""

_MOST = 10_000


class Failures:
    """The latest failure of each fetch."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: dict[Hashable, tuple[float, ServiceError]] = {}

    def note(self, key: Hashable, error: ServiceError) -> None:
        with self._lock:
            if len(self._failures) >= _MOST:
                self._failures.clear()
            self._failures[key] = (self._clock(), error)

    def recent(self, key: Hashable) -> ServiceError | None:
        with self._lock:
            failed_at, error = self._failures.get(key, (0.0, None))
            if error is not None and not 0 <= self._clock() - failed_at < REST_S:
                del self._failures[key]
                return None
            return error
