"""Repeated climbs: speed of each ascent over the range."""

from collections.abc import Sequence
from functools import partial
from math import nan
from string import ascii_uppercase

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.analytics.season.repeated_climbs import ClimbEffort, fastest, repeated_climbs
from coachboard.charts.performance import climbs_chart
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.loaders.trends.performance import SeasonPerformance
from coachboard.models.enums import Sport
from coachboard.views.frame import formats
from coachboard.views.frame.addresses import page_url
from coachboard.views.frame.formats import Units
from coachboard.views.frame.page import Page
from coachboard.views.trends.opening import TrendsChoice
from coachboard.views.widgets import formulas
from coachboard.views.widgets.phone_columns import fitted
from coachboard.views.widgets.plot import draw_chart

_MOST_CLIMBS = 6


def draw_climbs(page: Page, choice: TrendsChoice, data: TrendsData, performance: SeasonPerformance) -> None:
    """VAM over time on the most frequent climbs, and the best and latest ride of each.

    The groups are sorted: the most frequent climb first, the latest ride of a climb last.
    """
    if not performance.climbs:
        return
    st.header("Repeated climbs", anchor=False)
    groups = performance.climbs[:_MOST_CLIMBS]
    names = climb_names(groups, page.units)
    draw_chart(
        partial(
            climbs_chart,
            groups,
            names=names,
            texts=[[ascent_text(effort) for effort in group] for group in groups],
            days=data.load.days,
            shades=data.circumstances,
        ),
        key="trends.climbs",
        says="Climbing speed (VAM, vertical metres per hour) on the climbs done most often. One line per climb, matched by "
        "length, gain and place.",
        data=pd.DataFrame(
            [
                {
                    "Climb": name,
                    "Day": effort.day,
                    "VAM (m/h)": round(effort.vam_m_per_h),
                    "Time (s)": effort.duration_s,
                    "Power (W)": effort.power_w,
                    "Power (W/kg)": effort.power_w_per_kg,
                    "Heart rate (bpm)": effort.heart_rate_bpm,
                    "Prior work (kJ)": effort.work_before_kj,
                }
                for group, name in zip(groups, names, strict=True)
                for effort in group
            ]
        ),
        formulas=_formula_help(),
    )
    _draw_table(choice, groups, names, performance.best_ascents)
    _draw_ascents(choice, groups, names)


def _formula_help() -> str:
    return formulas.on_demand(repeated_climbs, fastest, window="sessions of the selected range.")


def _draw_table(
    choice: TrendsChoice,
    groups: Sequence[tuple[ClimbEffort, ...]],
    names: Sequence[str],
    best: Sequence[ClimbEffort],
) -> None:
    frame = pd.DataFrame(
        {
            "Climb": names,
            "Ascents": [len(group) for group in groups],
            "Best VAM": [formats.number(ride.vam_m_per_h, 0, "m/h") for ride in best[: len(groups)]],
            "Best date": [formats.day(ride.day) for ride in best[: len(groups)]],
            "Latest VAM": [formats.number(group[-1].vam_m_per_h, 0, "m/h") for group in groups],
            "Latest W/kg": [formats.power_per_kg(group[-1].power_w_per_kg) for group in groups],
            "Open": [
                page_url("activity", athlete=choice.athlete.id, activity=group[-1].activity_id)
                for group in groups
            ],
        }
    )
    right = st.column_config.TextColumn(alignment="right", help=_formula_help())
    st.markdown("**Summary by climb**")
    st.dataframe(
        fitted(frame, ("Climb", "Best VAM", "Open"), key="trends.climbs.table"),
        hide_index=True,
        key="trends.climbs.table",
        column_config={
            "Ascents": st.column_config.NumberColumn(help=_formula_help()),
            "Best VAM": right,
            "Latest VAM": right,
            "Latest W/kg": st.column_config.TextColumn(
                alignment="right",
                help="**Window:** latest ride. Average power per kg of the climb, as reported.",
            ),
            "Open": st.column_config.LinkColumn("Latest session", display_text="open"),
        },
    )


def _draw_ascents(
    choice: TrendsChoice, groups: Sequence[tuple[ClimbEffort, ...]], names: Sequence[str]
) -> None:
    """A row per ascent, a climb after the other, newest first: the same VAM is worth more after work."""
    rides = [
        (name, effort)
        for group, name in zip(groups, names, strict=True)
        for effort in reversed(group)
    ]  # fmt: skip
    frame = pd.DataFrame(
        {
            "Climb": [name for name, _ in rides],
            "Date": [formats.day(ride.day) for _, ride in rides],
            "VAM": [formats.number(ride.vam_m_per_h, 0, "m/h") for _, ride in rides],
            "W/kg": [formats.number(ride.power_w_per_kg, 2) for _, ride in rides],
            "Heart rate": [formats.heart_rate(ride.heart_rate_bpm) for _, ride in rides],
            "Prior work": [prior_work_text(ride) for _, ride in rides],
            "Open": [
                page_url("activity", athlete=choice.athlete.id, activity=ride.activity_id)
                for _, ride in rides
            ],
        }
    )
    speed = st.column_config.TextColumn(
        alignment="right", help=formulas.on_demand(fastest, window="each ascent.")
    )
    per_kg = st.column_config.TextColumn(
        alignment="right",
        help="**Window:** each ascent. Average power divided by the weight that the data service knows, as reported; "
        f"{formats.MISSING} where it sends none.",
    )
    of_climb = st.column_config.TextColumn(
        alignment="right",
        help="**Window:** each ascent. Mean heart rate of the climb, and work from the start of the session to its foot, as "
        f"reported; {formats.MISSING} where the data service sends none. Per kg as in Durability, by the weight in power per kg.",
    )
    st.markdown("**Every ascent**")
    st.dataframe(
        fitted(frame, ("Climb", "Date", "VAM"), key="trends.ascents"),
        hide_index=True,
        key="trends.ascents",
        column_config={
            "VAM": speed,
            "W/kg": per_kg,
            "Heart rate": of_climb,
            "Prior work": of_climb,
            "Open": st.column_config.LinkColumn("Session", display_text="open"),
        },
    )


def prior_work_text(effort: ClimbEffort) -> str:
    """`1,250 kJ, 22 kJ/kg`: Durability groups by kJ/kg, and a climb of 1,250 kJ could not be found there."""
    per_kg = effort.work_before_kj * effort.power_w_per_kg / effort.power_w if effort.power_w > 0 else nan
    known = formats.work(effort.work_before_kj)
    return known if np.isnan(per_kg) else f"{known}, {formats.number(per_kg, 0, 'kJ/kg')}"


def ascent_text(effort: ClimbEffort) -> str:
    """The label of an ascent in the chart: speed, then what is recorded of power, heart rate and prior work."""
    parts = (
        formats.number(effort.vam_m_per_h, 0, "m/h"),
        formats.power_per_kg(effort.power_w_per_kg),
        formats.heart_rate(effort.heart_rate_bpm),
        "" if np.isnan(effort.work_before_kj) else f"after {formats.work(effort.work_before_kj)}",
    )
    return ", ".join(part for part in parts if part and part != formats.MISSING)


def climb_names(groups: Sequence[tuple[ClimbEffort, ...]], units: Units) -> list[str]:
    """A letter before each size: two climbs of the same size had the same name in legend and tables."""
    return [
        f"{letter}: {climb_name(group[0], units)}"
        for letter, group in zip(ascii_uppercase, groups, strict=False)
    ]


def climb_name(effort: ClimbEffort, units: Units) -> str:
    """A climb by its size: the interface has no names of climbs."""
    grade = 100 * effort.elevation_gain_m / effort.distance_m if effort.distance_m else np.nan
    length = formats.distance(effort.distance_m, Sport.CYCLING, units=units)
    gain = formats.elevation(effort.elevation_gain_m, units=units, sport=Sport.CYCLING)
    return f"{length}, {gain}, {formats.percent(grade, 1)}"
