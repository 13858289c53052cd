"""The threads of a client, its cache and its sync: one executor, one single flight, one memo, shared parts, and waits that a page can show.

Streamlit lets only the page's own thread draw, and may end that thread at any moment. A fetch therefore runs in a
worker and continues when the page is left; the page's thread waits for it and shows the wait.
"""

import copy
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from coachboard.client.errors import ServiceError

_LOGGER = logging.getLogger(__name__)

T = TypeVar("T")
V = TypeVar("V")

STEP_S = 0.25
"""How often a wait is reported."""

MAX_THREADS = 24
IDLE_S = 30.0
"""How long a worker waits for work before it ends: fifty people on twelve keys left up to 288 threads."""

CLOSE_S = 5.0
"""How long the end waits for running work: all threads of all clients together."""

AT_ONCE = 8
"""Users that are read at once; the service allows several ("Limits", rule 2), more are not faster.

Squads that are read at the same time share them: ten squads used eighty threads, and pages waited for the processor for
up to two minutes.
"""
_SQUADS: set[object] = set()
"""One entry for each call of `Threads.each` that is under way, of all clients."""

REFRESHES = 2
"""Background jobs at once, so that they leave the processor and the connections to the pages."""

HEAD_START_S = 0.1
"""How long the first of many users is read alone; next to seven others it would appear with them, not before."""

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
_IS_RELAY: ContextVar[bool] = ContextVar("coachboard_waiting_relay", default=False)


@contextmanager
def waits_reported_to(listener: Listener, *, is_relay: bool = False) -> Iterator[None]:
    """Report the waits of this context to a listener, in the thread that waits.

    A relay only hands the waits to another thread; a listener that is no relay may draw, or raise to end the wait.
    """
    token, relay = _LISTENER.set(listener), _IS_RELAY.set(is_relay)
    try:
        yield
    finally:
        _LISTENER.reset(token)
        _IS_RELAY.reset(relay)


def is_page_thread() -> bool:
    """Whether this thread has a listener that may draw: it must not fetch, because a fetch cannot be ended."""
    return _LISTENER.get() is not None and not _IS_RELAY.get()


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
        listener = _LISTENER.get()
        left = seconds
        while left > 0:
            if listener is not None:
                listener(Waiting(left, reason))
            step = min(STEP_S, left)
            self.pause(step)
            left -= step
        if listener is not None:
            listener(Waiting(0.0, reason))

    def pause(self, seconds: float) -> None:
        """Wait without a report."""
        if self._sleep is not None:
            self._sleep(seconds)
        else:
            self._ended.wait(seconds)
        self.require_open()


class Answer(Future[T]):
    """A future that the first thread to call `run` computes; a thread that asks for the result reports its waits."""

    def __init__(self, ask: Callable[[], T]) -> None:
        super().__init__()
        self._ask = ask
        self._begun = threading.Lock()  # acquired once, by the thread that runs it
        self._waits: SimpleQueue[Waiting] = SimpleQueue()

    def run(self) -> None:
        """Compute the result in this thread, unless another thread has begun to."""
        if not self._begun.acquire(blocking=False) or not self.set_running_or_notify_cancel():
            return
        try:
            with waits_reported_to(
                self._relay_to(_LISTENER.get() if _IS_RELAY.get() else None), is_relay=True
            ):
                self.set_result(self._ask())
        except BaseException as error:  # noqa: BLE001 (it belongs to the thread that waits)
            self.set_exception(error)

    def _relay_to(self, next_relay: Listener | None) -> Listener:
        def relay(waiting: Waiting) -> None:
            self._waits.put(waiting)
            if next_relay is not None:
                next_relay(waiting)

        return relay

    def new_waits(self) -> Iterator[Waiting]:
        """The waits since the last call of this method."""
        while True:
            try:
                yield self._waits.get_nowait()
            except Empty:
                return

    def result(self, timeout: float | None = None) -> T:
        """The result; until it is there, reports the waits to the listener of this thread."""
        listener = _LISTENER.get()
        if listener is not None:
            give_up_at = None if timeout is None else time.monotonic() + timeout
            reporter = _Reporter(listener)
            while not self.done() and (give_up_at is None or time.monotonic() < give_up_at):
                wait([self], timeout=STEP_S)
                reporter.report(self.new_waits(), is_over=self.done())
            timeout = timeout and 0
        return super().result(timeout)


class _Reporter:
    """Reports the waits of an answer; without a wait of its own, how long the answer takes so far."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._started = time.monotonic()
        self._last = self._request = Waiting(None, ANSWER_REASON)
        self._has_reported = False

    def report(self, waits: Iterator[Waiting], *, is_over: bool) -> None:
        for heard in waits:
            self._last = heard
            if heard.seconds_left is None:
                self._request = heard
            else:
                self._tell(heard)
        if is_over:
            if self._has_reported and self._last.seconds_left != 0:
                self._tell(Waiting(0.0, self._last.reason))
        elif not self._last.seconds_left:  # no wait with a known end is going on
            self._tell(replace(self._request, seconds_so_far=time.monotonic() - self._started))

    def _tell(self, waiting: Waiting) -> None:
        self._has_reported = True
        self._listener(waiting)


class Threads(Executor):
    """Workers, up to a number of them. They are daemons: the end of the process does not wait for a request."""

    def __init__(self, most: int = MAX_THREADS, *, name: str = "coachboard-client") -> None:
        self._most = most
        self._name = name
        self._changed = threading.Condition()
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._unfinished = 0  # jobs in the queue or in a worker
        self._threads: list[threading.Thread] = []
        self._is_closed = False
        self._here = threading.local()
        self._jobs: dict[Hashable, Callable[[], object]] = {}  # background jobs, running ones among them
        self._running: set[Hashable] = set()
        self._refreshers = 0

    def submit(self, ask: Callable[..., T], /, *args: Any, **kwargs: Any) -> Answer[T]:
        """Ask in a worker. A worker asks at once itself: workers that wait for each other could block all of them."""
        answer = Answer(partial(ask, *args, **kwargs))
        self.start(answer)
        return answer

    def start(self, answer: Answer[Any]) -> None:
        """Run the answer in a worker; in this thread if it is a worker, or if there is none and none can start."""
        context = copy_context()
        if getattr(self._here, "is_worker", False) or not self._put(lambda: context.run(answer.run)):
            answer.run()

    def later(self, key: Hashable, job: Callable[[], object]) -> None:
        """Do the job in the background, unless a job with the same key is waiting or running."""
        with self._changed:
            if self._is_closed or key in self._jobs:
                return
            self._jobs[key] = job
            if self._refreshers == REFRESHES:
                return
            self._refreshers += 1
        if not self._put(self._do_jobs):
            with self._changed:
                self._refreshers -= 1
                del self._jobs[key]

    def is_idle(self, timeout_s: float = 0.0) -> bool:
        """Whether all background jobs are done, after a wait for them."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs, timeout_s)

    def each(
        self,
        ask: Callable[[str], T],
        ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[tuple[str, T | ServiceError]]:
        """Each id with its answer or its error, in the order of arrival; the first id has a head start."""
        waiting = deque(dict.fromkeys(ids))
        total = len(waiting)
        squad = object()
        _SQUADS.add(squad)
        pending = {self.submit(ask, one): one for one in [waiting.popleft()]} if waiting else {}
        try:
            wait(pending, timeout=HEAD_START_S)
            while pending or waiting:
                while waiting and len(pending) < max(1, AT_ONCE // len(_SQUADS)):
                    identifier = waiting.popleft()
                    pending[self.submit(ask, identifier)] = identifier
                finished, _ = wait(pending, timeout=STEP_S, return_when=FIRST_COMPLETED)
                seconds_left = max((_seconds_left(answer) for answer in pending), default=0.0)
                for answer in [answer for answer in pending if answer in finished]:
                    error = answer.exception()
                    identifier = pending.pop(answer)
                    yield identifier, error if isinstance(error, ServiceError) else answer.result()
                if on_progress is not None:
                    on_progress(Progress(total - len(pending) - len(waiting), total, seconds_left))
        finally:
            _SQUADS.discard(squad)
            for answer in pending:
                answer.cancel()

    def end(self) -> None:
        """Accept no more work, without a wait for the running work."""
        with self._changed:
            was_closed, self._is_closed = self._is_closed, True
            for _ in () if was_closed else self._threads:
                self._queue.put(None)

    def close(self, within_s: float = CLOSE_S) -> None:
        """Accept no more work, and wait a moment, for all together, until the running work is done."""
        until = time.monotonic() + within_s
        self.end()
        for thread in list(self._threads):
            if thread is not threading.current_thread():
                thread.join(max(until - time.monotonic(), 0.0))

    def _put(self, job: Callable[[], None]) -> bool:
        with self._changed:
            if self._is_closed:
                return False
            if len(self._threads) < min(self._unfinished + 1, self._most):
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the process may have no more threads
                    if not self._threads:
                        return False
                else:
                    self._threads.append(thread)
            self._queue.put(job)
            self._unfinished += 1
        return True

    def _work(self) -> None:
        self._here.is_worker = True
        while (job := self._next()) is not None:
            job()
            del job  # its context holds the page's session, also after the page is closed
            with self._changed:
                self._unfinished -= 1

    def _next(self) -> Callable[[], None] | None:
        """The next job; None after a while without one, and when the client is closed."""
        while True:
            with suppress(Empty):
                return self._queue.get(timeout=IDLE_S)
            with self._changed:  # no job comes in between
                if self._queue.empty():
                    self._threads.remove(threading.current_thread())
                    return None

    def _do_jobs(self) -> None:
        """Do background jobs until there are no more."""
        while True:
            with self._changed:
                key = next((key for key in self._jobs if key not in self._running), None)
                if key is None:
                    self._refreshers -= 1
                    return
                self._running.add(key)
            if not self._is_closed:
                _do(self._jobs[key])
            with self._changed:
                self._running.discard(key)
                del self._jobs[key]
                self._changed.notify_all()


def _seconds_left(answer: Answer[Any]) -> float:
    left = [heard.seconds_left for heard in answer.new_waits()]
    return (left[-1] if left else None) or 0.0


def _do(job: Callable[[], object]) -> None:
    try:
        job()
    except Closed:
        return
    except ServiceError as error:
        _LOGGER.info("in the background: %s", error)
    except Exception:  # the next job must still be done
        _LOGGER.exception("a job in the background failed")


class SingleFlight:
    """One fetch of a key at a time: threads that ask for the same wait for the same result."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Answer[Any]] = {}

    def join(self, key: Hashable, fetch: Callable[[], T], *, what: str, reason: str = ANSWER_REASON) -> T:
        """The result of the fetch of that key, of this caller or of one before; `what` names it to the listener.

        A page's thread lets a worker fetch. Any other thread fetches itself, also the fetch of a page that still
        waits for a free worker: else all workers could wait for that fetch.
        """
        with self._lock:
            flight: Answer[T] | None = self._under_way.get(key)
            is_first = flight is None
            if flight is None:
                fly = partial(self._fly, key, fetch, Waiting(None, reason, what=what))
                flight = self._under_way[key] = Answer(fly)
        if not is_page_thread():
            flight.run()
        elif is_first:
            self._threads.start(flight)
        try:
            return flight.result()
        except ServiceError as error:
            # Each thread raises its own error; the threads would otherwise write into one traceback.
            raise error if is_first else copy.copy(error) from error.__cause__

    def _fly(self, key: Hashable, fetch: Callable[[], T], begins: Waiting) -> T:
        listener = _LISTENER.get()
        try:
            if listener is not None:
                listener(begins)
            return fetch()
        finally:
            with self._lock:
                del self._under_way[key]


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

    def put(self, key: Hashable, value: V, cost: int = 1) -> list[V]:
        """Keep the value, unless it alone costs more than the maximum; returns the values that left to make room."""
        with self._lock:
            self._remove(key)
            if cost > self._max_cost:
                return [value]
            self._entries[key] = (value, cost)
            self._cost += cost
            dropped = []
            while self._cost > self._max_cost:
                oldest = next(iter(self._entries))
                dropped.append(self._entries[oldest][0])
                self._remove(oldest)
            return dropped

    def remove_if(self, matches: Callable[[Any], bool]) -> None:
        """Remove the entries whose key matches."""
        with self._lock:
            for key in [key for key in self._entries if matches(key)]:
                self._remove(key)

    def _remove(self, key: Hashable) -> None:
        if key in self._entries:
            self._cost -= self._entries.pop(key)[1]


class Closable(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


@dataclass(slots=True)
class _Use(Generic[C]):
    value: C
    users: int


class Shared(Generic[C]):
    """Values that the clients of a process share: the first user makes a value, the last user closes it.

    With a cache and connections of its own, each client held 8 file descriptors: 73 wrong keys ended a process with a
    limit of 1,024.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._uses: dict[Hashable, _Use[C]] = {}

    def acquire(self, key: Hashable, make: Callable[[], C]) -> C:
        with self._lock:
            use = self._uses.get(key)
            if use is None:
                use = self._uses[key] = _Use(make(), 0)
            use.users += 1
            return use.value

    def release(self, value: C) -> None:
        """End one use."""
        with self._lock:
            found = [key for key, use in self._uses.items() if use.value is value]
            for key in found:
                self._uses[key].users -= 1
                if self._uses[key].users > 0:
                    return
                del self._uses[key]
        if found:
            value.close()
