"""Writing behind the answer: a reader gets fetched data at once, the cache a moment later.

A list takes some 5 ms to write, the streams of six hours 50 ms: a page does not wait for them. Until streams are written,
readers of this process find them here; another reader of a list waits for its write. The executor writes all values before
the process ends normally; after a crash they are fetched again.
"""

import atexit
import logging
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import wait
from dataclasses import dataclass
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar

from coachboard.client.concurrency import Answer, Threads

_LOGGER = logging.getLogger(__name__)

MAX_UNWRITTEN = 8
"""Values that wait to be written; the thread with one more waits for room."""

_WRITER = Threads(1, name="coachboard-write")  # one worker: values of a key keep their order
atexit.register(_WRITER.close, threading.TIMEOUT_MAX)


class NamedKey(Hashable, Protocol):
    """The key of a value."""

    @property
    def kind(self) -> str:
        """The kind of the value, for the log."""


K = TypeVar("K", bound=NamedKey)


@dataclass(frozen=True, slots=True, eq=False)
class Unwritten:
    """A fetched value and the function that writes it."""

    value: object
    fetched_at: float
    write: Callable[[], None]


class _Queued(NamedTuple):
    unwritten: Unwritten
    written: Answer[None]
    former: Answer[None] | None  # of the same key, being written


class WriteBehind(Generic[K]):
    """The unwritten values of one cache."""

    def __init__(self, limit: int = MAX_UNWRITTEN) -> None:
        self._room = threading.Semaphore(limit)
        self._lock = threading.Lock()
        self._queued: dict[K, _Queued] = {}

    def get(self, key: K) -> Unwritten | None:
        with self._lock:
            queued = self._queued.get(key)
        return None if queued is None else queued.unwritten

    def keys(self) -> frozenset[K]:
        with self._lock:
            return frozenset(self._queued)

    def put(self, key: K, unwritten: Unwritten) -> None:
        """Write the value soon, in place of an unwritten value of the same key; waits for room."""
        self._room.acquire()
        written = Answer(partial(self._write, key, unwritten))
        written.add_done_callback(lambda _: self._room.release())
        with self._lock:
            queued = self._queued.get(key)
            # Before the new value starts: the old value must not be written after it.
            former = None if queued is None or queued.written.cancel() else queued.written
            self._queued[key] = _Queued(unwritten, written, former)
        _WRITER.start(written)

    def drop(self, key: K) -> None:
        """Do not write the value; if a write of this key has begun, wait for its end."""
        with self._lock:
            queued = self._queued.pop(key, None)
        if queued is not None:
            begun = [] if queued.written.cancel() else [queued.written]
            wait([*begun, *([queued.former] if queued.former else [])])

    def flush(self, is_chosen: Callable[[K], bool] = lambda _: True) -> None:
        """Wait until all chosen values are written."""
        with self._lock:
            chosen = [queued.written for key, queued in self._queued.items() if is_chosen(key)]
        wait(chosen)

    def _write(self, key: K, unwritten: Unwritten) -> None:
        try:
            unwritten.write()
        except Exception:  # the next value must still be written
            _LOGGER.exception("not written to the cache: %s", key.kind)
        with self._lock:
            queued = self._queued.get(key)
            if queued is not None and queued.unwritten is unwritten:  # else a newer value waits
                del self._queued[key]
