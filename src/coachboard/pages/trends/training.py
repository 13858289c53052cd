"""Training in the range: longest sessions, monotony and strain, the acute:chronic ratio, zones, durability and repeated climbs."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from math import isnan, nan

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.day_axis import add_line, dated
from coachboard.charts.shades import add_normal_range, add_shades
from coachboard.execution.sessions import duration_s
from coachboard.formulas.days import week_start
from coachboard.formulas.frames import CHANGE_PCT, EFFORTS, POWER_W, WORK_BIN_KJ_PER_KG
from coachboard.formulas.plausible import or_nan
from coachboard.formulas.recovery.baseline import MINIMUM_DAYS, OwnNormal, own_normal
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.season.daily_load import DailyLoad
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
from coachboard.formulas.season.load import own_start
from coachboard.formulas.season.monotony import (
    CHRONIC_D,
    MONOTONOUS,
    WEEK_D,
    acute_chronic_ratio,
    rolling_monotony,
    strain,
)
from coachboard.pages.trends.climbs import draw_climbs
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.opening import TrendsChoice, say_none
from coachboard.pages.trends.zones import draw_zones, says_cut, week_name, week_opacity
from coachboard.plurals import digits_to_tell
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export, formula_help
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.activities import local_day
from coachboard.wire.enums import LapIntensity, Sport
from coachboard.wire.metrics import MetricType

_Row = NDArray[np.float64]
_MOST_SPORTS = 3


def draw_training(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """Uses summaries and laps only, so that no stream is fetched."""
    if not data.activities:
        say_none(page, choice, data, "sessions", otherwise="No sessions in this range.")
        return
    _draw_longest(page, data)
    _draw_monotony(data)
    _draw_ratio(data)
    draw_zones(data, first_weekday=page.first_weekday)
    draw_durability(data)
    draw_climbs(page, choice, data)


def longest_sessions(data: TrendsData, *, first_weekday: int) -> tuple[list[date], dict[Sport, _Row]]:
    """The longest session of each week by sport, of the three sports with most time; NaN in a week without one. [h].

    The time is that which a plan states: moving time, of a swim with its rests.
    """
    week_of = {day: week_start(day, first_weekday=first_weekday) for day in data.load.days}
    weeks = list(dict.fromkeys(week_of.values()))
    hours: dict[Sport, _Row] = defaultdict(lambda: np.full(len(weeks), nan))
    whole_s: Counter[Sport] = Counter()
    for activity in data.activities:
        day, seconds = local_day(activity), duration_s(activity)
        if day is not None and seconds and activity.sport is not None:
            week = weeks.index(week_of[day])
            hours[activity.sport][week] = np.fmax(hours[activity.sport][week], seconds / 3600)
            whole_s[activity.sport] += round(seconds)
    return weeks, {sport: hours[sport] for sport, _ in whole_s.most_common(_MOST_SPORTS)}


def _draw_longest(page: Page, data: TrendsData) -> None:
    weeks, hours = longest_sessions(data, first_weekday=page.first_weekday)
    if not hours:
        return
    longest = (
        f"{formats.sport(sport).lower()} {formats.duration_hm(3600 * float(np.nanmax(row)))}"
        for sport, row in hours.items()
    )
    draw_chart(
        partial(longest_chart, weeks, hours, days=data.load.days, shades=data.circumstances),
        key="trends.longest",
        says=f"Longest session of each week, by sport. Longest of the range: {', '.join(longest)}."
        f"{says_cut(weeks, data.load.days)}",
        data=pd.DataFrame(
            {"Week": weeks} | {f"{formats.sport(sport)} (h)": row.round(2) for sport, row in hours.items()}
        ),
    )


def longest_chart(
    weeks: Sequence[date],
    hours: Mapping[Sport, _Row],
    *,
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """A bar for each sport and week."""
    figure = go.Figure()
    for (sport, row), tone in zip(hours.items(), palette.CATEGORICAL, strict=False):
        figure.add_bar(
            x=[week + timedelta(days=3) for week in weeks],
            y=row,
            name=formats.sport(sport),
            marker={"color": tone.light, "line": {"width": 0}, "opacity": week_opacity(weeks, days)},
            customdata=[week_name(week, days) for week in weeks],
            hovertemplate="Week of %{customdata}: %{y:.1f} h",
        )
    figure.update_layout(barmode="group", bargap=0.25, showlegend=True)
    palette.layout(figure, height=220)
    figure.update_yaxes(title_text="Longest (h)", nticks=4, rangemode="tozero")
    return add_shades(dated(figure, days), shades)


def monotony_and_strain(load: DailyLoad) -> tuple[_Row, _Row]:
    """Both of the seven days that end on each day of the range; the first weeks use days before it."""
    volume = np.concatenate([load.volume_before[-(WEEK_D - 1) :], load.volume])
    monotony = rolling_monotony(volume)
    week = np.full(len(volume), nan)
    if len(volume) >= WEEK_D:
        week[WEEK_D - 1 :] = np.convolve(volume, np.ones(WEEK_D), "valid")
    return monotony[-len(load.days) :], (week * monotony)[-len(load.days) :]


def _draw_monotony(data: TrendsData) -> None:
    days, (monotony, strains) = data.load.days, monotony_and_strain(data.load)
    latest = monotony[-1] if len(monotony) else nan
    word = "not defined (no variation)" if isnan(latest) else formats.number(float(latest), 2)
    draw_chart(
        partial(monotony_chart, days, monotony, strains, shades=data.circumstances),
        key="trends.monotony",
        says=f"Monotony (mean ÷ standard deviation of the last 7 daily loads, Foster 1998) and strain (weekly "
        f"load × monotony). Monotony on the last day: {word} ({MONOTONOUS:g} or more is monotonous).",
        data=pd.DataFrame({"Day": days, "Monotony": monotony.round(2), "Strain": strains.round(0)}),
        formulas=formula_help.text_of(rolling_monotony, strain, window="the 7 days up to each day."),
    )


def monotony_chart(
    days: Sequence[date], monotony: _Row, strains: _Row, *, shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """Two panels over the same days."""
    figure = go.Figure()
    add_line(figure, days, monotony, quantity="form", name="Monotony")
    add_line(figure, days, strains, quantity="fatigue", hover="%{y:,.0f}", name="Strain", yaxis="y2")
    figure.update_layout(
        yaxis={"domain": [0.55, 1.0], "title": {"text": "Monotony"}},
        yaxis2={"domain": [0.0, 0.45], "title": {"text": "Strain"}, "anchor": "x"},
    )
    palette.layout(figure, height=260)
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4, rangemode="tozero")
    return add_shades(dated(figure, days), shades)


def load_ratio(load: DailyLoad) -> tuple[_Row, OwnNormal]:
    """The acute:chronic ratio that the flag of a load spike reads, as each day begins, with its normal range of 60 days."""
    volume = np.concatenate([load.volume_before, load.volume])
    ratio = acute_chronic_ratio(volume, start=own_start(volume))
    normal = own_normal(ratio, width_sd=1)
    before = len(load.volume_before)
    return ratio[before:], OwnNormal(*(getattr(normal, name)[before:] for name in OwnNormal.__slots__))


def _draw_ratio(data: TrendsData) -> None:
    days, (ratio, normal) = data.load.days, load_ratio(data.load)
    how = formula_help.text_of(
        acute_chronic_ratio,
        own_normal,
        window="each morning; the normal range is mean ± 1 SD of the 60 days before.",
    )
    if np.isnan(ratio).all():
        st.caption(
            f"No acute:chronic ratio: it needs {CHRONIC_D} days from the first session with a load.", help=how
        )
        return
    table = {"Day": days, "Acute:chronic ratio": ratio, "normal from": normal.low, "normal to": normal.high}
    draw_chart(
        partial(ratio_chart, days, ratio, normal, shades=data.circumstances),
        key="trends.ratio",
        says=ratio_words(ratio, normal),
        data=pd.DataFrame(table).round(2),
        formulas=how,
    )


def ratio_words(ratio: _Row, normal: OwnNormal) -> str:
    """The ratio on the last day with the athlete's normal range, and its range over the days of the chart."""
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


def ratio_chart(
    days: Sequence[date], ratio: _Row, normal: OwnNormal, *, shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """The acute:chronic ratio over its normal range."""
    figure = go.Figure()
    add_normal_range(figure, days, (normal.low, normal.high), colour=palette.quantity("load"))
    add_line(figure, days, ratio, quantity="load", name="Acute:chronic ratio")
    palette.layout(figure, height=220)
    figure.update_yaxes(title_text="Acute:chronic ratio", nticks=5)
    return add_shades(dated(figure, days), shades)


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
        power_w = [or_nan(lap.average_power) for _, lap in laps]
        work_kj = [or_nan(lap.work_before) for _, lap in laps]
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
                help=formula_help.text_of(durability_slope, window=_LAPS),
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
    how = formula_help.text_of(power_by_work, change_pct, window=_LAPS)
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
