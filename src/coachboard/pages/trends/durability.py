"""Durability: lap power after more and less prior work, within sessions and across them."""

from math import nan

import pandas as pd
import streamlit as st

from coachboard.formulas.frames import CHANGE_PCT, EFFORTS, POWER_W, WORK_BIN_KJ_PER_KG
from coachboard.formulas.season.durability import (
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
from coachboard.pages.trends.data import TrendsData
from coachboard.ui.frame import formats
from coachboard.ui.widgets import export, formulas
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.enums import LapIntensity
from coachboard.wire.metrics import MetricType

_BANDS = (LapIntensity.TEMPO, LapIntensity.THRESHOLD, LapIntensity.VO2MAX)
"""Intensities in which efforts are compared; easy laps do not show durability."""
_CHANGE = f"vs {BIN_EDGES_KJ_PER_KG[0]:g}–{BIN_EDGES_KJ_PER_KG[1]:g} kJ/kg"
"""The head of the change against the laps with the least prior work."""
_LAPS = "classified laps of the selected range."


def durability(data: TrendsData) -> tuple[pd.DataFrame, dict[LapIntensity, DurabilitySlope]]:
    """Power by prior work, a row per intensity (`band`) and bin of work with a lap; and the slope of each intensity.

    Both are empty without a weight. An intensity needs two bins with a power.
    """
    weight_kg = next(
        (float(series.latest.value) for series in data.metrics if series.type is MetricType.WEIGHT), nan
    )
    tables, slopes = [], {}
    for band in _BANDS if weight_kg > 0 else ():
        laps = [
            (activity.id, lap)
            for activity in data.activities
            for lap in activity.laps
            if lap.intensity is band
        ]
        power_w = [nan if lap.average_power is None else float(lap.average_power) for _, lap in laps]
        work_kj = [nan if lap.work_before is None else float(lap.work_before) for _, lap in laps]
        table = power_by_work(power_w, work_kj, weight_kg=weight_kg)
        if table[POWER_W].notna().sum() > 1:
            tables.append(table[table[EFFORTS] > 0].assign(band=band))
            sessions = [session for session, _ in laps]
            slopes[band] = durability_slope(power_w, work_kj, sessions, weight_kg=weight_kg)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(), slopes


def draw_durability(data: TrendsData) -> None:
    """Nothing without laps of two bins of prior work."""
    table, slopes = durability(data)
    if table.empty:
        return
    st.header("Durability", anchor=False)
    with st.container(gap="xxsmall"):
        st.markdown("**Within sessions** with two or more laps: how lap power changes as work adds up")
        for band, slope in slopes.items():
            st.markdown(
                f"{formats.label(band)}: {slope_words(slope)}",
                help=formulas.on_demand(durability_slope, window=_LAPS),
            )
    st.markdown("**Across sessions**, easier and harder ones mixed: all laps by prior work")
    frame = pd.DataFrame(
        {
            "Intensity": table["band"].map(formats.label),
            "Prior work": table[WORK_BIN_KJ_PER_KG].map(prior_work),
            "Laps": table[EFFORTS],
            "Median power": table[POWER_W].map(formats.power),
            _CHANGE: [formats.percent(value, 1, signed=True) for value in table[CHANGE_PCT]],
        }
    )
    how = formulas.on_demand(power_by_work, change_pct, window=_LAPS)
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
    export.draw_downloads(lambda: durability_values(table), name="durability", key="trends.durability.export")


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


def durability_values(table: pd.DataFrame) -> pd.DataFrame:
    """The table as numbers."""
    heads = {
        "band": "Intensity",
        WORK_BIN_KJ_PER_KG: "Prior work from (kJ/kg)",
        EFFORTS: "Laps",
        POWER_W: "Median power (W)",
        CHANGE_PCT: f"{_CHANGE} (%)",
    }
    return table[list(heads)].rename(columns=heads).astype({"Intensity": str}).round(3)
