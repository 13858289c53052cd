"""Columns without information: the page names them and the signal used instead."""

import streamlit as st

from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.views.activity.columns import columns_of
from coachboard.views.frame import formats
from coachboard.views.frame.shell import Page

_SIGNALS = ("power", "speed", "heart_rate")


def say_unused(page: Page, data: ActivityData) -> None:
    """One line for each of power, heart rate and speed without information."""
    streams = data.streams
    for name in _SIGNALS if streams is not None else ():
        if streams is not None and name in streams.unused:
            st.caption(f":material/sensors_off: {_reason(page, data, streams, name)} {_used(streams)}")


def _reason(page: Page, data: ActivityData, streams: SessionStreams, name: str) -> str:
    found = streams.information_of(name)
    column = columns_of(streams, data.activity.sport, units=page.units, names=(name,))[name]
    value = "0" if found.stuck_at == 0 else column.text(found.stuck_at)
    stuck, known = formats.duration_hms(found.stuck_s), formats.duration_hms(found.known_s)
    return f"{column.title} is not used: it reads {value} for {stuck} of {known}."


def _used(streams: SessionStreams) -> str:
    """The signal used instead, in the same order as for the load of an imported recording."""
    used = next((name for name in _SIGNALS if name in streams.columns), None)
    if used is None:
        return ""
    bests = "" if used == "heart_rate" else "Best efforts, "
    text = f"{bests}bands and the load of imported recordings use {used.replace('_', ' ')}."
    return text[0].upper() + text[1:]
