"""Cache values computed from results, as long as the values of the results are the same.

A page reruns at every click, mostly with the rows of the run before.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from coachboard.client import Result
from coachboard.client.waiting import Memo

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
        key = (compute, args, tuple(options.items()))
        if key not in record.computed:
            record.computed[key] = compute(record, *args, **options)
        return record.computed[key]  # type: ignore[no-any-return] # the type of `compute`

    return computed


def identity_of(result: Result[Any] | None) -> Hashable:
    """A key that is equal as long as the value of the result is the same."""
    return None if result is None else result.identity


_MEMOS: list[Memo[Any]] = []


def forget(scope: str) -> None:
    """Free the values computed from results of a client that is about to be closed."""
    for memo in _MEMOS:
        memo.remove_if(lambda key: any(isinstance(part, tuple) and part[:1] == (scope,) for part in key[1:]))


class RowsMemo(Generic[V]):
    """Keeps the values used last; thread-safe."""

    def __init__(self, most: int) -> None:
        self._values: Memo[tuple[V]] = Memo(most)
        _MEMOS.append(self._values)

    def of(self, results: Sequence[Result[Any] | None], besides: Hashable, make: Callable[[], V]) -> V:
        """The value of `make` for these results and the further arguments `besides`."""
        key = (besides, *map(identity_of, results))
        kept = self._values.get(key)
        if kept is None:
            kept = (make(),)
            self._values.put(key, kept)
        return kept[0]
