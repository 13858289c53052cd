"""Repeated climbs: speed of each ascent over the range, of rides as the service sends them, on foot as measured here."""

from collections.abc import Iterable, Sequence
from datetime import date
from functools import partial
from html import escape
from math import nan
from string import ascii_uppercase
from typing import Any

import numpy as np
import orjson
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades
from coachboard.client import Client
from coachboard.formulas.plausible import or_nan
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.season.repeated_climbs import (
    LEAST_GAIN_M,
    ClimbEffort,
    fastest,
    repeated_climbs,
)
from coachboard.formulas.session.climbs import climbs_on_foot
from coachboard.formulas.session.even_speed import ON_FOOT
from coachboard.loaders.summary_motion import recorded_session
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.opening import TrendsChoice
from coachboard.ui.frame import formats
from coachboard.ui.frame.addresses import page_url
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.enums import Sport

_Climbs = Sequence[tuple[ClimbEffort, ...]]

_MOST_CLIMBS = 6
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "circle-open")
"""By climb: the colours of two climbs were nearly the same brown."""


KIND, VERSION = "climbs on foot", 1


def climbs_of(
    activities: Iterable[Activity], on_foot: Iterable[ClimbEffort] = ()
) -> list[tuple[ClimbEffort, ...]]:
    """The ascents of each climb, the latest last; the most frequent climb first."""
    return repeated_climbs([*(effort for activity in activities for effort in _efforts(activity)), *on_foot])


def efforts_on_foot(client: Client, activities: Iterable[Activity]) -> tuple[list[ClimbEffort], int]:
    """The climbs of runs and hikes, for which the interface has none, and the number of sessions to be read.

    The background measures them on the streams, once for each session.
    """
    sessions = [
        activity
        for activity in activities
        if activity.sport in ON_FOOT
        and not activity.climbs
        and (activity.elevation_gain or 0) >= LEAST_GAIN_M
        and activity.start_latitude is not None
        and activity.start_longitude is not None
    ]
    kept = client.known_derived_of(KIND, VERSION, [session.id for session in sessions])
    bare = client.without_streams()
    unread = [session for session in sessions if session.id not in kept and session.id not in bare]
    for session in unread:
        client.pool.later((KIND, session.id), partial(_measure, client, session))
    efforts = [
        ClimbEffort(
            session.id, day, float(session.start_latitude or 0), float(session.start_longitude or 0),
            distance_m, gain_m, min_altitude_m, duration_s, heart_rate_bpm=or_nan(heart_rate), is_on_foot=True,
        )
        for session in sessions
        if session.id in kept and (day := local_day(session)) is not None
        for distance_m, gain_m, min_altitude_m, duration_s, heart_rate in orjson.loads(kept[session.id])
    ]  # fmt: skip
    return efforts, len(unread)


def _measure(client: Client, session: Activity) -> None:
    streams = recorded_session(client.pass_streams(session.id), session)
    altitude, distance_m, rows = streams.get("altitude"), streams.distance_m, []
    if altitude is not None and distance_m is not None:
        for climb in climbs_on_foot(distance_m, altitude, streams.elapsed_s):
            samples = slice(climb.start, climb.end + 1)
            lowest_m = float(np.nanmin(altitude[samples]))
            heart_rate = streams.mean("heart_rate", samples)
            rows.append((climb.distance_m, climb.gain_m, lowest_m, climb.duration_s, heart_rate))
    client.keep_derived(KIND, VERSION, session.id, orjson.dumps(rows))


def _efforts(activity: Activity) -> list[ClimbEffort]:
    day = local_day(activity)
    if day is None or activity.start_latitude is None or activity.start_longitude is None:
        return []
    return [
        ClimbEffort(
            activity_id=activity.id,
            day=day,
            start_latitude=float(activity.start_latitude),
            start_longitude=float(activity.start_longitude),
            distance_m=float(climb.distance),
            elevation_gain_m=float(climb.elevation_gain),
            min_altitude_m=float(climb.min_altitude),
            duration_s=float(climb.duration),
            power_w=or_nan(climb.average_power),
            power_w_per_kg=or_nan(climb.average_power_per_kilo),
            heart_rate_bpm=or_nan(climb.average_heart_rate),
            work_before_kj=or_nan(climb.work_before),
        )
        for climb in activity.climbs
    ]


def draw_climbs(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """VAM over time on the most frequent climbs, and the best and latest ride of each."""
    on_foot, unread = efforts_on_foot(page.client, data.activities)
    climbs = climbs_of(data.activities, on_foot)[:_MOST_CLIMBS]
    if unread:
        runs = formats.count(unread, "run or hike", "runs or hikes")
        st.caption(f"Repeated climbs: {runs} still to be read in the background.")
    if not climbs:
        return
    st.header("Repeated climbs", anchor=False)
    names = climb_names(climbs, page.units)
    rides = [(name, ride) for climb, name in zip(climbs, names, strict=True) for ride in climb]
    how = formula_help.text_of(repeated_climbs, fastest, window="sessions of the selected range.")
    draw_chart(
        partial(climbs_chart, climbs, names=names, days=data.load.days, shades=data.circumstances),
        key="trends.climbs",
        says="Climbing speed (VAM, vertical metres per hour) on the climbs done most often. One line per climb, matched by "
        "length, gain and place.",
        data=pd.DataFrame(
            [
                {
                    "Climb": name,
                    "Day": ride.day,
                    "VAM (m/h)": round(ride.vam_m_per_h),
                    "Time (s)": ride.duration_s,
                    "Power (W)": ride.power_w,
                    "Power (W/kg)": ride.power_w_per_kg,
                    "Heart rate (bpm)": ride.heart_rate_bpm,
                    "Prior work (kJ)": ride.work_before_kj,
                }
                for name, ride in rides
            ]
        ),
        formulas=how,
    )
    _draw_summary(choice, climbs, names, how=how)
    _draw_ascents(choice, climbs, names)


def _draw_summary(choice: TrendsChoice, climbs: _Climbs, names: Sequence[str], *, how: str) -> None:
    right = _right(how)
    st.markdown("**Summary by climb**")
    st.dataframe(
        fitted(
            summary_table(choice.athlete.id, climbs, names),
            ("Climb", "Best VAM", "Open"),
            key="trends.climbs.table",
        ),
        hide_index=True,
        key="trends.climbs.table",
        column_config={
            "Ascents": st.column_config.NumberColumn(help=how),
            "Best VAM": right,
            "Latest VAM": right,
            "Latest W/kg": _right("**Window:** latest ride. Average power per kg of the climb, as reported."),
            "Open": st.column_config.LinkColumn("Latest session", display_text="open"),
        },
    )


def summary_table(athlete_id: str, climbs: _Climbs, names: Sequence[str]) -> pd.DataFrame:
    """A row per climb: its best and its latest ride."""
    best = [fastest(climb) for climb in climbs]
    latest = [climb[-1] for climb in climbs]
    return pd.DataFrame(
        {
            "Climb": names,
            "Ascents": [len(climb) for climb in climbs],
            "Best VAM": [_vam(ride) for ride in best],
            "Best date": [formats.day(ride.day) for ride in best],
            "Latest VAM": [_vam(ride) for ride in latest],
            "Latest W/kg": [formats.power_per_kg(ride.power_w_per_kg) for ride in latest],
            "Open": [_address(athlete_id, ride) for ride in latest],
        }
    )


def _right(how: str) -> Any:
    return st.column_config.TextColumn(alignment="right", help=how)


def _vam(ride: ClimbEffort) -> str:
    return formats.number(ride.vam_m_per_h, 0, "m/h")


def _address(athlete_id: str, ride: ClimbEffort) -> str:
    return page_url("activity", athlete=athlete_id, activity=ride.activity_id)


def _draw_ascents(choice: TrendsChoice, climbs: _Climbs, names: Sequence[str]) -> None:
    """A row per ascent, a climb after the other, newest first: the same VAM is worth more after work."""
    rides = [(name, ride) for climb, name in zip(climbs, names, strict=True) for ride in reversed(climb)]
    frame = pd.DataFrame(
        {
            "Climb": [name for name, _ in rides],
            "Date": [formats.day(ride.day) for _, ride in rides],
            "VAM": [_vam(ride) for _, ride in rides],
            "W/kg": [formats.number(ride.power_w_per_kg, 2) for _, ride in rides],
            "Heart rate": [formats.heart_rate(ride.heart_rate_bpm) for _, ride in rides],
            "Prior work": [prior_work_text(ride) for _, ride in rides],
            "Open": [_address(choice.athlete.id, ride) for _, ride in rides],
        }
    )
    of_climb = _right(
        "**Window:** each ascent. Mean heart rate of the climb, and work from the start of the session to its foot, as "
        f"reported; {formats.MISSING} where the data service sends none. Per kg as in Durability, by the weight in power per kg."
    )
    st.markdown("**Every ascent**")
    st.dataframe(
        fitted(frame, ("Climb", "Date", "VAM"), key="trends.ascents"),
        hide_index=True,
        key="trends.ascents",
        column_config={
            "VAM": _right(formula_help.text_of(fastest, window="each ascent.")),
            "W/kg": _right(
                "**Window:** each ascent. Average power divided by the weight that the data service knows, as reported; "
                f"{formats.MISSING} where it sends none."
            ),
            "Heart rate": of_climb,
            "Prior work": of_climb,
            "Open": st.column_config.LinkColumn("Session", display_text="open"),
        },
    )


def prior_work_text(effort: ClimbEffort) -> str:
    """`1,250 kJ, 22 kJ/kg`: Durability groups by kJ/kg, and a climb of 1,250 kJ could not be found there."""
    per_kg = effort.work_before_kj * effort.power_w_per_kg / effort.power_w if effort.power_w > 0 else nan
    work = formats.work(effort.work_before_kj)
    return work if np.isnan(per_kg) else f"{work}, {formats.number(per_kg, 0, 'kJ/kg')}"


def ascent_text(effort: ClimbEffort) -> str:
    """The label of an ascent in the chart: speed, then what is recorded of power, heart rate and prior work."""
    parts = (
        _vam(effort),
        formats.power_per_kg(effort.power_w_per_kg),
        formats.heart_rate(effort.heart_rate_bpm),
        "" if np.isnan(effort.work_before_kj) else f"after {formats.work(effort.work_before_kj)}",
    )
    return ", ".join(part for part in parts if part and part != formats.MISSING)


def climb_names(climbs: _Climbs, units: Units) -> list[str]:
    """A letter before each size: two climbs of the same size had the same name in legend and tables."""
    return [
        f"{letter}: {climb_name(climb[0], units)}"
        for letter, climb in zip(ascii_uppercase, climbs, strict=False)
    ]


def climb_name(effort: ClimbEffort, units: Units) -> str:
    """A climb by its size: the interface has no names of climbs."""
    grade = 100 * effort.elevation_gain_m / effort.distance_m if effort.distance_m else np.nan
    length = formats.distance(effort.distance_m, Sport.CYCLING, units=units)
    gain = formats.elevation(effort.elevation_gain_m, units=units, sport=Sport.CYCLING)
    way = ", on foot" if effort.is_on_foot else ""
    return f"{length}, {gain}, {formats.percent(grade, 1)}{way}"


def climbs_chart(
    climbs: _Climbs, *, names: Sequence[str], days: Sequence[date], shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """VAM over the days of the range, a line per climb."""
    figure = go.Figure()
    for n, (climb, name) in enumerate(zip(climbs, names, strict=True)):
        figure.add_scatter(
            x=[ride.day for ride in climb],
            y=[ride.vam_m_per_h for ride in climb],
            name=name,
            mode="lines+markers",
            marker={"symbol": _SYMBOLS[n % len(_SYMBOLS)], "size": 8},
            text=[escape(ascent_text(ride)) for ride in climb],
            hovertemplate="%{text}",
        )
    palette.layout(figure, height=260)
    figure.update_yaxes(title_text="VAM (m/h)")
    return add_shades(dated(figure, days), shades)
