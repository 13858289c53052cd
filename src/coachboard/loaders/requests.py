"""Requests of pages to the client by list; a failed part is recorded and does not fail the page."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from coachboard.client import Result
from coachboard.client.errors import RowProblem, ServiceError
from coachboard.wire.streams import ActivityStreams

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Missing:
    """A failed part; the page shows the other parts and names this one."""

    what: str
    error: ServiceError
    user_id: str = ""  # if a page shows several athletes


class Replies:
    """Collects replies and records failures."""

    def __init__(self) -> None:
        self.missing: list[Missing] = []
        self.results: list[Result[object]] = []

    def lacks(self, what: str) -> bool:
        """Whether a part failed, so that its absence has no meaning."""
        return any(part.what == what for part in self.missing)

    def take(self, what: str, future: Future[Result[tuple[_T, ...]]], user_id: str = "") -> tuple[_T, ...]:
        """The rows; empty if the service returned an error and nothing is cached."""
        result = self.result(what, future, user_id)
        return result.value if result else ()

    def result(self, what: str, future: Future[Result[_T]] | None, user_id: str = "") -> Result[_T] | None:
        """The reply; None without a request, or if the service returned an error and nothing is cached."""
        if future is None:
            return None
        try:
            result = future.result()
        except ServiceError as error:
            self.missing.append(Missing(what, error, user_id))
            return None
        self.results.append(result)
        return result


@dataclass(frozen=True, slots=True)
class Unread:
    """Rows of a list, or columns of a recording, that do not match the interface and were dropped."""

    name: str  # the list's name on the wire
    rows: int
    total: int
    problems: tuple[RowProblem, ...]


def unread_of(*results: Result[object]) -> tuple[Unread, ...]:
    """The dropped rows of each list; omits lists without any."""
    return tuple(_unread(result) for result in results if result.set_aside)


def _unread(result: Result[object]) -> Unread:
    aside = tuple(problem for problem in result.problems if problem.is_set_aside)
    if isinstance(result.value, ActivityStreams):  # recordings drop columns, not rows
        return Unread("streams", len(aside), len(result.value.columns) + len(aside), aside)
    name = aside[0].place.partition("[")[0]
    return Unread(name, len(aside), len(result.frame) + len(aside), aside)
