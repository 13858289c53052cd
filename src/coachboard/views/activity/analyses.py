"""The end of the page: one analysis of the session at a time, and the export."""

from collections.abc import Callable
from types import MappingProxyType

import streamlit as st

from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.sensor_groups import groups_of
from coachboard.views.activity import choices
from coachboard.views.activity.bands import draw_bands
from coachboard.views.activity.files import draw_export
from coachboard.views.activity.planned_and_done import draw_planned_and_done
from coachboard.views.activity.power_and_pace import draw_power_and_pace
from coachboard.views.activity.quality import draw_quality
from coachboard.views.activity.sensors import draw_sensors
from coachboard.views.activity.w_balance import draw_w_balance
from coachboard.views.frame.shell import Page
from coachboard.views.widgets import lazy_section

_LOOKS: MappingProxyType[str, tuple[str, Callable[[Page, ActivityData], None]]] = MappingProxyType(
    {
        "plan": ("Planned and done", draw_planned_and_done),
        "power": ("Power and pace", draw_power_and_pace),
        "bands": ("Intensity", draw_bands),
        "balance": ("W′ balance", draw_w_balance),
        "sensors": ("Sensors", draw_sensors),
        "quality": ("Data quality", draw_quality),
    }
)
_NEEDS = MappingProxyType(
    {
        "power": ("power", "speed"),
        "bands": ("power", "heart_rate", "speed"),
        "balance": ("power", "w_prime_balance"),
    }
)


@st.fragment
def draw_closer_look(page: Page, data: ActivityData) -> None:
    """The chosen analysis and the export, loaded when the user scrolls near them."""
    # A session without streams has a short page: load immediately.
    has_record = data.streams is not None and len(data.streams) > 0
    if not has_record or lazy_section.is_near(
        f"activity.look.{data.activity.id}", shows="analysis and export"
    ):
        _draw_analysis(page, data)
        draw_export(data)


def _draw_analysis(page: Page, data: ActivityData) -> None:
    """One of the analyses that the session's streams allow; the plan first if one is paired."""
    offered = {name: title for name, (title, _) in _LOOKS.items() if _is_possible(name, data)}
    usual = "plan" if data.prescription is not None or len(offered) == 1 else list(offered)[1]
    st.header("Analysis", anchor=False)
    look = choices.pick_one("Analysis", offered, param="look", first=usual)
    _LOOKS[look][1](page, data)


def _is_possible(name: str, data: ActivityData) -> bool:
    streams = data.streams
    if name == "plan":
        return True
    if streams is None or not len(streams):
        return False
    if name == "sensors":
        return bool(groups_of(data))
    return name not in _NEEDS or any(column in streams.columns for column in _NEEDS[name])
