"""Load beside the body, and how the range was trained: monotony, bands, durability, climbs ridden again."""

from math import isnan

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.analytics.durability import power_by_work
from coachboard.analytics.frames import (
    CHANGE_PCT,
    EFFORTS,
    FATIGUE,
    FITNESS,
    FORM,
    POWER_W,
    WORK_BIN_KJ_PER_KG,
)
from coachboard.analytics.load import fitness_fatigue_form, weighted_load
from coachboard.analytics.monotony import rolling_monotony, strain
from coachboard.analytics.repeated_climbs import ClimbEffort, fastest, repeated_climbs
from coachboard.analytics.season_bands import (
    POLARIZED_ABOVE,
    ThreeZones,
    polarization_index,
    zones_by_session,
    zones_by_time,
)
from coachboard.charts.load_and_body import load_and_body_chart
from coachboard.charts.performance import bands_chart, climbs_chart, monotony_chart
from coachboard.loaders.performance import SeasonPerformance, season_performance
from coachboard.loaders.trends import LOAD_HISTORY_DAYS, TrendsData
from coachboard.views import export, formats, formulas, notices, shell
from coachboard.views.plot import draw_chart
from coachboard.views.shell import Page
from coachboard.views.trends.opening import Choice

_MOST_CLIMBS = 6


def draw_load_and_body(data: TrendsData) -> None:
    """Four panels over the same days; illness, rest, travel and races shade them."""
    load, nights = data.load, data.nights
    if not load.volume.any() and not nights.recorded:
        notices.say_empty(
            "Neither sessions nor nights in these days.",
            fills="A longer range, or new recordings, fill this chart.",
        )
        return
    table = pd.DataFrame(
        {
            "Day": load.days,
            "Volume": load.volume.round(1),
            load.model.fitness: load.frame[FITNESS].round(1),
            load.model.fatigue: load.frame[FATIGUE].round(1),
            "Form": load.frame[FORM].round(1),
            "HRV (ms)": nights.shown(nights.hrv_ms),
            "Resting HR (bpm)": nights.shown(nights.resting_bpm),
            "Asleep (h)": (nights.shown(nights.asleep_s) / 3600).round(2),
        }
    )
    draw_chart(
        load_and_body_chart(load, nights, shades=data.circumstances),
        key="trends.load_and_body",
        says=f"Daily volume with its means, HRV and resting heart rate in their normal ranges, and sleep. "
        f"{load.model.says}",
        data=table,
        formulas=formulas.on_demand(
            fitness_fatigue_form,
            weighted_load,
            window=f"each day of the range; the means have been running since {LOAD_HISTORY_DAYS} days before it.",
        ),
    )


def draw_performance(page: Page, choice: Choice, data: TrendsData) -> None:
    """From summaries and laps alone, so that no stream is fetched for it."""
    if not data.activities:
        notices.say_empty(
            "No session in these days.", fills="Recordings appear here once the service has them."
        )
        return
    performance = season_performance(data)
    _draw_monotony(data, performance)
    _draw_bands(performance)
    _draw_durability(performance)
    _draw_climbs(page, choice, performance)


def _draw_monotony(data: TrendsData, performance: SeasonPerformance) -> None:
    latest = performance.monotony[-1] if len(performance.monotony) else float("nan")
    word = "not defined, as every day was alike" if isnan(latest) else formats.number(float(latest), 2)
    draw_chart(
        monotony_chart(data.load.days, performance.monotony, performance.strain),
        key="trends.monotony",
        says=f"Monotony (mean over standard deviation of the last 7 daily volumes, Foster 1998) and strain (weekly "
        f"volume times monotony). Monotony today: {word}.",
        data=pd.DataFrame(
            {
                "Day": data.load.days,
                "Monotony": performance.monotony.round(2),
                "Strain": performance.strain.round(0),
            }
        ),
        formulas=formulas.on_demand(rolling_monotony, strain, window="the 7 days that end on each day."),
    )


def _draw_bands(performance: SeasonPerformance) -> None:
    if performance.band_s:
        draw_chart(
            bands_chart(performance.band_s),
            key="trends.bands",
            says="Time in the seven bands of intensity, from the classified laps that cycling sessions carry.",
            data=pd.DataFrame(
                {
                    "Band": [str(band) for band in performance.band_s],
                    "Time (h)": [seconds / 3600 for seconds in performance.band_s.values()],
                }
            ).round(2),
        )
    window = "all sessions of the range picked above."
    with st.container(gap="xxsmall"):
        if performance.band_s:
            st.markdown(
                f"By time: {_zones(performance.by_time)}",
                help=formulas.on_demand(zones_by_time, polarization_index, window=window),
            )
        if performance.sessions:
            st.markdown(
                f"By session ({formats.count(performance.sessions, 'session')}): {_zones(performance.by_session)}",
                help=formulas.on_demand(zones_by_session, polarization_index, window=window),
            )
    st.caption(
        "Easy is below 70 % of critical power, middle 70 to 105 %, hard above. The polarization index (Treff 2019) is "
        "shown only where easy exceeds hard and hard exceeds the middle; above 2.00 is polarized."
    )


def _zones(zones: ThreeZones) -> str:
    shares = (
        f"easy {formats.percent(100 * zones.z1)}, middle {formats.percent(100 * zones.z2)}, "
        f"hard {formats.percent(100 * zones.z3)}: **{zones.distribution}**"
    )
    index = zones.polarization_index
    if isnan(index):
        return shares
    verdict = "" if index > POLARIZED_ABOVE else " by its order, not by its index"
    return f"{shares}{verdict}, polarization index {formats.number(index, 2)}"


def _draw_durability(performance: SeasonPerformance) -> None:
    if not performance.durability:
        return
    st.header("Durability", anchor=False)
    rows = [
        (band, row)
        for band, table in performance.durability.items()
        for row in table.to_dict("records")
        if row[EFFORTS]
    ]
    frame = pd.DataFrame(
        {
            "Laps of": [formats.label(band) for band, _ in rows],
            "Work before": [f"from {row[WORK_BIN_KJ_PER_KG]:g} kJ/kg" for _, row in rows],
            "Laps": [row[EFFORTS] for _, row in rows],
            "Median power": [formats.power(row[POWER_W]) for _, row in rows],
            "Against fresh": [formats.percent(row[CHANGE_PCT], 1, signed=True) for _, row in rows],
        }
    )
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        frame,
        hide_index=True,
        key="trends.durability",
        column_config={"Median power": right, "Against fresh": right},
    )
    st.caption(
        "Median power of classified laps by the work done before them (Maunder 2021); a bin needs 3 laps. "
        "Work alone does not say how hard it was.",
        help=formulas.on_demand(power_by_work, window="the classified laps of the range picked above."),
    )
    export.draw_downloads(frame, name="durability", key="trends.durability.export")


def _draw_climbs(page: Page, choice: Choice, performance: SeasonPerformance) -> None:
    if not performance.climbs:
        return
    st.header("Climbs ridden again", anchor=False)
    groups = performance.climbs[:_MOST_CLIMBS]
    draw_chart(
        climbs_chart(groups),
        key="trends.climbs",
        says="Vertical metres an hour on the climbs ridden most often; each line is one climb, matched by length, "
        "gain and place.",
        data=pd.DataFrame(
            [
                {
                    "Climb": climb_name(group[0]),
                    "Day": effort.day,
                    "VAM (m/h)": round(effort.vam_m_per_h),
                    "Time (s)": effort.duration_s,
                    "Power (W)": effort.power_w,
                    "Power (W/kg)": effort.power_w_per_kg,
                }
                for group in groups
                for effort in group
            ]
        ),
        formulas=formulas.on_demand(
            repeated_climbs, fastest, window="the sessions of the range picked above."
        ),
    )
    frame = pd.DataFrame(
        {
            "Climb": [climb_name(group[0]) for group in groups],
            "Rides": [len(group) for group in groups],
            "Best VAM": [formats.number(fastest(group).vam_m_per_h, 0, "m/h") for group in groups],
            "Best on": [formats.day(fastest(group).day, today=page.today) for group in groups],
            "Latest VAM": [formats.number(group[-1].vam_m_per_h, 0, "m/h") for group in groups],
            "Latest W/kg": [formats.power_per_kg(group[-1].power_w_per_kg) for group in groups],
            "Open": [
                shell.page_url("activity", athlete=choice.athlete.id, activity=group[-1].activity_id)
                for group in groups
            ],
        }
    )
    st.dataframe(
        frame,
        hide_index=True,
        key="trends.climbs.table",
        column_config={"Open": st.column_config.LinkColumn("Latest", display_text="open")},
    )


def climb_name(effort: ClimbEffort) -> str:
    """A climb by its size: the interface gives climbs no names."""
    grade = 100 * effort.elevation_gain_m / effort.distance_m if effort.distance_m else np.nan
    return f"{effort.distance_m / 1000:.1f} km, {effort.elevation_gain_m:.0f} m, {grade:.1f} %"
