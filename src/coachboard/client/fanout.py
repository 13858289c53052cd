"""The same question for many athletes at once: eight threads, results as they come, errors among them."""

import contextvars
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from coachboard.client.errors import ServiceError
from coachboard.client.waiting import STEP_S, Waiting, heard_by

T = TypeVar("T")

THREADS = 8
"""The service lets several users be read in parallel ("Limits", rule 2); more threads win nothing."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a question to many has come; `seconds_left` is the wait for the budget that is going on."""

    done: int
    total: int
    seconds_left: float = 0.0


class Pool:
    """Threads for asking many at once; they start when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None

    def close(self) -> None:
        with self._lock:
            if self._executor is not None:
                self._executor.shutdown(wait=True, cancel_futures=True)

    def each(
        self,
        ask: Callable[[str], T],
        ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[tuple[str, T | ServiceError]]:
        """Each id with what `ask` gave or the error it raised, as they come.

        `on_progress` is called in the thread that iterates, because a page must not be drawn by another.
        """
        wanted = list(dict.fromkeys(ids))
        waits: queue.SimpleQueue[Waiting] = queue.SimpleQueue()
        pending = {self._submit(ask, identifier, waits): identifier for identifier in wanted}
        seconds_left = 0.0
        try:
            while pending:
                finished, _ = wait(pending, timeout=STEP_S, return_when=FIRST_COMPLETED)
                while not waits.empty():
                    seconds_left = waits.get().seconds_left
                if finished:
                    seconds_left = 0.0
                for future in finished:
                    identifier = pending.pop(future)
                    yield identifier, future.result()
                if on_progress is not None:
                    on_progress(Progress(len(wanted) - len(pending), len(wanted), seconds_left))
        finally:
            for future in pending:
                future.cancel()

    def _submit(
        self, ask: Callable[[str], T], identifier: str, waits: queue.SimpleQueue[Waiting]
    ) -> Future[T | ServiceError]:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="coachboard-ask")
        context = contextvars.copy_context()
        return self._executor.submit(context.run, _asked, ask, identifier, waits)


def _asked(ask: Callable[[str], T], identifier: str, waits: queue.SimpleQueue[Waiting]) -> T | ServiceError:
    try:
        with heard_by(waits.put):
            return ask(identifier)
    except ServiceError as error:
        return error
