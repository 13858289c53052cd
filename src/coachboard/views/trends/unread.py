"""Do not report data that could not be loaded as missing data."""

from types import MappingProxyType

import streamlit as st

from coachboard.loaders.trends.page_data import TrendsData
from coachboard.views.frame import notices


def say_unread(data: TrendsData, *parts: str, is_empty: bool = True) -> bool:
    """Say if the data of a section could not be loaded, or if it is empty because its rows could not be read."""
    lacking = [part for part in parts if data.lacks(part)]
    if lacking:
        notices.say_empty(
            f"The {' and '.join(lacking)} of this range could not be loaded.",
            fills="Reload the page in a minute.",
        )
        return True
    unreadable = notices.unreadable(" ".join(_LISTS[part] for part in parts), data.results)
    if is_empty and unreadable:
        st.caption(unreadable)
    return is_empty and bool(unreadable)


_LISTS = MappingProxyType({"sessions": "activities", "nights": "sleeps", "metrics": "metrics"})
