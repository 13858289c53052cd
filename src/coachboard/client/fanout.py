"""Asking many things at once: eight threads, results as they come, errors among them.

What waits says so in the thread that waits for the answer, because a page must not be drawn by another.
"""

import contextvars
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from coachboard.client.answer import Answer, heard_so_far
from coachboard.client.errors import ServiceError
from coachboard.client.waiting import STEP_S

T = TypeVar("T")

THREADS = 8
"""The service lets several users be read in parallel ("Limits", rule 2); more threads win nothing."""


HEAD_START_S = 0.1
"""How long the first of many is asked alone."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a question to many has come; `seconds_left` is the wait for the budget that is going on."""

    done: int
    total: int
    seconds_left: float = 0.0


class Pool(Executor):
    """Threads for asking many at once; they start when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._here = threading.local()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 (Executor's)
        with self._lock:
            if self._executor is not None:
                self._executor.shutdown(wait, cancel_futures=cancel_futures)

    def submit(self, ask: Callable[..., T], /, *args: Any, **kwargs: Any) -> Answer[T]:
        """Ask in another thread; at once, where this is one of the pool's own.

        Threads that wait for each other could otherwise be all there are.
        """
        answer: Answer[T] = Answer()
        job = partial(contextvars.copy_context().run, partial(answer.work, partial(ask, *args, **kwargs)))
        if getattr(self._here, "is_ours", False):
            job()
        else:
            self._threads().submit(job)
        return answer

    def each(
        self,
        ask: Callable[[str], T],
        ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[tuple[str, T | ServiceError]]:
        """Each id with what `ask` gave or the error it raised, as they come.

        The first has a head start: asked at once with seven others, it would have to wait for all their work too.
        """
        wanted = list(dict.fromkeys(ids))
        pending = {self.submit(ask, identifier): identifier for identifier in wanted[:1]}
        total = len(wanted)
        try:
            wait(pending, timeout=HEAD_START_S)
            pending |= {self.submit(ask, identifier): identifier for identifier in wanted[1:]}
            while pending:
                finished, _ = wait(pending, timeout=STEP_S, return_when=FIRST_COMPLETED)
                seconds_left = max((_seconds_left(answer) for answer in pending), default=0.0)
                for answer in [answer for answer in pending if answer in finished]:
                    identifier, error = pending.pop(answer), _error_of(answer)
                    yield identifier, answer.result() if error is None else error
                if on_progress is not None:
                    on_progress(Progress(total - len(pending), total, seconds_left))
        finally:
            for answer in pending:
                answer.cancel()

    def _threads(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(
                    THREADS, thread_name_prefix="coachboard-ask", initializer=self._mark
                )
            return self._executor

    def _mark(self) -> None:
        self._here.is_ours = True


def _seconds_left(answer: Answer[Any]) -> float:
    left = [heard.seconds_left for heard in heard_so_far(answer.waits)]
    return (left[-1] if left else None) or 0.0


def _error_of(answer: Answer[Any]) -> ServiceError | None:
    error = answer.exception()
    return error if isinstance(error, ServiceError) else None
