"""Reading a ranged list: what is known is shown, what is old is refreshed, what is missing is fetched."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from coachboard.client.budget import Priority
from coachboard.client.cache.database import CacheLost
from coachboard.client.cache.lists import Held, ListKey
from coachboard.client.cache.spans import Days, Plan, demand, merge
from coachboard.client.cache.store import Store
from coachboard.client.errors import NotFound, ServiceError, UnreadableResponse
from coachboard.client.frames import KeptFrames
from coachboard.client.http import path_of
from coachboard.client.list_fetching import Brought, ListFetcher, needs_of
from coachboard.client.reach import REFUSALS, TOUCH_EVERY_S, Reach
from coachboard.client.reading import Rows
from coachboard.client.recent import Recent
from coachboard.client.result import Result

KEPT_ROWS = 4_000
"""Rows held decoded in memory, over all lists of a client; a thousand activities are about 15 MB."""


class Listing:
    """The ranged lists of one client."""

    def __init__(self, store: Store, reach: Reach) -> None:
        self._lists = store.lists
        self._behind = store.lists_behind
        self._reach = reach
        self._fetcher = ListFetcher(store.lists, store.lists_behind, reach, self._keep)
        self._frames = KeptFrames(store.blobs, reach)
        self._recent: Recent[tuple[int, Rows[Any]]] = Recent(KEPT_ROWS)

    def read(self, key: ListKey, days: Days, *, max_age_s: float | None = None) -> Result[Any]:
        """The rows of the days; raises `ServiceError` where nothing is known and nothing can be fetched."""
        now = self._reach.options.clock()
        if not days:
            return _result(Rows(key.resource.model, (), name=key.resource.name), now)
        landed, moves = self._reach.flights.landed, self._lists.moves
        held = self._fetcher.held(key)
        needs = needs_of(key, days, held, now)
        if max_age_s is not None:
            needs = demand(needs, days, held.spans if held else (), now - max_age_s, now)
        brought, error = self._fetch_missing(key, needs, landed)
        if error is not None and needs.as_of is None:
            raise error
        if brought is not None and needs.missing == (days,):
            return _result(self._checked(key, brought.rows), brought.fetched_at)
        if needs.missing:
            held = self._fetcher.held(key)
            needs = needs_of(key, days, held, now)
        result = self._known(key, days, held, needs, error)
        if moves != self._lists.moves:
            raise CacheLost  # the rows may be of another place than the spans
        return result

    def refresh(self, key: ListKey, days: Days, priority: Priority) -> None:
        """Fetch the days anew."""
        self._fetcher.fetch(key, days, priority, self._reach.flights.landed)

    def missing(self, key: ListKey, days: Days) -> tuple[Days, ...]:
        """What a read of the days would have to fetch, old days included."""
        needs = needs_of(key, days, self._fetcher.held(key), self._reach.options.clock())
        return merge([*needs.missing, *needs.old])

    def _fetch_missing(
        self, key: ListKey, needs: Plan, landed: int
    ) -> tuple[Brought | None, ServiceError | None]:
        """Fetch what is missing: what came last of it, and what went wrong."""
        brought = None
        for days in needs.missing:
            failure = self._reach.failures.recent((key, days))
            if failure is not None and needs.as_of is not None:
                return None, failure
            try:
                is_needed = needs.as_of is None
                brought = self._fetcher.fetch(key, days, Priority.PERSON, landed, is_needed=is_needed)
            except REFUSALS as error:
                self._refused(key, error)
                raise
            except ServiceError as error:
                self._reach.failures.note((key, days), error)
                return None, error
        return brought, None

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
        rows = self._checked(key, self._rows(key, days, held))
        is_stale = bool(needs.old or needs.missing)
        # What a clock fetched that was set back since was true at some time before now.
        as_of = now if needs.as_of is None else min(needs.as_of, now)
        return _result(rows, as_of, is_stale=is_stale, error=error)

    def _checked(self, key: ListKey, rows: Rows[Any]) -> Rows[Any]:
        if self._reach.options.strict and rows.problems:
            first = rows.problems[0]
            raise UnreadableResponse(
                "GET", path_of(key.resource.path, key.asked_as), place=first.place, text=first.says
            )
        return rows

    def _refresh_old(self, key: ListKey, days: Days) -> None:
        try:
            self.refresh(key, days, Priority.REFRESH)
        except ServiceError as error:
            self._reach.failures.note((key, days), error)
            raise

    def _refused(self, key: ListKey, error: ServiceError) -> None:
        """Who may not be seen any more is forgotten."""
        if isinstance(error, NotFound):
            self._behind.flush(lambda fetch: fetch.key.user_id == key.user_id)
            self._lists.forget(key.scope, key.user_id)
            self._recent.clear()

    def _keep(self, key: ListKey, days: Days, held: Held, rows: Rows[Any]) -> None:
        """Hold what was decoded for the next reader; of a long list its frame too, for the next process."""
        self._recent.put((held.list_id, days), (held.version, rows), len(rows) + 1)
        self._frames.keep(key, days, held, rows)

    def _rows(self, key: ListKey, days: Days, held: Held | None) -> Rows[Any]:
        if held is None:
            return Rows(key.resource.model, (), name=key.resource.name)
        kept = self._recent.get((held.list_id, days))
        if kept is not None and kept[0] == held.version:
            return kept[1]
        framed = self._frames.find(key, days, held, partial(self._behind_frame, key, days))
        if framed is not None:
            self._recent.put((held.list_id, days), (held.version, framed), len(framed) + 1)
            return framed
        return self._unpacked(key, days)

    def _behind_frame(self, key: ListKey, days: Days) -> Rows[Any]:
        """The rows of a frame that was shown; where the list has left the cache since, it is fetched again."""
        held, raw = self._lists.rows(key, days)
        if held is not None:
            return Rows(key.resource.model, raw, name=key.resource.name)
        brought = self._fetcher.fetch(key, days, Priority.PERSON, self._reach.flights.landed)
        return self._unpacked(key, days) if brought is None else brought.rows

    def _unpacked(self, key: ListKey, days: Days) -> Rows[Any]:
        held, raw = self._lists.rows(key, days)
        rows: Rows[Any] = Rows(key.resource.model, raw, name=key.resource.name)
        if held is not None:
            self._keep(key, days, held, rows)
        return rows


def _result(
    rows: Rows[Any], as_of: float, *, is_stale: bool = False, error: ServiceError | None = None
) -> Result[Any]:
    return Result(
        rows, datetime.fromtimestamp(as_of, UTC), is_stale=is_stale, error=error, problems=rows.problems
    )
