"""Where links lead: addresses of the pages, relative to the dashboard's own."""

from datetime import date
from urllib.parse import urlencode


def page_url(name: str, **params: str) -> str:
    """A page with its choices: `activity?athlete=usr_1&activity=act_1`."""
    query = urlencode(params)
    return f"{name}?{query}" if query else name


def session_url(user_id: str, session_id: str, day: date) -> str:
    """A session; the day saves its page a search."""
    return page_url("activity", athlete=user_id, activity=session_id, day=day.isoformat())


def day_url(user_id: str, day: date) -> str:
    """A day of an athlete's calendar."""
    return page_url("calendar", athlete=user_id, **day_in_calendar(day.isoformat()))


def day_in_calendar(day: str) -> dict[str, str]:
    """What the calendar takes for one day: its week, so that what opens stands in the first window."""
    return {"view": "week", "on": day, "open": day}
