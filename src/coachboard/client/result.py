"""What a read gives back: the value, when it was true, and what was odd about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

import pandas as pd

from coachboard.client.errors import ServiceError
from coachboard.client.rows import frame_of

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row, field or value that is not of the interface.

    `is_set_aside` tells whether the row was left out; otherwise the row stands without the odd part.
    """

    place: str  # "activities[3].sport"
    says: str
    is_set_aside: bool
    row_id: str | None = None


class Source(Generic[T_co]):
    """Where a result's value comes from when it is asked for."""

    __slots__ = ("__weakref__",)

    def value(self) -> T_co:
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        raise NotImplementedError


class Known(Source[T_co]):
    """A value that is there already."""

    __slots__ = ("_value",)

    def __init__(self, value: T_co) -> None:
        self._value = value

    def value(self) -> T_co:
        return self._value

    def frame(self) -> pd.DataFrame:
        return frame_of(self._value)


class Result(Generic[T_co]):
    """A value with its age; frozen. Models are made when `value` is first read, `frame` needs none.

    `as_of` is when it was true at the service. `is_stale` says that it is older than it should be and is being
    fetched anew, or that this failed: then `error` says why. `problems` are the rows, fields and values that are
    not of the interface, `set_aside` counts the rows among them that were left out.
    """

    __slots__ = ("_source", "as_of", "error", "is_stale", "problems")

    _source: Source[T_co]
    as_of: datetime
    is_stale: bool
    error: ServiceError | None
    problems: tuple[RowProblem, ...]

    def __init__(
        self,
        value: T_co | Source[T_co],
        as_of: datetime,
        *,
        is_stale: bool = False,
        error: ServiceError | None = None,
        problems: tuple[RowProblem, ...] = (),
    ) -> None:
        source = value if isinstance(value, Source) else Known(value)
        for name, held in (
            ("_source", source),
            ("as_of", as_of),
            ("is_stale", is_stale),
            ("error", error),
            ("problems", problems),
        ):
            object.__setattr__(self, name, held)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a result is frozen: {name}")

    def __repr__(self) -> str:
        stale = ", stale" if self.is_stale else ""
        return f"<Result as of {self.as_of:%Y-%m-%d %H:%M:%S}Z{stale}, {len(self.problems)} problems>"

    @property
    def value(self) -> T_co:
        """The typed value."""
        return self._source.value()

    @property
    def source(self) -> object:
        """The same object for as long as the value is the same and held: what is worked out of it may be held too."""
        return self._source

    @property
    def frame(self) -> pd.DataFrame:
        """The value as a data frame, yours to change: one row a model or sample.

        `coachboard.client.rows.columns_of` tells each column's type and unit.
        """
        return self._source.frame()

    def because(self, error: ServiceError) -> "Result[T_co]":
        """The same with the reason why nothing newer is known."""
        return Result(self._source, self.as_of, is_stale=self.is_stale, error=error, problems=self.problems)

    @property
    def set_aside(self) -> int:
        """How many rows could not be read."""
        return sum(problem.is_set_aside for problem in self.problems)
