"""What one thread asks and another waits for: the waits on the way are told where somebody looks."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TypeVar

from coachboard.client.waiting import (
    ANSWER_REASON,
    STEP_S,
    Listener,
    Waiting,
    heard_by,
    listener_here,
    relay_here,
)

T = TypeVar("T")


class Answer(Future[T]):
    """A future whose waits are told to the listener of the thread that waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: SimpleQueue[Waiting] = SimpleQueue()

    def work(self, ask: Callable[[], T]) -> None:
        """Find the answer in this thread, and pass on its waits."""
        if not self.set_running_or_notify_cancel():
            return
        further = relay_here()

        def pass_on(waiting: Waiting) -> None:
            self.waits.put(waiting)
            if further is not None:
                further(waiting)

        try:
            with heard_by(pass_on, is_relayed=True):
                self.set_result(ask())
        except BaseException as error:  # noqa: BLE001 (whatever it is, it belongs to who asked)
            self.set_exception(error)

    def result(self, timeout: float | None = None) -> T:
        listener = listener_here()
        if listener is not None:
            give_up_at = None if timeout is None else time.monotonic() + timeout
            teller = _Teller(listener)
            while not self.done() and (give_up_at is None or time.monotonic() < give_up_at):
                wait([self], timeout=STEP_S)
                teller.tell(heard_so_far(self.waits), is_over=self.done())
            timeout = timeout and 0
        return super().result(timeout)


class _Teller:
    """Tells what was heard, and where there is nothing to hear how long it has been."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._started = time.monotonic()
        self._last = self._asked = Waiting(None, ANSWER_REASON)
        self._has_told = False

    def tell(self, news: Iterator[Waiting], *, is_over: bool) -> None:
        for heard in news:
            self._last = heard
            if heard.seconds_left is None:
                self._asked = heard
            else:
                self._say(heard)
        if is_over:
            if self._has_told and self._last.seconds_left != 0:
                self._say(Waiting(0.0, self._last.reason))
        elif not self._last.seconds_left:  # no wait with an end that is going on
            self._say(replace(self._asked, seconds_so_far=time.monotonic() - self._started))

    def _say(self, waiting: Waiting) -> None:
        self._has_told = True
        self._listener(waiting)


def heard_so_far(waits: SimpleQueue[Waiting]) -> Iterator[Waiting]:
    """What has been said since the last look."""
    while True:
        try:
            yield waits.get_nowait()
        except Empty:
            return
