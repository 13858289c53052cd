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
from coachboard.formulas.days import week_start
from coachboard.formulas.recovery.baseline import MINIMUM_DAYS, OwnNormal, own_normal
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.season.daily_load import DailyLoad
from coachboard.formulas.season.load import own_start
from coachboard.formulas.season.monotony import (
    CHRONIC_D,
    MONOTONOUS,
    WEEK_D,
    acute_chronic_ratio,
    rolling_monotony,
    strain,
)
from coachboard.loaders.matching import duration_s, local_day
from coachboard.pages.trends.climbs import draw_climbs
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.durability import draw_durability
from coachboard.pages.trends.opening import TrendsChoice, say_none
from coachboard.pages.trends.zones import draw_zones
from coachboard.plurals import digits_to_tell
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formulas
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.enums import Sport

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
        says=f"Longest session of each week, by sport. Longest of the range: {', '.join(longest)}.",
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
            marker={"color": tone.light, "line": {"width": 0}},
            customdata=[f"{week:%-d %b}" for week in weeks],
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
        formulas=formulas.on_demand(rolling_monotony, strain, window="the 7 days up to each day."),
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
    how = formulas.on_demand(
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
