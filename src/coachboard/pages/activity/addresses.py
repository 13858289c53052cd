"""The parameters of a session's address, with those of the list that led to it."""

from datetime import date

from coachboard.loaders.matching import local_day
from coachboard.ui.frame import state
from coachboard.wire.activities import Activity

KEPT = ("axis", "cols", "smooth", "bands", "part", "map", "look", "by")
"""URL parameters of the view that links to other sessions keep."""
LIST = ("q", "sport", "stimulus", "min_km", "max_km", "from", "to", "sort", "rows")
"""URL parameters of the list of sessions: a session keeps them for the way back."""


def activity_params(user_id: str, activity: Activity) -> dict[str, str]:
    """The parameters of a session's address; the day saves the page a search."""
    return session_params(user_id, activity.id, local_day(activity))


def session_params(user_id: str, activity_id: str, day: date | None) -> dict[str, str]:
    own = {"athlete": user_id, "activity": activity_id}
    return own | ({"day": day.isoformat()} if day else {}) | texts_of(*KEPT, *LIST)


def texts_of(*names: str) -> dict[str, str]:
    """These parameters of the open address."""
    return {name: value for name in names if (value := state.get_param(name) or state.get_text(name))}
