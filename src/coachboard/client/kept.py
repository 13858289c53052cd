"""Values computed from reads, which callers keep while a repeat of the reads would return the same rows.

A rerun of a session's page read the data of the run before in client threads and unpacked them: 4 of 24 ms of
processor time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from typing import Generic, NamedTuple, TypeVar

from coachboard.client.cache.database import CacheMoment
from coachboard.client.result import Result

T = TypeVar("T")


class NotedRead(NamedTuple):
    """The part of the cache that a read returned, and the moment until which a repeat makes no request."""

    part: str
    fresh_until: float


_READS: ContextVar[list[NotedRead] | None] = ContextVar("reads of the cache", default=None)
"""A list, because the threads of the client, whose contexts are copies, add to it."""


@contextmanager
def noting_reads() -> Iterator[list[NotedRead]]:
    """Note the reads of this thread and of the client's threads that it asks."""
    assert _READS.get() is None, "the outer value would not depend on the reads of the inner one"
    reads: list[NotedRead] = []
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)


def noted(read: Callable[[], tuple[str, Result[T]]]) -> Result[T]:
    """The result of a read of a part of the cache; an old result and a failed read must be repeated at once."""
    reads, note = _READS.get(), NotedRead("", -inf)
    try:
        part, result = read()
        if not result.is_stale and result.error is None:
            note = NotedRead(part, result.fresh_until)
        return result
    finally:
        if reads is not None:
            reads.append(note)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Kept(Generic[T]):
    """A value, the parts of the cache that it was read from, and the time for which it may be used."""

    value: T
    parts: frozenset[str]
    moment: CacheMoment | None  # before the first read
    since: float
    until: float

    @classmethod
    def of(cls, make: Callable[[], T], moment: CacheMoment | None, now: float) -> "Kept[T]":
        """The value of `make` with its reads."""
        with noting_reads() as reads:
            value = make()
        until = min((read.fresh_until for read in reads), default=inf)
        return cls(value, frozenset(read.part for read in reads), moment, now, until)

    def is_fresh(self, now: float) -> bool:
        """Whether a repeat of its reads makes no request; a clock that was set back makes it old."""
        return self.since <= now < self.until
