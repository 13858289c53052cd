"""Training in the range: monotony and strain, time in bands, durability, repeated climbs."""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.analytics.frames import (
    CHANGE_PCT,
    EFFORTS,
    POWER_W,
    WORK_BIN_KJ_PER_KG,
)
from coachboard.analytics.recovery.baseline import MINIMUM_DAYS, OwnNormal, own_normal
from coachboard.analytics.season.durability import (
    BIN_EDGES_KJ_PER_KG,
    MINIMUM_EFFORTS,
    SLOPE_EFFORTS,
    SLOPE_PER_KJ_PER_KG,
    SLOPE_SESSIONS,
    DurabilitySlope,
    change_pct,
    durability_slope,
    power_by_work,
)
from coachboard.analytics.season.intensity_distribution import (
    POLARIZED_ABOVE,
    TREND_D,
    TREND_LEAST_D,
    ThreeZones,
    polarization_index,
    polarization_trend,
    zones_by_session,
    zones_by_time,
)
from coachboard.analytics.season.monotony import (
    CHRONIC_D,
    MONOTONOUS,
    acute_chronic_ratio,
    rolling_monotony,
    strain,
)
from coachboard.charts.performance import bands_chart, monotony_chart, ratio_chart, zones_trend_chart
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.loaders.trends.performance import SeasonPerformance, season_performance
from coachboard.models.enums import LapIntensity
from coachboard.plurals import digits_to_tell
from coachboard.views.frame import formats
from coachboard.views.frame.own_data import say_empty
from coachboard.views.frame.page import Page
from coachboard.views.trends.climbs import draw_climbs
from coachboard.views.trends.opening import TrendsChoice
from coachboard.views.trends.unread import say_unread
from coachboard.views.widgets import export, formulas
from coachboard.views.widgets.phone_columns import fitted
from coachboard.views.widgets.plot import draw_chart

_WINDOW = "all sessions of the selected range."
_CHANGE = f"vs {BIN_EDGES_KJ_PER_KG[0]:g}–{BIN_EDGES_KJ_PER_KG[1]:g} kJ/kg"
"""The head of the change against the laps with the least prior work."""


def draw_performance(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """Uses summaries and laps only, so that no stream is fetched."""
    if not data.activities:
        if say_unread(data, "sessions"):
            return
        say_empty(page, choice.athlete.id, "No sessions in this range.", fills="Choose a longer one.")
        return
    performance = season_performance(data, first_weekday=page.first_weekday)
    _draw_monotony(data, performance)
    _draw_ratio(data, performance)
    _draw_bands(performance)
    _draw_zones_trend(data, performance)
    _draw_durability(performance)
    draw_climbs(page, choice, data, performance)


def _draw_monotony(data: TrendsData, performance: SeasonPerformance) -> None:
    latest = performance.monotony[-1] if len(performance.monotony) else float("nan")
    word = "not defined (no variation)" if isnan(latest) else formats.number(float(latest), 2)
    draw_chart(
        partial(
            monotony_chart,
            data.load.days,
            performance.monotony,
            performance.strain,
            shades=data.circumstances,
        ),
        key="trends.monotony",
        says=f"Monotony (mean ÷ standard deviation of the last 7 daily loads, Foster 1998) and strain (weekly "
        f"load × monotony). Monotony on the last day: {word} ({MONOTONOUS:g} or more is monotonous).",
        data=pd.DataFrame(
            {
                "Day": data.load.days,
                "Monotony": performance.monotony.round(2),
                "Strain": performance.strain.round(0),
            }
        ),
        formulas=formulas.on_demand(rolling_monotony, strain, window="the 7 days up to each day."),
    )


def _draw_ratio(data: TrendsData, performance: SeasonPerformance) -> None:
    ratio, normal = performance.ratio, performance.ratio_normal
    if np.isnan(ratio).all():
        st.caption(
            f"No acute:chronic ratio: it needs {CHRONIC_D} days from the first session with a load.",
            help=_ratio_help(),
        )
        return
    draw_chart(
        partial(
            ratio_chart,
            data.load.days,
            ratio,
            low=normal.low,
            high=normal.high,
            shades=data.circumstances,
        ),
        key="trends.ratio",
        says=ratio_words(ratio, normal),
        data=pd.DataFrame(
            {
                "Day": data.load.days,
                "Acute:chronic ratio": ratio.round(2),
                "normal from": normal.low.round(2),
                "normal to": normal.high.round(2),
            }
        ),
        formulas=_ratio_help(),
    )


def _ratio_help() -> str:
    return formulas.on_demand(
        acute_chronic_ratio,
        own_normal,
        window="each morning; the normal range is mean ± 1 SD of the 60 days before.",
    )


def ratio_words(ratio: np.ndarray, normal: OwnNormal) -> str:
    """The ratio on the last day with the athlete's normal range, and its range over the days shown."""
    low, high, last = (float(row[-1]) for row in (normal.low, normal.high, ratio))
    where = f"no normal range yet, which needs {MINIMUM_DAYS} days"
    if not isnan(low):
        side = "within" if low <= last <= high else "below" if last < low else "above"
        digits = digits_to_tell(last, low, high, 2)
        where = f"{side} the athlete's own normal range ({formats.number(low, digits)}–{formats.number(high, digits)})"
    now = "no value on the last day" if isnan(last) else f"{formats.number(last, 2)} on the last day, {where}"
    span = f"{formats.number(float(np.nanmin(ratio)), 2)} to {formats.number(float(np.nanmax(ratio)), 2)}"
    return (
        f"Acute:chronic ratio (weighted mean load, 7 days ÷ 28 days): {now}; {span} in the days shown. As a predictor of injury it "
        "is disputed (Impellizzeri 2020)."
    )


def _draw_zones_trend(data: TrendsData, performance: SeasonPerformance) -> None:
    if not performance.week_band_s:
        return
    names = {band: formats.label(band) for band in performance.week_band_s}
    latest = float(performance.polarization[-1])
    said = (
        "none on the last day, because easy > hard > moderate does not hold"
        if isnan(latest)
        else f"{formats.number(latest, 2)} on the last day (dashed: {POLARIZED_ABOVE:.2f}, above is polarized)"
    )
    draw_chart(
        partial(
            zones_trend_chart,
            performance.weeks,
            performance.week_band_s,
            performance.polarization,
            names=names,
            polarized_above=POLARIZED_ABOVE,
            days=data.load.days,
            shades=data.circumstances,
        ),
        key="trends.zones",
        says=f"Time in intensity zones per week, from cycling laps. Polarization index of {TREND_D} days: {said}.",
        data=pd.DataFrame(
            {"Week": performance.weeks}
            | {f"{names[band]} (h)": row / 3600 for band, row in performance.week_band_s.items()}
        ).round(2),
        formulas=formulas.on_demand(
            polarization_trend,
            polarization_index,
            window=f"weeks of the selected range; {TREND_D} days up to each day for the index, at least "
            f"{TREND_LEAST_D} of them with training.",
        ),
    )


def _draw_bands(performance: SeasonPerformance) -> None:
    names = {band: formats.label(band) for band in performance.band_s}
    if names:
        draw_chart(
            partial(bands_chart, performance.band_s, names=names, race_s=performance.race_band_s),
            key="trends.bands",
            says=f"Time in intensity zones, from cycling laps{_race_words(performance)}.",
            data=pd.DataFrame(
                {
                    "Zone": list(names.values()),
                    "Time (h)": [seconds / 3600 for seconds in performance.band_s.values()],
                    "On race days (h)": [
                        performance.race_band_s.get(band, 0.0) / 3600 for band in performance.band_s
                    ],
                }
            ).round(2),
            formulas=f"**Window:** {_WINDOW} Sum of lap durations per intensity. The data service classifies laps "
            "for cycling only.",
        )
    with st.container(gap="xxsmall"):
        if performance.band_s:
            st.markdown(
                f"By time: {_zones(performance.by_time)}",
                help=formulas.on_demand(zones_by_time, polarization_index, window=_WINDOW),
            )
        if performance.sessions:
            st.markdown(
                f"By session ({formats.count(performance.sessions, 'session')}): {_zones(performance.by_session)}",
                help=formulas.on_demand(zones_by_session, polarization_index, window=_WINDOW),
            )
    st.caption(
        "By time: easy = recovery and aerobic (below 70 % of critical power); moderate = tempo and threshold (70–105 %); hard = "
        "VO2max and above. The polarization index (Treff 2019) is "
        f"defined only if easy > hard > moderate; above {POLARIZED_ABOVE:.2f} is polarized."
    )


def _race_words(performance: SeasonPerformance) -> str:
    """The outlined part of the bars; empty without a race in the range."""
    race_s, whole_s = sum(performance.race_band_s.values()), sum(performance.band_s.values())
    if not race_s:
        return ""
    return f"; outlined: on race days, {formats.duration_hm(race_s)} of {formats.duration_hm(whole_s)}"


def _zones(zones: ThreeZones) -> str:
    shares = (
        f"easy {formats.percent(100 * zones.z1)}, moderate {formats.percent(100 * zones.z2)}, "
        f"hard {formats.percent(100 * zones.z3)}: **{zones.distribution}**"
    )
    index = zones.polarization_index
    if isnan(index):
        return shares
    verdict = "" if index > POLARIZED_ABOVE else " by order only (easy > hard > moderate)"
    return f"{shares}{verdict}, polarization index {formats.number(index, 2)}"


def _draw_durability(performance: SeasonPerformance) -> None:
    if not performance.durability:
        return
    st.header("Durability", anchor=False)
    _draw_slopes(performance)
    rows = [
        (band, row)
        for band, table in performance.durability.items()
        for row in table.to_dict("records")
        if row[EFFORTS]
    ]
    frame = pd.DataFrame(
        {
            "Intensity": [formats.label(band) for band, _ in rows],
            "Prior work": [prior_work(row[WORK_BIN_KJ_PER_KG]) for _, row in rows],
            "Laps": [row[EFFORTS] for _, row in rows],
            "Median power": [formats.power(row[POWER_W]) for _, row in rows],
            _CHANGE: [formats.percent(row[CHANGE_PCT], 1, signed=True) for _, row in rows],
        }
    )
    how = formulas.on_demand(power_by_work, change_pct, window="classified laps of the selected range.")
    right = st.column_config.TextColumn(alignment="right", help=how)
    st.dataframe(
        fitted(frame, ("Intensity", "Prior work", "Laps", _CHANGE), key="trends.durability"),
        hide_index=True,
        height="content",
        key="trends.durability",
        column_config={
            "Prior work": st.column_config.TextColumn(help=how),
            "Laps": st.column_config.NumberColumn(help=how),
            "Median power": right,
            _CHANGE: right,
        },
    )
    st.caption(
        f"Prior work: work earlier in the session (Maunder 2021), easy or hard. Rows with fewer than {MINIMUM_EFFORTS} laps are "
        "empty. Where laps were ridden to a target power, the change shows pacing, not durability."
    )
    export.draw_downloads(lambda: durability_values(rows), name="durability", key="trends.durability.export")


def _draw_slopes(performance: SeasonPerformance) -> None:
    """A line per intensity of the table: change of power with prior work and its interval."""
    how = formulas.on_demand(durability_slope, window="classified laps of the selected range.")
    with st.container(gap="xxsmall"):
        st.markdown("**Within sessions** with two or more laps: how lap power changes as work adds up")
        for band in performance.durability:
            st.markdown(
                f"{formats.label(band)}: {slope_words(performance.durability_slopes[band])}", help=how
            )
    st.markdown("**Across sessions**, easier and harder ones mixed: all laps by prior work")


def slope_words(slope: DurabilitySlope) -> str:
    """The slope with its interval and verdict, or how many laps it needs."""
    used = f"{formats.count(slope.efforts, 'lap')} of {formats.count(slope.sessions, 'session')}"
    if not slope.is_known:
        return f"not enough laps: needs {SLOPE_EFFORTS} in {SLOPE_SESSIONS} sessions, has {used}"
    change, low, high = (
        formats.percent(value, 1, signed=True) for value in (slope.change_pct, slope.low, slope.high)
    )
    verdict = "no clear change"
    if slope.excludes_zero:
        verdict = "falls" if slope.high < 0 else "rises"
    return (
        f"**{verdict}**, {change} per {SLOPE_PER_KJ_PER_KG:g} kJ/kg (95 % interval {low} to {high}; {used})"
    )


def prior_work(from_kj_per_kg: float) -> str:
    """A row of the table: "10–20 kJ/kg", and "50+ kJ/kg" for the last; "from 10" overlapped "from 20"."""
    later = [edge for edge in BIN_EDGES_KJ_PER_KG if edge > from_kj_per_kg]
    return f"{from_kj_per_kg:g}–{later[0]:g} kJ/kg" if later else f"{from_kj_per_kg:g}+ kJ/kg"


def durability_values(rows: Sequence[tuple[LapIntensity, Mapping[Hashable, Any]]]) -> pd.DataFrame:
    """The table as numbers."""
    return pd.DataFrame(
        {
            "Intensity": [str(band) for band, _ in rows],
            "Prior work from (kJ/kg)": [row[WORK_BIN_KJ_PER_KG] for _, row in rows],
            "Laps": [row[EFFORTS] for _, row in rows],
            "Median power (W)": [row[POWER_W] for _, row in rows],
            f"{_CHANGE} (%)": [row[CHANGE_PCT] for _, row in rows],
        }
    ).round(3)
