"""Why an own session has no load, and the way to the value that it lacks."""

from math import isnan

import streamlit as st

from coachboard.loaders.matching import has_only_estimated_load, load_of
from coachboard.pages.activity.addresses import activity_params
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.recompute import draw_progress, open_values
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.own_data import has_feature
from coachboard.ui.frame.page import Page
from coachboard.wire.activities import Activity
from coachboard.wire.metrics import MetricType

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
        (_paced_speed(activity) is not None, (_SPEED,)),
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


def _paced_speed(activity: Activity) -> float | None:
    return activity.average_speed if activity.sport in {"running", "swimming"} else None
