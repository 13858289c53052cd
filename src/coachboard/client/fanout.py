"""Asking many things at once: eight threads, results as they come, errors among them.

What waits says so in the thread that waits for the answer, because a page must not be drawn by another.
"""

import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from coachboard.client.errors import ServiceError
from coachboard.client.waiting import STEP_S, Waiting, heard_by, listener_here

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


class Answer(Future[T]):
    """A future whose waits for the budget are told to the listener of the thread that waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: SimpleQueue[Waiting] = SimpleQueue()

    def result(self, timeout: float | None = None) -> T:
        listener = listener_here()
        if listener is not None:
            give_up_at = None if timeout is None else time.monotonic() + timeout
            while not self.done() and (give_up_at is None or time.monotonic() < give_up_at):
                wait([self], timeout=STEP_S)
                for heard in heard_so_far(self.waits):
                    listener(heard)
            timeout = timeout and 0
        return super().result(timeout)


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
        job = partial(contextvars.copy_context().run, partial(_answer, answer, ask, args, kwargs))
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


def _answer(answer: Answer[T], ask: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if not answer.set_running_or_notify_cancel():
        return
    try:
        with heard_by(answer.waits.put):
            answer.set_result(ask(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001 (whatever it is, it belongs to who asked)
        answer.set_exception(error)


def heard_so_far(waits: SimpleQueue[Waiting]) -> Iterator[Waiting]:
    """What has been said since the last look."""
    while True:
        try:
            yield waits.get_nowait()
        except Empty:
            return


def _seconds_left(answer: Answer[Any]) -> float:
    left = [heard.seconds_left for heard in heard_so_far(answer.waits)]
    return left[-1] if left else 0.0


def _error_of(answer: Answer[Any]) -> ServiceError | None:
    error = answer.exception()
    return error if isinstance(error, ServiceError) else None
