"""Reading a resource without days: the users, a profile, the streams of an activity, a part of a calendar.

Show the cached value, refresh an old value in the background, fetch a missing value. On 401 and 404 the cached value
is deleted. A 404 of streams is cached, so that the page does not ask for them again at each visit.

The cache stores streams as Arrow IPC with lz4: six hours at 1 Hz are read in 2 ms, from JSON in 50 ms. The power
curve of a season reads hundreds of them.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import Any, Generic, TypeVar

import numpy as np
import orjson
import pyarrow as pa

from coachboard.client.cache import CacheEntry, CacheKey, CacheStore
from coachboard.client.decode import ListRows, read_json, read_list, read_object
from coachboard.client.errors import NotFound, RowProblem, ServiceError, UnreadableResponse
from coachboard.client.months import MINUTE_S, SKEW_S
from coachboard.client.pacing import Policy
from coachboard.client.resources import (
    STREAMS_PATH,
    USER_PATH,
    USERS_PATH,
    Request,
    path_of,
)
from coachboard.client.result import Result
from coachboard.client.retry import REFUSALS, Fetcher
from coachboard.monitoring import CLIENT_CACHE
from coachboard.wire.streams import (
    STREAM_COLUMNS,
    TIMESTAMP,
    ActivityStreams,
    StreamsError,
    read_column,
    read_timestamps,
)
from coachboard.wire.users import User, UserProfile

T = TypeVar("T")

USERS_S = 5 * MINUTE_S
PROFILE_S = 10 * MINUTE_S
NO_STREAMS_S = 10 * MINUTE_S
"""How long a 404 for streams is believed: a device may still upload them."""

_ABSENT = -1  # the version of a cached 404


Decoded = tuple[T, tuple[RowProblem, ...]]
"""The value of a reply or of a cached body, and its problems."""


@dataclass(frozen=True, slots=True)
class SingleResource(Generic[T]):
    """How a resource is requested, read and stored, and how long it is fresh."""

    kind: str
    key: str
    request: Request
    lifetime_s: float
    read: Callable[[bytes], Decoded[T]]  # a reply; raises `UnreadableResponse`
    pack: Callable[[T, tuple[RowProblem, ...]], bytes] | None = None  # for the cache; None stores the reply
    unpack: Callable[[bytes], Decoded[T]] | None = None
    absent_s: float = 0.0  # how long a 404 is believed

    def is_old(self, age_s: float) -> bool:
        return self.lifetime_s < inf and not -SKEW_S <= age_s <= self.lifetime_s


def users() -> SingleResource[tuple[User, ...]]:
    """The athletes of the caller."""
    return SingleResource("users", "", Request("GET", USERS_PATH), USERS_S, _read_users)


def profile(user_id: str, *, counted_as: str | None = None) -> SingleResource[UserProfile]:
    """The profile of a user; the request for `me` counts as one for the owner's id."""
    request = Request("GET", path_of(USER_PATH, user_id), user_id=counted_as or user_id)
    return SingleResource("profile", user_id, request, PROFILE_S, _read_profile)


def streams(activity_id: str) -> SingleResource[ActivityStreams]:
    """The streams of an activity: a recording does not change."""
    request = Request("GET", path_of(STREAMS_PATH, activity_id))
    return SingleResource(
        "streams", activity_id, request, inf, read_streams, to_arrow, from_arrow, NO_STREAMS_S
    )


def _read_users(body: bytes) -> Decoded[Any]:
    rows: ListRows[User] = ListRows(User, read_list(body, User), name="users")
    return rows, rows.problems


def _read_profile(body: bytes) -> Decoded[UserProfile]:
    return read_object(body, UserProfile)


class SingleResources:
    """The single resources of one client."""

    def __init__(self, cache: CacheStore, fetcher: Fetcher, scope: str) -> None:
        self._cache = cache
        self._fetcher = fetcher
        self._scope = scope

    def read(self, resource: SingleResource[T], *, max_age_s: float | None = None) -> Result[T]:
        """The cached value, refreshed in the background if it is old; raises `ServiceError` if there is none."""
        now, key = self._now, self._key(resource)
        entry = self._cache.get(key)
        if entry is not None and entry.version == _ABSENT:
            if 0 <= now - entry.fetched_at < resource.absent_s:
                CLIENT_CACHE.add("hit")
                raise _absent(resource.request)
            entry = None
        if entry is None or (max_age_s is not None and not -SKEW_S <= now - entry.fetched_at <= max_age_s):
            CLIENT_CACHE.add("miss")
            return self._fetched(resource, entry)
        is_old = resource.is_old(now - entry.fetched_at)
        CLIENT_CACHE.add("stale" if is_old else "hit")
        refresh = partial(self.fetch, resource, Policy.BACKGROUND)
        error = self._fetcher.refresh(key, refresh) if is_old else None
        return self._result(resource, entry, is_stale=is_old, error=error)

    def fetch(self, resource: SingleResource[T], policy: Policy) -> None:
        """Fetch into the cache; raises `ServiceError`."""
        self._join(resource, policy, self._cache.get(self._key(resource)))

    def pass_on(self, resource: SingleResource[T]) -> T:
        """The cached value, else one fetched in the background, which is not stored; only a 404 is. Raises `ServiceError`."""
        cached, key = self.known(resource), self._key(resource)
        if cached is not None:
            return cached.value
        if (failure := self._fetcher.recent_failure(key)) is not None:
            raise failure
        try:
            value, _ = self._fetcher.fetch(resource.request, resource.read, policy=Policy.BACKGROUND)
        except REFUSALS as error:
            self._forget(resource, error)
            raise
        except ServiceError as error:
            self._fetcher.failed(key, error)
            raise
        return value

    def known(self, resource: SingleResource[T]) -> Result[T] | None:
        """The cached value; makes no request."""
        entry = self._cache.get(self._key(resource))
        return None if entry is None or entry.version == _ABSENT else self._result(resource, entry)

    def is_due(self, resource: SingleResource[T]) -> bool:
        """Whether a read would fetch the value, or refresh it."""
        entry = self._cache.read(self._key(resource)).get(0)
        return entry is None or resource.is_old(self._now - entry.fetched_at)

    def known_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind in the cache, those with a 404 among them."""
        return self._cache.keys(self._scope, kind)

    def absent_keys(self, kind: str) -> frozenset[str]:
        """The keys of a kind with a cached 404."""
        return self._cache.keys(self._scope, kind, version=_ABSENT)

    @property
    def _now(self) -> float:
        return self._fetcher.options.clock()

    def _key(self, resource: SingleResource[Any]) -> CacheKey:
        return CacheKey(self._scope, resource.kind, resource.key)

    def _fetched(self, resource: SingleResource[T], seen: CacheEntry | None) -> Result[T]:
        try:
            entry = self._join(resource, Policy.INTERACTIVE, seen)
        except ServiceError as error:
            if seen is None or isinstance(error, REFUSALS):
                raise
            return self._result(resource, seen, is_stale=True, error=error)
        return self._result(resource, entry)

    def _forget(self, resource: SingleResource[T], error: ServiceError) -> None:
        key = self._key(resource)
        self._cache.drop(key)
        if isinstance(error, NotFound) and resource.absent_s:
            self._cache.put(key, {0: CacheEntry.of(b"", self._now, version=_ABSENT)})

    def _join(self, resource: SingleResource[T], policy: Policy, seen: CacheEntry | None) -> CacheEntry:
        """Fetch, in one request for all threads that ask at once; a 401 or 404 deletes the cached value."""
        fetch = partial(self._fetch_once, resource, policy, seen)
        try:
            return self._fetcher.workers.join(self._key(resource), fetch, what=resource.kind)
        except REFUSALS as error:
            self._forget(resource, error)
            raise

    def _fetch_once(self, resource: SingleResource[T], policy: Policy, seen: CacheEntry | None) -> CacheEntry:
        """Fetch, unless another thread has stored the value since the caller read the cache."""
        key, now = self._key(resource), self._now
        entry = self._cache.get(key)
        is_new = entry is not None and (seen is None or entry.fetched_at != seen.fetched_at)
        if entry is not None and is_new and entry.version != _ABSENT:
            return entry
        decoded, body = self._fetcher.fetch(
            resource.request,
            lambda body: (resource.read(body), body),
            policy=policy,
            is_needed=seen is None,
        )
        entry = CacheEntry.of(body if resource.pack is None else resource.pack(*decoded), now)
        self._cache.put(key, {0: entry})
        return entry

    def _result(
        self,
        resource: SingleResource[T],
        entry: CacheEntry,
        *,
        is_stale: bool = False,
        error: ServiceError | None = None,
    ) -> Result[T]:
        value, problems = self._decoded(resource, entry)
        # A clock that was set back makes a fetch look like a later one.
        as_of = datetime.fromtimestamp(min(entry.fetched_at, self._now), UTC)
        return Result(
            value,
            as_of,
            is_stale=is_stale,
            error=error,
            problems=problems,
            identity=(*self._key(resource), entry.digest),
        )

    def _decoded(self, resource: SingleResource[T], entry: CacheEntry) -> Decoded[T]:
        body = entry.body or b""
        if resource.unpack is not None:  # streams are too large to keep, and read from the cache in 2 ms
            return resource.unpack(body)
        place = (self._scope, resource.kind, resource.key, entry.digest)
        decoded: Decoded[T] | None = self._cache.decoded.get(place)
        if decoded is None:
            decoded = resource.read(body)
            self._cache.decoded.put(place, decoded, 1 + len(body))
        return decoded


def _absent(request: Request) -> NotFound:
    return NotFound(request.method, request.path, status=404, code="not_found", may_have_arrived=False)


_FACTS = b"coachboard"


def read_streams(body: bytes) -> tuple[ActivityStreams, tuple[RowProblem, ...]]:
    """The streams and their problems; raises `UnreadableResponse` for a reply that has no columns."""
    payload = read_json(body)
    if not isinstance(payload, dict):
        raise UnreadableResponse(text="expected an object")
    columns: dict[str, Any] = {}
    words: dict[str, Any] = {}
    problems: list[RowProblem] = []
    for name, values in payload.items():
        try:
            columns[name], nan_at = _read(name, values)
        except StreamsError as error:
            problems.append(RowProblem(f"streams.{name}", str(error), is_set_aside=name in STREAM_COLUMNS))
            continue
        if len(nan_at):
            words[name] = nan_at
    _drop_other_lengths(columns, words, problems)
    for values in columns.values():
        values.flags.writeable = False  # all readers share them, like the arrays from the cache
    stamps = columns.pop(TIMESTAMP, None)
    return ActivityStreams(columns, stamps, words), tuple(problems)


def _read(name: str, values: object) -> tuple[Any, Any]:
    if name == TIMESTAMP:
        return read_timestamps(values), ()
    if name not in STREAM_COLUMNS:
        raise StreamsError("unknown column, left out")
    return read_column(name, values)


def _drop_other_lengths(columns: dict[str, Any], words: dict[str, Any], problems: list[RowProblem]) -> None:
    """Drop columns with another length than most: their values have no timestamp."""
    lengths = [len(values) for values in columns.values()]
    if len(set(lengths)) <= 1:
        return
    usual = int(np.bincount(lengths).argmax())
    for name in [name for name, values in columns.items() if len(values) != usual]:
        fault = f"{len(columns.pop(name))} values where the other columns have {usual}"
        words.pop(name, None)
        problems.append(RowProblem(f"streams.{name}", fault, is_set_aside=True))


def to_arrow(streams: ActivityStreams, problems: tuple[RowProblem, ...] = ()) -> bytes:
    """The streams as Arrow, with the positions of the word "NaN" and the problems of the reply in the metadata."""
    arrays: dict[str, Any] = {}
    if streams.timestamps is not None:
        arrays[TIMESTAMP] = streams.timestamps
    arrays |= streams.columns
    facts = {
        "nan_words": {name: places.tolist() for name, places in streams.nan_words.items()},
        "problems": [[problem.place, problem.says, problem.is_set_aside] for problem in problems],
    }
    batch = pa.record_batch([pa.array(values) for values in arrays.values()], names=list(arrays))
    schema = batch.schema.with_metadata({_FACTS: orjson.dumps(facts)})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(batch.replace_schema_metadata(schema.metadata))
    return sink.getvalue()


def from_arrow(body: bytes) -> tuple[ActivityStreams, tuple[RowProblem, ...]]:
    """The streams and problems from Arrow; the arrays are read-only."""
    with pa.ipc.open_stream(body) as reader:
        batch = reader.read_next_batch()
        facts = orjson.loads(reader.schema.metadata[_FACTS])
    arrays: dict[str, Any] = {
        name: batch.column(name).to_numpy(zero_copy_only=name != TIMESTAMP) for name in batch.schema.names
    }
    streams = ActivityStreams(
        {name: values for name, values in arrays.items() if name != TIMESTAMP},
        arrays.get(TIMESTAMP),
        {name: np.array(places, np.intp) for name, places in facts["nan_words"].items()},
    )
    return streams, tuple(RowProblem(*problem) for problem in facts["problems"])
