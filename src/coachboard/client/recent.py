"""What was decoded lately, kept within a bound: the least recently used goes first."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """A thread-safe LRU mapping bounded by the sum of what its values cost."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._cost = 0
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: Hashable, value: V, cost: int) -> None:
        """Keep a value; what alone is over the bound is not kept."""
        with self._lock:
            self._remove(key)
            if cost > self._most:
                return
            self._entries[key] = (value, cost)
            self._cost += cost
            while self._cost > self._most:
                self._remove(next(iter(self._entries)))

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._cost = 0

    def _remove(self, key: Hashable) -> None:
        if key in self._entries:
            self._cost -= self._entries.pop(key)[1]
