"""The client: one method for each endpoint, named after it; every read goes through the cache.

>>> with Client("https://service.example/api", key) as client:
...     rides = client.list_activities("me", date(2026, 1, 1)).frame
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

import orjson
import pandas as pd
from pydantic import SecretStr

from coachboard.client import resources, single_resources
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.database import retry_if_lost
from coachboard.client.cache.freshness import Days
from coachboard.client.cache.ranges import ListKey
from coachboard.client.cache.store import CacheUsage, release_store, scope_of, share_store
from coachboard.client.concurrency import (
    CLOSE_S,
    Closed,
    Listener,
    Patience,
    Progress,
    SingleFlight,
    Threads,
    waits_reported_to,
)
from coachboard.client.errors import NotFound, ServiceError, Unreachable
from coachboard.client.kept import Kept, noted
from coachboard.client.options import Options
from coachboard.client.own_data import ChangeWatch, OwnData
from coachboard.client.parsing.decode import Invitation, read_invitation
from coachboard.client.parsing.frames import empty_streams_frame
from coachboard.client.ranged_lists import RangedLists
from coachboard.client.resources import ME, Ranged, Request, path_of
from coachboard.client.result import Result
from coachboard.client.single_resources import SingleResource, SingleResources
from coachboard.client.sync import BackgroundSync, Sync, SyncParts
from coachboard.client.transport.http import Http, check_key
from coachboard.client.transport.rate_limit import Priority, RateLimit, Want
from coachboard.client.transport.retry import BUDGET_REASON, Context, Fetcher, KeyStatus
from coachboard.models.activities import Activity
from coachboard.models.base import parse_day
from coachboard.models.body import Metric, Sleep
from coachboard.models.invitations import CreateWorkspaceInvitation
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User, UserProfile
from coachboard.monitoring import CLIENT_CACHE
from coachboard.settings import Settings

T = TypeVar("T")

End = date | str | None
"""An end of a range of days: the first or the last day, a date or `YYYY-MM-DD`, or None for an open end."""


class Client:
    """A service with a key; safe for many threads. Close the client after use. The key stays in memory.

    `cache_url` is the address of the cache, a SQLite file (`sqlite:///cache.db`) or PostgreSQL; without it the
    client uses `COACHBOARD_CACHE_URL`. A read returns a `Result`. It raises a `ServiceError` if the cache has no
    data and the service returns none, `ValueError` and `TypeError` for wrong arguments. User ids come from
    `list_users`; `"me"` is the owner of the key. Ranges are days of the athlete's calendar and include both ends.
    With `max_age_s` a read fetches data that are older before it returns.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | SecretStr,
        *,
        cache_url: str | None = None,
        options: Options | None = None,
    ) -> None:
        key = check_key(api_key)
        options = options or Options()
        self._http = Http(base_url, key, timeout_s=options.timeout_s, transport=options.transport)
        self._scope = scope_of(self._http.base_url, key)
        self._store = share_store(cache_url or Settings().cache_url, max_bytes=options.cache_max_mb * 2**20)
        self._clock = options.clock
        self._patience = Patience(options.sleep)
        self._rate_limit = RateLimit(self._store.budget_log, self._scope, options.clock)
        self._key_status = KeyStatus(options.clock)
        self._fetcher = Fetcher(
            self._http, self._rate_limit, self._key_status, self._patience, patience_s=options.patience_s
        )
        self.pool = Threads()
        self._flights = SingleFlight(self.pool)
        context = Context(self._scope, self._fetcher, self.pool, self._flights, options, self._store.grew)
        self.own_data = OwnData(
            self._http,
            patience_s=options.patience_s,
            clock=options.clock,
            wait=partial(self._patience.wait, reason=BUDGET_REASON),
        )
        self._watch: ChangeWatch | None = None
        if options.follows_changes:
            self._watch = ChangeWatch(self.own_data, self._store, self._scope, options.clock)
        self._lists = RangedLists(self._store, context)
        self._singles = SingleResources(self._store, context)
        self._kept: WeakValueDictionary[Hashable, Kept[Any]] = WeakValueDictionary()
        self._own_id: str | None = None
        self._own_id_at = BlobKey(self._scope, "own id", "")
        self._lock = threading.Lock()
        self._is_closed = False
        self._syncing: BackgroundSync | None = None

    @classmethod
    def from_env(cls, options: Options | None = None) -> Self:
        """The service and the key of `COACHBOARD_BASE_URL` and `COACHBOARD_API_KEY`; raises `ValueError` without both."""
        settings = Settings()
        if settings.base_url is None or settings.api_key is None:
            missing = "COACHBOARD_BASE_URL" if settings.base_url is None else "COACHBOARD_API_KEY"
            raise ValueError(f"set {missing} in the environment, or call Client(base_url, api_key)")
        return cls(
            settings.base_url,
            settings.api_key,
            cache_url=settings.cache_url,
            options=options or Options.of(settings),
        )

    def __repr__(self) -> str:
        return f"Client({self._http.base_url!r}, api_key='***')"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def end(self) -> None:
        """End all waits and accept no more work, so that `close` does not wait for running threads."""
        self._patience.end()
        if self._syncing is not None:
            self._syncing.end()
        self.pool.end()

    def close(self, within_s: float = CLOSE_S) -> None:
        """End all waits and close the connections; a second call must not close what other clients share."""
        with self._lock:
            was_closed, self._is_closed = self._is_closed, True
        if was_closed:
            return
        until = time.monotonic() + within_s
        self.end()
        if self._syncing is not None:
            self._syncing.stop(within_s)
        self.pool.close(max(until - time.monotonic(), 0.0))
        self._http.close()
        release_store(self._store)
        self._lists.close()  # after the last writes, which keep the rows that they write

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return self._http.base_url

    @property
    def scope(self) -> str:
        """The name of the service with the key in the cache; it does not reveal the key."""
        return self._scope

    @property
    def cache_trouble(self) -> str | None:
        """Why the cache cannot be used at present; until it can, fetched data are kept in memory only."""
        return self._store.database.trouble

    @property
    def cache_set_aside(self) -> Path | None:
        """The damaged file that a new cache has replaced since the process started."""
        return self._store.database.set_aside

    def list_users(self, *, max_age_s: float | None = None) -> Result[tuple[User, ...]]:
        """The athletes of the caller: GET /users."""
        return self._single(single_resources.users(), max_age_s)

    def fetch_users_soon(self) -> None:
        """Fetch unknown athletes in the background; a read during the fetch waits for its result."""
        retry_if_lost(partial(self._singles.soon, single_resources.users()))

    def get_user(self, user_id: str = ME, *, max_age_s: float | None = None) -> Result[UserProfile]:
        """A profile with the latest metrics: GET /users/{userId}. Raises `NotFound`."""
        own_id = self._known_own_id()
        if user_id in {ME, own_id}:
            return self._single(single_resources.profile(ME, counted_as=own_id or ME), max_age_s)
        return self._single(single_resources.profile(user_id, counted_as=user_id), max_age_s)

    def list_activities(
        self, user_id: str, start: End = None, end: End = None, *, max_age_s: float | None = None
    ) -> Result[tuple[Activity, ...]]:
        """Activities by local date, newest first: GET /users/{userId}/activities. Raises `NotFound`."""
        return self._list(resources.ACTIVITIES, user_id, (start, end), max_age_s)

    def list_prescriptions(
        self, user_id: str, start: End = None, end: End = None, *, max_age_s: float | None = None
    ) -> Result[tuple[TrainingPrescription, ...]]:
        """Planned workouts, newest first: GET /users/{userId}/training-prescriptions. Raises `NotFound`."""
        return self._list(resources.PRESCRIPTIONS, user_id, (start, end), max_age_s)

    def list_notes(
        self, user_id: str, start: End = None, end: End = None, *, max_age_s: float | None = None
    ) -> Result[tuple[Note, ...]]:
        """Notes, newest first: GET /users/{userId}/notes. Raises `NotFound`."""
        return self._list(resources.NOTES, user_id, (start, end), max_age_s)

    def list_events(
        self, user_id: str, start: End = None, end: End = None, *, max_age_s: float | None = None
    ) -> Result[tuple[Event, ...]]:
        """Planned events and races, newest first: GET /users/{userId}/events. Raises `NotFound`."""
        return self._list(resources.EVENTS, user_id, (start, end), max_age_s)

    def list_metrics(
        self, user_id: str, start: End = None, end: End = None, *, max_age_s: float | None = None
    ) -> Result[tuple[Metric, ...]]:
        """Body and performance metrics, oldest first: GET /users/{userId}/metrics. Raises `NotFound`."""
        return self._list(resources.METRICS, user_id, (start, end), max_age_s)

    def list_sleeps(
        self, user_id: str, start: End = None, end: End = None, *, max_age_s: float | None = None
    ) -> Result[tuple[Sleep, ...]]:
        """Recorded nights, newest first: GET /users/{userId}/sleeps. Raises `NotFound`."""
        return self._list(resources.SLEEPS, user_id, (start, end), max_age_s)

    def get_streams(self, activity_id: str) -> Result[ActivityStreams]:
        """The time series of an activity: GET /activities/{activityId}/streams. Raises `NotFound`.

        `value.columns` are float64 by their names on the wire, as long as `value.timestamps` (UTC), NaN for a
        missing value; `frame` has them in snake_case. `parsing.frames.STREAM_UNITS` has the units.
        """
        return self._single(single_resources.streams(activity_id))

    def streams_frame(self, user_id: str, start: End = None, end: End = None) -> pd.DataFrame:
        """The time series of all activities of the range in one frame, oldest first, with `activity_id`.

        Leaves out activities without streams; without any, the frame is empty and has all columns of the interface.
        Raises the `ServiceError` of a read that fails.
        """
        ids = [activity.id for activity in reversed(self.list_activities(user_id, start, end).value)]
        read = dict(self.pool.each(self.get_streams, ids))
        frames = []
        for activity_id in ids:
            found = read[activity_id]
            if isinstance(found, NotFound):
                continue
            if isinstance(found, ServiceError):
                raise found
            frame = found.frame
            frame.insert(0, "activity_id", activity_id)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else empty_streams_frame()

    def known_streams(self, activity_id: str) -> Result[ActivityStreams] | None:
        """The time series of an activity if the cache has it; makes no request."""
        return retry_if_lost(partial(self._singles.known, single_resources.streams(activity_id)))

    def without_streams(self) -> frozenset[str]:
        """The ids of activities without time series, as far as the service was asked; makes no request."""
        return retry_if_lost(partial(self._singles.absent_keys, "streams"))

    def fetch_streams_soon(self, activity_id: str) -> None:
        """Fetch the time series in the background at low priority: pages get their requests first."""
        retry_if_lost(partial(self._singles.soon, single_resources.streams(activity_id)))

    def pass_streams(self, activity_id: str) -> ActivityStreams:
        """The time series for a background calculation: not stored, and fetched at the lowest priority."""
        resource = single_resources.streams(activity_id)
        return retry_if_lost(partial(self._singles.pass_on, resource, Priority.BACKLOG))

    def fill_activities(self, user_id: str, start: date) -> None:
        """Fetch the activities from `start` on that the cache lacks, at the lowest priority."""
        key = self._list_key(resources.ACTIVITIES, user_id)
        days = Days.of(start, None, may_be_undated=resources.ACTIVITIES.may_be_undated)
        for part in retry_if_lost(partial(self._lists.missing, key, days)):
            self._lists.refresh(key, part, Priority.BACKLOG)

    def create_invitation(self, workspace_id: str, invitation: CreateWorkspaceInvitation) -> Invitation:
        """Invite a person: POST /workspaces/{workspaceId}/invitations. Raises `NotFound`, `BadRequest`.

        `CreateWorkspaceInvitation` is in `coachboard.models.invitations`, the ids are in the profile of `get_user`.
        The request is not repeated if it may have arrived; then `may_have_arrived` of the error is true.
        """
        body = orjson.dumps(invitation.model_dump(mode="json", by_alias=True))
        request = Request("POST", path_of(resources.INVITATIONS_PATH, workspace_id), body=body)
        want = Want("", Priority.PERSON, claim="")
        with self._open():
            return self._fetcher.fetch(request, want, partial(read_invitation, request))

    def derived(self, kind: str, version: int, key: str, compute: Callable[[], bytes]) -> bytes:
        """The cached result of an expensive function; computed if there is none of this version."""
        known = self.known_derived(kind, version, key)
        if known is not None:
            return known
        at = self._derived_at(kind, key)

        def compute_and_keep() -> bytes:
            body = compute()
            self._store.grew(self._store.blobs.put(at, body, now=self._clock(), version=version))
            return body

        return self._flights.join((at, version), compute_and_keep, what=kind, reason="a calculation")

    def known_derived(self, kind: str, version: int, key: str) -> bytes | None:
        """The cached result of that version; computes nothing."""
        known = self._store.blobs.get(self._derived_at(kind, key))
        return known.body if known is not None and known.version == version else None

    def known_derived_of(self, kind: str, version: int, keys: Iterable[str]) -> Mapping[str, bytes]:
        """The cached results of that version by key, in one query; computes nothing."""
        return self._store.blobs.bodies(self._scope, self._derived_at(kind, "").kind, version, keys)

    def sync(self, since: date | None = None, *, with_streams: bool = False) -> Sync:
        """A pass that fills the cache for the caller and all athletes, from a day on; `run` starts it."""
        parts = SyncParts(self._lists, self._singles, self._rate_limit, self._list_key)
        return Sync(self, parts, since, with_streams=with_streams)

    def start_sync(self, since: date | None = None, *, with_streams: bool = False) -> BackgroundSync:
        """Keep the cache filled at low priority until the client is closed; a running sync continues."""
        with self._lock:
            if self._syncing is None:
                self._syncing = BackgroundSync(self, since=since, with_streams=with_streams)
                self._syncing.start()
            return self._syncing

    def map_users(
        self,
        ask: Callable[[str], T],
        user_ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> dict[str, T | ServiceError]:
        """The result of `ask` for each user, or its error; eight users at once."""
        wanted = list(dict.fromkeys(user_ids))
        outcomes = dict(self.each_user(ask, wanted, on_progress=on_progress))
        return {user_id: outcomes[user_id] for user_id in wanted}

    def each_user(
        self,
        ask: Callable[[str], T],
        user_ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[tuple[str, T | ServiceError]]:
        """As `map_users`, but yields each user with the result as soon as it arrives."""
        return self.pool.each(ask, user_ids, on_progress=on_progress)

    def keep(self, at: Hashable, make: Callable[[], T]) -> Kept[T]:
        """The value of `make` for these arguments, kept while a caller holds it and a repeat of its reads returns the same.

        All callers with these arguments get one object. Only `get_` and `list_` methods without `max_age_s` count as
        reads of `make`.
        """
        self._check_in()
        now = self._clock()
        kept: Kept[T] | None = self._kept.get(at)
        if kept is not None and kept.is_fresh(now) and self._store.is_unchanged(kept.parts, kept.moment):
            CLIENT_CACHE.add("hit")
            self._check_key_soon()
            return kept
        made = self._kept[at] = Kept.of(make, self._store.database.moment(), now)
        return made

    def waiting(self, listener: Listener) -> AbstractContextManager[None]:
        """Report waits while the context lasts: for the rate limit the seconds left, for the service the seconds so far."""
        return waits_reported_to(listener)

    def requests_left(self) -> int:
        """How many requests the key has left in the current minute."""
        return self._rate_limit.left()

    def holding(self) -> CacheUsage:
        """How much the cache has for this key, and how old it is."""
        return self._store.usage(self._scope)

    def forget(self) -> None:
        """Delete the cached data of this key; the request log stays."""
        self._own_id = None
        self._store.clear(self._scope)

    def flush(self) -> None:
        """Wait until all fetched data are in the cache."""
        self._store.flush()

    def pause(self, seconds: float) -> None:
        """Wait between background requests; raises `Closed` when the client closes."""
        self._patience.pause(seconds)

    def is_settled(self, timeout_s: float = 0.0) -> bool:
        """Wait for background refreshes, at most `timeout_s`; returns whether all have ended."""
        return self.pool.is_idle(timeout_s)

    def _list(
        self, resource: Ranged, user_id: str, ends: tuple[End, End], max_age_s: float | None
    ) -> Result[Any]:
        days = Days.of(*map(_day, ends), may_be_undated=resource.may_be_undated)

        def read() -> tuple[str, Result[Any]]:
            key = self._list_key(resource, user_id)
            return key.name, self._lists.read(key, days, max_age_s=max_age_s)

        return self._read(read)

    def _single(self, resource: SingleResource[T], max_age_s: float | None = None) -> Result[T]:
        part = BlobKey(self._scope, resource.kind, resource.key).name
        return self._read(lambda: (part, self._singles.read(resource, max_age_s=max_age_s)))

    @contextmanager
    def _open(self) -> Iterator[None]:
        """Raise `Unreachable` for a call after the close, or one that the close interrupts."""
        try:
            self._patience.require_open()
            yield
        except Closed as error:
            raise Unreachable(
                "", self.base_url, text="the client is closed", may_have_arrived=False
            ) from error

    def _check_in(self) -> None:
        """Before a read: raise if the key is not valid, drop data that changed at the service."""
        self._key_status.require(partial(self._check_key, Priority.PERSON))
        if self._watch is not None and self._watch.is_due:
            look = partial(retry_if_lost, partial(self._watch.drop_changed, self._known_own_id()))
            self._flights.join(self._watch.at, look, what="changes")  # a page shows that it waits

    def _check_key_soon(self) -> None:
        """Check the key in the background if no reply has done so for a while."""
        if self._key_status.is_due:
            self.pool.later("key", partial(self._check_key, Priority.REFRESH))

    def _read(self, read: Callable[[], tuple[str, Result[T]]]) -> Result[T]:
        """Read a part of the cache."""

        def checked() -> tuple[str, Result[T]]:
            self._check_in()
            return retry_if_lost(read)

        with self._open():
            result = noted(checked)
        self._check_key_soon()
        # Data that are old while the service fails are old for this reason, whichever fetch failed.
        trouble = self._fetcher.trouble
        is_open = result.is_stale and result.error is None and trouble is not None
        return result.because(trouble) if is_open and trouble else result

    def _check_key(self, priority: Priority) -> None:
        """Fetch the profile of the key's owner, which every key may read."""
        own = single_resources.profile(ME, counted_as=self._known_own_id() or ME)
        self._singles.fetch(own, priority)

    def _list_key(self, resource: Ranged, user_id: str) -> ListKey:
        """The key of a list. `me` and the owner's id are one user for the rate limit and the cache.

        The path uses `me`: GET /users need not return the owner.
        """
        own_id = self._known_own_id() or self._learn_own_id()
        if user_id in {ME, own_id}:
            return ListKey(self._scope, resource, own_id, ME)
        return ListKey(self._scope, resource, user_id, user_id)

    def _known_own_id(self) -> str | None:
        """The id of the owner of the key, if the cache has it; it never changes."""
        if self._own_id is None:
            blob = self._store.blobs.get(self._own_id_at)
            self._own_id = None if blob is None else blob.body.decode()
        return self._own_id

    def _learn_own_id(self) -> str:
        """Read the owner's id from the profile; requests that were logged for `me` count for the id from now on."""
        own = single_resources.profile(ME, counted_as=ME)
        own_id = retry_if_lost(partial(self._singles.read, own)).value.id
        self._store.blobs.put(self._own_id_at, own_id.encode(), now=self._clock())
        self._rate_limit.rename(ME, own_id)
        self._own_id = own_id
        return own_id

    def _derived_at(self, kind: str, key: str) -> BlobKey:
        return BlobKey(self._scope, f"derived {kind}", key)


def _day(end: End) -> date | None:
    """Raises `TypeError` and `ValueError` for anything but a date, `YYYY-MM-DD` or None."""
    if isinstance(end, date | None):
        return end
    if isinstance(end, str):
        try:
            return parse_day(end)
        except ValueError as error:
            raise ValueError(f"expected a date as YYYY-MM-DD, got {end!r}") from error
    raise TypeError(f"expected a datetime.date, YYYY-MM-DD or None, got {end!r}")
