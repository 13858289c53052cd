"""The reads of a client: one method for each endpoint, named after it; everything goes through the cache.

Ranges are days of the athlete's calendar, both ends with them; an end that is None is open.
Where a read is given `max_age_s`, what is known but older is not shown: it is fetched first.
"""

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any, TypeVar

from coachboard.client import things
from coachboard.client.acceptance import Acceptance
from coachboard.client.background import Background
from coachboard.client.budget import Priority
from coachboard.client.cache.database import again_if_lost
from coachboard.client.cache.lists import ListKey
from coachboard.client.cache.spans import Days
from coachboard.client.fetching import Fetcher
from coachboard.client.identity import OwnId
from coachboard.client.keeping import Keeping
from coachboard.client.listing import Listing
from coachboard.client.resources import (
    ACTIVITIES,
    EVENTS,
    ME,
    METRICS,
    NOTES,
    PRESCRIPTIONS,
    SLEEPS,
    Ranged,
)
from coachboard.client.result import Result
from coachboard.client.whole import Thing
from coachboard.models.activities import Activity
from coachboard.models.body import Metric, Sleep
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User, UserProfile

T = TypeVar("T")


class Reads:
    """What can be read of a service under a key."""

    _scope: str
    _listing: Listing
    _keeping: Keeping
    _fetcher: Fetcher
    _own: OwnId
    _acceptance: Acceptance
    _background: Background

    def list_users(self, *, max_age_s: float | None = None) -> Result[tuple[User, ...]]:
        """The athletes of the caller: GET /users."""
        return self._thing(things.users(), max_age_s)

    def fetch_users_soon(self) -> None:
        """Have the athletes fetched where they are not known; who then asks for them gets this fetch's answer."""
        again_if_lost(partial(self._keeping.soon, things.users()))

    def get_user(self, user_id: str = ME, *, max_age_s: float | None = None) -> Result[UserProfile]:
        """A profile with the latest metrics: GET /users/{userId}. Raises `NotFound`."""
        own_id = self._own.known()
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
        """The time series of an activity: GET /activities/{activityId}/streams. Raises `NotFound`.

        `value.columns` are float64 by their names on the wire, all as long as `value.timestamps` (UTC), NaN where
        nothing was recorded; `frame` has them in snake_case. `coachboard.client.rows.STREAM_UNITS` has the units.
        """
        return self._thing(things.streams(activity_id))

    def known_streams(self, activity_id: str) -> Result[ActivityStreams] | None:
        """The time series of an activity if the cache holds it; no request is made."""
        return again_if_lost(partial(self._keeping.known, things.streams(activity_id)))

    def without_streams(self) -> frozenset[str]:
        """The ids of activities that the service has said to have no time series; no request is made."""
        return again_if_lost(partial(self._keeping.absent_keys, "streams"))

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

    def _list(
        self, resource: Ranged, user_id: str, ends: tuple[date | None, date | None], max_age_s: float | None
    ) -> Result[Any]:
        for end in ends:
            if not isinstance(end, date | None):
                raise TypeError(f"expected a datetime.date or None, got {end!r}")
        days = Days.of(*ends, may_be_undated=resource.may_be_undated)

        def read() -> Result[Any]:
            key = self._list_key(resource, user_id)
            return self._listing.read(key, days, max_age_s=max_age_s)

        return self._accepted(read)

    def _thing(self, thing: Thing[T], max_age_s: float | None = None) -> Result[T]:
        return self._accepted(partial(self._keeping.read, thing, max_age_s=max_age_s))

    def _accepted(self, read: Callable[[], Result[T]]) -> Result[T]:
        """What is read, if the key is not refused; a look at that follows where nothing has told for a while."""
        self._acceptance.require(partial(self._ask_for_own, Priority.PERSON))
        result = again_if_lost(read)
        if self._acceptance.is_due:
            self._background.submit("key", partial(self._ask_for_own, Priority.REFRESH))
        return self._explained(result)

    def _own_profile(self) -> Result[UserProfile]:
        return again_if_lost(partial(self._keeping.read, things.profile(ME, counted_as=ME)))

    def _ask_for_own(self, priority: Priority) -> None:
        """Fetch the own profile, of which every key has one."""
        self._keeping.fetch(things.profile(ME, counted_as=self._own.known() or ME), priority)

    def _explained(self, result: Result[T]) -> Result[T]:
        """What is old while the service is in trouble is old for that reason, whichever fetch met it."""
        trouble = self._fetcher.trouble
        is_open = result.is_stale and result.error is None and trouble is not None
        return result.because(trouble) if is_open and trouble else result

    def _list_key(self, resource: Ranged, user_id: str) -> ListKey:
        """`me` and the own id are one user, to the service's limit and to the cache.

        The own id need not be one that GET /users returns, so the path says `me`.
        """
        own_id = self._own.known() or self._own.learn(self._own_profile().value.id)
        if user_id in {ME, own_id}:
            return ListKey(self._scope, resource, own_id, ME)
        return ListKey(self._scope, resource, user_id, user_id)
