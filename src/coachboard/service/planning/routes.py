"""The base of the routes of the planning API."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from coachboard.service.api.errors import InvalidRequest
from coachboard.service.api.routes import UntilWritten, day_range
from coachboard.service.own_data.requests import caller_of
from coachboard.service.planning.rights import Author, Rights
from coachboard.service.store import Store
from coachboard.service.store.plans import Plans
from coachboard.wire.base import FIRST_DAY, LAST_DAY

T = TypeVar("T")


def required_days(request: Request) -> tuple[date, date]:
    """The range of the query, without days that no row has. Raises `InvalidRequest` unless it has both ends."""
    days = day_range(request.scope["query_string"])
    if days.start is None or days.end is None:
        raise InvalidRequest("The query parameters 'from' and 'to' are required.")
    return max(days.start, FIRST_DAY), min(days.end, LAST_DAY)


@dataclass(frozen=True)
class Calendars:
    """The store with today and the time (s since 1970); `until_written` as in `create_app`."""

    store: Store
    today: Callable[[], date]
    clock: Callable[[], float]
    until_written: UntilWritten


class CalendarRoutes:
    """Routes that read and write calendars off the event loop with the rights of their caller."""

    def __init__(self, calendars: Calendars) -> None:
        self._store = calendars.store
        self._today = calendars.today
        self._clock = calendars.clock
        self._until_written = calendars.until_written

    async def _read(self, do: Callable[..., T], request: Request, *args: Any) -> T:
        """The result of `do(plans, rights, request, *args)` in one read."""
        return await run_in_threadpool(self._do, self._store.reading_plans(), do, request, args)

    async def _write(
        self,
        do: Callable[..., T],
        request: Request,
        *args: Any,
        people: AbstractSet[str] = frozenset(),
        is_plan: bool = True,
    ) -> T:
        """The same in one transaction; `people` and `is_plan` as in `Store.changing_plans`."""
        opened = self._store.changing_plans(people, is_plan=is_plan)
        return await run_in_threadpool(self._do, opened, do, request, args)

    def _do(
        self,
        opened: AbstractContextManager[Plans],
        do: Callable[..., T],
        request: Request,
        args: tuple[Any, ...],
    ) -> T:
        with opened as plans:
            return do(plans, Rights(plans, caller_of(request), self._today()), request, *args)

    def _author(self, request: Request) -> Author:
        return Author(caller_of(request), self._today(), self._clock())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)
