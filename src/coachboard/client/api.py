"""The client: one method for each endpoint, named after it; everything read goes through the cache.

    with Client("https://service.example/api", key) as client:
        rides = client.list_activities("me", date(2026, 1, 1)).frame

Where a read is given `max_age_s`, what is known but older is not shown: it is fetched first.
"""

import hashlib
import hmac
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import date
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import orjson
from pydantic import SecretStr

from coachboard.client import things
from coachboard.client.background import Background
from coachboard.client.budget import Budget, Priority
from coachboard.client.cache.blobs import BlobKey
from coachboard.client.cache.database import again_if_lost
from coachboard.client.cache.holding import Holding, holding_of
from coachboard.client.cache.lists import ListKey
from coachboard.client.cache.spans import Days
from coachboard.client.cache.store import Store
from coachboard.client.errors import ServiceError
from coachboard.client.failures import Failures
from coachboard.client.fanout import Pool, Progress
from coachboard.client.fetching import Fetcher
from coachboard.client.flights import Flights
from coachboard.client.http import Http, Request, check_key, path_of
from coachboard.client.inviting import Invitation, read_invitation
from coachboard.client.keeping import Keeping
from coachboard.client.listing import Listing, Reach
from coachboard.client.options import Options
from coachboard.client.resources import (
    ACTIVITIES,
    EVENTS,
    INVITATIONS_PATH,
    ME,
    METRICS,
    NOTES,
    PRESCRIPTIONS,
    SLEEPS,
    Ranged,
)
from coachboard.client.result import Result
from coachboard.client.sync import BackgroundSync, Sync, SyncParts
from coachboard.client.waiting import Listener, Patience, heard_by
from coachboard.client.whole import Thing
from coachboard.models.activities import Activity
from coachboard.models.body import Metric, Sleep
from coachboard.models.invitations import CreateWorkspaceInvitation
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User, UserProfile
from coachboard.settings import Settings

T = TypeVar("T")


class Client:
    """A service under a key; safe for many threads, to be closed. The key is held in memory alone."""

    def __init__(
        self,
        base_url: str,
        api_key: str | SecretStr,
        *,
        cache_url: str | None = None,
        options: Options | None = None,
    ) -> None:
        key = check_key(api_key)
        self._options = options or Options()
        self._http = Http(base_url, key, timeout_s=self._options.timeout_s)
        self._scope = scope_of(self._http.base_url, key)
        self._store = Store(cache_url or Settings().cache_url, max_bytes=self._options.cache_max_mb * 2**20)
        self._patience = Patience(self._options.sleep)
        self._budget = Budget(self._store.database, self._scope, self._options.clock)
        self._background = Background()
        self._flights = Flights()
        self.pool = Pool()
        self._own_id: str | None = None
        self._lock = threading.Lock()
        self._syncing: BackgroundSync | None = None
        self._own_id_at = BlobKey(self._scope, "own id", "")
        self._fetcher = Fetcher(self._http, self._budget, self._patience, patience_s=self._options.patience_s)
        reach = Reach(
            scope=self._scope,
            fetcher=self._fetcher,
            flights=self._flights,
            background=self._background,
            failures=Failures(self._options.clock),
            options=self._options,
        )
        self._listing = Listing(self._store.lists, reach, self._store.grew)
        self._keeping = Keeping(self._store.blobs, self._store.behind, reach, self._store.grew)

    def __repr__(self) -> str:
        return f"Client({self._http.base_url!r}, api_key='***')"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all waiting and let go of connections."""
        self._patience.end()
        if self._syncing is not None:
            self._syncing.stop()
        self._background.close()
        self.pool.shutdown(cancel_futures=True)
        self._http.close()
        self._store.close()

    @property
    def base_url(self) -> str:
        """The address of the service."""
        return self._http.base_url

    @property
    def scope(self) -> str:
        """What stands for the service and the key in the cache; the key cannot be had from it."""
        return self._scope

    @property
    def cache_trouble(self) -> str | None:
        """Why the cache cannot be used at present; until it can, what is read is kept in memory alone."""
        return self._store.database.trouble

    def list_users(self, *, max_age_s: float | None = None) -> Result[tuple[User, ...]]:
        """The athletes of the caller: GET /users."""
        return self._thing(things.users(), max_age_s)

    def get_user(self, user_id: str = ME, *, max_age_s: float | None = None) -> Result[UserProfile]:
        """A profile with the latest metrics: GET /users/{userId}. Raises `NotFound`."""
        own_id = self._known_own_id()
        if user_id in {ME, own_id}:
            return self._thing(things.profile(ME, counted_as=own_id or ME), max_age_s)
        return self._thing(things.profile(user_id, counted_as=user_id), max_age_s)

    def list_activities(
        self,
        user_id: str,
        start: date | None = None,
        end: date | None = None,
        *,
        max_age_s: float | None = None,
    ) -> Result[tuple[Activity, ...]]:
        """Activities by local date, newest first: GET /users/{userId}/activities. Raises `NotFound`."""
        return self._list(ACTIVITIES, user_id, (start, end), max_age_s)

    def get_streams(self, activity_id: str) -> Result[ActivityStreams]:
        """The time series of an activity: GET /activities/{activityId}/streams. Raises `NotFound`."""
        return self._thing(things.streams(activity_id))

    def known_streams(self, activity_id: str) -> Result[ActivityStreams] | None:
        """The time series of an activity if the cache holds it; no request is made."""
        return again_if_lost(partial(self._keeping.known, things.streams(activity_id)))

    def fetch_streams_soon(self, activity_id: str) -> None:
        """Have the time series fetched in the background, on what budget readers leave over."""
        again_if_lost(partial(self._keeping.soon, things.streams(activity_id)))

    def list_prescriptions(
        self,
        user_id: str,
        start: date | None = None,
        end: date | None = None,
        *,
        max_age_s: float | None = None,
    ) -> Result[tuple[TrainingPrescription, ...]]:
        """Planned workouts, newest first: GET /users/{userId}/training-prescriptions. Raises `NotFound`."""
        return self._list(PRESCRIPTIONS, user_id, (start, end), max_age_s)

    def list_notes(
        self,
        user_id: str,
        start: date | None = None,
        end: date | None = None,
        *,
        max_age_s: float | None = None,
    ) -> Result[tuple[Note, ...]]:
        """Notes, newest first: GET /users/{userId}/notes. Raises `NotFound`."""
        return self._list(NOTES, user_id, (start, end), max_age_s)

    def list_events(
        self,
        user_id: str,
        start: date | None = None,
        end: date | None = None,
        *,
        max_age_s: float | None = None,
    ) -> Result[tuple[Event, ...]]:
        """Planned events and races, newest first: GET /users/{userId}/events. Raises `NotFound`."""
        return self._list(EVENTS, user_id, (start, end), max_age_s)

    def list_metrics(
        self,
        user_id: str,
        start: date | None = None,
        end: date | None = None,
        *,
        max_age_s: float | None = None,
    ) -> Result[tuple[Metric, ...]]:
        """Body and performance metrics, oldest first: GET /users/{userId}/metrics. Raises `NotFound`."""
        return self._list(METRICS, user_id, (start, end), max_age_s)

    def list_sleeps(
        self,
        user_id: str,
        start: date | None = None,
        end: date | None = None,
        *,
        max_age_s: float | None = None,
    ) -> Result[tuple[Sleep, ...]]:
        """Recorded nights, newest first: GET /users/{userId}/sleeps. Raises `NotFound`."""
        return self._list(SLEEPS, user_id, (start, end), max_age_s)

    def create_invitation(self, workspace_id: str, invitation: CreateWorkspaceInvitation) -> Invitation:
        """Invite somebody: POST /workspaces/{workspaceId}/invitations. Raises `NotFound`, `BadRequest`.

        Never repeated once it may have arrived: `may_have_arrived` of the error tells.
        """
        request = Request(
            "POST",
            path_of(INVITATIONS_PATH, workspace_id),
            body=orjson.dumps(invitation.model_dump(mode="json", by_alias=True)),
        )
        return self._fetcher.fetch(
            request, things.unclaimed(Priority.PERSON), partial(read_invitation, request)
        )

    def derived(self, kind: str, version: int, key: str, compute: Callable[[], bytes]) -> bytes:
        """A result that was dear to compute, kept with the cache until its function's version changes."""
        at = BlobKey(self._scope, f"derived {kind}", key)
        known = self._store.blobs.get(at)
        if known is not None and known.version == version:
            return known.body
        return self._flights.join((at, version), partial(self._compute, at, version, compute))

    def sync(self, since: date | None = None, *, with_streams: bool = False) -> Sync:
        """What fills the cache for the caller and all athletes, from a day on; `run` does it."""
        return Sync(
            self,
            SyncParts(self._listing, self._keeping, self._budget, self._list_key),
            since,
            with_streams=with_streams,
        )

    def start_sync(self, since: date | None = None, *, with_streams: bool = False) -> BackgroundSync:
        """Keep the cache filled at low priority until the client is closed; one that runs goes on."""
        with self._lock:
            if self._syncing is None:
                self._syncing = BackgroundSync(self, since=since, with_streams=with_streams)
                self._syncing.start()
            return self._syncing

    def known_derived(self, kind: str, version: int, key: str) -> bytes | None:
        """A kept result; nothing is computed."""
        known = self._store.blobs.get(BlobKey(self._scope, f"derived {kind}", key))
        return known.body if known is not None and known.version == version else None

    def map_users(
        self,
        ask: Callable[[str], T],
        user_ids: Iterable[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> dict[str, T | ServiceError]:
        """What `ask` gives for each user, asked eight at a time; where it fails, the error stands in its place."""
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
        """As `map_users`, one at a time as they come."""
        return self.pool.each(ask, user_ids, on_progress=on_progress)

    def waiting(self, listener: Listener) -> AbstractContextManager[None]:
        """Have waits for the budget reported while the context lasts, with the seconds left."""
        return heard_by(listener)

    def requests_left(self) -> int:
        """How many requests the key's budget still allows in the current minute."""
        return self._budget.left()

    def holding(self) -> Holding:
        """How much is kept under this key, and how old it is."""
        return holding_of(self._store.database, self._scope)

    def forget(self) -> None:
        """Forget what was read under this key; the budget's log stays."""
        self._own_id = None
        self._store.clear(self._scope)

    def is_settled(self, timeout_s: float = 0.0) -> bool:
        """Whether nothing is being refreshed in the background, after waiting for that up to a time."""
        return self._background.is_idle(timeout_s)

    def _list(
        self, resource: Ranged, user_id: str, ends: tuple[date | None, date | None], max_age_s: float | None
    ) -> Result[Any]:
        days = Days.of(*ends, may_be_undated=resource.may_be_undated)

        def read() -> Result[Any]:
            key = self._list_key(resource, user_id)
            return self._listing.read(key, days, max_age_s=max_age_s)

        return self._explained(again_if_lost(read))

    def _thing(self, thing: Thing[T], max_age_s: float | None = None) -> Result[T]:
        return self._explained(again_if_lost(partial(self._keeping.read, thing, max_age_s=max_age_s)))

    def _explained(self, result: Result[T]) -> Result[T]:
        """What is old while the service is in trouble is old for that reason, whichever fetch met it."""
        trouble = self._fetcher.trouble
        is_open = result.is_stale and result.error is None and trouble is not None
        return result.because(trouble) if is_open and trouble else result

    def _list_key(self, resource: Ranged, user_id: str) -> ListKey:
        """`me` and the own id are one user, to the service's limit and to the cache.

        The own id need not be one that GET /users returns, so the path says `me`.
        """
        own_id = self._known_own_id() or self._learn_own_id()
        if user_id in {ME, own_id}:
            return ListKey(self._scope, resource, own_id, ME)
        return ListKey(self._scope, resource, user_id, user_id)

    def _learn_own_id(self) -> str:
        own_id = self.get_user(ME).value.id
        self._store.blobs.put(self._own_id_at, own_id.encode(), now=self._options.clock())
        self._budget.rename(ME, own_id)
        self._own_id = own_id
        return own_id

    def _known_own_id(self) -> str | None:
        if self._own_id is None:
            blob = self._store.blobs.get(self._own_id_at)
            self._own_id = None if blob is None else blob.body.decode()
        return self._own_id

    def _compute(self, at: BlobKey, version: int, compute: Callable[[], bytes]) -> bytes:
        body = compute()
        self._store.grew(self._store.blobs.put(at, body, now=self._options.clock(), version=version))
        return body


def scope_of(base_url: str, api_key: SecretStr) -> str:
    """What stands for a service and a key: a keyed digest of the address, from which the key cannot be had."""
    digest = hmac.new(api_key.get_secret_value().encode(), f"coachboard {base_url}".encode(), hashlib.sha256)
    return digest.hexdigest()[:32]
