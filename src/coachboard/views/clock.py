"""The reader's own clock, which may differ from the athlete's."""

from datetime import datetime, timedelta

import streamlit as st


def reader_clock(moment: datetime) -> datetime | None:
    """A UTC moment as the reader's browser would show it; None until the browser has said its zone."""
    offset_min = st.context.timezone_offset
    if offset_min is None:
        return None
    # The browser counts minutes from local time to UTC: two hours east of Greenwich is -120.
    return (moment - timedelta(minutes=offset_min)).replace(tzinfo=None)
