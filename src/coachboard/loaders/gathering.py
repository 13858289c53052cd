"""What pages ask of the client list by list, and how a part that does not arrive is named, not fatal."""

from concurrent.futures import Executor, Future
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from coachboard.client import Result
from coachboard.client.errors import ServiceError
from coachboard.client.result import RowProblem
from coachboard.models.activities import Activity
from coachboard.models.body import Metric, Sleep
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import UserProfile

_T = TypeVar("_T")


class Lists(Protocol):
    """The profile and the dated lists of one athlete, both ends of a range included."""

    def get_user(self, user_id: str = ...) -> Result[UserProfile]: ...

    def list_activities(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Activity, ...]]: ...
    def list_prescriptions(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[TrainingPrescription, ...]]: ...
    def list_notes(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Note, ...]]: ...
    def list_events(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Event, ...]]: ...
    def list_metrics(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Metric, ...]]: ...
    def list_sleeps(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Sleep, ...]]: ...


class PooledLists(Lists, Protocol):
    """The lists, with threads to ask for several at once."""

    @property
    def pool(self) -> Executor: ...


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that did not arrive; the page goes on without it and says so."""

    what: str
    error: ServiceError
    user_id: str = ""  # where a page shows several athletes


class Gathering:
    """Collects what arrives and names what does not."""

    def __init__(self) -> None:
        self.missing: list[Missing] = []
        self.results: list[Result[object]] = []

    def lacks(self, what: str, user_id: str = "") -> bool:
        """Whether a part has not arrived, so that there being none of it says nothing."""
        return any((one.what, one.user_id) == (what, user_id) for one in self.missing)

    def take(self, what: str, future: Future[Result[tuple[_T, ...]]], user_id: str = "") -> tuple[_T, ...]:
        """The rows, or none where the service gave an error and nothing is kept."""
        result = self.result(what, future, user_id)
        return result.value if result else ()

    def result(
        self, what: str, future: Future[Result[tuple[_T, ...]]], user_id: str = ""
    ) -> Result[tuple[_T, ...]] | None:
        """The list, or None where the service gave an error and nothing is kept."""
        try:
            result = future.result()
        except ServiceError as error:
            self.missing.append(Missing(what, error, user_id))
            return None
        self.results.append(result)
        return result


@dataclass(frozen=True, slots=True)
class Unread:
    """Rows of a list, or columns of a recording, that are not of the interface and were left out."""

    name: str  # of the list on the wire
    rows: int
    total: int
    problems: tuple[RowProblem, ...]


def unread_of(*results: Result[object]) -> tuple[Unread, ...]:
    """What was left out of each list, lists without such rows left out themselves."""
    return tuple(_unread(result) for result in results if result.set_aside)


def _unread(result: Result[object]) -> Unread:
    aside = tuple(problem for problem in result.problems if problem.is_set_aside)
    if isinstance(result.value, ActivityStreams):  # of a recording columns are left out, not rows
        return Unread("streams", len(aside), len(result.value.columns) + len(aside), aside)
    name = aside[0].place.partition("[")[0]
    return Unread(name, len(aside), len(result.frame) + len(aside), aside)
