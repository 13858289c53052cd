"""The client: one method for each endpoint, named after it; every read goes through the cache.

>>> with Client("https://service.example/api", key) as client:
...     rides = client.list_activities("me", date(2026, 1, 1)).frame
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import orjson
import pandas as pd
from pydantic import SecretStr

from coachboard.client import resources, values
from coachboard.client.cache import CacheEntry, CacheKey, CacheUsage, release_store, scope_of, share_store
from coachboard.client.decode import Invitation, read_invitation
from coachboard.client.errors import NotFound, ServiceError, Unreachable
from coachboard.client.frames import empty_streams_frame
from coachboard.client.http import Http, check_key
from coachboard.client.lists import ListKey, Lists
from coachboard.client.months import Days
from coachboard.client.options import Options
from coachboard.client.own_data import ChangeWatch, OwnData
from coachboard.client.pacing import Policy, RateLimit
from coachboard.client.planning import Planning
from coachboard.client.resources import ME, Ranged, Request, path_of
from coachboard.client.result import Result
from coachboard.client.retry import BUDGET_REASON, Fetcher
from coachboard.client.sync import Sync
from coachboard.client.values import SingleResource, SingleResources
from coachboard.client.waiting import CLOSE_S, Closed, Patience
from coachboard.settings import Settings
from coachboard.wire.activities import Activity
from coachboard.wire.base import parse_day
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import CreateWorkspaceInvitation, User, UserProfile

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
        self._cache = share_store(cache_url or Settings().cache_url, max_bytes=options.cache_max_mb * 2**20)
        self._clock = options.clock
        self._patience = Patience(options.sleep)
        self._rate_limit = RateLimit(self._cache.database, self._scope, options.clock)
        self._fetcher = Fetcher(self._http, self._rate_limit, self._patience, options)
        self.pool = self._fetcher.workers
        self._watch = ChangeWatch(self._cache, self._scope, options.clock)
        self._follows_changes = options.follows_changes
        self.own_data = OwnData(
            self._http,
            clock=options.clock,
            wait=partial(self._patience.wait, reason=BUDGET_REASON),
            on_change=self._watch.look_again,
        )
        self.planning = Planning(
            self._http,
            clock=options.clock,
            on_change=self._watch.look_again,
            read_kept=self._kept,
            read_version=self._read_version,
        )
        self._lists = Lists(self._cache, self._fetcher)
        self._singles = SingleResources(self._cache, self._fetcher, self._scope)
        self._own_id: str | None = None
        self._users_as_of: datetime | None = None
        self._own_id_key = CacheKey(self._scope, "own id", "")
        self._is_closed = False

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
        self.pool.end()

    def close(self, within_s: float = CLOSE_S) -> None:
        """End all waits and close the connections; a second call must not close what other clients share."""
        if self._is_closed:
            return
        self._is_closed = True
        self._patience.end()
        self.pool.close(within_s)
        self._http.close()
        self._cache.free(self._scope)
        release_store(self._cache)

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
        """Why the cache cannot be written at present; until it can, fetched data are kept in memory only."""
        return self._cache.database.trouble

    @property
    def cache_set_aside(self) -> Path | None:
        """The damaged file that a new cache has replaced since the process started."""
        return self._cache.database.set_aside

    def list_users(self, *, max_age_s: float | None = None) -> Result[tuple[User, ...]]:
        """The athletes of the caller: GET /users. Data of people who are no longer among them leave the cache."""
        result = self._single(values.users(), max_age_s)
        if result.as_of != self._users_as_of and not result.problems:
            self._users_as_of = result.as_of
            self._drop_others({user.id for user in result.value})
        return result

    def _drop_others(self, user_ids: set[str]) -> None:
        own_id = self._known_own_id()
        lost = self._cache.people(self._scope) - user_ids - {ME, own_id}
        if own_id is not None and lost:
            self._cache.drop_people(self._scope, lost)
            self._cache.drop_plans(self._scope, lost)

    def get_user(self, user_id: str = ME, *, max_age_s: float | None = None) -> Result[UserProfile]:
        """A profile with the latest metrics: GET /users/{userId}. Raises `NotFound`."""
        is_own = user_id in {ME, self._known_own_id()}
        return self._single(self._own_profile() if is_own else values.profile(user_id), max_age_s)

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
        missing value; `frame` has them in snake_case. `client.frames.STREAM_UNITS` has the units.
        """
        return self._single(values.streams(activity_id))

    def streams_frame(self, user_id: str, start: End = None, end: End = None) -> pd.DataFrame:
        """The time series of all activities of the range in one frame, oldest first, with `activity_id`.

        Leaves out activities without streams; without any, the frame is empty and has all columns of the interface.
        Raises the `ServiceError` of a read that fails.
        """
        ids = [activity.id for activity in reversed(self.list_activities(user_id, start, end).value)]
        read = dict(self.pool.each(self.get_streams, ids))
        frames = []
        for activity_id in ids:
            reply = read[activity_id]
            if isinstance(reply, NotFound):
                continue
            if isinstance(reply, ServiceError):
                raise reply
            frame = reply.frame
            frame.insert(0, "activity_id", activity_id)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else empty_streams_frame()

    def known_streams(self, activity_id: str) -> Result[ActivityStreams] | None:
        """The time series of an activity if the cache has it; makes no request."""
        return self._singles.known(values.streams(activity_id))

    def without_streams(self) -> frozenset[str]:
        """The ids of activities without time series, as far as the service was asked; makes no request."""
        return self._singles.absent_keys("streams")

    def pass_streams(self, activity_id: str) -> ActivityStreams:
        """The time series for a background calculation: not stored."""
        return self._singles.pass_on(values.streams(activity_id))

    def fill_activities(self, user_id: str, start: date) -> None:
        """Fetch the activities from `start` on that the cache lacks, in the background."""
        key = self.list_key(resources.ACTIVITIES, user_id)
        for run in self._lists.missing(key, Days(start, None)):
            self._lists.fetch(key, run, Policy.BACKGROUND)

    def create_invitation(self, workspace_id: str, invitation: CreateWorkspaceInvitation) -> Invitation:
        """Invite a person: POST /workspaces/{workspaceId}/invitations. Raises `NotFound`, `BadRequest`.

        `CreateWorkspaceInvitation` is in `coachboard.wire.users`, the ids are in the profile of `get_user`.
        The request is not repeated if it may have arrived; then `may_have_arrived` of the error is true.
        """
        body = orjson.dumps(invitation.model_dump(mode="json", by_alias=True))
        request = Request("POST", path_of(resources.INVITATIONS_PATH, workspace_id), body=body)
        with self._open():
            return self._fetcher.fetch(request, read_invitation)

    def keep_derived(self, kind: str, version: int, key: str, body: bytes) -> None:
        """Keep the result of an expensive function in the cache."""
        entry = CacheEntry.of(body, self._clock(), version=version)
        self._cache.put(CacheKey(self._scope, f"derived {kind}", key), {0: entry})

    def known_derived_of(self, kind: str, version: int, keys: Iterable[str]) -> Mapping[str, bytes]:
        """The kept results of that version by key, in one query."""
        return self._cache.bodies(self._scope, f"derived {kind}", version, keys)

    def sync(self, since: date | None = None, *, with_streams: bool = False) -> Sync:
        """A pass that fills the cache for the caller and all athletes, from a day on; `run` starts it."""
        return Sync(self, self._lists, self._singles, self._rate_limit, since, with_streams)

    def requests_left(self) -> int:
        """How many requests the key has left in the current minute."""
        return self._rate_limit.left()

    def holding(self) -> CacheUsage:
        """How much the cache has for this key, and how old it is."""
        return self._cache.usage(self._scope)

    def forget(self) -> None:
        """Delete the cached data of this key; the request log stays."""
        self._own_id = None
        self._cache.clear(self._scope)

    def pause(self, seconds: float) -> None:
        """Wait between background requests; raises `Closed` when the client closes."""
        self._patience.pause(seconds)

    def forget_failures(self) -> None:
        """Let the next reads ask the service at once, because the user wants to try again."""
        self._fetcher.forget_failures()
        self.own_data.forget_failure()
        self.planning.forget_failure()

    def is_settled(self, timeout_s: float = 0.0) -> bool:
        """Wait for background refreshes, at most `timeout_s`; returns whether all have ended."""
        return self.pool.is_idle(timeout_s)

    def _list(
        self, resource: Ranged, user_id: str, ends: tuple[End, End], max_age_s: float | None
    ) -> Result[Any]:
        days = Days(*map(_day, ends))

        def read() -> Result[Any]:
            return self._lists.read(self.list_key(resource, user_id), days, max_age_s=max_age_s)

        return self._read(read)

    def _single(self, resource: SingleResource[T], max_age_s: float | None = None) -> Result[T]:
        return self._read(partial(self._singles.read, resource, max_age_s=max_age_s))

    def _kept(self, resource: SingleResource[T], /) -> T:
        return self._single(resource).value

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
        self._fetcher.require_key(partial(self._check_key, Policy.INTERACTIVE))
        if self._follows_changes and self._watch.is_due:
            look = partial(self._watch.drop_changed, self.own_data.changes, self._known_own_id())
            self.pool.join(self._watch.stamp_key, look, what="changes")  # a page shows that it waits

    def look_for_changes(self) -> str | None:
        """Drop data that changed at the service, as a read does; the stamp of the remaining ones, None without `/own/v1`."""
        with self._open():
            self._check_in()
        return self._watch.stamp

    def _read_version(self) -> str | None:
        """The version of the service's data; None if it is not known to count this client's own changes."""
        self.look_for_changes()
        return self._watch.version

    def _read(self, read: Callable[[], Result[T]]) -> Result[T]:
        """Read a part of the cache."""
        with self._open():
            self._check_in()
            result = read()
        if self._fetcher.is_key_check_due:
            self.pool.later("key", partial(self._check_key, Policy.BACKGROUND))
        # Data that are old while the service fails are old for this reason, whichever fetch failed.
        trouble = self._fetcher.trouble
        is_open = result.is_stale and result.error is None and trouble is not None
        return replace(result, error=trouble) if is_open else result

    def _check_key(self, policy: Policy) -> None:
        """Fetch the profile of the key's owner, which every key may read."""
        self._singles.fetch(self._own_profile(), policy)

    def _own_profile(self) -> SingleResource[UserProfile]:
        return values.profile(ME, counted_as=self._known_own_id())

    def list_key(self, resource: Ranged, user_id: str) -> ListKey:
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
            entry = self._cache.get(self._own_id_key)
            self._own_id = entry.body.decode() if entry is not None and entry.body else None
        return self._own_id

    def _learn_own_id(self) -> str:
        """Read the owner's id from the profile; requests that were logged for `me` count for the id from now on."""
        own_id = self._singles.read(self._own_profile()).value.id
        self._cache.put(self._own_id_key, {0: CacheEntry.of(own_id.encode(), self._clock())})
        self._rate_limit.rename(ME, own_id)
        self._own_id = own_id
        return own_id


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
