"""Work that nobody waits for: a few daemon threads, each key at most once in the queue."""

import logging
import threading
from collections.abc import Callable, Hashable
from queue import SimpleQueue

from coachboard.client.errors import ServiceError
from coachboard.client.waiting import Closed

_LOGGER = logging.getLogger(__name__)

THREADS = 2

Job = Callable[[], object]


class Background:
    """A queue of jobs. Threads start with the first job and end with the client or the process."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Hashable, Job] | None] = SimpleQueue()
        self._changed = threading.Condition()
        self._waiting: set[Hashable] = set()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    def submit(self, key: Hashable, job: Job) -> None:
        """Do the job soon, unless one of the same key is to be done already."""
        with self._changed:
            if self._is_closed or key in self._waiting:
                return
            self._waiting.add(key)
            if len(self._threads) < THREADS:
                thread = threading.Thread(target=self._work, name="coachboard-refresh", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._queue.put((key, job))

    def is_idle(self, timeout_s: float = 0.0) -> bool:
        """Whether all is done, after waiting for it up to a time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, timeout_s)

    def is_pending(self, key: Hashable) -> bool:
        with self._changed:
            return key in self._waiting

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            threads = list(self._threads)
        for _ in threads:
            self._queue.put(None)
        for thread in threads:
            thread.join(timeout=5.0)

    def _work(self) -> None:
        while (entry := self._queue.get()) is not None:
            key, job = entry
            if not self._is_closed:
                _do(job)
            with self._changed:
                self._waiting.discard(key)
                self._changed.notify_all()


def _do(job: Job) -> None:
    try:
        job()
    except Closed:
        return
    except ServiceError as error:
        _LOGGER.info("refresh: %s", error)
    except Exception:  # the edge of a thread: the next job must still be done
        _LOGGER.exception("refresh failed")
