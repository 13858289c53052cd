"""Reading a ranged list: what is known is shown, what is old is refreshed, what is missing is fetched."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from coachboard.client.background import Background
from coachboard.client.budget import Priority, Want
from coachboard.client.cache.database import CacheLost
from coachboard.client.cache.lifetimes import PLANNED, RECORDED, ByAge
from coachboard.client.cache.lists import Held, ListKey, Lists
from coachboard.client.cache.packing import lean, pack
from coachboard.client.cache.spans import Days, Plan, Span, demand, merge, plan
from coachboard.client.errors import (
    NotFound,
    ServiceError,
    Unauthorized,
    UnreadableResponse,
)
from coachboard.client.failures import Failures
from coachboard.client.fetching import FetchedElsewhere, Fetcher
from coachboard.client.flights import Flights
from coachboard.client.http import Request, path_of
from coachboard.client.options import Options
from coachboard.client.reading import Rows, read_list
from coachboard.client.recent import Recent
from coachboard.client.result import Result

KEPT_ROWS = 4_000
"""Rows held decoded in memory, over all lists of a client; a thousand activities are about 15 MB."""

TOUCH_EVERY_S = 3_600.0

REFUSALS = (Unauthorized, NotFound)
"""Answers that say no: what is known is not shown in their place. A 400 says only that the request was wrong."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a reader of the cache reaches out with."""

    scope: str
    fetcher: Fetcher
    flights: Flights
    background: Background
    failures: Failures
    options: Options


class Listing:
    """The ranged lists of one client."""

    def __init__(self, lists: Lists, reach: Reach, grew: Callable[[int], None]) -> None:
        self._lists = lists
        self._reach = reach
        self._grew = grew
        self._recent: Recent[tuple[int, Rows[Any]]] = Recent(KEPT_ROWS)

    def read(self, key: ListKey, days: Days, *, max_age_s: float | None = None) -> Result[Any]:
        """The rows of the days; raises `ServiceError` where nothing is known and nothing can be fetched."""
        now = self._reach.options.clock()
        if not days:
            return _result(Rows(key.resource.model, (), name=key.resource.name), now)
        landed, moves = self._reach.flights.landed, self._lists.moves
        held = self._lists.held(key)
        needs = _plan(key, days, held, now)
        if max_age_s is not None:
            needs = demand(needs, days, held.spans if held else (), now - max_age_s, now)
        fetched, error = self._fetch_missing(key, needs, landed)
        if error is not None and needs.as_of is None:
            raise error
        if needs.missing:
            held = fetched or self._lists.held(key)
            needs = _plan(key, days, held, now)
        result = self._known(key, days, held, needs, error)
        if moves != self._lists.moves:
            raise CacheLost  # the rows may be of another place than the spans
        return result

    def refresh(self, key: ListKey, days: Days, priority: Priority) -> None:
        """Fetch the days anew."""
        flights = self._reach.flights
        flights.join((key, days), partial(self._fetch_once, key, days, priority, flights.landed))

    def missing(self, key: ListKey, days: Days) -> tuple[Days, ...]:
        """What a read of the days would have to fetch, old days included."""
        needs = _plan(key, days, self._lists.held(key), self._reach.options.clock())
        return merge([*needs.missing, *needs.old])

    def _fetch_missing(
        self, key: ListKey, needs: Plan, landed: int
    ) -> tuple[Held | None, ServiceError | None]:
        """Fetch what is missing: what is known of the list after it, and what went wrong."""
        held = None
        for days in needs.missing:
            failure = self._reach.failures.recent((key, days))
            if failure is not None and needs.as_of is not None:
                return None, failure
            try:
                held = self._reach.flights.join(
                    (key, days), partial(self._fetch_once, key, days, Priority.PERSON, landed)
                )
            except REFUSALS as error:
                self._refused(key, error)
                raise
            except ServiceError as error:
                self._reach.failures.note((key, days), error)
                return None, error
        return held, None

    def _known(
        self, key: ListKey, days: Days, held: Held | None, needs: Plan, error: ServiceError | None
    ) -> Result[Any]:
        now = self._reach.options.clock()
        for old in needs.old:
            failure = self._reach.failures.recent((key, old))
            if isinstance(failure, REFUSALS):
                self._refused(key, failure)
                raise failure
            if failure is None:
                self._reach.background.submit((key, old), partial(self._refresh_old, key, old))
            error = error or failure
        if held is not None and not 0 <= now - held.used_at <= TOUCH_EVERY_S:
            self._reach.background.submit(("touch", key), partial(self._lists.touch, key, now))
        rows = self._rows(key, days, held)
        if self._reach.options.strict and rows.problems:
            first = rows.problems[0]
            raise UnreadableResponse(
                "GET", path_of(key.resource.path, key.asked_as), place=first.place, text=first.says
            )
        is_stale = bool(needs.old or needs.missing)
        # What a clock fetched that was set back since was true at some time before now.
        as_of = now if needs.as_of is None else min(needs.as_of, now)
        return _result(rows, as_of, is_stale=is_stale, error=error)

    def _refresh_old(self, key: ListKey, days: Days) -> None:
        try:
            self.refresh(key, days, Priority.REFRESH)
        except ServiceError as error:
            self._reach.failures.note((key, days), error)
            raise

    def _refused(self, key: ListKey, error: ServiceError) -> None:
        """Who may not be seen any more is forgotten."""
        if isinstance(error, NotFound):
            self._lists.forget(key.scope, key.user_id)
            self._recent.clear()

    def _fetch_once(self, key: ListKey, days: Days, priority: Priority, landed: int) -> Held | None:
        """Fetch, unless a fetch that has landed in the meantime brought these days."""
        while True:
            if landed != self._reach.flights.landed:
                held = self._lists.held(key)
                needs = _plan(key, days, held, self._reach.options.clock())
                if not needs.missing and not needs.old:
                    return held
            try:
                return self._fetch(key, days, priority)
            except FetchedElsewhere:
                landed = -1

    def _fetch(self, key: ListKey, days: Days, priority: Priority) -> Held:
        options = self._reach.options
        request = _request(key, days)
        want = Want(key.user_id, priority, claim=f"fetch {request.target}")
        fetched_at = options.clock()  # before the request: what changes while it is under way is not in it
        raw = self._reach.fetcher.fetch(request, want, partial(read_list, request, model=key.resource.model))
        items = pack(key.resource, raw, days)
        size, held = self._lists.put(key, items, Span(days, fetched_at, options.day()), over=want.claim)
        rows = Rows(key.resource.model, lean(items), name=key.resource.name)
        self._recent.put((held.list_id, days), (held.version, rows), len(rows) + 1)
        self._grew(size)
        return held

    def _rows(self, key: ListKey, days: Days, held: Held | None) -> Rows[Any]:
        if held is not None:
            kept = self._recent.get((held.list_id, days))
            if kept is not None and kept[0] == held.version:
                return kept[1]
        held, raw = self._lists.rows(key, days)
        rows: Rows[Any] = Rows(key.resource.model, raw, name=key.resource.name)
        if held is not None:
            self._recent.put((held.list_id, days), (held.version, rows), len(rows) + 1)
        return rows


def _plan(key: ListKey, days: Days, held: Held | None, now: float) -> Plan:
    table = PLANNED if key.resource.is_plan else RECORDED
    return plan(days, held.spans if held else (), ByAge(table), now)


def _request(key: ListKey, days: Days) -> Request:
    query = [(name, day.isoformat()) for name, day in (("from", days.start), ("to", days.end)) if day]
    return Request("GET", path_of(key.resource.path, key.asked_as), tuple(query))


def _result(
    rows: Rows[Any], as_of: float, *, is_stale: bool = False, error: ServiceError | None = None
) -> Result[Any]:
    return Result(
        rows, datetime.fromtimestamp(as_of, UTC), is_stale=is_stale, error=error, problems=rows.problems
    )
