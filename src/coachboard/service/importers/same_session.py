"""One session in several files: a stored activity with the same start and duration."""

from datetime import date, timedelta

from coachboard.models.activities import Activity
from coachboard.service.store import Store

_SAME_START_S = 60.0
_SAME_DURATION_S = 60.0
_SAME_DURATION_SHARE = 0.02


def twin_of(store: Store, user_id: str, activity: Activity) -> Activity | None:
    """A stored activity that is the same session, read from another file."""
    assert activity.started_at is not None  # a leg has a start
    day = activity.started_at.date()
    near = store.activities_of(user_id, day - timedelta(days=1), day + timedelta(days=1))
    return next(
        (other for other in near if other.id != activity.id and is_same_session(activity, other)), None
    )


def is_same_session(one: Activity, other: Activity) -> bool:
    """Whether two activities are one session: start and duration agree, and so does the sport where both know it."""
    if one.started_at is None or other.started_at is None:
        return False
    if one.sport is not None and other.sport is not None and one.sport != other.sport:
        return False
    took, took_other = one.total_duration or 0.0, other.total_duration or 0.0
    allowed = max(_SAME_DURATION_S, _SAME_DURATION_SHARE * max(took, took_other))
    if abs((one.started_at - other.started_at).total_seconds()) > _SAME_START_S:
        return False
    return abs(took - took_other) <= allowed


def day_of(activity: Activity) -> date:
    """The day whose references an activity's load is computed with."""
    assert activity.started_at is not None  # a leg has a start
    return (activity.started_at_local or activity.started_at).date()
