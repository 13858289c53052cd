"""View options of a session. Each is a URL parameter, so that a link opens the same view."""

import streamlit as st

from coachboard.loaders.session_streams import SessionStreams
from coachboard.pages.activity.columns import Column, first_choice
from coachboard.pages.activity.stream_panels import AxisName
from coachboard.ui.frame import state
from coachboard.wire.enums import Sport

AXES: dict[AxisName, str] = {"elapsed": "Time", "moving": "Moving time", "distance": "Distance"}
SMOOTHINGS = {"0": "Raw", "5": "5 s", "30": "30 s"}
BANDS = {
    "classified": "Laps",
    "climbs": "Climbs",
    "repetitions": "Repetitions",
    "device": "Device laps",
    "none": "Off",
}


def is_on(param: str) -> bool:
    """On unless the URL says `0`."""
    return state.get_param(param) != "0"


def axes_of(streams: SessionStreams) -> dict[AxisName, str]:
    """Elapsed time, moving time, and distance if recorded."""
    has_distance = streams.distance_m is not None and streams.distance_m[-1] > streams.distance_m[0]
    return {name: title for name, title in AXES.items() if name != "distance" or has_distance}


def pick_columns(columns: dict[str, Column], sport: Sport | None, streams: SessionStreams) -> list[str]:
    """The panels to show, in order of priority."""
    first = first_choice(sport, streams, list(columns))
    usual = [name for name in columns if name in first]
    wanted = (state.get_param("cols") or "").split(",")
    picked = [name for name in columns if name in wanted] or usual
    key = "activity.cols"
    state.put(key, picked)
    box = st.popover(
        "Panels", key="activity.panels", on_change="rerun", help="Choose which recordings to show."
    )
    if box.open:
        box.pills(
            "Panels",
            list(columns),
            selection_mode="multi",
            key=key,
            format_func=lambda name: columns[name].title,
            label_visibility="collapsed",
            on_change=_take_columns,
            args=(usual,),
        )
    return picked


def _take_columns(usual: list[str]) -> None:
    chosen = state.get("activity.cols") or usual
    state.set_param("cols", None if set(chosen) == set(usual) else ",".join(chosen))
