"""The choices of how a session is drawn; each stands in the address, so that a link opens the same view."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from coachboard.loaders.session_streams import SessionStreams
from coachboard.loaders.stream_panels import AxisName
from coachboard.models.enums import Sport
from coachboard.views import state
from coachboard.views.activity.columns import Column, first_choice

_Choice = TypeVar("_Choice", bound=str)

AXES: dict[AxisName, str] = {"elapsed": "Time", "moving": "Moving", "distance": "Distance"}
SMOOTHINGS = {"0": "Raw", "5": "5 s", "30": "30 s"}
BANDS = {"classified": "Laps", "climbs": "Climbs", "device": "Device", "none": "No bands"}


def pick_one(
    label: str,
    options: dict[_Choice, str],
    *,
    param: str,
    first: _Choice | None = None,
    wrap: bool | None = None,
) -> _Choice:
    """One of a few, kept in the address under `param` unless it is the usual one."""
    usual = first if first is not None else next(iter(options))
    key = f"activity.{param}"
    _seed(key, list(options), wanted=state.get_param(param), usual=usual)
    chosen = st.segmented_control(
        label,
        list(options),
        key=key,
        format_func=lambda option: options[option],
        label_visibility="collapsed",
        required=True,
        wrap=wrap,
    )
    value = chosen if chosen is not None else usual
    state.set_param(param, None if value == usual else value)
    return value


def pick_axis(streams: SessionStreams) -> AxisName:
    """Elapsed time, moving time or distance, where it was recorded."""
    has_distance = streams.distance_m is not None and streams.distance_m[-1] > streams.distance_m[0]
    options = {name: title for name, title in AXES.items() if name != "distance" or has_distance}
    return pick_one("Axis", options, param="axis")


def pick_columns(columns: dict[str, Column], sport: Sport | None, streams: SessionStreams) -> list[str]:
    """Which panels are shown, in the order of choice."""
    usual = first_choice(sport, streams, list(columns))
    wanted = [name for name in (state.get_param("cols") or "").split(",") if name in columns]
    key = "activity.cols"
    held = [name for name in state.get(key) or () if name in columns]
    state.put(key, held or wanted or usual)
    with st.popover("Panels", key="activity.panels", help="Which of the recorded columns are drawn."):
        st.pills(
            "Panels",
            list(columns),
            selection_mode="multi",
            key=key,
            format_func=lambda name: columns[name].title,
            label_visibility="collapsed",
        )
    shown = [name for name in columns if name in (state.get(key) or usual)]
    state.set_param("cols", None if shown == sorted(usual, key=list(columns).index) else ",".join(shown))
    return shown


def pick_flag(label: str, *, param: str) -> bool:
    """On unless the address says `0`."""
    key = f"activity.{param}"
    state.put_default(key, state.get_param(param) != "0")
    value = st.toggle(label, key=key)
    state.set_param(param, None if value else "0")
    return value


def _seed(key: str, options: Sequence[str], *, wanted: str | None, usual: str) -> None:
    if state.get(key) not in options:
        state.put(key, wanted if wanted in options else usual)
