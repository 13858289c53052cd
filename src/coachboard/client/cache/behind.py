"""Writing behind: what was fetched is the reader's at once, and in the cache a moment later.

Until then reads of this process find it here. The thread is no daemon and ends when there is nothing to write,
so that a normal end of the process waits for it; a crash loses what can be fetched again.
"""

import logging
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

_LOGGER = logging.getLogger(__name__)

MOST = 8
"""How many values wait to be written; who brings one more waits for room."""


class Named(Hashable, Protocol):
    """Where a value is to stand."""

    @property
    def kind(self) -> str:
        """What it is, for the log."""


K = TypeVar("K", bound=Named)


LINGER_S = 0.25
"""How long the thread waits for a next value: to start one for each costs more than to write a list."""

YIELD_S = 0.02
"""How long a value lies before it is written, unless somebody waits for that: its reader is still at work on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Unwritten:
    """A value on its way into the cache."""

    value: object
    fetched_at: float
    write: Callable[[], None]


class Behind(Generic[K]):
    """Values on their way into one cache."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._waiting: dict[K, Unwritten] = {}
        self._at_work: K | None = None
        self._waiters = 0
        self._thread: threading.Thread | None = None

    def get(self, at: K) -> Unwritten | None:
        with self._changed:
            return self._waiting.get(at)

    def keys(self) -> frozenset[K]:
        with self._changed:
            return frozenset(self._waiting)

    def put(self, at: K, unwritten: Unwritten) -> None:
        """Have it written soon; waits while too much is waiting already."""
        with self._changed:
            self._wait_until(lambda: at in self._waiting or len(self._waiting) < self._most)
            self._waiting[at] = unwritten
            if self._thread is None:
                self._start()
            # One that runs finds it by itself: to be woken, it would take the interpreter from who brought it.

    def drop(self, at: K) -> None:
        """Leave it unwritten; where it is being written, wait for the end of that."""
        with self._changed:
            self._waiting.pop(at, None)
            self._wait_until(lambda: self._at_work != at)

    def flush(self, is_meant: Callable[[K], bool] | None = None) -> None:
        """Wait until everything that is meant is written, without a choice all of it."""
        meant = is_meant or (lambda _: True)
        with self._changed:
            self._wait_until(lambda: not any(map(meant, self._waiting)))

    def _wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait, and have the writer not wait for its part."""
        if is_so():
            return
        self._waiters += 1
        self._changed.notify_all()
        self._changed.wait_for(is_so)
        self._waiters -= 1

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._work, name="coachboard-write", daemon=False)
        try:
            self._thread.start()
        except RuntimeError:  # the interpreter is about to end and starts no more threads
            self._thread = None
            for at, unwritten in self._waiting.items():
                _write(at, unwritten)
            self._waiting.clear()

    def _work(self) -> None:
        is_busy = False
        while True:
            with self._changed:
                if not (is_busy and self._waiting) and not self._has_next():
                    self._thread = None
                    return
                at, unwritten = next(iter(self._waiting.items()))
                self._at_work, is_busy = at, True
            _write(at, unwritten)
            with self._changed:
                self._at_work = None
                if self._waiting.get(at) is unwritten:  # or a newer one has taken its place
                    del self._waiting[at]
                self._changed.notify_all()

    def _has_next(self) -> bool:
        """Look for a next value for a while, and leave it a moment to who brought it; whether there is one."""
        for _ in range(round(LINGER_S / YIELD_S)):
            if self._changed.wait_for(lambda: bool(self._waiting), YIELD_S):
                break
        self._changed.wait_for(lambda: self._waiters > 0 or not self._waiting, YIELD_S)
        return bool(self._waiting)


def _write(at: Named, unwritten: Unwritten) -> None:
    try:
        unwritten.write()
    except Exception:  # the edge of a thread: the next value must still be written
        _LOGGER.exception("not written to the cache: %s", at.kind)
