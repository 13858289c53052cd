"""Reading a ranged list: show the known days, refresh the old days in the background, fetch the missing days."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from math import inf
from typing import Any

from coachboard.client.cache.database import CacheLost, retry_if_lost
from coachboard.client.cache.freshness import PLANNED, RECORDED, Days, Plan, Span, clip, demand, merge, plan
from coachboard.client.cache.ranges import FetchedDays, ListKey, ListState, PlacedRow, place_rows
from coachboard.client.cache.store import CacheStore
from coachboard.client.cache.write_behind import Unwritten
from coachboard.client.concurrency import Memo
from coachboard.client.errors import NotFound, ServiceError, UnreadableResponse
from coachboard.client.parsing.decode import CachedList, LazyRows, ListRows, RowsIdentity, read_list
from coachboard.client.resources import ListRow, Request, path_of
from coachboard.client.result import ReadDays, Result, Source
from coachboard.client.transport.rate_limit import Priority, Want
from coachboard.client.transport.retry import REFUSALS, Context, FetchedElsewhere
from coachboard.monitoring import CLIENT_CACHE

TOUCH_EVERY_S = 3_600.0
"""How often a use is noted in the cache, which deletes the entries that were not used for the longest time."""

KEPT_KB = 200_000
"""Decoded rows in memory, over all clients of the process.

With 4,000 rows for each client, the lists of 25 athletes pushed each other out: a rerun of a session's page took 105
instead of 67 ms of CPU, and 50 clients could hold 3 GB.
"""
_ROW_KB, _NESTED_ROW_KB = 1, 16
"""A decoded row: a night or a value, and a row with nested lists (an activity is 17 KB, a planned workout 7)."""
_DECODED: Memo[ListRows[Any]] = Memo(KEPT_KB)
"""By client, list and days; no client reads the rows of another."""
_IDENTITIES: Memo[tuple[int, RowsIdentity]] = Memo(20_000)
"""By client, list and days: the version of the list and the identity of its rows, about 0.5 KB each.

There is room for five lists of 4,000 athletes; each problem of a row counts as one more.
"""


@dataclass(frozen=True, slots=True)
class FetchedRows:
    """The rows of fetched days, and when the service was asked for them."""

    rows: ListRows[Any]
    fetched_at: float


class RangedLists:
    """The ranged lists of one client."""

    def __init__(self, store: CacheStore, context: Context) -> None:
        self._ranges = store.ranges
        self._behind = store.lists_behind
        self._context = context
        self._client_id = object()
        self._is_closed = False

    def read(self, key: ListKey, days: Days, *, max_age_s: float | None = None) -> Result[Any]:
        """The rows of the days; raises `ServiceError` where the cache has none and the fetch fails."""
        now = self._context.options.clock()
        if not days:
            return _result(_rows_of(key, ()), now)
        moves = self._ranges.moves
        state = self._state(key)
        needs = _needs(key, days, state, now)
        if max_age_s is not None:
            needs = demand(needs, days, state.spans if state else (), now - max_age_s, now)
        CLIENT_CACHE.add("miss" if needs.missing else "stale" if needs.old else "hit")
        fetched, error = self._fetch_missing(key, needs, state)
        if error is not None and needs.as_of is None:
            raise error
        if fetched is not None and needs.missing == (days,):
            rows, at = self._checked(key, fetched.rows), fetched.fetched_at
            return _result(rows, at, read_days=(_read_days(days, now - at),))
        if needs.missing:
            state = self._state(key)
            needs = _needs(key, days, state, now)
        result = self._known(key, days, state, needs, error)
        if moves != self._ranges.moves:
            raise CacheLost  # the rows and the spans may come from different databases
        return result

    def refresh(self, key: ListKey, days: Days, priority: Priority) -> None:
        """Fetch the days again."""
        self._fetch(key, days, priority, self._state(key))

    def missing(self, key: ListKey, days: Days) -> tuple[Days, ...]:
        """The parts of the days that a read would fetch or refresh."""
        needs = _needs(key, days, self._state(key), self._context.options.clock())
        return merge([*needs.missing, *needs.old])

    def _state(self, key: ListKey) -> ListState | None:
        """The state of the list in the cache; writes fetched rows that wait to be written first."""
        self._behind.flush(lambda fetched: fetched.key == key)
        return self._ranges.state(key)

    def _fetch_missing(
        self, key: ListKey, needs: Plan, seen: ListState | None
    ) -> tuple[FetchedRows | None, ServiceError | None]:
        """Fetch the missing days: the rows of the last fetch, and the error that ended the fetching."""
        fetched = None
        is_needed = needs.as_of is None
        for days in needs.missing:
            failure = self._context.recent_failure((key, days))
            if failure is not None and not is_needed:
                return None, failure
            try:
                fetched = self._fetch(key, days, Priority.PERSON, seen, is_needed=is_needed)
            except REFUSALS as error:
                self._forget(key, error)
                raise
            except ServiceError as error:
                self._context.failed((key, days), error)
                return None, error
        return fetched, None

    def _fetch(
        self,
        key: ListKey,
        days: Days,
        priority: Priority,
        seen: ListState | None,
        *,
        is_needed: bool = False,
    ) -> FetchedRows | None:
        """Fetch the days, in one request for all threads that ask at once.

        Returns None if another fetch has stored these days since the caller read the list: the caller reads the cache.
        """
        request = _request(key, days)
        want = Want(key.user_id, priority, f"fetch {request.target}", is_needed)
        fetch = partial(self._fetch_once, key, days, seen, partial(self._send, key, days, want, request))
        return self._context.flights.join((key, days), fetch, what=key.resource.name)

    def _fetch_once(
        self, key: ListKey, days: Days, seen: ListState | None, send: Callable[[], FetchedRows]
    ) -> FetchedRows | None:
        while True:
            state = self._state(key)
            if state is not None and (seen is None or state.spans != seen.spans):
                needs = _needs(key, days, state, self._context.options.clock())
                if not needs.missing and not needs.old:
                    return None
            try:
                return send()
            except FetchedElsewhere:
                continue

    def _send(self, key: ListKey, days: Days, want: Want, request: Request) -> FetchedRows:
        resource, options = key.resource, self._context.options
        # The moment before the request: a change while the request is on its way may be missing in the reply.
        span = Span(days, options.clock(), options.day())
        read = partial(read_list, request, model=resource.model, nested=resource.nested)
        placed = place_rows(resource, self._context.fetcher.fetch(request, want, read), days)
        rows = _rows_of(key, [one.row for one in placed])
        write = partial(self._write, key, placed, span, want, rows)
        self._behind.put(FetchedDays(key, days), Unwritten(rows, span.fetched_at, write))
        return FetchedRows(rows, span.fetched_at)

    def _write(
        self, key: ListKey, placed: list[PlacedRow], span: Span, want: Want, rows: ListRows[Any]
    ) -> None:
        try:
            size, state = self._ranges.put(key, placed, span)
        finally:
            self._context.fetcher.done(want)
        self._remember(key, span.days, state, rows)
        self._context.grew(size)

    def _known(
        self, key: ListKey, days: Days, state: ListState | None, needs: Plan, error: ServiceError | None
    ) -> Result[Any]:
        now = self._context.options.clock()
        for old in needs.old:
            failure = self._context.recent_failure((key, old))
            if isinstance(failure, REFUSALS):
                self._forget(key, failure)
                raise failure
            if failure is None:
                self._context.refresh((key, old), partial(self.refresh, key, old, Priority.REFRESH))
            error = error or failure
        if state is not None and not 0 <= now - state.used_at <= TOUCH_EVERY_S:
            self._context.threads.later(("touch", key), partial(self._ranges.touch, key, now))
        rows = self._checked(key, self._cached_rows(key, days, state))
        is_stale = bool(needs.old or needs.missing)
        # A clock that was set back makes a fetch look like a later one.
        as_of = now if needs.as_of is None else min(needs.as_of, now)
        known = [part for span in (state.spans if state else ()) if (part := clip(span, days))]
        read_days = tuple(_read_days(part.days, now - part.fetched_at) for part in known)
        used_at = state.used_at if state is not None else -inf
        return _result(
            rows,
            as_of,
            is_stale=is_stale,
            error=error,
            read_days=read_days,
            fresh_until=min(needs.fresh_until, used_at + TOUCH_EVERY_S),
        )

    def _cached_rows(self, key: ListKey, days: Days, state: ListState | None) -> CachedList[Any]:
        if state is None:
            return _rows_of(key, ())
        identity = self._identity(state, days)
        if identity is None:
            return self._read_decoded(key, days)
        at = (self._client_id, state.list_id, days)
        kept = _DECODED.get(at)
        if kept is not None and kept.identity is identity:
            return kept
        return LazyRows(identity, partial(self._decoded_as, key, days, at, identity))

    def _decoded_as(
        self, key: ListKey, days: Days, at: tuple[object, int, Days], identity: RowsIdentity
    ) -> Source[Any]:
        """The rows with this identity, decoded.

        If the list has changed or left the cache since, returns its present rows; this may make a request and raise
        `ServiceError`.
        """
        rows = _DECODED.get(at)
        if rows is None or rows.identity is not identity:
            rows = self._read_decoded(key, days)
        if rows.identity is identity:
            return rows
        return retry_if_lost(partial(self.read, key, days)).source

    def _read_decoded(self, key: ListKey, days: Days) -> ListRows[Any]:
        """Read the rows from the cache, decode them and remember them."""
        state, found = self._ranges.rows(key, days)
        if state is None:
            return _rows_of(key, ())
        rows = _rows_of(key, found, self._identity(state, days))
        self._remember(key, days, state, rows)
        return rows

    def _identity(self, state: ListState, days: Days) -> RowsIdentity | None:
        """The identity of the rows, if rows of this version of the list were decoded before."""
        known = _IDENTITIES.get((self._client_id, state.list_id, days))
        return known[1] if known is not None and known[0] == state.version else None

    def _remember(self, key: ListKey, days: Days, state: ListState, rows: ListRows[Any]) -> None:
        """Keep the decoded rows for the next reader.

        Keep nothing if this version has another identity: callers hold values that were computed for that one.
        """
        if self._is_closed:
            return
        at = (self._client_id, state.list_id, days)
        identity = self._identity(state, days)
        if identity is None:
            _IDENTITIES.put(at, (state.version, rows.identity), 1 + len(rows.problems))
        if identity in {None, rows.identity}:
            row_kb = _NESTED_ROW_KB if key.resource.nested else _ROW_KB
            _DECODED.put(at, rows, len(rows) * row_kb + 1)

    def _checked(self, key: ListKey, rows: CachedList[Any]) -> CachedList[Any]:
        if self._context.options.strict and rows.problems:
            first = rows.problems[0]
            raise UnreadableResponse(
                "GET", path_of(key.resource.path, key.asked_as), place=first.place, text=first.says
            )
        return rows

    def _forget(self, key: ListKey, error: ServiceError) -> None:
        """Delete the lists of a user on 404: the key may no longer read them."""
        if isinstance(error, NotFound):
            self._behind.flush(lambda fetched: fetched.key.user_id == key.user_id)
            self._ranges.forget(key.scope, key.user_id)
            self.forget_decoded()

    def close(self) -> None:
        """Free the decoded rows; results that callers still hold keep no rows in memory from now on."""
        self._is_closed = True
        self.forget_decoded()

    def forget_decoded(self) -> None:
        """Free the decoded rows of this client, which nobody else may read, and their identities."""
        for memo in (_DECODED, _IDENTITIES):
            memo.remove_if(lambda key: key[0] is self._client_id)


def _needs(key: ListKey, days: Days, state: ListState | None, now: float) -> Plan:
    table = PLANNED if key.resource.is_plan else RECORDED
    return plan(days, state.spans if state else (), table, now)


def _request(key: ListKey, days: Days) -> Request:
    query = [(name, day.isoformat()) for name, day in (("from", days.start), ("to", days.end)) if day]
    return Request("GET", path_of(key.resource.path, key.asked_as), tuple(query))


def _rows_of(
    key: ListKey, rows: list[ListRow] | tuple[()], identity: RowsIdentity | None = None
) -> ListRows[Any]:
    return ListRows(key.resource.model, rows, name=key.resource.name, identity=identity)


def _result(
    rows: CachedList[Any],
    as_of: float,
    *,
    is_stale: bool = False,
    error: ServiceError | None = None,
    read_days: tuple[ReadDays, ...] = (),
    fresh_until: float = -inf,
) -> Result[Any]:
    return Result(
        rows,
        datetime.fromtimestamp(as_of, UTC),
        is_stale=is_stale,
        error=error,
        problems=rows.problems,
        read_days=read_days,
        fresh_until=fresh_until,
    )


def _read_days(days: Days, age_s: float) -> ReadDays:
    """The days with the age of their fetch: 0 if the clock was set back since, which would give a negative age."""
    return ReadDays(days.start or date.min, days.end or date.max, max(0.0, age_s))
