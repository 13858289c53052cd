"""Why an own session has no load, and the way to the value that it lacks."""

from math import isnan

import streamlit as st

from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.matching import load_of
from coachboard.models.activities import Activity
from coachboard.models.enums import MetricType
from coachboard.views.frame import formats, shell, state
from coachboard.views.frame.own_data import has_feature
from coachboard.views.frame.shell import Page

_POWER, _SPEED = MetricType.CRITICAL_POWER, MetricType.CRITICAL_SPEED
_HEART = (MetricType.MAX_HEART_RATE, MetricType.RESTING_HEART_RATE)
_WORDS = {
    _POWER: "critical power",
    _SPEED: "critical speed",
    _HEART[0]: "max heart rate",
    _HEART[1]: "resting heart rate",
}


def draw_missing_load(page: Page, data: ActivityData) -> None:
    """One line and a button, if a value of the reader's would give the session a load."""
    if data.user_id not in {state.OWN, page.profile.id} or not has_feature(page, "metrics"):
        return
    needs = missing_values(data) if isnan(load_of(data.activity, data.profile)[0]) else []
    if not needs:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/info: No load: set {' or '.join(needs)} to compute one.", width="content")
        # A link would fail where the page is opened without the navigation.
        if st.button("Open My values", key="activity.values", type="tertiary", icon=":material/speed:"):
            st.switch_page(shell.page_path("values"))


def missing_values(data: ActivityData) -> list[str]:
    """The values that the session's recording could use: one phrase for each signal."""
    activity = data.activity
    sport = formats.sport(activity.sport).lower() if activity.sport else "this sport"
    signals = (
        (activity.average_power, (_POWER,), f" ({sport})"),
        (_paced_speed(activity), (_SPEED,), f" ({sport})"),
        (activity.average_heart_rate, _HEART, ""),
    )
    lacking = (
        ([_WORDS[kind] for kind in kinds if data.capacities.of(kind) is None], place)
        for figure, kinds, place in signals
        if figure is not None
    )
    return [f"{' and '.join(names)}{place}" for names, place in lacking if names]


def _paced_speed(activity: Activity) -> float | None:
    return activity.average_speed if activity.sport in {"running", "swimming"} else None
