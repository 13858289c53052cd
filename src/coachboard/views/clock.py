"""Two clocks: the athlete's, by which everything is told, and the reader's own, named where it differs."""

from contextlib import suppress
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from coachboard.models.activities import Activity


def own_zone(chosen: str) -> tzinfo | None:
    """The reader's zone: the one of the settings, else the browser's; None until the browser has said it."""
    name = chosen or st.context.timezone or ""
    if name:
        with suppress(ZoneInfoNotFoundError, ValueError):
            return ZoneInfo(name)
    offset_min = st.context.timezone_offset
    # The browser counts minutes from local time to UTC: two hours east of Greenwich is -120.
    return None if offset_min is None else timezone(timedelta(minutes=-offset_min))


def started(activity: Activity, zone: tzinfo | None, *, yours: str = "your time") -> str:
    """`07:30`, and where the reader's clock differs `07:30, 14:30 your time`; empty where not stated."""
    local = activity.started_at_local or activity.started_at
    if local is None:
        return ""
    told = f"{local:%H:%M}"
    if activity.utc_offset is None or activity.started_at is None or zone is None:
        return told
    own = activity.started_at.astimezone(zone).replace(tzinfo=None)
    local = local.replace(tzinfo=None)
    day = {1: " next day", -1: " previous day"}.get((own.date() - local.date()).days, "")
    return told if own == local else f"{told}, {own:%H:%M}{day} {yours}"
