"""View options of a session. Each is a URL parameter, so that a link opens the same view."""

from collections.abc import Mapping
from typing import TypeVar

import streamlit as st

from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.activity.stream_panels import AxisName
from coachboard.models.enums import Sport
from coachboard.views.activity.columns import Column, first_choice
from coachboard.views.frame import state

_Choice = TypeVar("_Choice", bound=str)

AXES: dict[AxisName, str] = {"elapsed": "Time", "moving": "Moving time", "distance": "Distance"}
SMOOTHINGS = {"0": "Raw", "5": "5 s", "30": "30 s"}
BANDS = {"classified": "Laps", "climbs": "Climbs", "device": "Device laps", "none": "Off"}


def pick_one(
    label: str,
    options: dict[_Choice, str],
    *,
    param: str,
    first: _Choice | None = None,
    wrap: bool | None = None,
) -> _Choice:
    """A choice between a few options; the URL parameter `param` holds it unless it is the default."""
    usual = first if first is not None else next(iter(options))
    value = chosen_of(param, options, usual=usual)
    key = f"activity.{param}"
    state.put(key, value)
    st.segmented_control(
        label,
        list(options),
        key=key,
        format_func=lambda option: options[option],
        label_visibility="collapsed",
        required=True,
        on_change=_take,
        args=(param, usual),
        wrap=wrap,
    )
    return value


def chosen_of(param: str, options: Mapping[_Choice, str], *, usual: _Choice | None = None) -> _Choice:
    """The option in the URL, else the default, else the first."""
    asked = state.get_param(param)
    return next((option for option in options if option == asked), usual or next(iter(options)))


def is_on(param: str) -> bool:
    """On unless the URL says `0`."""
    return state.get_param(param) != "0"


def take_one(param: str, chosen: str, *, usual: str) -> None:
    """Set the URL parameter; the default needs none."""
    state.set_param(param, None if chosen == usual else chosen)


def axes_of(streams: SessionStreams) -> dict[AxisName, str]:
    """Elapsed time, moving time, and distance if recorded."""
    has_distance = streams.distance_m is not None and streams.distance_m[-1] > streams.distance_m[0]
    return {name: title for name, title in AXES.items() if name != "distance" or has_distance}


def pick_columns(columns: dict[str, Column], sport: Sport | None, streams: SessionStreams) -> list[str]:
    """The panels to show, in order of priority."""
    first = first_choice(sport, streams, list(columns))
    usual = [name for name in columns if name in first]
    wanted = (state.get_param("cols") or "").split(",")
    shown = [name for name in columns if name in wanted] or usual
    key = "activity.cols"
    state.put(key, shown)
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
    return shown


def _take(param: str, usual: str) -> None:
    take_one(param, state.get(f"activity.{param}") or usual, usual=usual)


def _take_columns(usual: list[str]) -> None:
    chosen = state.get("activity.cols") or usual
    state.set_param("cols", None if set(chosen) == set(usual) else ",".join(chosen))
