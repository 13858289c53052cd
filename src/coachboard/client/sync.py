"""Filling the cache for all athletes within the rate limit, so that the dashboard opens without the service.

A sync skips data that the cache still holds fresh, so a stopped sync continues where it stopped.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from math import inf
from statistics import median
from typing import Any, Protocol

from coachboard.client import single_resources
from coachboard.client.cache.freshness import Days
from coachboard.client.cache.ranges import ListKey
from coachboard.client.concurrency import CLOSE_S, Closed, Threads
from coachboard.client.errors import NotFound, ServiceError, Unauthorized
from coachboard.client.ranged_lists import RangedLists
from coachboard.client.resources import ME, RANGED, Ranged
from coachboard.client.result import Result
from coachboard.client.single_resources import SingleResource, SingleResources
from coachboard.client.transport.rate_limit import KEY_LIMIT, WINDOW_S, Priority, RateLimit
from coachboard.models.activities import Activity
from coachboard.models.users import User, UserProfile

_LOGGER = logging.getLogger(__name__)

CALLS_PER_S = KEY_LIMIT * Priority.SYNC.value / WINDOW_S

_RECENT_STEPS = 50
"""Requests whose median time estimates the rest: a mean would count one that waited for the rate limit."""

GIVE_UP_AFTER = 5
"""Steps that fail in a row before the service counts as unreachable."""


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """The progress of a sync; the total grows when it finds activities with streams to fetch."""

    done: int
    total: int
    seconds_left: float | None  # None until it can be estimated
    doing: str


@dataclass(slots=True)
class SyncOutcome:
    """Requests that succeeded, and the errors of those that failed; a 404 is no failure."""

    fetched: int = 0
    failures: list[ServiceError] = field(default_factory=list)


class SyncedClient(Protocol):
    """The methods of a client that a sync uses."""

    def list_users(self) -> Result[tuple[User, ...]]: ...
    def get_user(self, user_id: str = ...) -> Result[UserProfile]: ...
    def list_activities(self, user_id: str, start: date | None = ...) -> Result[tuple[Activity, ...]]: ...
    def sync(self, since: date | None = ..., *, with_streams: bool = ...) -> "Sync": ...
    def flush(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SyncParts:
    """The parts of a client that a sync needs besides its methods."""

    lists: RangedLists
    singles: SingleResources
    rate_limit: RateLimit
    key_of: Callable[[Ranged, str], ListKey]


@dataclass(frozen=True, slots=True)
class SyncStep:
    """One request to be made."""

    doing: str
    make: Callable[[], None]


class Sync:
    """One pass over the caller and all athletes."""

    def __init__(
        self, client: "SyncedClient", parts: SyncParts, since: date | None, *, with_streams: bool
    ) -> None:
        self._client = client
        self._parts = parts
        self._since = since
        self._with_streams = with_streams

    def run(
        self,
        on_progress: Callable[[SyncProgress], None] | None = None,
        stop: threading.Event | None = None,
    ) -> SyncOutcome:
        """Make all requests.

        Raises `Unauthorized`, the error of the first two requests, and the last error after `GIVE_UP_AFTER` in a row.
        """
        outcome = SyncOutcome()
        users = self._users()
        report = on_progress or (lambda _: None)
        lists = [*self._profile_steps(users), *self._list_steps(users)]
        self._make(lists, outcome, report, stop)
        streams = list(self._stream_steps(users)) if self._with_streams else []
        self._make(streams, outcome, report, stop, done_before=len(lists))
        if stop is None or not stop.is_set():
            total = len(lists) + len(streams)
            report(SyncProgress(total, total, 0.0, ""))
        self._client.flush()
        return outcome

    def _users(self) -> dict[str, str]:
        """The names of the synced users by id; the caller first."""
        athletes = self._client.list_users().value
        own = self._client.get_user(ME).value
        return {user.id: user.full_name for user in (own, *athletes)}

    def _make(
        self,
        steps: list[SyncStep],
        outcome: SyncOutcome,
        report: Callable[[SyncProgress], None],
        stop: threading.Event | None,
        *,
        done_before: int = 0,
    ) -> None:
        took_s: deque[float] = deque(maxlen=_RECENT_STEPS)
        in_a_row = 0
        for done, step in enumerate(steps):
            if stop is not None and stop.is_set():
                return
            left = self._seconds_left(len(steps) - done, took_s)
            report(SyncProgress(done_before + done, done_before + len(steps), left, step.doing))
            started = time.monotonic()
            in_a_row = 0 if self._step(step, outcome) else in_a_row + 1
            took_s.append(time.monotonic() - started)
            if in_a_row >= GIVE_UP_AFTER:
                raise outcome.failures[-1]

    def _step(self, step: SyncStep, outcome: SyncOutcome) -> bool:
        try:
            step.make()
        except Unauthorized:
            raise
        except NotFound:
            return True  # an athlete who has left, an activity without streams
        except ServiceError as error:
            outcome.failures.append(error)
            return False
        outcome.fetched += 1
        return True

    def _profile_steps(self, users: Mapping[str, str]) -> Iterator[SyncStep]:
        for user_id, name in [*users.items()][1:]:  # the first is the caller's own, which is known by now
            profile = single_resources.profile(user_id, counted_as=user_id)
            if self._parts.singles.is_due(profile):
                yield SyncStep(f"{name}: profile", partial(self._fetch, profile))

    def _list_steps(self, users: Mapping[str, str]) -> Iterator[SyncStep]:
        for user_id, name in users.items():
            yield from self._steps_of(user_id, name)

    def _steps_of(self, user_id: str, name: str) -> Iterator[SyncStep]:
        for resource in RANGED:
            key = self._parts.key_of(resource, user_id)
            days = Days.of(self._since, None, may_be_undated=resource.may_be_undated)
            for part in self._parts.lists.missing(key, days):
                doing = f"{name}: {resource.name.replace('-', ' ')}"
                yield SyncStep(doing, partial(self._refresh, key, part))

    def _refresh(self, key: ListKey, days: Days) -> None:
        self._parts.lists.refresh(key, days, Priority.SYNC)

    def _stream_steps(self, users: Mapping[str, str]) -> Iterator[SyncStep]:
        known = self._parts.singles.known_keys("streams")
        for user_id, name in users.items():
            try:
                frame = self._client.list_activities(user_id, self._since).frame
            except ServiceError:
                continue  # the step for this list has failed and is counted
            for activity_id in frame["id"]:
                if activity_id not in known:
                    yield SyncStep(
                        f"{name}: streams", partial(self._fetch, single_resources.streams(activity_id))
                    )

    def _fetch(self, resource: SingleResource[Any]) -> None:
        self._parts.singles.fetch(resource, Priority.SYNC)

    def _seconds_left(self, calls_left: int, took_s: Iterable[float]) -> float | None:
        """The longer of the time that recent requests took and the time that the rate limit needs."""
        requests_left = self._parts.rate_limit.left() - KEY_LIMIT * (1 - Priority.SYNC.value)
        rate_limited_s = max(0.0, (calls_left - requests_left) / CALLS_PER_S)
        if not took_s:
            return rate_limited_s or None
        return max(median(took_s) * calls_left, rate_limited_s)


BetweenPasses = Callable[[Callable[[], bool]], None]
"""Work between two passes. Its argument returns true when the work must end. It raises `ServiceError`."""


class BackgroundSync:
    """A sync that repeats, for a dashboard; ends with `stop` or the process.

    Its requests have low priority. The profile of the user, the list of athletes and missing activities have the priority
    of a page. The sync has a worker of its own, so that pages keep all workers of the client.
    """

    def __init__(
        self,
        client: "SyncedClient",
        *,
        since: date | None = None,
        with_streams: bool = False,
        every_s: float = 900.0,
        between: "BetweenPasses | None" = None,
    ) -> None:
        self._client = client
        self._between = between
        self._since = since
        self._with_streams = with_streams
        self._every_s = every_s
        self._stop = threading.Event()
        self._worker = Threads(1, name="coachboard-sync")
        self.progress: SyncProgress | None = None
        self.error: ServiceError | None = None
        self.ended_at: datetime | None = None
        """When the last complete pass ended."""

    @property
    def is_running(self) -> bool:
        return not self._worker.is_idle()

    def start(self) -> None:
        self._worker.later("sync", self._work)

    def end(self) -> None:
        """Make the sync end after its running request; returns at once."""
        self._stop.set()
        self._worker.end()

    def stop(self, within_s: float = CLOSE_S) -> None:
        self.end()
        self._worker.close(within_s)

    def _work(self) -> None:
        while not self._stop.is_set():
            next_at = inf
            try:
                sync = self._client.sync(self._since, with_streams=self._with_streams)
                failures = sync.run(self._note, self._stop).failures
                self.error = failures[-1] if failures else None
                if not failures and not self._stop.is_set():
                    self.ended_at = datetime.now(UTC)
                next_at = time.monotonic() + self._every_s
                if self._between is not None:
                    self._between(partial(self._is_over, next_at))
            except Closed:
                return
            except ServiceError as error:
                self.error = error
                _LOGGER.info("sync: %s", error)
            except Exception:  # one row that this program misreads must not end the sync for good
                _LOGGER.exception("the sync failed; it tries again in %s s", self._every_s)
            self._stop.wait(max(0.0, min(next_at - time.monotonic(), self._every_s)))

    def _is_over(self, at: float) -> bool:
        return self._stop.is_set() or time.monotonic() >= at

    def _note(self, progress: SyncProgress) -> None:
        self.progress = progress
