"""Times in the athlete's time zone, and in the user's where the two differ."""

from contextlib import suppress
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from coachboard.models.activities import Activity


def own_zone(chosen: str) -> tzinfo | None:
    """The user's zone: from the settings, else from the browser; None until the browser has reported it."""
    name = chosen or st.context.timezone or ""
    if name:
        with suppress(ZoneInfoNotFoundError, ValueError):
            return ZoneInfo(name)
    offset_min = st.context.timezone_offset
    # The browser reports minutes from local time to UTC: two hours east of Greenwich is -120.
    return None if offset_min is None else timezone(timedelta(minutes=-offset_min))


def started(activity: Activity, zone: tzinfo | None, *, yours: str = "your time") -> str:
    """`07:30`, or `07:30, 14:30 your time` if the user's clock differs; empty if the start is unknown."""
    local = activity.started_at_local or activity.started_at
    if local is None:
        return ""
    start = f"{local:%H:%M}"
    if activity.utc_offset is None or activity.started_at is None or zone is None:
        return start
    own = activity.started_at.astimezone(zone).replace(tzinfo=None)
    local = local.replace(tzinfo=None)
    day = {1: " next day", -1: " previous day"}.get((own.date() - local.date()).days, "")
    return start if own == local else f"{start}, {own:%H:%M}{day} {yours}"
