"""The client: one method for each endpoint, named after it; everything read goes through the cache.

    with Client("https://service.example/api", key) as client:
        rides = client.list_activities("me", date(2026, 1, 1)).frame

The reads stand in `reads`; here is what holds them together.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import date
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

import orjson
from pydantic import SecretStr

from coachboard.client import things
from coachboard.client.acceptance import Acceptance
from coachboard.client.background import Background
from coachboard.client.budget import Budget, Priority
from coachboard.client.cache.holding import Holding, holding_of
from coachboard.client.cache.store import Store
from coachboard.client.derived import Derived
from coachboard.client.errors import ServiceError
from coachboard.client.failures import Failures
from coachboard.client.fanout import Pool, Progress
from coachboard.client.fetching import Fetcher
from coachboard.client.flights import Flights
from coachboard.client.http import Http, Request, check_key, path_of
from coachboard.client.identity import OwnId, scope_of
from coachboard.client.inviting import Invitation, read_invitation
from coachboard.client.keeping import Keeping
from coachboard.client.listing import Listing
from coachboard.client.options import Options
from coachboard.client.reach import Reach
from coachboard.client.reads import Reads
from coachboard.client.resources import (
    INVITATIONS_PATH,
)
from coachboard.client.sync import BackgroundSync, Sync, SyncParts
from coachboard.client.waiting import Listener, Patience, heard_by
from coachboard.models.invitations import CreateWorkspaceInvitation
from coachboard.settings import Settings

T = TypeVar("T")


class Client(Reads):
    """A service under a key; safe for many threads, to be closed. The key is held in memory alone.

    `cache_url` is where is kept what was read, a SQLite file (`sqlite:///cache.db`) or PostgreSQL; without it that
    of `COACHBOARD_CACHE_URL`. Each read gives a `Result`, or raises a `ServiceError` where nothing is known and
    nothing can be had; `ValueError` and `TypeError` say that it was asked wrongly. User ids come from `list_users`;
    `"me"` is the owner of the key.
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
        self._options = options or Options()
        self._http = Http(base_url, key, timeout_s=self._options.timeout_s)
        self._scope = scope_of(self._http.base_url, key)
        self._store = Store(cache_url or Settings().cache_url, max_bytes=self._options.cache_max_mb * 2**20)
        self._patience = Patience(self._options.sleep)
        self._budget = Budget(self._store.budget_log, self._scope, self._options.clock)
        self._background = Background()
        self._flights = Flights()
        self.pool = Pool()
        self._lock = threading.Lock()
        self._syncing: BackgroundSync | None = None
        clock = self._options.clock
        self._own = OwnId(self._store.blobs, self._scope, self._budget, clock)
        self._derived = Derived(self._store, self._scope, self._flights, clock)
        self._acceptance = Acceptance(clock)
        self._fetcher = Fetcher(
            self._http,
            self._budget,
            self._acceptance,
            self._patience,
            patience_s=self._options.patience_s,
        )
        reach = Reach(
            scope=self._scope,
            fetcher=self._fetcher,
            flights=self._flights,
            background=self._background,
            failures=Failures(self._options.clock),
            options=self._options,
            grew=self._store.grew,
        )
        self._listing = Listing(self._store, reach)
        self._keeping = Keeping(self._store.blobs, self._store.behind, reach)

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
        self._flights.close()
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

    def create_invitation(self, workspace_id: str, invitation: CreateWorkspaceInvitation) -> Invitation:
        """Invite somebody: POST /workspaces/{workspaceId}/invitations. Raises `NotFound`, `BadRequest`.

        `CreateWorkspaceInvitation` is of `coachboard.models.invitations`, the ids are in the profile of `get_user`.
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
        return self._derived.get(kind, version, key, compute)

    def known_derived(self, kind: str, version: int, key: str) -> bytes | None:
        """A kept result; nothing is computed."""
        return self._derived.known(kind, version, key)

    def known_derived_of(self, kind: str, version: int, keys: Iterable[str]) -> Mapping[str, bytes]:
        """The kept results among the keys, by key and in one query; nothing is computed."""
        return self._derived.known_of(kind, version, keys)

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
        """Have waits reported while the context lasts: for the budget with the seconds left, for the service so far."""
        return heard_by(listener)

    def requests_left(self) -> int:
        """How many requests the key's budget still allows in the current minute."""
        return self._budget.left()

    def holding(self) -> Holding:
        """How much is kept under this key, and how old it is."""
        self._store.flush()
        return holding_of(self._store.database, self._scope)

    def forget(self) -> None:
        """Forget what was read under this key; the budget's log stays."""
        self._own.forget()
        self._store.clear(self._scope)

    def flush(self) -> None:
        """Wait until everything that was fetched is in the cache."""
        self._store.flush()

    def is_settled(self, timeout_s: float = 0.0) -> bool:
        """Whether nothing is being refreshed in the background, after waiting for that up to a time."""
        return self._background.is_idle(timeout_s)
