"""Waiting that can be seen and ended: who waits says how long and for what, who listens shows it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

STEP_S = 0.25
"""How often a wait is reported."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait that is going on; `seconds_left` of 0 says that it is over, None that nobody knows its end."""

    seconds_left: float | None
    reason: str
    seconds_so_far: float = 0.0
    what: str = ""  # is being fetched: the name of a list or of a kind


ANSWER_REASON = "the service"


Listener = Callable[[Waiting], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("coachboard_waiting", default=None)
_IS_RELAYED: ContextVar[bool] = ContextVar("coachboard_waiting_relayed", default=False)


@contextmanager
def heard_by(listener: Listener, *, is_relayed: bool = False) -> Iterator[None]:
    """Have the waits of this context reported to a listener, which is called in the thread that waits.

    A relay passes on what it hears to another thread: it never raises, and nobody looks at this thread.
    """
    token, relay = _LISTENER.set(listener), _IS_RELAYED.set(is_relayed)
    try:
        yield
    finally:
        _LISTENER.reset(token)
        _IS_RELAYED.reset(relay)


def relay_here() -> Listener | None:
    """The listener of this context, if it may be called in any thread."""
    return _LISTENER.get() if _IS_RELAYED.get() else None


def is_watched() -> bool:
    """Whether somebody looks at this very thread, which should then do nothing that cannot be told of."""
    return _LISTENER.get() is not None and not _IS_RELAYED.get()


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
