"""Links between pages; addresses are relative to the dashboard's root."""

from datetime import date
from urllib.parse import urlencode


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
