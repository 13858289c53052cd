"""The sections of the activity page, and at its end one analysis of the session at a time and the export."""

from collections.abc import Callable
from math import isnan
from types import MappingProxyType

import pandas as pd
import streamlit as st

from coachboard.loaders.done_and_planned import has_only_estimated_load, load_of
from coachboard.pages import comments
from coachboard.pages.activity.bands import draw_bands
from coachboard.pages.activity.corrections import draw_corrections
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.headline import draw_headline, draw_legs
from coachboard.pages.activity.opening import open_session, pick_athlete
from coachboard.pages.activity.planned_and_done import draw_planned_and_done
from coachboard.pages.activity.power_and_pace import draw_power_and_pace
from coachboard.pages.activity.quality import draw_quality
from coachboard.pages.activity.sensors import draw_sensors, groups_of
from coachboard.pages.activity.session_files import draw_session_files
from coachboard.pages.activity.streams_section import draw_streams_section
from coachboard.pages.activity.w_balance import draw_w_balance
from coachboard.pages.recompute import draw_progress, open_values
from coachboard.ui.frame import formats, state, theme
from coachboard.ui.frame.addresses import activity_params
from coachboard.ui.frame.own_data import has_feature
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export, lazy_section
from coachboard.ui.widgets.pickers import pick_one
from coachboard.wire.metrics import MetricType

__all__ = [
    "draw_analyses",
    "draw_comments",
    "draw_corrections",
    "draw_headline",
    "draw_legs",
    "draw_missing_load",
    "draw_streams_section",
    "open_session",
    "pick_athlete",
]


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
def draw_analyses(page: Page, data: ActivityData) -> None:
    """The chosen analysis and the export, loaded when the user scrolls near them."""
    # A session without streams has a short page: load immediately.
    has_record = data.streams is not None and len(data.streams) > 0
    if not has_record or lazy_section.is_near(
        f"activity.look.{data.activity.id}", shows="analysis and export"
    ):
        _draw_analysis(page, data)
        draw_export(page, data)


def _draw_analysis(page: Page, data: ActivityData) -> None:
    """One of the analyses that the session's streams allow; the plan first if one is paired."""
    offered = {name: title for name, (title, _) in _LOOKS.items() if _is_possible(name, data)}
    usual = "plan" if data.prescription is not None or len(offered) == 1 else list(offered)[1]
    st.header("Analysis", anchor=False)
    look = pick_one("Analysis", offered, param="look", first=usual)
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


@st.fragment
def draw_export(page: Page, data: ActivityData) -> None:
    """The session as a file, streams as CSV and Parquet; laps export from their table, charts as PNG from their menu."""
    with st.container(key="screen-only.export"):
        _draw_export(page, data)


def _draw_export(page: Page, data: ActivityData) -> None:
    st.header("Export", anchor=False)
    draw_session_files(page, data)
    streams = data.streams
    if streams is not None and len(streams):
        st.caption(
            f"All {formats.count(len(streams), 'sample')}, "
            f"{formats.count(len(streams.recorded), 'column')}, in metric units."
        )
        export.draw_downloads(
            lambda: _frame(data), name=f"streams-{data.activity.id}", key="activity.export.streams"
        )
    # A phone shows no buttons on charts.
    picture = "" if theme.is_phone() else " To save a chart as PNG, use the camera in its corner."
    st.caption(
        f"To export a table, use the buttons below it.{picture} This page's address reopens the same view (panels, axis, "
        "selection, zoom)."
    )


def _frame(data: ActivityData) -> pd.DataFrame:
    streams = data.streams
    if streams is None:
        return pd.DataFrame()
    columns: dict[str, object] = {}
    if streams.started_at is not None:
        since = (streams.elapsed_s * 1000).round().astype("timedelta64[ms]")
        columns["timestamp_utc"] = streams.started_at.astype("datetime64[ms]") + since
    columns["elapsed_s"] = streams.elapsed_s
    return pd.DataFrame(columns | streams.recorded)


def draw_comments(page: Page, data: ActivityData) -> None:
    """The comments below the headline; nothing for a service without them."""
    if not page.client.planning.has("comments"):
        return
    planned = data.match.planned if data.match else None
    comments.draw_folded(
        page, entry_id=planned.id if planned else "", activity_id=data.activity.id, key="activity.comments"
    )


_POWER, _SPEED = MetricType.CRITICAL_POWER, MetricType.CRITICAL_SPEED
_HEART = (MetricType.MAX_HEART_RATE, MetricType.RESTING_HEART_RATE)
_WORDS = {
    _POWER: "critical power ({sport})",
    _SPEED: "critical speed ({sport})",
    _HEART[0]: "max heart rate",
    _HEART[1]: "resting heart rate",
    MetricType.WEIGHT: "weight",
}


def draw_missing_load(page: Page, data: ActivityData) -> None:
    """The recomputation in work; else one line and a button, if a value of the reader's would give a load."""
    if data.user_id not in {state.OWN, page.profile.id} or not has_feature(page, "metrics"):
        return
    if draw_progress(page):
        return
    needs = missing_values(data) if isnan(load_of(data.activity, data.profile)[0]) else []
    if not needs:
        return
    how = "estimate one from speed and grade" if _is_estimable(data) else "compute one"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/info: No load: set {' or '.join(needs)} to {how}.", width="content")
        # A link would fail where the page is opened without the navigation.
        if st.button("Open Values", key="activity.values", type="tertiary", icon=":material/speed:"):
            open_values(activity_params(state.get_param("athlete") or state.OWN, data.activity))


def missing_values(data: ActivityData) -> list[str]:
    """The values that the session's recording could use: one phrase for each signal."""
    activity = data.activity
    sport = formats.sport(activity.sport).lower() if activity.sport else "this sport"
    signals = (
        (activity.average_power is not None, (_POWER,)),
        (activity.average_speed is not None and activity.sport in {"running", "swimming"}, (_SPEED,)),
        (activity.average_heart_rate is not None, _HEART),
        (_is_estimable(data), (MetricType.WEIGHT, _POWER)),
    )
    lacking = (
        [_WORDS[kind].format(sport=sport) for kind in kinds if data.capacities.of(kind) is None]
        for is_recorded, kinds in signals
        if is_recorded
    )
    return [" and ".join(names) for names in lacking if names]


def _is_estimable(data: ActivityData) -> bool:
    """Whether weight and critical power would give the session an estimated load."""
    columns = data.streams.recorded if data.streams else {}
    return has_only_estimated_load(data.activity) and {"speed", "altitude"} <= columns.keys()
