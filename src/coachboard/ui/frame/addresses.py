"""Links between pages; addresses are relative to the dashboard's root."""

from datetime import date
from urllib.parse import urlencode

from coachboard.ui.frame import state
from coachboard.wire.activities import Activity, local_day


def page_url(name: str, **params: str) -> str:
    """The address of a page with its parameters: `activity?athlete=usr_1&activity=act_1`."""
    query = urlencode(params)
    return f"{name}?{query}" if query else name


def session_url(user_id: str, session_id: str, day: date) -> str:
    """The address of a session; the day saves the activity page a search."""
    return page_url("activity", athlete=user_id, activity=session_id, day=day.isoformat())


def day_url(user_id: str, day: date) -> str:
    """The address of a day in an athlete's calendar."""
    return page_url("calendar", athlete=user_id, **day_in_calendar(day.isoformat()))


def day_in_calendar(day: str) -> dict[str, str]:
    """The calendar's parameters for one day: its week first, so that the details appear in the first window."""
    return {"view": "week", "on": day, "open": day}


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
