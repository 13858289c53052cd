"""Cache values computed from results, as long as the values of the results are the same.

A page reruns at every click, mostly with the rows of the run before.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar
from weakref import ref

from coachboard.client import Result

V = TypeVar("V")
P = ParamSpec("P")


class Computed(Protocol):
    """A frozen record that keeps the values computed from it; they end with it."""

    @property
    def computed(self) -> dict[Hashable, Any]: ...


R = TypeVar("R", bound=Computed)


def once(compute: Callable[Concatenate[R, P], V]) -> Callable[Concatenate[R, P], V]:
    """Call the function once per record and arguments; a rerun of a page gets the same record."""

    @wraps(compute)
    def computed(record: R, /, *args: P.args, **options: P.kwargs) -> V:
        at = (compute, args, tuple(options.items()))
        if at not in record.computed:
            record.computed[at] = compute(record, *args, **options)
        return record.computed[at]  # type: ignore[no-any-return] # the type of `compute`

    return computed


def identity_of(result: Result[Any] | None, on_gone: Callable[[ref[object]], None] | None = None) -> Hashable:
    """A key that is equal as long as the value of the result is the same, and does not hold it in memory."""
    return None if result is None else ref(result.identity, on_gone)


class RowsMemo(Generic[V]):
    """Keeps the newest values; thread-safe. A value whose rows are gone is removed when the next value is computed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[tuple[Hashable, ...], V] = OrderedDict()
        self._lock = threading.Lock()
        self._has_gone = False

    def of(self, results: Sequence[Result[Any] | None], besides: Hashable, make: Callable[[], V]) -> V:
        """The value of `make` for these results and the further arguments `besides`."""
        at = (besides, *(identity_of(result, self._note_gone) for result in results))
        with self._lock:
            if at in self._entries:
                self._entries.move_to_end(at)
                return self._entries[at]
        value = make()
        with self._lock:
            self._remove_gone()
            self._entries[at] = value
            self._entries.move_to_end(at)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        return value

    def _note_gone(self, _: ref[object]) -> None:
        self._has_gone = True  # no lock: the garbage collector may call this in a thread that holds it

    def _remove_gone(self) -> None:
        """Remove the values whose rows are gone, which nobody asks for again."""
        if not self._has_gone:
            return
        self._has_gone = False
        for at in list(self._entries):
            if any(isinstance(part, ref) and part() is None for part in at[1:]):
                del self._entries[at]
