"""Fetching days of a ranged list: who asked has the rows at once, the cache has them a moment later."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from coachboard.client.budget import Priority, Want
from coachboard.client.cache.behind import Behind, Unwritten
from coachboard.client.cache.lifetimes import PLANNED, RECORDED, ByAge
from coachboard.client.cache.lists import Fetch, Held, ListKey, Lists
from coachboard.client.cache.packing import in_order, lean, pack, place
from coachboard.client.cache.spans import Days, Plan, Span, plan
from coachboard.client.fetching import FetchedElsewhere
from coachboard.client.http import Request, path_of
from coachboard.client.reach import Reach
from coachboard.client.reading import RawRow, Rows, read_list


@dataclass(frozen=True, slots=True)
class Brought:
    """The rows of the days that were fetched, and when that was."""

    rows: Rows[Any]
    fetched_at: float


Landed = Callable[[ListKey, Days, Held, Rows[Any]], None]
"""Is told what stands in the cache after a fetch."""


class ListFetcher:
    """Fetches the lists of one client and writes them behind the answer."""

    def __init__(self, lists: Lists, behind: Behind[Fetch], reach: Reach, landed: Landed) -> None:
        self._lists = lists
        self._behind = behind
        self._reach = reach
        self._landed = landed

    def held(self, key: ListKey) -> Held | None:
        """What is known of the list, once all that was fetched of it is written."""
        self.settle(key)
        return self._lists.held(key)

    def settle(self, key: ListKey) -> None:
        """Wait until what was fetched of a list is written."""
        self._behind.flush(lambda fetch: fetch.key == key)

    def fetch(
        self, key: ListKey, days: Days, priority: Priority, landed: int, *, is_needed: bool = False
    ) -> Brought | None:
        """Fetch, unless a fetch that has landed since brought these days: None says to look into the cache."""
        request = _request(key, days)
        want = Want(key.user_id, priority, f"fetch {request.target}", is_needed)
        fetch = partial(self._fetch, key, days, want, request)
        return self._reach.flights.join(
            (key, days), partial(self._fetch_once, key, days, fetch, landed), what=key.resource.name
        )

    def _fetch_once(
        self, key: ListKey, days: Days, fetch: Callable[[], Brought], landed: int
    ) -> Brought | None:
        while True:
            if landed != self._reach.flights.landed:
                needs = needs_of(key, days, self.held(key), self._reach.options.clock())
                if not needs.missing and not needs.old:
                    return None
            try:
                return fetch()
            except FetchedElsewhere:
                landed = -1

    def _fetch(self, key: ListKey, days: Days, want: Want, request: Request) -> Brought:
        options = self._reach.options
        span = Span(days, options.clock(), options.day())  # of before: what changes on the way is not in it
        raw = self._reach.fetcher.fetch(request, want, partial(read_list, request, model=key.resource.model))
        rows: Rows[Any] = Rows(key.resource.model, in_order(key.resource, raw, days), name=key.resource.name)
        write = partial(self._write, key, raw, span, want, rows)
        self._behind.put(Fetch(key, days), Unwritten(rows, span.fetched_at, write))
        return Brought(rows, span.fetched_at)

    def _write(self, key: ListKey, raw: list[RawRow], span: Span, want: Want, rows: Rows[Any]) -> None:
        items = pack(key.resource, place(key.resource, raw, span.days))
        try:
            size, held = self._lists.put(key, items, span)
        finally:
            self._reach.fetcher.done(want)
        rows.slim(lean(items))
        self._landed(key, span.days, held, rows)
        self._reach.grew(size)


def needs_of(key: ListKey, days: Days, held: Held | None, now: float) -> Plan:
    """What a range needs by what is known of its list."""
    table = PLANNED if key.resource.is_plan else RECORDED
    return plan(days, held.spans if held else (), ByAge(table), now)


def _request(key: ListKey, days: Days) -> Request:
    query = [(name, day.isoformat()) for name, day in (("from", days.start), ("to", days.end)) if day]
    return Request("GET", path_of(key.resource.path, key.asked_as), tuple(query))
