"""The data of a session's page: streams, capacities, plan, previous and next session, legs."""

from collections import deque
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from coachboard.client import Client, Result
from coachboard.client.errors import NotFound, ServiceError
from coachboard.client.planning import PlanDecision
from coachboard.execution.adherence import Match, match_sessions
from coachboard.execution.capacities import METRIC_DAYS, Capacities, capacities_on
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.done_and_planned import column, decisions_of, plans_of, sessions_of
from coachboard.loaders.memo import identity_of
from coachboard.loaders.requests import Missing, Replies
from coachboard.loaders.summary_motion import recorded_session
from coachboard.loaders.verdicts import with_verdicts
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.body import Metric
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import UserProfile

HISTORY_DAYS = 90
"""Days before the session for its power curve and similar intervals."""
YEAR_DAYS = 365
"""Days before the session for similar intervals on request."""
AFTER_DAYS = 30
"""Days after the session that the page loads."""
PAIRING_DAYS = 7
"""Days between a workout's planned date and its session."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class ActivityData:
    """All data of the activity page; no further request is needed."""

    user_id: str
    today: date
    activity: Activity
    streams: SessionStreams | None
    streams_error: ServiceError | None
    profile: UserProfile | None
    capacities: Capacities
    prescription: TrainingPrescription | None
    candidates: tuple[TrainingPrescription, ...]
    match: Match | None  # with the verdict that the lists show; also of a likely match
    history: tuple[Activity, ...]  # newest first, without this session
    previous: Activity | None
    next: Activity | None
    legs: tuple[Activity, ...]  # by start, with this session; empty if it has no legs
    results: tuple[Result[Any], ...]  # the replies with their problems
    missing: tuple[Missing, ...]
    computed: dict[Hashable, Any] = field(init=False, default_factory=dict, repr=False, compare=False)

    @property
    def day(self) -> date | None:
        """The session's local date."""
        return local_day(self.activity)

    @property
    def effort_column(self) -> str | None:
        """The column of the effort: power, else speed, else none."""
        recorded = {} if self.streams is None else self.streams.columns
        return next((name for name in ("power", "speed") if name in recorded), None)


class ActivityUnknown(Exception):  # noqa: N818 (a state of the page, not a fault)
    """No session with that id could be read; `listed` has all sessions of the athlete."""

    def __init__(self, activity_id: str, listed: Result[tuple[Activity, ...]]) -> None:
        super().__init__(activity_id)
        self.listed = listed


def load_activity(
    client: Client, *, user_id: str, activity_id: str, day: date | None, today: date
) -> tuple[ActivityData, tuple[Result[Any], ...]]:
    """One session and its replies, whose age may be newer than that of the replies in the record.

    `day` is its local date if the link has it, which saves a search.

    Raises `ActivityUnknown`, and `ServiceError` if the sessions cannot be loaded.
    """
    streams = client.pool.submit(client.get_streams, activity_id)
    profile = client.pool.submit(client.get_user, user_id)
    plans = _submit_around(client, user_id, day)
    around, activity = _find(client, user_id=user_id, activity_id=activity_id, day=day, today=today)
    found_day = local_day(activity)
    if plans is None or found_day != day:
        plans = _submit_around(client, user_id, found_day)
    return _assemble(
        client,
        activity,
        user_id=user_id,
        today=today,
        around=around,
        everything=_needed_history(client, user_id, activity, around, today),
        futures=_Futures(streams, profile, *(plans or (None, None))),
    )


def find_near(client: Client, *, user_id: str, day: date, today: date) -> Activity | None:
    """The longest session of that local day, else the newest of all; None if the athlete has none."""
    around = client.list_activities(user_id, *_window(day, today)).value
    of_day = [activity for activity in around if local_day(activity) == day]
    if of_day:
        return max(of_day, key=lambda activity: activity.total_duration or activity.effective_duration or 0)
    recent = client.list_activities(user_id, *_window(today, today)).value
    return next(iter(recent or client.list_activities(user_id).value), None)


def load_year(client: Client, data: ActivityData) -> Result[tuple[Activity, ...]]:
    """The athlete's sessions from a year before this one to the days after it, newest first."""
    day = data.day or data.today
    start, end = day - timedelta(days=YEAR_DAYS), _window(day, data.today)[1]
    return client.list_activities(data.user_id, start, end)


_Plans: TypeAlias = tuple[
    Future[Result[tuple[Metric, ...]]], Future[Result[tuple[TrainingPrescription, ...]]]
]


@dataclass(frozen=True, slots=True)
class _Futures:
    streams: Future[Result[ActivityStreams]]
    profile: Future[Result[UserProfile]]
    metrics: Future[Result[tuple[Metric, ...]]] | None
    prescriptions: Future[Result[tuple[TrainingPrescription, ...]]] | None


def _submit_around(client: Client, user_id: str, day: date | None) -> _Plans | None:
    if day is None:
        return None
    span = timedelta(days=PAIRING_DAYS)
    return (
        client.pool.submit(client.list_metrics, user_id, day - timedelta(days=METRIC_DAYS), day),
        client.pool.submit(client.list_prescriptions, user_id, day - span, day + span),
    )


def _find(
    client: Client, *, user_id: str, activity_id: str, day: date | None, today: date
) -> tuple[Result[tuple[Activity, ...]], Activity]:
    for start, end in _windows(day, today):
        listed = client.list_activities(user_id, start, end)
        # The models of all sessions of the range take as long as the rest of a rerun.
        for activity in listed.rows({activity_id}):
            if (own_day := local_day(activity)) != day and own_day is not None:
                # The first range was a guess; neighbours and history depend on the session's own day.
                listed = client.list_activities(user_id, *_window(own_day, today))
            return listed, activity
    raise ActivityUnknown(activity_id, listed)


def _windows(day: date | None, today: date) -> list[tuple[date | None, date | None]]:
    guesses: list[tuple[date | None, date | None]] = [_window(day, today)] if day else []
    return [*guesses, _window(today, today), (None, None)]


def _window(day: date, today: date) -> tuple[date, date]:
    end = min(day + timedelta(days=AFTER_DAYS), max(day, today) + timedelta(days=1))
    return day - timedelta(days=HISTORY_DAYS), end


_SHOWN: WeakValueDictionary[Hashable, ActivityData] = WeakValueDictionary()
"""Sessions on open pages: a rerun gets the same record, with all values computed from it."""
_NEWEST: deque[ActivityData] = deque(maxlen=32)
"""Kept without an open page; one hour with ten columns is 300 KB, and the values computed from it as much again."""


def _assemble(  # noqa: PLR0913 (each comes from another request)
    client: Client,
    activity: Activity,
    *,
    user_id: str,
    today: date,
    around: Result[tuple[Activity, ...]],
    everything: Future[Result[tuple[Activity, ...]]] | None,
    futures: _Futures,
) -> tuple[ActivityData, tuple[Result[Any], ...]]:
    replies = Replies()
    replies.results.append(around)
    streams, streams_error = _streams(futures.streams, replies)
    profile = replies.result("the profile", futures.profile)
    metrics = replies.result("the metrics", futures.metrics)
    plans = replies.result("the planned workouts", futures.prescriptions)
    far = Replies()  # its rows and their problems are those of `around`
    years = far.result("earlier and later sessions", everything)
    replies.missing += far.missing

    decisions = decisions_of(client, user_id)

    def make() -> ActivityData:
        day = local_day(activity)
        person = profile.value if profile else None
        prescriptions = plans.value if plans else ()
        decided = {decision.entry_id for decision in decisions}
        previous, following = _neighbours(activity, around if years is None else years)
        return ActivityData(
            user_id=user_id,
            today=today,
            activity=activity,
            streams=recorded_session(streams.value, activity) if streams else None,
            streams_error=streams_error,
            profile=person,
            capacities=capacities_on(
                day or today, activity.sport, metrics=metrics.value if metrics else (), profile=person
            ),
            prescription=next((plan for plan in prescriptions if plan.activity_id == activity.id), None),
            match=_match(client, user_id, activity, plans, around, decisions=decisions, today=today),
            candidates=tuple(
                plan
                for plan in prescriptions
                if plan.activity_id is None and plan.date == day and plan.id not in decided
            ),
            history=tuple(other for other in around.value if other.id != activity.id),
            previous=previous,
            next=following,
            legs=_legs(activity, around.value),
            results=tuple(replies.results),
            missing=tuple(replies.missing),
        )

    results = tuple(replies.results)
    if streams_error or replies.missing or any(result.error for result in results):
        return make(), results  # an error of a moment ago may be gone
    # The client makes large streams again at each read: their time identifies them. A refresh that changes no row keeps
    # the record: all sections would run again otherwise.
    rows = tuple(map(identity_of, (around, profile, metrics, plans, years)))
    data = _SHOWN.get(key := (user_id, activity.id, today, streams and streams.as_of, decisions, rows))
    if data is None:
        data = _SHOWN[key] = make()
        _NEWEST.append(data)
    return data, results


def _streams(
    future: Future[Result[ActivityStreams]], replies: Replies
) -> tuple[Result[ActivityStreams] | None, ServiceError | None]:
    try:
        result = future.result()
    except ServiceError as error:
        if not isinstance(error, NotFound):
            replies.missing.append(Missing("the streams", error))
        return None, error
    replies.results.append(result)
    return result, None


def _match(  # noqa: PLR0913 (each comes from another request)
    client: Client,
    user_id: str,
    activity: Activity,
    plans: Result[tuple[TrainingPrescription, ...]] | None,
    around: Result[tuple[Activity, ...]],
    *,
    decisions: frozenset[PlanDecision],
    today: date,
) -> Match | None:
    """The plan of this session with its verdict, as in the lists; the legs of a session have one."""
    day = local_day(activity)
    if plans is None or day is None:
        return None
    near = [session for session in sessions_of(around, None) if abs((session.day - day).days) <= PAIRING_DAYS]
    legs = {
        session.id for session in around.value if activity.group_id and session.group_id == activity.group_id
    }
    matches = match_sessions(plans_of(plans, decisions), near, excuses=(), today=today)
    own = [
        session
        for session in matches
        if session.planned and session.done and session.done.id in legs | {activity.id}
    ]
    return next(iter(with_verdicts(client, user_id, own[:1], sessions=around, plans=plans)), None)


def _by_start(activities: tuple[Activity, ...]) -> list[Activity]:
    dated = [activity for activity in activities if activity.started_at]
    return sorted(dated, key=lambda activity: (activity.started_at, activity.id))


def _needed_history(
    client: Client, user_id: str, activity: Activity, around: Result[tuple[Activity, ...]], today: date
) -> Future[Result[tuple[Activity, ...]]] | None:
    """All years if a neighbour of the session may be farther away than the sessions around it."""
    day = local_day(activity)
    if day is None or activity.started_at is None or around.frame.empty:
        return None
    starts = around.frame["started_at"]
    has_following = (starts > activity.started_at).any() or _window(day, today)[1] > today
    if has_following and (starts < activity.started_at).any():
        return None
    return client.pool.submit(client.list_activities, user_id)


def _neighbours(
    activity: Activity, listed: Result[tuple[Activity, ...]]
) -> tuple[Activity | None, Activity | None]:
    """The sessions before and after this one by start; models of these two only are made."""
    frame = listed.frame
    starts = zip(column(frame, "started_at"), column(frame, "id"), strict=True)
    ids = [row_id for _, row_id in sorted((start, row_id) for start, row_id in starts if start == start)]  # noqa: PLR0124 (NaT)
    if activity.id not in ids:
        return None, None
    place = ids.index(activity.id)
    before, after = ids[max(place - 1, 0)], ids[min(place + 1, len(ids) - 1)]
    models = {row.id: row for row in listed.rows({before, after} - {activity.id})}
    return models.get(before), models.get(after)


def _legs(activity: Activity, activities: tuple[Activity, ...]) -> tuple[Activity, ...]:
    if activity.group_id is None:
        return ()
    legs = tuple(other for other in _by_start(activities) if other.group_id == activity.group_id)
    return legs if len(legs) > 1 else ()
