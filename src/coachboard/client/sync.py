"""Filling the cache for all athletes within the budget, so that the dashboard opens without the service.

Resumable by nature: what is known and fresh is no step, so a sync that was ended goes on where it stopped.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from coachboard.client import things
from coachboard.client.budget import KEY_LIMIT, WINDOW_S, Budget, Priority
from coachboard.client.cache.lists import ListKey
from coachboard.client.cache.spans import Days
from coachboard.client.errors import NotFound, ServiceError, Unauthorized
from coachboard.client.keeping import Keeping
from coachboard.client.listing import Listing
from coachboard.client.resources import ME, RANGED, Ranged
from coachboard.client.waiting import Closed
from coachboard.client.whole import Thing
from coachboard.models.users import User

if TYPE_CHECKING:
    from coachboard.client.api import Client

_LOGGER = logging.getLogger(__name__)

CALLS_PER_S = KEY_LIMIT * Priority.SYNC.value / WINDOW_S

_STEPS_LOOKED_AT = 50  # for what a call takes: one that had to wait says nothing of the others

GIVE_UP_AFTER = 5
"""Steps that fail one after another before the service counts as gone."""


@dataclass(frozen=True, slots=True)
class SyncProgress:
    """How far a sync has come; the total grows when activities with streams to fetch are found."""

    done: int
    total: int
    seconds_left: float | None  # None until a call was made or the budget tells
    doing: str


@dataclass(slots=True)
class SyncOutcome:
    """What a sync did."""

    fetched: int = 0
    failures: list[ServiceError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SyncParts:
    """What a sync works with besides the client itself."""

    listing: Listing
    keeping: Keeping
    budget: Budget
    key_of: Callable[[Ranged, str], ListKey]


@dataclass(frozen=True, slots=True)
class Step:
    """One call that is to be made."""

    doing: str
    make: Callable[[], None]


class Sync:
    """One pass over the caller and all athletes."""

    def __init__(self, client: "Client", parts: SyncParts, since: date | None, *, with_streams: bool) -> None:
        self._client = client
        self._parts = parts
        self._since = since
        self._with_streams = with_streams

    def run(
        self,
        on_progress: Callable[[SyncProgress], None] | None = None,
        stop: threading.Event | None = None,
    ) -> SyncOutcome:
        """Make all calls; raises `Unauthorized`, and the last error where the service seems to be gone."""
        outcome = SyncOutcome()
        users = self._users()
        tell = on_progress or _nobody
        lists = [*self._profile_steps(users), *self._list_steps(users)]
        self._make(lists, outcome, tell, stop)
        streams = list(self._stream_steps(users)) if self._with_streams else []
        self._make(streams, outcome, tell, stop, before=len(lists))
        if stop is None or not stop.is_set():
            total = len(lists) + len(streams)
            tell(SyncProgress(total, total, 0.0, ""))
        self._client.flush()
        return outcome

    def _users(self) -> dict[str, str]:
        """Who is synced, with names; the caller first."""
        athletes = self._client.list_users().value
        own = self._client.get_user(ME).value
        return {user.id: _name_of(user) for user in (own, *athletes)}

    def _make(
        self,
        steps: list[Step],
        outcome: SyncOutcome,
        tell: Callable[[SyncProgress], None],
        stop: threading.Event | None,
        *,
        before: int = 0,
    ) -> None:
        took_s: deque[float] = deque(maxlen=_STEPS_LOOKED_AT)
        in_a_row = 0
        for done, step in enumerate(steps):
            if stop is not None and stop.is_set():
                return
            left = self._seconds_left(len(steps) - done, took_s)
            tell(SyncProgress(before + done, before + len(steps), left, step.doing))
            started = time.monotonic()
            in_a_row = 0 if self._step(step, outcome) else in_a_row + 1
            took_s.append(time.monotonic() - started)
            if in_a_row >= GIVE_UP_AFTER:
                raise outcome.failures[-1]

    def _step(self, step: Step, outcome: SyncOutcome) -> bool:
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

    def _profile_steps(self, users: Mapping[str, str]) -> Iterator[Step]:
        for user_id, name in [*users.items()][1:]:  # the first is the caller's own, which is known by now
            profile = things.profile(user_id, counted_as=user_id)
            if self._parts.keeping.is_due(profile):
                yield Step(f"{name}: profile", partial(self._fetch, profile))

    def _list_steps(self, users: Mapping[str, str]) -> Iterator[Step]:
        for user_id, name in users.items():
            yield from self._steps_of(user_id, name)

    def _steps_of(self, user_id: str, name: str) -> Iterator[Step]:
        for resource in RANGED:
            key = self._parts.key_of(resource, user_id)
            days = Days.of(self._since, None, may_be_undated=resource.may_be_undated)
            for part in self._parts.listing.missing(key, days):
                doing = f"{name}: {resource.name.replace('-', ' ')}"
                yield Step(doing, partial(self._refresh, key, part))

    def _refresh(self, key: ListKey, days: Days) -> None:
        self._parts.listing.refresh(key, days, Priority.SYNC)

    def _stream_steps(self, users: Mapping[str, str]) -> Iterator[Step]:
        known = self._parts.keeping.known_keys("streams")
        for user_id, name in users.items():
            try:
                frame = self._client.list_activities(user_id, self._since).frame
            except ServiceError:
                continue  # its list has failed and been counted
            for activity_id in frame["id"]:
                if activity_id not in known:
                    yield Step(f"{name}: streams", partial(self._fetch, things.streams(activity_id)))

    def _fetch(self, thing: Thing[Any]) -> None:
        self._parts.keeping.fetch(thing, Priority.SYNC)

    def _seconds_left(self, calls_left: int, took_s: Iterable[float]) -> float | None:
        """The slower of what a call usually took of late and what the budget allows."""
        free = self._parts.budget.left() - KEY_LIMIT * (1 - Priority.SYNC.value)
        in_budget = max(0.0, (calls_left - free) / CALLS_PER_S)
        if not took_s:
            return in_budget or None
        return max(median(took_s) * calls_left, in_budget)


def _nobody(progress: SyncProgress) -> None:
    """Who is told where nobody asked."""


def _name_of(user: User) -> str:
    return " ".join(part for part in (user.first_name, user.last_name) if part) or user.id


class BackgroundSync:
    """The same again and again at low priority, for a dashboard; ends with `stop` or the process."""

    def __init__(
        self,
        client: "Client",
        *,
        since: date | None = None,
        with_streams: bool = False,
        every_s: float = 900.0,
    ) -> None:
        self._client = client
        self._since = since
        self._with_streams = with_streams
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="coachboard-sync", daemon=True)
        self.progress: SyncProgress | None = None
        self.error: ServiceError | None = None
        self.ended_at: datetime | None = None
        """When the last pass that came to its end did so."""

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                sync = self._client.sync(self._since, with_streams=self._with_streams)
                sync.run(self._note, self._stop)
                self.error, self.ended_at = None, datetime.now(UTC)
            except Closed:
                return
            except ServiceError as error:
                self.error = error
                _LOGGER.info("sync: %s", error)
            self._stop.wait(self._every_s)

    def _note(self, progress: SyncProgress) -> None:
        self.progress = progress
