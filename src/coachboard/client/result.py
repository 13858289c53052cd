"""The result of a read: the value, its age, and the problems of its rows."""

from collections.abc import Collection, Iterator, Sequence, Sized
from datetime import date, datetime
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

import pandas as pd

from coachboard.client.errors import RowProblem, ServiceError
from coachboard.client.parsing.frames import frame_of, nested_frame

__all__ = ["Known", "ReadDays", "Result", "RowProblem", "Source"]

T_co = TypeVar("T_co", covariant=True)


class Source(Generic[T_co]):
    """The value of a result, built when a caller asks for it."""

    __slots__ = ("__weakref__",)

    @property
    def identity(self) -> object:
        """The same object as long as the value is the same."""
        return self

    def value(self) -> T_co:
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        raise NotImplementedError

    def rows(self, ids: Collection[str]) -> tuple[Any, ...]:
        raise NotImplementedError

    def describe(self) -> str:
        """The number of rows with their type, `empty`, or the type of a single object."""
        raise NotImplementedError


class Known(Source[T_co]):
    """A value that is built already."""

    __slots__ = ("_value",)

    def __init__(self, value: T_co) -> None:
        self._value = value

    def value(self) -> T_co:
        return self._value

    def frame(self) -> pd.DataFrame:
        return frame_of(self._value)

    def rows(self, ids: Collection[str]) -> tuple[Any, ...]:
        value: Any = self._value
        return tuple(row for row in value if row.id in ids)

    def describe(self) -> str:
        if not isinstance(self._value, tuple):
            return type(self._value).__name__
        return f"{len(self._value)} x {type(self._value[0]).__name__}" if self._value else "empty"


class ReadDays(NamedTuple):
    """Days of a list that were fetched together, and how long ago."""

    first: date
    last: date
    age_s: float


class Result(Sequence[Any], Generic[T_co]):
    """A value with its age; frozen. Models are made when `value` is first read, `frame` needs none.

    The result of a list is a sequence of its rows: `rides[0]`, `rides[-3:]`, `reversed(rides)`, `for ride in rides`.

    Rows that have left memory are decoded when a caller asks for them. If they have left the cache too, they are fetched,
    and `value`, `frame`, `rows` and `nested` raise the `ServiceError` of a failed fetch.

    `as_of` is the moment at which the service had this value. `is_stale` means that the value is too old: a refresh
    runs, or it failed, then `error` is its error. `problems` are the rows, fields and values that differ from the
    interface; `set_aside` counts the rows that were left out. `read_days` names the fetched
    days of a list: the days between them were never fetched. `fresh_until` is the moment, in seconds since 1970, from
    which a read refreshes a part of the value or notes its use; in the past if that is not known.
    """

    __slots__ = ("as_of", "error", "fresh_until", "is_stale", "problems", "read_days", "source")

    source: Source[T_co]
    as_of: datetime
    is_stale: bool
    error: ServiceError | None
    problems: tuple[RowProblem, ...]
    read_days: tuple[ReadDays, ...]
    fresh_until: float

    def __init__(  # noqa: PLR0913 (each field has its own source)
        self,
        value: T_co | Source[T_co],
        as_of: datetime,
        *,
        is_stale: bool = False,
        error: ServiceError | None = None,
        problems: tuple[RowProblem, ...] = (),
        read_days: tuple[ReadDays, ...] = (),
        fresh_until: float = -inf,
    ) -> None:
        source = value if isinstance(value, Source) else Known(value)
        for name, held in (
            ("source", source),
            ("as_of", as_of),
            ("is_stale", is_stale),
            ("error", error),
            ("problems", problems),
            ("read_days", read_days),
            ("fresh_until", fresh_until),
        ):
            object.__setattr__(self, name, held)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a result is frozen: {name}")

    def __repr__(self) -> str:
        stale = f", stale: {self.error}" if self.error else ", stale" if self.is_stale else ""
        problems = f", {len(self.problems)} problems" if self.problems else ""
        return f"<Result {self.source.describe()} as of {self.as_of:%Y-%m-%d %H:%M:%S}Z{stale}{problems}>"

    def __len__(self) -> int:
        """The number of rows of a list, or of samples of streams; raises `TypeError` for one object."""
        rows: Any = self.source if isinstance(self.source, Sized) else self.value  # a list needs no models
        return len(rows)

    def __bool__(self) -> bool:
        """A result is true, also without rows: `len(result)` counts them."""
        return True

    def __iter__(self) -> Iterator[Any]:
        """The rows of a list; raises `TypeError` for one object and for streams, whose rows `frame` has."""
        return iter(self._tuple())

    def __getitem__(self, index: Any) -> Any:
        """A row of a list, or a tuple of rows for a slice; raises `TypeError` for one object and for streams."""
        return self._tuple()[index]

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._tuple()[::-1])

    def __contains__(self, row: object) -> bool:
        return row in self._tuple()

    def _tuple(self) -> tuple[Any, ...]:
        value = self.value
        if not isinstance(value, tuple):
            raise TypeError(f"a result of one {type(value).__name__} has no rows; use .value or .frame")
        return value

    @property
    def value(self) -> T_co:
        """The typed value."""
        return self.source.value()

    @property
    def identity(self) -> object:
        """The same object as long as the value is the same: a key for values computed from this one."""
        return self.source.identity

    @property
    def frame(self) -> pd.DataFrame:
        """The value as a data frame, which the caller may change: one row per model or sample.

        `coachboard.client.parsing.frames.columns_of` has the type and unit of each column.
        """
        return self.source.frame()

    def nested(self, name: str) -> pd.DataFrame:
        """The nested rows of a list in one frame, each with the id of its activity or workout.

        `name` is `laps`, `climbs`, `lengths` or `provider_laps` of activities, or `structure` of planned workouts. Raises
        `ValueError` for another name.
        """
        value: Any = self.value
        return nested_frame(value, name)

    def rows(self, ids: Collection[str]) -> tuple[Any, ...]:
        """The models of the rows with these ids; the other rows of a list stay undecoded."""
        return self.source.rows(ids)

    def because(self, error: ServiceError) -> "Result[T_co]":
        """The same result with the error of its refresh."""
        return Result(
            self.source,
            self.as_of,
            is_stale=self.is_stale,
            error=error,
            problems=self.problems,
            read_days=self.read_days,
            fresh_until=self.fresh_until,
        )

    @property
    def set_aside(self) -> int:
        """How many rows were left out."""
        return sum(problem.is_set_aside for problem in self.problems)
