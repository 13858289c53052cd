"""Reading what is kept whole: the users, profiles, streams; each with one lifetime."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Generic, TypeVar

from coachboard.client.budget import Priority, Want
from coachboard.client.cache.blobs import Blob, BlobKey, Blobs
from coachboard.client.errors import NotFound, ServiceError, UnreadableResponse
from coachboard.client.fetching import FetchedElsewhere
from coachboard.client.http import Request
from coachboard.client.listing import REFUSALS, TOUCH_EVERY_S, Reach
from coachboard.client.recent import Recent
from coachboard.client.result import Result, RowProblem, Source

T = TypeVar("T")

_ABSENT = -1  # the version of a blob that says there is nothing

KEPT_MODELS = 2_000
"""Users and profiles held decoded in memory; streams are read from the cache each time (2 ms)."""


@dataclass(frozen=True, slots=True)
class Thing(Generic[T]):
    """Something that one request gives: how it is asked for, stored and read, and how long it is fresh."""

    kind: str
    key: str
    request: Request
    user_id: str  # whose budget it is, empty for none
    lifetime_s: float
    pack: Callable[[Request, bytes], bytes]  # of a reply's body; raises `UnreadableResponse`
    read: Callable[[bytes], tuple[Source[T], tuple[RowProblem, ...]]]
    absent_s: float = 0.0  # how long "not found" is believed
    cost: int = 1  # in models; more than KEPT_MODELS is not held in memory


class Keeping:
    """The things of one client that are kept whole."""

    def __init__(self, blobs: Blobs, reach: Reach, grew: Callable[[int], None]) -> None:
        self._blobs = blobs
        self._reach = reach
        self._grew = grew
        self._recent: Recent[tuple[float, Source[object], tuple[RowProblem, ...]]] = Recent(KEPT_MODELS)

    def read(self, thing: Thing[T], *, max_age_s: float | None = None) -> Result[T]:
        """The known, refreshed in the background where it is old; raises `ServiceError` where none is."""
        now = self._reach.options.clock()
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        blob = self._blobs.get(at)
        if blob is not None and blob.version == _ABSENT:
            if 0 <= now - blob.fetched_at < thing.absent_s:
                raise not_there(thing.request)
            blob = None
        if blob is None or (max_age_s is not None and now - blob.fetched_at > max_age_s):
            return self._fetched(thing, at, blob)
        is_old = not 0 <= now - blob.fetched_at + 60 <= thing.lifetime_s + 60
        error = self._refreshed_later(thing, at) if is_old else None
        if now - blob.used_at > TOUCH_EVERY_S:
            self._reach.background.submit(("touch", at), partial(self._blobs.touch, at, now))
        return self._result(thing, at, blob, is_stale=is_old, error=error)

    def known_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind that are in the cache."""
        return self._blobs.keys(self._reach.scope, kind)

    def fetch(self, thing: Thing[T], priority: Priority) -> None:
        """Fetch into the cache; raises `ServiceError`."""
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        try:
            self._reach.flights.join(at, partial(self._fetch, thing, at, priority))
        except REFUSALS as error:
            self._refused(thing, at, error)
            raise

    def known(self, thing: Thing[T]) -> Result[T] | None:
        """What the cache holds of it, without a request."""
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        blob = self._blobs.get(at)
        return None if blob is None or blob.version == _ABSENT else self._result(thing, at, blob)

    def soon(self, thing: Thing[T]) -> None:
        """Have it fetched in the background, on what budget is to spare, unless it is known or just failed."""
        at = BlobKey(self._reach.scope, thing.kind, thing.key)
        if self._blobs.get(at) is None and self._reach.failures.recent(at) is None:
            self._reach.background.submit(at, partial(self._refresh, thing, at))

    def _fetched(self, thing: Thing[T], at: BlobKey, known: Blob | None) -> Result[T]:
        landed = self._reach.flights.landed
        try:
            blob = self._reach.flights.join(
                at, partial(self._fetch_once, thing, at, Priority.PERSON, landed, known)
            )
        except REFUSALS as error:
            self._refused(thing, at, error)
            raise
        except ServiceError as error:
            if known is None:
                raise
            return self._result(thing, at, known, is_stale=True, error=error)
        return self._result(thing, at, blob)

    def _refused(self, thing: Thing[T], at: BlobKey, error: ServiceError) -> None:
        """What may not be seen any more is forgotten; that there is nothing is known for a while."""
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

    def _refresh(self, thing: Thing[T], at: BlobKey) -> None:
        try:
            self._reach.flights.join(at, partial(self._fetch, thing, at, Priority.REFRESH))
        except ServiceError as error:
            self._reach.failures.note(at, error)
            raise

    def _fetch_once(
        self, thing: Thing[T], at: BlobKey, priority: Priority, landed: int, known: Blob | None
    ) -> Blob:
        """Fetch, unless a fetch that has landed in the meantime brought it."""
        while True:
            if landed != self._reach.flights.landed:
                blob = self._blobs.get(at)
                if (
                    blob is not None
                    and blob.version != _ABSENT
                    and (known is None or blob.fetched_at > known.fetched_at)
                ):
                    return blob
            try:
                return self._fetch(thing, at, priority)
            except FetchedElsewhere:
                landed = -1

    def _fetch(self, thing: Thing[T], at: BlobKey, priority: Priority) -> Blob:
        want = Want(thing.user_id, priority, claim=f"fetch {thing.request.target}")
        now = self._reach.options.clock()
        try:
            body = self._reach.fetcher.fetch(thing.request, want, partial(thing.pack, thing.request))
            size = self._blobs.put(at, body, now=now)
        finally:
            self._reach.fetcher.done(want)
        self._grew(size)
        return Blob(body, 0, now, now)

    def _result(
        self,
        thing: Thing[T],
        at: BlobKey,
        blob: Blob,
        *,
        is_stale: bool = False,
        error: ServiceError | None = None,
    ) -> Result[T]:
        kept = self._recent.get(at)
        if kept is None or kept[0] != blob.fetched_at:
            kept = (blob.fetched_at, *thing.read(blob.body))
            self._recent.put(at, kept, thing.cost)
        _, source, problems = kept
        if problems and self._reach.options.strict:
            raise UnreadableResponse(
                "GET", thing.request.path, place=problems[0].place, text=problems[0].says
            )
        as_of = datetime.fromtimestamp(blob.fetched_at, UTC)
        return Result(source, as_of, is_stale=is_stale, error=error, problems=problems)  # type: ignore[arg-type]


def not_there(request: Request) -> NotFound:
    """The error of a thing that the service said does not exist, a moment ago."""
    return NotFound(request.method, request.path, status=404, code="not_found", may_have_arrived=False)
