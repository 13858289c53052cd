"""One session in several files: a stored activity with the same start and duration."""

from datetime import date, datetime, timedelta

import orjson

from coachboard.service.importers.corrections import BY_HAND, RECORDED_AT, recorded_at
from coachboard.service.store import Store
from coachboard.wire.activities import Activity

_SAME_START_S = 60.0
_SAME_DURATION_S = 60.0
_SAME_DURATION_SHARE = 0.02


def twin_of(store: Store, user_id: str, activity: Activity) -> Activity | None:
    """A stored activity that is the same session, read from another file."""
    assert activity.started_at is not None  # a leg has a start
    day = activity.started_at.date()
    near = store.activities_of(user_id, day - timedelta(days=1), day + timedelta(days=1))
    others = [other for other in [*_as_recorded(store, user_id), *near] if other.id != activity.id]
    return next((other for other in others if is_same_session(activity, other)), None)


def _as_recorded(store: Store, user_id: str) -> list[Activity]:
    """Sessions whose start a person corrected, at their recorded start: another file of them has that start."""
    rows = store.activities_with_correction(user_id, RECORDED_AT)
    return [
        Activity.from_wire(orjson.loads(row.body)).model_copy(
            update={"started_at": recorded_at(row.corrections)}
        )
        for row in rows
    ]


def overlapping(store: Store, user_id: str, activity: Activity) -> list[Activity]:
    """The sessions that the person entered by hand for the time of this one."""
    rows = store.activities_with_correction(user_id, BY_HAND)
    typed = [Activity.from_wire(orjson.loads(row.body)) for row in rows]
    return [other for other in typed if _overlap(activity, other)]


def _overlap(session: Activity, other: Activity) -> bool:
    start, other_start = session.started_at, other.started_at
    assert start is not None  # a leg has a start
    assert other_start is not None  # and so has a session entered by hand
    end = start + timedelta(seconds=session.total_duration or 0)
    return other_start < end and start < other_start + timedelta(seconds=other.total_duration or 0)


def local_start(activity: Activity) -> datetime:
    start = activity.started_at_local or activity.started_at
    assert start is not None  # a leg has a start
    return start


def is_same_session(session: Activity, other: Activity) -> bool:
    """Whether two activities are one session: start and duration agree, and so does the sport where both know it."""
    if session.started_at is None or other.started_at is None:
        return False
    if session.sport is not None and other.sport is not None and session.sport != other.sport:
        return False
    took, took_other = session.total_duration or 0.0, other.total_duration or 0.0
    allowed = max(_SAME_DURATION_S, _SAME_DURATION_SHARE * max(took, took_other))
    if abs((session.started_at - other.started_at).total_seconds()) > _SAME_START_S:
        return False
    return abs(took - took_other) <= allowed


def day_of(activity: Activity) -> date:
    """The day whose references an activity's load is computed with."""
    assert activity.started_at is not None  # a leg has a start
    return (activity.started_at_local or activity.started_at).date()
