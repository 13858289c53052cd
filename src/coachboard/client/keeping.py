"""Reading what is kept whole: the users, profiles, streams; each with one lifetime."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import Any, Generic, TypeVar, cast

from coachboard.client.budget import Priority, Want
from coachboard.client.cache.behind import Behind, Unwritten
from coachboard.client.cache.blobs import BlobKey, Blobs
from coachboard.client.cache.spans import SKEW_S
from coachboard.client.errors import NotFound, ServiceError, UnreadableResponse
from coachboard.client.fetching import FetchedElsewhere
from coachboard.client.http import Request
from coachboard.client.reach import REFUSALS, TOUCH_EVERY_S, Reach
from coachboard.client.recent import Recent
from coachboard.client.result import Result, RowProblem, Source
from coachboard.client.whole import KEPT_MODELS, Fresh, Thing

T = TypeVar("T")

_ABSENT = -1  # the version of a blob that says there is nothing


@dataclass(frozen=True, slots=True)
class _Held(Generic[T]):
    """What is known of a thing: as it was fetched a moment ago, or as it stands in the cache."""

    fetched_at: float
    used_at: float
    fresh: Fresh[T] | None = None
    body: bytes = b""
    is_absent: bool = False


class Keeping:
    """The things of one client that are kept whole."""

    def __init__(self, blobs: Blobs, behind: Behind[BlobKey], reach: Reach) -> None:
        self._blobs = blobs
        self._behind = behind
        self._reach = reach
        self._recent: Recent[tuple[float, Source[object], tuple[RowProblem, ...]]] = Recent(KEPT_MODELS)

    def read(self, thing: Thing[T], *, max_age_s: float | None = None) -> Result[T]:
        """The known, refreshed in the background where it is old; raises `ServiceError` where none is."""
        now = self._reach.options.clock()
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        held = self._held(at)
        if held is not None and held.is_absent:
            if 0 <= now - held.fetched_at < thing.absent_s:
                raise not_there(thing.request)
            held = None
        age_s = now - held.fetched_at if held is not None else inf
        if held is None or (max_age_s is not None and not -SKEW_S <= age_s <= max_age_s):
            return self._fetched(thing, at, held)
        is_old = _is_old(thing, age_s)
        error = self._refreshed_later(thing, at) if is_old else None
        if not 0 <= now - held.used_at <= TOUCH_EVERY_S:
            self._reach.background.submit(("touch", at), partial(self._blobs.touch, at, now))
        return self._result(thing, at, held, is_stale=is_old, error=error)

    def known_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind that are in the cache, or as good as."""
        scope = self._reach.scope
        unwritten = (at.key for at in self._behind.keys() if (at.scope, at.kind) == (scope, kind))  # noqa: SIM118 (no mapping)
        return self._blobs.keys(scope, kind).union(unwritten)

    def fetch(self, thing: Thing[T], priority: Priority) -> None:
        """Fetch into the cache; raises `ServiceError`."""
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        try:
            self._renew(thing, at, priority)
        except REFUSALS as error:
            self._refused(thing, at, error)
            raise

    def known(self, thing: Thing[T]) -> Result[T] | None:
        """What the cache holds of it, without a request."""
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        held = self._held(at)
        return None if held is None or held.is_absent else self._result(thing, at, held)

    def is_due(self, thing: Thing[T]) -> bool:
        """Whether a read would have it fetched: it is not known, or old."""
        now = self._reach.options.clock()
        held = self._held(BlobKey(self._reach.scope, thing.kind, thing.key))
        if held is not None and held.is_absent:
            return not 0 <= now - held.fetched_at < thing.absent_s
        return held is None or _is_old(thing, now - held.fetched_at)

    def soon(self, thing: Thing[T]) -> None:
        """Have it fetched in the background, on what budget is to spare, unless it is known or just failed.

        What does not exist is known too. Not kept as such, it would be asked for again at every look.
        """
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        if self._held(at) is None and self._reach.failures.recent(at) is None:
            self._reach.background.submit(at, partial(self._learn, thing, at))

    def absent_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind that the service has answered with "not found"."""
        return self._blobs.keys(self._reach.scope, kind, version=_ABSENT)

    def _held(self, at: BlobKey) -> _Held[Any] | None:
        unwritten = self._behind.get(at)
        if unwritten is not None:
            fresh = cast("Fresh[Any]", unwritten.value)
            return _Held(unwritten.fetched_at, unwritten.fetched_at, fresh)
        blob = self._blobs.get(at)
        if blob is None:
            return None
        return _Held(blob.fetched_at, blob.used_at, body=blob.body, is_absent=blob.version == _ABSENT)

    def _fetched(self, thing: Thing[T], at: BlobKey, known: _Held[T] | None) -> Result[T]:
        landed = self._reach.flights.landed
        try:
            held = self._reach.flights.join(
                at, partial(self._fetch_once, thing, at, Priority.PERSON, landed, known), what=thing.kind
            )
        except REFUSALS as error:
            self._refused(thing, at, error)
            raise
        except ServiceError as error:
            if known is None:
                raise
            return self._result(thing, at, known, is_stale=True, error=error)
        return self._result(thing, at, held)

    def _refused(self, thing: Thing[T], at: BlobKey, error: ServiceError) -> None:
        """What may not be seen any more is forgotten; that there is nothing is known for a while."""
        self._behind.drop(at)
        self._blobs.drop(at)
        if isinstance(error, NotFound) and thing.absent_s:
            self._blobs.put(at, b"", now=self._reach.options.clock(), version=_ABSENT)

    def _refreshed_later(self, thing: Thing[T], at: BlobKey) -> ServiceError | None:
        failure = self._reach.failures.recent(at)
        if isinstance(failure, REFUSALS):
            self._refused(thing, at, failure)
            raise failure
        if failure is None:
            self._reach.background.submit(at, partial(self._refresh, thing, at))
        return failure

    def _learn(self, thing: Thing[T], at: BlobKey) -> None:
        try:
            self.fetch(thing, Priority.REFRESH)
        except ServiceError as error:
            self._reach.failures.note(at, error)
            raise

    def _refresh(self, thing: Thing[T], at: BlobKey) -> None:
        try:
            self._renew(thing, at, Priority.REFRESH)
        except ServiceError as error:
            self._reach.failures.note(at, error)
            raise

    def _renew(self, thing: Thing[T], at: BlobKey, priority: Priority) -> None:
        """Fetch anew, unless another process has done so meanwhile."""
        flights = self._reach.flights
        known = self._held(at)
        fetch = partial(self._fetch_once, thing, at, priority, flights.landed, known)
        flights.join(at, fetch, what=thing.kind)

    def _fetch_once(
        self, thing: Thing[T], at: BlobKey, priority: Priority, landed: int, known: _Held[T] | None
    ) -> _Held[T]:
        """Fetch, unless a fetch that has landed in the meantime brought it."""
        while True:
            if landed != self._reach.flights.landed:
                held = self._held(at)
                is_new = known is None or (held is not None and held.fetched_at != known.fetched_at)
                if held is not None and not held.is_absent and is_new:
                    return held
            try:
                return self._fetch(thing, at, priority, is_needed=known is None)
            except FetchedElsewhere:
                landed = -1

    def _fetch(self, thing: Thing[T], at: BlobKey, priority: Priority, *, is_needed: bool) -> _Held[T]:
        want = Want(thing.user_id, priority, f"fetch {thing.request.target}", is_needed)
        now = self._reach.options.clock()
        fresh = self._reach.fetcher.fetch(thing.request, want, partial(thing.open, thing.request))
        write = partial(self._write, at, fresh, now, want)
        if thing.is_large:
            self._behind.put(at, Unwritten(fresh, now, write))
        else:
            write()
        return _Held(now, now, fresh)

    def _write(self, at: BlobKey, fresh: Fresh[T], now: float, want: Want) -> None:
        try:
            size = self._blobs.put(at, fresh.body(), now=now)
        finally:
            self._reach.fetcher.done(want)
        self._reach.grew(size)

    def _result(
        self,
        thing: Thing[T],
        at: BlobKey,
        held: _Held[T],
        *,
        is_stale: bool = False,
        error: ServiceError | None = None,
    ) -> Result[T]:
        source, problems = self._opened(thing, at, held)
        if problems and self._reach.options.strict:
            raise UnreadableResponse(
                "GET", thing.request.path, place=problems[0].place, text=problems[0].says
            )
        # Of what was fetched by a clock that was set back since, no more can be said than that it was before now.
        as_of = datetime.fromtimestamp(min(held.fetched_at, self._reach.options.clock()), UTC)
        return Result(source, as_of, is_stale=is_stale, error=error, problems=problems)

    def _opened(
        self, thing: Thing[T], at: BlobKey, held: _Held[T]
    ) -> tuple[Source[T], tuple[RowProblem, ...]]:
        kept = self._recent.get(at)
        if kept is None or kept[0] != held.fetched_at:
            if held.fresh is not None:
                kept = (held.fetched_at, held.fresh.source, held.fresh.problems)
            else:
                kept = (held.fetched_at, *thing.read(held.body))
            self._recent.put(at, kept, thing.cost)
        return cast("Source[T]", kept[1]), kept[2]


def _is_old(thing: Thing[Any], age_s: float) -> bool:
    return thing.lifetime_s < inf and not -SKEW_S <= age_s <= thing.lifetime_s


def not_there(request: Request) -> NotFound:
    """The error of a thing that the service said does not exist, a moment ago."""
    return NotFound(request.method, request.path, status=404, code="not_found", may_have_arrived=False)
