"""The result of a read: the value, its age, and the problems of its rows."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import pandas as pd

from coachboard.client.decode import ListRows
from coachboard.client.errors import RowProblem, ServiceError
from coachboard.client.frames import frame_of, nested_frame

T_co = TypeVar("T_co", covariant=True)


class ReadDays(NamedTuple):
    """Days of a list that were fetched together, and how long ago."""

    first: date
    last: date
    age_s: float


@dataclass(frozen=True, eq=False, repr=False)
class Result(Sequence[Any], Generic[T_co]):
    """A value with its age; frozen. Models are made when `value` is first read, `frame` needs none.

    The result of a list is a sequence of its rows: `rides[0]`, `rides[-3:]`, `reversed(rides)`, `for ride in rides`.

    `as_of` is the moment at which the service had this value. `is_stale` means that the value is too old: a refresh
    runs, or it failed, then `error` is its error. `problems` are the rows, fields and values that differ from the
    interface; `set_aside` counts the rows that were left out. `read_days` names the fetched
    days of a list: the days between them were never fetched. `identity` is equal as long as the value is the same: a key
    for values computed from this one.
    """

    source: Any  # the rows of a list, else the value
    as_of: datetime
    _: KW_ONLY
    is_stale: bool = False
    error: ServiceError | None = None
    problems: tuple[RowProblem, ...] = ()
    read_days: tuple[ReadDays, ...] = ()
    identity: Hashable = field(default_factory=object)

    def __repr__(self) -> str:
        stale = f", stale: {self.error}" if self.error else ", stale" if self.is_stale else ""
        problems = f", {len(self.problems)} problems" if self.problems else ""
        return f"<Result {self._kind()} as of {self.as_of:%Y-%m-%d %H:%M:%S}Z{stale}{problems}>"

    def _kind(self) -> str:
        """The number of rows with their type, `empty`, or the type of a single object."""
        if not isinstance(self.source, ListRows | tuple):
            return type(self.source).__name__
        if not self.source:
            return "empty"
        model = self.source.model if isinstance(self.source, ListRows) else type(self.source[0])
        return f"{len(self)} x {model.__name__}"

    def __len__(self) -> int:
        """The number of rows of a list, or of samples of streams; raises `TypeError` for one object."""
        return len(self.source)

    def __bool__(self) -> bool:
        """A result is true, also without rows: `len(result)` counts them."""
        return True

    def __iter__(self) -> Iterator[Any]:
        """The rows of a list; raises `TypeError` for one object and for streams, whose rows `frame` has."""
        return iter(self._tuple())

    def __getitem__(self, index: Any) -> Any:
        """A row of a list, or a tuple of rows for a slice; raises `TypeError` for one object and for streams."""
        return self._tuple()[index]

    def _tuple(self) -> tuple[Any, ...]:
        value = self.value
        if not isinstance(value, tuple):
            raise TypeError(f"a result of one {type(value).__name__} has no rows; use .value or .frame")
        return value

    @cached_property
    def value(self) -> T_co:
        """The typed value."""
        source: Any = self.source.value() if isinstance(self.source, ListRows) else self.source
        value: T_co = source
        return value

    @property
    def frame(self) -> pd.DataFrame:
        """The value as a data frame, which the caller may change: one row per model or sample.

        `coachboard.client.frames.columns_of` has the type and unit of each column.
        """
        return self.source.frame() if isinstance(self.source, ListRows) else frame_of(self.source)

    def nested(self, name: str) -> pd.DataFrame:
        """The nested rows of a list in one frame, each with the id of its activity or workout.

        `name` is `laps`, `climbs`, `lengths` or `provider_laps` of activities, or `structure` of planned workouts. Raises
        `ValueError` for another name.
        """
        value: Any = self.value
        return nested_frame(value, name)

    def rows(self, ids: Collection[str]) -> tuple[Any, ...]:
        """The models of the rows with these ids; the other rows of a list stay undecoded."""
        if isinstance(self.source, ListRows):
            return self.source.rows(ids)
        return tuple(row for row in self._tuple() if row.id in ids)

    @property
    def set_aside(self) -> int:
        """How many rows were left out."""
        return sum(problem.is_set_aside for problem in self.problems)
