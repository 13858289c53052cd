"""The base of the routes of the planning API."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from coachboard.service.own_data.requests import caller_of
from coachboard.service.planning.rights import Author, Rights
from coachboard.service.store import Store
from coachboard.service.store.plans import Plans

T = TypeVar("T")


class CalendarRoutes:
    """Routes over one store, which they read and write off the event loop with the rights of their caller."""

    def __init__(self, store: Store, *, today: Callable[[], date], clock: Callable[[], float]) -> None:
        self._store = store
        self._today = today
        self._clock = clock

    async def _read(self, do: Callable[..., T], request: Request, *args: Any) -> T:
        """The result of `do(plans, rights, request, *args)` in one read."""
        return await run_in_threadpool(self._do, self._store.reading_plans(), do, request, args)

    async def _write(self, do: Callable[..., T], request: Request, *args: Any) -> T:
        """The same in one transaction that changes what is in no cached reply."""
        return await run_in_threadpool(self._do, self._store.changing_plans(), do, request, args)

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
