"""Reading a list by calendar month: show the known months, refresh old months in the background, fetch missing months."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from itertools import groupby
from math import inf
from typing import Any

import msgspec

from coachboard.client import months
from coachboard.client.cache import CacheEntries, CacheEntry, CacheKey, CacheStore
from coachboard.client.decode import ListRows, read_list
from coachboard.client.errors import NotFound, ServiceError
from coachboard.client.months import AFTER, BEFORE, PLANNED, RECORDED, UNDATED, Days, ListPart, parts_of, runs
from coachboard.client.pacing import Policy
from coachboard.client.resources import ACTIVITIES, RANGED, ListRow, Order, Ranged, Request, path_of
from coachboard.client.result import ReadDays, Result
from coachboard.client.retry import REFUSALS, Fetcher
from coachboard.monitoring import CLIENT_CACHE


@dataclass(frozen=True, slots=True)
class ListKey:
    """Whose list it is, and the id in the path: `me` for the owner of the key."""

    scope: str
    resource: Ranged
    user_id: str
    asked_as: str

    @property
    def cache_key(self) -> CacheKey:
        return CacheKey(self.scope, self.resource.name, self.user_id)


StoredRow = tuple[int, int, Any, bool, bytes | None]
"""A row of a month as the cache has it: its day as an ordinal (0 without one), its rank, and the fields of `ListRow`."""

_MONTH = msgspec.msgpack.Decoder(list[StoredRow])


class Lists:
    """The lists of one client."""

    def __init__(self, cache: CacheStore, fetcher: Fetcher) -> None:
        self._cache = cache
        self._fetcher = fetcher

    def read(self, key: ListKey, days: Days, *, max_age_s: float | None = None) -> Result[Any]:
        """The rows of the days; raises `ServiceError` where the cache has none and the fetch fails."""
        if days.is_empty:
            return Result(ListRows(key.resource.model, [], name=key.resource.name), _moment(self._now))
        stored, error = self._with_missing(key, days, max_age_s)
        parts = self._parts(key, days, stored)
        error = self._refresh(key, parts) or error
        rows = self._rows(key, days, stored)
        if rows is None:  # another thread or process has deleted the list meanwhile
            return self.read(key, days, max_age_s=max_age_s)
        return self._result(days, parts, rows, error)

    def missing(self, key: ListKey, days: Days) -> list[Days]:
        """The runs of months that a read would fetch or refresh."""
        parts = self._parts(key, days, self._cache.read(key.cache_key))
        return runs(parts, [part for part in parts if not part.is_fresh(self._now)])

    def fetch(self, key: ListKey, run: Days, policy: Policy) -> None:
        """Fetch a run of months again."""
        self._fetch(key, run, self._cache.read(key.cache_key), policy)

    @property
    def _now(self) -> float:
        return self._fetcher.options.clock()

    @property
    def _today(self) -> date:
        return self._fetcher.options.day()

    def _parts(self, key: ListKey, days: Days, stored: CacheEntries) -> list[ListPart]:
        return parts_of(days, stored, PLANNED if key.resource.is_plan else RECORDED, self._today)

    def _with_missing(
        self, key: ListKey, days: Days, max_age_s: float | None
    ) -> tuple[CacheEntries, ServiceError | None]:
        """The entries of the list after its missing months were fetched, and the error that ended the fetching."""
        stored = self._cache.read(key.cache_key)
        parts = self._parts(key, days, stored)
        missing = [part for part in parts if not _is_recent(part, self._now, max_age_s)]
        if days.is_open and key.resource.may_be_undated and UNDATED not in stored:
            missing = parts
        is_known = any(part.fetched_at is not None for part in parts)
        is_fresh = all(part.is_fresh(self._now) for part in parts)
        CLIENT_CACHE.add("miss" if missing else "hit" if is_fresh else "stale")
        for run in runs(parts, missing):
            if is_known and (failure := self._fetcher.recent_failure((key, run))) is not None:
                return stored, failure
            try:
                fetched = self._fetch(key, run, stored, Policy.INTERACTIVE)
            except REFUSALS:
                raise
            except ServiceError as error:
                self._fetcher.failed((key, run), error)
                if not is_known:
                    raise
                return stored, error
            stored = {**_outside(stored, run), **fetched}
        return stored, None

    def _refresh(self, key: ListKey, parts: Sequence[ListPart]) -> ServiceError | None:
        """Refresh old months in the background; returns the error of a refresh that failed a moment ago."""
        now, error = self._now, None
        old = [part for part in parts if part.fetched_at is not None and not part.is_fresh(now)]
        for run in runs(parts, old):
            fetch = partial(self.fetch, key, run, Policy.BACKGROUND)
            error = self._fetcher.refresh((key, run), fetch) or error
        return error

    def _fetch(self, key: ListKey, run: Days, seen: CacheEntries, policy: Policy) -> CacheEntries:
        """Fetch months, in one request for all threads that ask at once, and return the list's entries; a 404 deletes all lists."""
        fetch = partial(self._fetch_once, key, run, seen, policy)
        try:
            return self._fetcher.workers.join((key, run), fetch, what=key.resource.name)
        except NotFound:  # the key may no longer read the lists of this user
            self._cache.drop(*(CacheKey(key.scope, resource.name, key.user_id) for resource in RANGED))
            raise

    def _fetch_once(self, key: ListKey, run: Days, seen: CacheEntries, policy: Policy) -> CacheEntries:
        stored = self._cache.read(key.cache_key)
        is_news = _times(stored) != _times(seen)
        if is_news and all(part.is_fresh(self._now) for part in self._parts(key, run, stored)):
            return stored  # another thread has fetched these months since the caller read the cache
        resource = key.resource
        fetched_at = self._now  # before the request: a later change may be missing in the reply
        query = [(name, day.isoformat()) for name, day in (("from", run.start), ("to", run.end)) if day]
        request = Request("GET", path_of(resource.path, key.asked_as), tuple(query), user_id=key.user_id)
        read = partial(read_list, model=resource.model, nested=resource.nested)
        rows = self._fetcher.fetch(request, read, policy=policy, is_needed=not seen)
        entries = entries_of(resource, rows, run, fetched_at, self._today)
        others = _outside(stored, run)
        self._cache.put(key.cache_key, entries, replaces=stored.keys() - others.keys())
        return {**others, **entries}

    def _rows(self, key: ListKey, days: Days, stored: CacheEntries) -> ListRows[Any] | None:
        """The decoded rows of the days; None if months have left the cache since `stored` was read."""
        wanted = {month: entry for month, entry in stored.items() if _is_in(month, days)}
        place = (key.scope, "rows", key.cache_key, days)
        rows: ListRows[Any] | None = self._cache.decoded.get(place)
        if rows is not None and rows.identity == (*place, _digests(wanted)):
            return rows
        whole = self._cache.with_bodies(key.cache_key, wanted)
        if whole is None:
            return None
        newest_last = sorted(whole.values(), key=lambda entry: entry.fetched_at)
        rows = ListRows(
            key.resource.model,
            assembled(key.resource.order, days, newest_last),
            name=key.resource.name,
            identity=(*place, _digests(whole)),
        )
        self._cache.decoded.put(place, rows, 1 + sum(len(entry.body or b"") for entry in whole.values()))
        return rows

    def _result(
        self, days: Days, parts: Sequence[ListPart], rows: ListRows[Any], error: ServiceError | None
    ) -> Result[Any]:
        now = self._now
        as_of = months.as_of(parts, now)
        return Result(
            rows,
            _moment(now if as_of is None else min(as_of, now)),
            is_stale=not all(part.is_fresh(now) for part in parts),
            error=error,
            problems=rows.problems,
            identity=rows.identity,
            read_days=tuple(_read_days(parts, days, now)),
        )


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _is_recent(part: ListPart, now: float, max_age_s: float | None) -> bool:
    """Whether the cached months can be shown, for a reader who accepts only data of this age."""
    if part.fetched_at is None or max_age_s is None:
        return part.fetched_at is not None
    return -months.SKEW_S <= now - part.fetched_at <= max_age_s


def _digests(entries: CacheEntries) -> tuple[tuple[int, bytes], ...]:
    return tuple(sorted((month, entry.digest) for month, entry in entries.items()))


def _times(entries: CacheEntries) -> dict[int, float]:
    return {month: entry.fetched_at for month, entry in entries.items()}


def _outside(entries: CacheEntries, run: Days) -> CacheEntries:
    """The entries of months that are not in the run."""
    first = 0 if run.start is None else months.month_of(run.start)
    last = inf if run.end is None else months.month_of(run.end)
    return {
        month: entry for month, entry in entries.items() if month <= UNDATED or not first <= month <= last
    }


def _is_in(month: int, days: Days) -> bool:
    """Whether the entry has rows of these days."""
    if month == UNDATED:
        return days.is_open
    if month in {BEFORE, AFTER}:
        return False
    is_after_start = days.start is None or month >= months.month_of(days.start)
    return is_after_start and (days.end is None or month <= months.month_of(days.end))


def entries_of(
    resource: Ranged, rows: Sequence[ListRow], run: Days, fetched_at: float, today: date
) -> dict[int, CacheEntry]:
    """The rows of a reply by month, in the order of the list."""
    explicit, marks = months.explicit_months(run, today)
    by_month: dict[int, list[StoredRow]] = {month: [] for month in explicit}
    if run.is_open and resource.may_be_undated:
        by_month[UNDATED] = []
    days_of_ids: dict[str, date | None] = {}
    for position, row in enumerate(rows):
        fields = row.value if isinstance(row.value, dict) else {}
        day = resource.day_of(fields)
        if day is None and UNDATED not in by_month:
            day = run.start or run.end or today
        if day is not None:
            day = run.clamp(day)  # the service returned the row for these days
        if row.id is not None:  # another row with the same id stays next to the first one
            day = days_of_ids.setdefault(row.id, day)
        month = UNDATED if day is None else months.month_of(day)
        ordinal = 0 if day is None else day.toordinal()
        stored = (ordinal, resource.rank_of(fields, position), row.value, row.is_odd, row.nested)
        by_month.setdefault(month, []).append(stored)
    entries = {number: CacheEntry.of(b"", fetched_at, version=version) for number, version in marks.items()}
    for month, of_month in by_month.items():
        ids = " ".join(_ids(of_month)) if resource is ACTIVITIES else ""
        entries[month] = CacheEntry.of(msgspec.msgpack.encode(of_month), fetched_at, ids=ids)
    return entries


def _ids(rows: Iterable[StoredRow]) -> list[str]:
    return [str(value["id"]) for _, _, value, _, _ in rows if isinstance(value, dict) and "id" in value]


_SORT_KEYS: Mapping[Order, Callable[[Any], tuple[int, int]]] = {
    Order.NEWEST_FIRST: lambda placed: (-placed[0], placed[1]),
    Order.OLDEST_FIRST: lambda placed: (placed[0], placed[1]),
    Order.LATEST_START_FIRST: lambda placed: (placed[1], -placed[0]),
}


def assembled(order: Order, days: Days, entries: Iterable[CacheEntry]) -> list[ListRow]:
    """The rows of the days in the order of the list, from entries whose last fetch comes last.

    A row that moved to another month may be in two entries: it counts where it was fetched last.
    """
    first = 0 if days.start is None else days.start.toordinal()
    last = date.max.toordinal() if days.end is None else days.end.toordinal()
    placed: list[tuple[int, int, ListRow, int]] = []
    newest: dict[str | None, int] = {}
    for number, entry in enumerate(entries):
        for day, rank, value, is_odd, nested in _MONTH.decode(entry.body or b""):
            row = ListRow(value, is_odd, nested)
            newest[row.id] = number
            if not day or first <= day <= last:
                placed.append((day, rank, row, number))
    placed.sort(key=_SORT_KEYS[order])
    return [row for _, _, row, number in placed if row.id is None or newest[row.id] == number]


def _read_days(parts: Iterable[ListPart], days: Days, now: float) -> Iterator[ReadDays]:
    """The fetched days with their age: 0 if the clock was set back since, which would give a negative age."""
    for fetched_at, run in groupby(parts, key=lambda part: part.fetched_at):
        if fetched_at is not None:
            adjoining = [part.days for part in run]
            start, end = adjoining[0].start or date.min, adjoining[-1].end or date.max
            first, last = max(start, days.start or date.min), min(end, days.end or date.max)
            yield ReadDays(first, last, max(0.0, now - fetched_at))
