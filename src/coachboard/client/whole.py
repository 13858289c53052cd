"""What one request gives as a whole: how it is asked for, stored and read, and how long it is fresh."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from coachboard.client.http import Request
from coachboard.client.result import RowProblem, Source

T = TypeVar("T")

KEPT_MODELS = 2_000
"""Users and profiles held decoded in memory; streams are read from the cache each time (2 ms)."""


@dataclass(frozen=True, slots=True)
class Fresh(Generic[T]):
    """What a reply came to: the value at once, and the bytes to keep when somebody has the time to make them."""

    source: Source[T]
    problems: tuple[RowProblem, ...]
    body: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Thing(Generic[T]):
    """A kind of whole under a key."""

    kind: str
    key: str
    request: Request
    user_id: str  # whose budget it is, empty for none
    lifetime_s: float
    open: Callable[[Request, bytes], Fresh[T]]  # a reply's body; raises `UnreadableResponse`
    read: Callable[[bytes], tuple[Source[T], tuple[RowProblem, ...]]]  # what was kept
    absent_s: float = 0.0  # how long "not found" is believed
    cost: int = 1  # in models; more than KEPT_MODELS is not held in memory
    is_large: bool = False  # is written when the reader has it
