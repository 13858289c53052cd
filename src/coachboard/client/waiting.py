"""The threads of a client, and waits that a page can show.

Streamlit lets only the page's own thread draw, and may end that thread at any moment. A request therefore runs in a
worker and continues when the page is left; the page's thread waits for it and shows the wait.
"""

import copy
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from coachboard.client.errors import ServiceError

_LOGGER = logging.getLogger(__name__)

T = TypeVar("T")
V = TypeVar("V")

STEP_S = 0.25
"""How often a wait is reported."""

CLOSE_S = 5.0
"""How long the end waits for running work: all threads of all clients together."""

AT_ONCE = 8
"""Users that are read at once; the service allows several ("Limits", rule 2), more are not faster."""

READERS, REQUESTERS, BACKGROUND_WORKERS = 12, 12, 2

ANSWER_REASON = "the service"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait. `seconds_left` is 0 at its end and None while its end is unknown."""

    seconds_left: float | None
    reason: str
    seconds_so_far: float = 0.0
    what: str = ""  # the list or kind that is fetched


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the users were read; `seconds_left` is the wait for the rate limit."""

    done: int
    total: int
    seconds_left: float = 0.0


Listener = Callable[[Waiting], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("coachboard_waiting", default=None)
_IS_READER: ContextVar[bool] = ContextVar("coachboard_reader", default=False)


@contextmanager
def waits_reported_to(listener: Listener) -> Iterator[None]:
    """Report waits while the context lasts: for the rate limit the seconds left, for the service the seconds so far."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


class Closed(Exception):  # noqa: N818 (never shown)
    """The client was closed during a wait."""


class Patience:
    """Waits that report themselves and that closing the client ends; tests pass in their own sleep."""

    def __init__(self, sleep: Callable[[float], None] | None = None) -> None:
        self._ended = threading.Event()
        self._sleep = sleep

    def end(self) -> None:
        """End all waits with `Closed`."""
        self._ended.set()

    def require_open(self) -> None:
        """Raise `Closed` after the end."""
        if self._ended.is_set():
            raise Closed

    def wait(self, seconds: float, reason: str) -> None:
        """Wait, and report the seconds left."""
        report = _LISTENER.get() or _ignore
        left = seconds
        while left > 0:
            report(Waiting(left, reason))
            step = min(STEP_S, left)
            self.pause(step)
            left -= step
        report(Waiting(0.0, reason))

    def pause(self, seconds: float) -> None:
        """Wait without a report."""
        if self._sleep is not None:
            self._sleep(seconds)
        else:
            self._ended.wait(seconds)
        self.require_open()


def _ignore(_: Waiting) -> None:
    """Nobody listens."""


class Answer(Future[T]):
    """A future of a worker; a thread that waits for its result reports the waits of the worker."""

    def __init__(self, what: str = "") -> None:
        super().__init__()
        self.waits = [Waiting(None, ANSWER_REASON, what=what)]

    def compute(self, ask: Callable[[], T]) -> None:
        """Compute the result in this thread."""
        if self.done() or not self.set_running_or_notify_cancel():
            return
        try:
            with waits_reported_to(self.waits.append):
                result = ask()
        except BaseException as error:  # noqa: BLE001 (it belongs to the thread that waits)
            self.set_exception(error)
        else:
            self.set_result(result)

    def result(self, timeout: float | None = None) -> T:
        """The result; until it is there, reports the waits to the listener of this thread."""
        if (listener := _LISTENER.get()) is not None:
            self._report(listener)
        return super().result(timeout)

    def _report(self, listener: Listener) -> None:
        started, heard, request, last = time.monotonic(), 0, self.waits[0], None
        while True:
            is_over = bool(wait([self], STEP_S).done)
            news = self.waits[heard:]
            heard += len(news)
            for waiting in news:
                if waiting.seconds_left is None:
                    request = waiting
                else:
                    listener(last := waiting)
            if is_over:
                break
            if last is None or not last.seconds_left:  # no wait with a known end is going on
                listener(last := replace(request, seconds_so_far=time.monotonic() - started))
        if last is not None and last.seconds_left != 0:
            listener(Waiting(0.0, last.reason))

    @property
    def seconds_left(self) -> float:
        """The seconds until the end of the present wait, 0 if it is unknown."""
        return self.waits[-1].seconds_left or 0.0


class Workers:
    """The workers of a client and its requests under way.

    Background jobs wait for readers and requests, readers wait for requests, and requests wait for the service alone: no
    worker waits for another one of its own pool. Of two threads that add a request with the same key at once,
    `dict.setdefault` lets the first do so.
    """

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, "coachboard-read")
        self._requesters = ThreadPoolExecutor(REQUESTERS, "coachboard-request")
        self._background = ThreadPoolExecutor(BACKGROUND_WORKERS, "coachboard-background")
        self._under_way: dict[Hashable, Answer[Any]] = {}
        self._jobs: dict[Hashable, Answer[None]] = {}

    def submit(self, ask: Callable[..., T], /, *args: Any, **kwargs: Any) -> Answer[T]:
        """Ask in a reader, in this thread if it is one."""
        answer: Answer[T] = Answer()
        compute = partial(answer.compute, partial(ask, *args, **kwargs))
        if _IS_READER.get():
            compute()
        else:
            context = copy_context()
            context.run(_IS_READER.set, True)
            _start(self._readers, partial(context.run, compute))
        return answer

    def join(self, key: Hashable, fetch: Callable[[], T], *, what: str) -> T:
        """The result of the request with that key, of this caller or of one before; `what` names it to the listener."""
        new: Answer[T] = Answer(what)
        answer: Answer[T] = self._under_way.setdefault(key, new)
        is_first = answer is new
        if is_first:
            _start(self._requesters, partial(answer.compute, partial(self._fetched, key, fetch)))
        try:
            return answer.result()
        except ServiceError as error:
            # Each thread raises its own error; the threads would otherwise write into one traceback.
            raise error if is_first else copy.copy(error) from error.__cause__

    def _fetched(self, key: Hashable, fetch: Callable[[], T]) -> T:
        try:
            return fetch()
        finally:
            del self._under_way[key]

    def later(self, key: Hashable, job: Callable[[], object]) -> None:
        """Do the job in the background, unless a job with the same key is waiting or running."""
        answer: Answer[None] = Answer()
        if self._jobs.setdefault(key, answer) is answer:
            try:
                self._background.submit(answer.compute, partial(self._do, key, job))
            except RuntimeError:  # the client is closed
                self._jobs.pop(key, None)

    def _do(self, key: Hashable, job: Callable[[], object]) -> None:
        try:
            job()
        except Closed:
            return
        except ServiceError as error:
            _LOGGER.info("in the background: %s", error)
        except Exception:  # the next job must still be done
            _LOGGER.exception("a job in the background failed")
        finally:
            self._jobs.pop(key, None)

    def is_idle(self, timeout_s: float = 0.0) -> bool:
        """Whether all background jobs are done, after a wait for them."""
        until = time.monotonic() + timeout_s
        while jobs := list(self._jobs.values()):
            if wait(jobs, max(0.0, until - time.monotonic())).not_done:
                return False
        return True

    def each(
        self,
        ask: Callable[[str], T],
        ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[tuple[str, T | ServiceError]]:
        """Each id with its answer or its error, as soon as it arrives; `AT_ONCE` at a time."""
        waiting = deque(dict.fromkeys(ids))
        total = len(waiting)
        pending: dict[Answer[T], str] = {}
        try:
            while pending or waiting:
                while waiting and len(pending) < AT_ONCE:
                    identifier = waiting.popleft()
                    pending[self.submit(ask, identifier)] = identifier
                finished, _ = wait(pending, STEP_S, FIRST_COMPLETED)
                seconds_left = max((answer.seconds_left for answer in pending), default=0.0)
                for answer in [answer for answer in pending if answer in finished]:
                    identifier, error = pending.pop(answer), answer.exception()
                    yield identifier, error if isinstance(error, ServiceError) else answer.result()
                if on_progress is not None:
                    on_progress(Progress(total - len(pending) - len(waiting), total, seconds_left))
        finally:
            for answer in pending:
                answer.cancel()

    def end(self) -> None:
        """Accept no more work, without a wait for the running work."""
        for pool in (self._background, self._readers, self._requesters):
            pool.shutdown(wait=False)  # queued work still runs, and ends at its first wait or request

    def close(self, within_s: float = CLOSE_S) -> None:
        """Accept no more work, and wait a moment, for all together, until the running work is done."""
        self.end()
        wait([*self._under_way.values(), *self._jobs.values()], within_s)


def _start(pool: ThreadPoolExecutor, work: Callable[[], None]) -> None:
    """Do the work in the pool; in this thread after the end of the client, which then raises its error."""
    try:
        pool.submit(work)
    except RuntimeError:
        work()


class Memo(Generic[V]):
    """The values used last, up to a total cost; safe for many threads."""

    def __init__(self, max_cost: int) -> None:
        self._max_cost = max_cost
        self._cost = 0
        self._entries: OrderedDict[Any, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: Hashable, value: V, cost: int = 1) -> None:
        """Keep the value, unless it alone costs more than the maximum."""
        with self._lock:
            self._remove(key)
            if cost > self._max_cost:
                return
            self._entries[key] = (value, cost)
            self._cost += cost
            while self._cost > self._max_cost:
                self._remove(next(iter(self._entries)))

    def remove_if(self, matches: Callable[[Any], bool]) -> None:
        """Remove the entries whose key matches."""
        with self._lock:
            for key in [key for key in self._entries if matches(key)]:
                self._remove(key)

    def matching(self, matches: Callable[[Any], bool]) -> dict[Any, V]:
        """The entries whose key matches."""
        with self._lock:
            return {key: value for key, (value, _) in self._entries.items() if matches(key)}

    def _remove(self, key: Hashable) -> None:
        if key in self._entries:
            self._cost -= self._entries.pop(key)[1]
