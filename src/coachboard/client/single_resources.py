"""Reading a resource without days: the users, a profile, the streams of an activity.

Show the cached value, refresh an old value in the background, fetch a missing value. On 401 and 404 the cached value
is deleted. A 404 of streams is cached, so that the page does not ask for them again at each visit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import Any, Generic, TypeVar, cast

from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.freshness import NO_STREAMS_S, PROFILE_S, SKEW_S, STREAMS_S, USERS_S
from coachboard.client.cache.store import CacheStore
from coachboard.client.cache.write_behind import Unwritten
from coachboard.client.concurrency import Memo
from coachboard.client.errors import NotFound, RowProblem, ServiceError, UnreadableResponse
from coachboard.client.parsing.decode import ListRows, read_list, read_object
from coachboard.client.parsing.streams import from_arrow, read_streams, to_arrow
from coachboard.client.resources import STREAMS_PATH, USER_PATH, USERS_PATH, Request, path_of
from coachboard.client.result import Known, Result, Source
from coachboard.client.transport.rate_limit import Priority, Want
from coachboard.client.transport.retry import REFUSALS, Context, FetchedElsewhere
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User, UserProfile
from coachboard.monitoring import CLIENT_CACHE

T = TypeVar("T")

TOUCH_EVERY_S = 3_600.0
"""How often a use is noted in the cache, which deletes the entries that were not used for the longest time."""

KEPT_VALUES = 2_000
"""Decoded users and profiles in memory. Streams are too large, and read from the cache in 2 ms."""

_ABSENT = -1  # the version of a cached 404


@dataclass(frozen=True, slots=True)
class Decoded(Generic[T]):
    """The value of a reply or of a cached body."""

    source: Source[T]
    problems: tuple[RowProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class SingleResource(Generic[T]):
    """How a resource is requested, read and stored, and how long it is fresh."""

    kind: str
    key: str
    request: Request
    user_id: str  # the user whose rate limit the request counts for, empty for none
    lifetime_s: float
    read: Callable[[Request, bytes], Decoded[T]]  # a reply; raises `UnreadableResponse`
    pack: Callable[[Decoded[T]], bytes] | None = None  # for the cache; None stores the reply
    unpack: Callable[[bytes], Decoded[T]] | None = None
    absent_s: float = 0.0  # how long a 404 is believed


def users() -> SingleResource[tuple[User, ...]]:
    """The athletes of the caller."""
    return SingleResource("users", "", Request("GET", USERS_PATH), "", USERS_S, _read_users)


def profile(user_id: str, *, counted_as: str) -> SingleResource[UserProfile]:
    """The profile of a user."""
    request = Request("GET", path_of(USER_PATH, user_id))
    return SingleResource("profile", user_id, request, counted_as, PROFILE_S, _read_profile)


def streams(activity_id: str) -> SingleResource[ActivityStreams]:
    """The streams of an activity: a recording does not change."""
    request = Request("GET", path_of(STREAMS_PATH, activity_id))
    forms: Any = {"pack": _pack_streams, "unpack": _unpack_streams, "absent_s": NO_STREAMS_S}
    return SingleResource("streams", activity_id, request, "", STREAMS_S, _read_streams, **forms)


def _read_users(request: Request, body: bytes) -> Decoded[tuple[User, ...]]:
    rows: ListRows[User] = ListRows(User, read_list(request, body, User), name="users")
    return Decoded(rows, rows.problems)


def _read_profile(request: Request, body: bytes) -> Decoded[UserProfile]:
    value, problems = read_object(request, body, UserProfile)
    return Decoded(Known(value), problems)


def _read_streams(request: Request, body: bytes) -> Decoded[ActivityStreams]:
    value, problems = read_streams(request, body)
    return Decoded(Known(value), problems)


def _pack_streams(decoded: Decoded[ActivityStreams]) -> bytes:
    return to_arrow(decoded.source.value(), decoded.problems)


def _unpack_streams(body: bytes) -> Decoded[ActivityStreams]:
    value, problems = from_arrow(body)
    return Decoded(Known(value), problems)


@dataclass(frozen=True, slots=True)
class _Cached(Generic[T]):
    """The cached resource: a fetched value that is not written yet, or the body in the database."""

    fetched_at: float
    used_at: float
    decoded: Decoded[T] | None = None
    body: bytes = b""
    is_absent: bool = False


class SingleResources:
    """The single resources of one client."""

    def __init__(self, store: CacheStore, context: Context) -> None:
        self._blobs = store.blobs
        self._behind = store.blobs_behind
        self._context = context
        self._memo: Memo[tuple[bytes, Decoded[Any]]] = Memo(KEPT_VALUES)

    def read(self, resource: SingleResource[T], *, max_age_s: float | None = None) -> Result[T]:
        """The cached value, refreshed in the background if it is old; raises `ServiceError` if there is none."""
        now = self._context.options.clock()
        at = self._at(resource)
        cached = self._cached(at)
        if cached is not None and cached.is_absent:
            if 0 <= now - cached.fetched_at < resource.absent_s:
                CLIENT_CACHE.add("hit")
                raise _absent(resource.request)
            cached = None
        age_s = now - cached.fetched_at if cached is not None else inf
        if cached is None or (max_age_s is not None and not -SKEW_S <= age_s <= max_age_s):
            CLIENT_CACHE.add("miss")
            return self._fetched(resource, at, cached)
        is_old = _is_old(resource, age_s)
        CLIENT_CACHE.add("stale" if is_old else "hit")
        error = self._refresh(resource, at) if is_old else None
        if not 0 <= now - cached.used_at <= TOUCH_EVERY_S:
            self._context.threads.later(("touch", at), partial(self._blobs.touch, at, now))
        return self._result(resource, at, cached, is_stale=is_old, error=error)

    def fetch(self, resource: SingleResource[T], priority: Priority) -> None:
        """Fetch into the cache; raises `ServiceError`."""
        at = self._at(resource)
        try:
            self._join(resource, at, priority, self._cached(at))
        except REFUSALS as error:
            self._forget(resource, at, error)
            raise

    def pass_on(self, resource: SingleResource[T], priority: Priority) -> T:
        """The cached value, else a fetched one, which is not stored; only a 404 is. Raises `ServiceError`."""
        at = self._at(resource)
        cached = self._cached(at)
        if cached is not None and not cached.is_absent:
            known: T = self._result(resource, at, cached).value
            return known
        if (failure := self._context.recent_failure(at)) is not None:
            raise failure
        want, request = Want(resource.user_id, priority, claim=""), resource.request
        try:
            decoded: Decoded[T] = self._context.fetcher.fetch(request, want, partial(resource.read, request))
        except REFUSALS as error:
            self._forget(resource, at, error)
            raise
        except ServiceError as error:
            self._context.failed(at, error)
            raise
        return decoded.source.value()

    def soon(self, resource: SingleResource[T]) -> None:
        """Fetch in the background if the value is missing, no 404 is cached, and no fetch failed a moment ago."""
        at = self._at(resource)
        if self._cached(at) is None and self._context.recent_failure(at) is None:
            self._context.refresh(at, partial(self.fetch, resource, Priority.REFRESH))

    def known(self, resource: SingleResource[T]) -> Result[T] | None:
        """The cached value; makes no request."""
        at = self._at(resource)
        cached = self._cached(at)
        return None if cached is None or cached.is_absent else self._result(resource, at, cached)

    def is_due(self, resource: SingleResource[T]) -> bool:
        """Whether a read would fetch the value, or refresh it."""
        now = self._context.options.clock()
        cached = self._cached(self._at(resource))
        if cached is not None and cached.is_absent:
            return not 0 <= now - cached.fetched_at < resource.absent_s
        return cached is None or _is_old(resource, now - cached.fetched_at)

    def known_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind in the cache, those with a 404 among them."""
        scope = self._context.scope
        unwritten = (at.key for at in self._behind.keys() if (at.scope, at.kind) == (scope, kind))  # noqa: SIM118 (no mapping)
        return self._blobs.keys(scope, kind).union(unwritten)

    def absent_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind with a cached 404."""
        return self._blobs.keys(self._context.scope, kind, version=_ABSENT)

    def _at(self, resource: SingleResource[Any]) -> BlobKey:
        return BlobKey(self._context.scope, resource.kind, resource.key)

    def _cached(self, at: BlobKey) -> _Cached[Any] | None:
        unwritten = self._behind.get(at)
        if unwritten is not None:
            decoded = cast("Decoded[Any]", unwritten.value)
            return _Cached(unwritten.fetched_at, unwritten.fetched_at, decoded)
        blob = self._blobs.get(at)
        if blob is None:
            return None
        return _Cached(blob.fetched_at, blob.used_at, body=blob.body, is_absent=blob.version == _ABSENT)

    def _fetched(self, resource: SingleResource[T], at: BlobKey, seen: _Cached[T] | None) -> Result[T]:
        try:
            cached = self._join(resource, at, Priority.PERSON, seen)
        except REFUSALS as error:
            self._forget(resource, at, error)
            raise
        except ServiceError as error:
            if seen is None:
                raise
            return self._result(resource, at, seen, is_stale=True, error=error)
        return self._result(resource, at, cached)

    def _refresh(self, resource: SingleResource[T], at: BlobKey) -> ServiceError | None:
        """Refresh in the background; returns the error if a refresh failed recently, and then does not repeat it."""
        failure = self._context.recent_failure(at)
        if isinstance(failure, REFUSALS):
            self._forget(resource, at, failure)
            raise failure
        if failure is None:
            join = partial(self._join, resource, at, Priority.REFRESH)
            self._context.refresh(at, lambda: join(self._cached(at)))
        return failure

    def _forget(self, resource: SingleResource[T], at: BlobKey, error: ServiceError) -> None:
        self._behind.drop(at)
        self._blobs.drop(at)
        if isinstance(error, NotFound) and resource.absent_s:
            self._blobs.put(at, b"", now=self._context.options.clock(), version=_ABSENT)

    def _join(
        self, resource: SingleResource[T], at: BlobKey, priority: Priority, seen: _Cached[T] | None
    ) -> _Cached[T]:
        """Fetch, in one request for all threads that ask at once."""
        fetch = partial(self._fetch_once, resource, at, priority, seen)
        return self._context.flights.join(at, fetch, what=resource.kind)

    def _fetch_once(
        self, resource: SingleResource[T], at: BlobKey, priority: Priority, seen: _Cached[T] | None
    ) -> _Cached[T]:
        """Fetch, unless another fetch stored the value since the caller read the cache."""
        want = Want(resource.user_id, priority, f"fetch {resource.request.target}", seen is None)
        while True:
            cached = self._cached(at)
            is_new = cached is not None and (seen is None or cached.fetched_at != seen.fetched_at)
            if cached is not None and is_new and not cached.is_absent:
                return cached
            try:
                return self._send(resource, at, want)
            except FetchedElsewhere:
                continue

    def _send(self, resource: SingleResource[T], at: BlobKey, want: Want) -> _Cached[T]:
        request, now = resource.request, self._context.options.clock()
        decoded, body = self._context.fetcher.fetch(
            request, want, lambda body: (resource.read(request, body), body)
        )
        if resource.pack is None:
            self._write(at, lambda: body, now, want)
            return _Cached(now, now, decoded, body)
        write = partial(self._write, at, partial(resource.pack, decoded), now, want)
        self._behind.put(at, Unwritten(decoded, now, write))
        return _Cached(now, now, decoded)

    def _write(self, at: BlobKey, pack: Callable[[], bytes], now: float, want: Want) -> None:
        try:
            size = self._blobs.put(at, pack(), now=now)
        finally:
            self._context.fetcher.done(want)
        self._context.grew(size)

    def _result(
        self,
        resource: SingleResource[T],
        at: BlobKey,
        cached: _Cached[T],
        *,
        is_stale: bool = False,
        error: ServiceError | None = None,
    ) -> Result[T]:
        decoded = self._decoded(resource, at, cached)
        if decoded.problems and self._context.options.strict:
            first = decoded.problems[0]
            raise UnreadableResponse("GET", resource.request.path, place=first.place, text=first.says)
        # A clock that was set back makes a fetch look like a later one.
        as_of = datetime.fromtimestamp(min(cached.fetched_at, self._context.options.clock()), UTC)
        return Result(
            decoded.source,
            as_of,
            is_stale=is_stale,
            error=error,
            problems=decoded.problems,
            fresh_until=min(cached.fetched_at + resource.lifetime_s, cached.used_at + TOUCH_EVERY_S),
        )

    def _decoded(self, resource: SingleResource[T], at: BlobKey, cached: _Cached[T]) -> Decoded[T]:
        if resource.unpack is not None:
            return cached.decoded or resource.unpack(cached.body)
        # The same bytes give the same value: pages build everything again that depends on another one. The key check fetches
        # the profile every 45 s, and 400 people with a roster then waited up to 10 s.
        kept = self._memo.get(at)
        if kept is not None and kept[0] == cached.body:
            return kept[1]
        decoded = cached.decoded or resource.read(resource.request, cached.body)
        self._memo.put(at, (cached.body, decoded))
        return decoded


def _is_old(resource: SingleResource[Any], age_s: float) -> bool:
    return resource.lifetime_s < inf and not -SKEW_S <= age_s <= resource.lifetime_s


def _absent(request: Request) -> NotFound:
    return NotFound(request.method, request.path, status=404, code="not_found", may_have_arrived=False)
