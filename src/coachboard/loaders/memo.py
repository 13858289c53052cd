"""Cache values computed from results, as long as the results are the same objects.

A page reruns at every click, mostly with the rows of the run before.
"""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

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


class _MemoEntry(NamedTuple):
    sources: tuple[weakref.ref[object] | None, ...]
    value: Any


class RowsMemo(Generic[V]):
    """The newest values, thread-safe. Holds weak references to the rows; a value ends at the next one after its rows."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[Hashable, _MemoEntry] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, results: Sequence[Result[Any] | None], besides: Hashable, make: Callable[[], V]) -> V:
        """The value of `make` for these results and the further arguments `besides`."""
        sources = [None if one is None else one.source for one in results]
        at = (besides, *map(id, sources))
        with self._lock:
            entry = self._entries.get(at)
            if entry is not None and _is_of(entry, sources):
                self._entries.move_to_end(at)
                return entry.value  # type: ignore[no-any-return] # the type of `make`
        value = make()
        refs = tuple(None if source is None else weakref.ref(source) for source in sources)
        with self._lock:
            self._remove_dead()
            self._entries[at] = _MemoEntry(refs, value)
            self._entries.move_to_end(at)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        return value

    def _remove_dead(self) -> None:
        """Remove the values whose rows are gone, which nobody asks for again."""
        for at in [at for at, entry in self._entries.items() if _is_dead(entry)]:
            del self._entries[at]


def _is_dead(entry: _MemoEntry) -> bool:
    return any(ref is not None and ref() is None for ref in entry.sources)


def _is_of(entry: _MemoEntry, sources: Sequence[object | None]) -> bool:
    """Python reuses the id of a deleted object for another one."""
    held = (None if ref is None else ref() for ref in entry.sources)
    return all(one is source for one, source in zip(held, sources, strict=True))
