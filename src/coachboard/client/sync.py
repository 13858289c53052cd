"""Filling the cache for all athletes within the rate limit, so that the dashboard opens without the service.

A sync skips data that the cache still holds fresh, so a stopped sync continues where it stopped.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from statistics import median
from typing import Protocol

from coachboard.client import values
from coachboard.client.errors import NotFound, ServiceError, Unauthorized
from coachboard.client.lists import ListKey, Lists
from coachboard.client.months import Days
from coachboard.client.pacing import KEY_LIMIT, WINDOW_S, Policy, RateLimit
from coachboard.client.resources import ME, RANGED, Ranged
from coachboard.client.result import Result
from coachboard.client.values import SingleResources
from coachboard.wire.activities import Activity
from coachboard.wire.users import User, UserProfile

CALLS_PER_S = KEY_LIMIT * Policy.BACKGROUND.value / WINDOW_S

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
    def list_key(self, resource: Ranged, user_id: str) -> ListKey: ...


SyncStep = tuple[str, Callable[[], None]]
"""The words for a request, and the function that makes it."""


@dataclass(frozen=True, slots=True)
class Sync:
    """One pass over the caller and all athletes."""

    _client: SyncedClient
    _lists: Lists
    _singles: SingleResources
    _rate_limit: RateLimit
    _since: date | None
    _with_streams: bool

    def run(
        self,
        on_progress: Callable[[SyncProgress], None] | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> SyncOutcome:
        """Make all requests, until `is_over`.

        Raises `Unauthorized`, the error of the first two requests, and the last error after `GIVE_UP_AFTER` in a row.
        """
        outcome = SyncOutcome()
        users = self._users()
        report = on_progress or (lambda _: None)
        lists = [*self._profile_steps(users), *self._list_steps(users)]
        self._make(lists, outcome, report, is_over)
        streams = list(self._stream_steps(users)) if self._with_streams else []
        self._make(streams, outcome, report, is_over, done_before=len(lists))
        if not is_over():
            total = len(lists) + len(streams)
            report(SyncProgress(total, total, 0.0, ""))
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
        is_over: Callable[[], bool],
        *,
        done_before: int = 0,
    ) -> None:
        took_s: deque[float] = deque(maxlen=_RECENT_STEPS)
        in_a_row = 0
        for done, (doing, make) in enumerate(steps):
            if is_over():
                return
            left = self._seconds_left(len(steps) - done, took_s)
            report(SyncProgress(done_before + done, done_before + len(steps), left, doing))
            started = time.monotonic()
            in_a_row = 0 if self._is_done(make, outcome) else in_a_row + 1
            took_s.append(time.monotonic() - started)
            if in_a_row >= GIVE_UP_AFTER:
                raise outcome.failures[-1]

    def _is_done(self, make: Callable[[], None], outcome: SyncOutcome) -> bool:
        try:
            make()
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
            profile = values.profile(user_id)
            if self._singles.is_due(profile):
                yield f"{name}: profile", partial(self._singles.fetch, profile, Policy.BACKGROUND)

    def _list_steps(self, users: Mapping[str, str]) -> Iterator[SyncStep]:
        for user_id, name in users.items():
            for resource in RANGED:
                key = self._client.list_key(resource, user_id)
                for run in self._lists.missing(key, Days(self._since, None)):
                    doing = f"{name}: {resource.name.replace('-', ' ')}"
                    yield doing, partial(self._lists.fetch, key, run, Policy.BACKGROUND)

    def _stream_steps(self, users: Mapping[str, str]) -> Iterator[SyncStep]:
        cached_ids = self._singles.known_keys("streams")
        for user_id, name in users.items():
            try:
                frame = self._client.list_activities(user_id, self._since).frame
            except ServiceError:
                continue  # the step for this list has failed and is counted
            for activity_id in frame["id"]:
                if activity_id not in cached_ids:
                    fetch = partial(self._singles.fetch, values.streams(activity_id), Policy.BACKGROUND)
                    yield f"{name}: streams", fetch

    def _seconds_left(self, calls_left: int, took_s: Iterable[float]) -> float | None:
        """The longer of the time that recent requests took and the time that the rate limit needs."""
        requests_left = self._rate_limit.left() - KEY_LIMIT * (1 - Policy.BACKGROUND.value)
        rate_limited_s = max(0.0, (calls_left - requests_left) / CALLS_PER_S)
        if not took_s:
            return rate_limited_s or None
        return max(median(took_s) * calls_left, rate_limited_s)
