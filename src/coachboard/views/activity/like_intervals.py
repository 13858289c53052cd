"""Similar intervals in other sessions; shown if the selection is a classified lap."""

from collections.abc import Hashable, Mapping
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.charts.interval_trend import IntervalPoint, interval_trend_chart
from coachboard.client.errors import ServiceError
from coachboard.loaders.activity.like_intervals import (
    DURATION_SHARE,
    lap_at,
    like_intervals,
    power_vs_mean_w,
    races_between,
)
from coachboard.loaders.activity.page_data import HISTORY_DAYS, ActivityData, load_year
from coachboard.loaders.activity.session_parts import Part, parts_of
from coachboard.loaders.matching import local_day
from coachboard.models.activities import Activity, Lap
from coachboard.views.activity.selection import Selection
from coachboard.views.frame import formats, notices, state
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import plain
from coachboard.views.widgets import formulas
from coachboard.views.widgets.phone_columns import fitted
from coachboard.views.widgets.plot import draw_chart

_SHORT = f"{HISTORY_DAYS} days"


def draw_like_intervals(page: Page, data: ActivityData, chosen: Selection) -> None:
    """A table and a small trend of the athlete's laps with the same intensity and a similar duration."""
    spans = [(stretch.from_s, stretch.to_s) for stretch in parts_of(data, Part.LAPS).stretches]
    lap = lap_at(data.activity, chosen.from_s, chosen.to_s, spans=spans)
    if lap is None:
        return
    st.subheader("Same interval in other sessions", anchor=False)
    span, sessions = _sessions(page, data)
    found = like_intervals(lap, [data.activity, *sessions], sport=data.activity.sport)
    others = found[found["activity_id"] != data.activity.id]
    rule = (
        f"{formats.label(lap.intensity)} laps of {formats.duration_hms(lap.duration)} "
        f"± {DURATION_SHARE:.0%} within {span}"
    )
    if others.empty:
        notices.say_empty(
            f"No {rule}.",
            fills="Other sessions with a similar lap appear here.",
            rows="activities",
            of=data.results,
        )
        return
    left, right = st.columns([3, 2])
    with left:
        races = races_between([data.activity, *sessions], found["day"].min(), found["day"].max())
        _draw_trend(page, data, found, lap, rule=rule, races=races)
    with right:
        st.dataframe(
            fitted(_shown(page, others), ("Day", "Duration", "Power, W", "HR, bpm"), key="activity.like"), hide_index=True, placeholder=formats.MISSING, height=240, key="activity.like",
            alt=f"{formats.count(len(others), 'lap')} similar to the selected one.",
        )  # fmt: skip


def _sessions(page: Page, data: ActivityData) -> tuple[str, tuple[Activity, ...]]:
    """The days to search in words, and their sessions: loaded ones, or on request a year's lists; fetches no streams."""
    key = "activity.like.year"
    if not state.get(key):
        st.button("Search the last 12 months", key=f"{key}.ask", icon=":material/history:", type="tertiary",
                  on_click=state.put, args=(key, True))  # fmt: skip
        return _SHORT, data.history
    st.button(f"Only {_SHORT}", key=f"{key}.end", type="tertiary", on_click=state.forget, args=(key,))
    try:
        year = load_year(page.client, data)
    except ServiceError as error:
        notices.say(error, about="sessions of the last 12 months")
        return _SHORT, data.history
    notices.say_stale(year)
    return "12 months", tuple(other for other in year.value if other.id != data.activity.id)


def _draw_trend(
    page: Page,
    data: ActivityData,
    found: pd.DataFrame,
    lap: Lap,
    *,
    rule: str,
    races: tuple[Circumstance, ...],
) -> None:
    this_day = local_day(data.activity)
    points = [_point(page, data, row, lap) for row in found.to_dict("records")]
    others_w = found.loc[found["activity_id"] != data.activity.id, "average_power_w"]
    more_w = power_vs_mean_w(lap.average_power, others_w)
    against = "" if isnan(more_w) else f", {formats.signed(more_w, 0, 'W')} vs their mean"
    draw_chart(
        partial(interval_trend_chart, points, shades=races),
        key=f"activity.trend.{data.activity.id}",
        says=f"{formats.count(len(points) - 1, 'other lap')}: {rule}. This one, "
        f"{formats.day(this_day, today=page.today)}: {formats.power(lap.average_power)}{against}.{_race_words(page, races)}",
        formulas=formulas.on_demand(power_vs_mean_w, window="this session, and the sessions searched."),
    )


def _race_words(page: Page, races: tuple[Circumstance, ...]) -> str:
    """The name of a race is on its shade only for a mouse."""
    named = [f"{formats.day(race.start, today=page.today)} ({plain(race.title)})" for race in races]
    return f" Shaded: {formats.count(len(races), 'race')}, {', '.join(named)}." if named else ""


def _point(page: Page, data: ActivityData, row: Mapping[Hashable, Any], lap: Lap) -> IntervalPoint:
    is_this = row["activity_id"] == data.activity.id and row["from_index"] == lap.started_at_index
    texts = (
        formats.power(row["average_power_w"]),
        formats.heart_rate(row["average_heart_rate_bpm"]),
        formats.duration_hms(row["duration_s"]),
    )
    text = f"{formats.day(row['day'], today=page.today)}: {', '.join(texts)}"
    return IntervalPoint(row["day"], row["average_power_w"], is_this, text)


def _shown(page: Page, others: pd.DataFrame) -> pd.DataFrame:
    newest = others.iloc[::-1]
    return pd.DataFrame(
        {
            "Day": [formats.day(day, today=page.today) for day in newest["day"]],
            "Session": list(newest["session"]),
            "Duration": [formats.duration_hms(seconds) for seconds in newest["duration_s"]],
            "Power, W": newest["average_power_w"].round().tolist(),
            "HR, bpm": newest["average_heart_rate_bpm"].round().tolist(),
            "Prior work, kJ": newest["work_before_kj"].round().tolist(),
        }
    )
