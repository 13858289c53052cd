"""One fetch where many threads ask at once for the same: the first does it, the others get what it got.

A thread that somebody looks at only waits: the fetch is made in another, goes on when the looking ends, and what
ends the looking is nobody else's error.
"""

import copy
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from coachboard.client.answer import Answer
from coachboard.client.errors import ServiceError
from coachboard.client.waiting import ANSWER_REASON, Waiting, is_watched, listener_here

T = TypeVar("T")

THREADS = 16
"""As many as there are connections."""


class Flights:
    """The fetches under way in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Answer[Any]] = {}
        self._threads: ThreadPoolExecutor | None = None
        self.landed = 0  # who saw another number before looking into the cache has to look again

    def close(self) -> None:
        """Begin no more fetches in threads of their own."""
        with self._lock:
            if self._threads is not None:
                self._threads.shutdown(wait=False)

    def join(self, key: Hashable, fetch: Callable[[], T], *, what: str, reason: str = ANSWER_REASON) -> T:
        """The result of the fetch of that key, be it this one or one that is under way; `what` names it."""
        with self._lock:
            flight: Answer[T] | None = self._under_way.get(key)
            is_first = flight is None
            if flight is None:
                flight = self._under_way[key] = Answer()
        if is_first:
            self._begin(
                partial(self._fly, key, flight, partial(_told, fetch, Waiting(None, reason, what=what)))
            )
        try:
            return flight.result()
        except ServiceError as error:
            # Each thread raises its own, or they would all write into one traceback.
            raise error if is_first else copy.copy(error) from error.__cause__

    def _begin(self, fly: Callable[[], None]) -> None:
        if not is_watched():
            fly()
            return
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="coachboard-fetch")
        try:
            self._threads.submit(fly)
        except RuntimeError:  # closed: whoever still asks is told what that comes to
            fly()

    def _fly(self, key: Hashable, flight: Answer[T], fetch: Callable[[], T]) -> None:
        try:
            flight.work(fetch)
        finally:
            with self._lock:
                self.landed += 1
                del self._under_way[key]


def _told(fetch: Callable[[], T], begins: Waiting) -> T:
    listener = listener_here()
    if listener is not None:
        listener(begins)
    return fetch()
