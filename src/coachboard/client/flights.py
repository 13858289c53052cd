"""One fetch where many threads ask at once for the same: the first does it, the others get what it got."""

import copy
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from coachboard.client.errors import ServiceError

T = TypeVar("T")


class Flights:
    """The fetches under way in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Future[Any]] = {}
        self.landed = 0  # who saw another number before looking into the cache has to look again

    def join(self, key: Hashable, fetch: Callable[[], T]) -> T:
        """The result of the fetch of that key, be it this one or one that is under way."""
        with self._lock:
            flight = self._under_way.get(key)
            is_first = flight is None
            if flight is None:
                flight = self._under_way[key] = Future()
        if is_first:
            self._fly(key, flight, fetch)
        try:
            return cast("T", flight.result())
        except ServiceError as error:
            # Each thread raises its own, or they would all write into one traceback.
            raise error if is_first else copy.copy(error) from error.__cause__

    def _fly(self, key: Hashable, flight: Future[T], fetch: Callable[[], T]) -> None:
        try:
            flight.set_result(fetch())
        except BaseException as error:  # noqa: BLE001 (whatever it is, those who wait must get it)
            flight.set_exception(error)
        finally:
            with self._lock:
                self.landed += 1
                del self._under_way[key]
