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
            self._changed.wait_for(lambda: at in self._waiting or len(self._waiting) < self._most)
            self._waiting[at] = unwritten
            if self._thread is None:
                self._start()

    def drop(self, at: K) -> None:
        """Leave it unwritten; where it is being written, wait for the end of that."""
        with self._changed:
            self._waiting.pop(at, None)
            self._changed.wait_for(lambda: self._at_work != at)

    def flush(self, is_meant: Callable[[K], bool] | None = None) -> None:
        """Wait until everything that is meant is written, without a choice all of it."""
        meant = is_meant or (lambda _: True)
        with self._changed:
            self._changed.wait_for(lambda: not any(map(meant, self._waiting)))

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
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    return
                at, unwritten = next(iter(self._waiting.items()))
                self._at_work = at
            _write(at, unwritten)
            with self._changed:
                self._at_work = None
                if self._waiting.get(at) is unwritten:  # or a newer one has taken its place
                    del self._waiting[at]
                self._changed.notify_all()


def _write(at: Named, unwritten: Unwritten) -> None:
    try:
        unwritten.write()
    except Exception:  # the edge of a thread: the next value must still be written
        _LOGGER.exception("not kept: %s", at.kind)
