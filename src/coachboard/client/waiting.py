"""Waiting that can be seen and ended: who waits says how long, who listens shows it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

STEP_S = 0.25
"""How often a wait is reported."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait that is going on; `seconds_left` of 0 says that it is over."""

    seconds_left: float
    reason: str


Listener = Callable[[Waiting], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("coachboard_waiting", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Have the waits of this context reported to a listener, which is called in the thread that waits."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def listener_here() -> Listener | None:
    """Who listens in this context."""
    return _LISTENER.get()


class Closed(Exception):  # noqa: N818 (what happened, never shown)
    """The client was closed while something waited."""


class Patience:
    """Sleeps in steps; the sleep itself can be handed in."""

    def __init__(self, sleep: Callable[[float], None] | None = None) -> None:
        self._ended = threading.Event()
        self._sleep = sleep

    def end(self) -> None:
        """Wake all who wait; they get `Closed`."""
        self._ended.set()

    def wait(self, seconds: float, reason: str) -> None:
        """Wait, telling the listener of this context how long it still takes."""
        listener = listener_here()
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
        if self._sleep is not None:
            self._sleep(seconds)
        else:
            self._ended.wait(seconds)
        if self._ended.is_set():
            raise Closed
