"""Time in intensity zones from classified laps, which only cycling has: over the range, and by week."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from math import isnan
from types import MappingProxyType

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from coachboard import plurals
from coachboard.charts import palette
from coachboard.charts.day_axis import add_level, add_line, dated
from coachboard.charts.shades import add_shades
from coachboard.formulas.days import week_start
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.season.intensity_distribution import (
    POLARIZED_ABOVE,
    TREND_D,
    TREND_LEAST_D,
    ZONE_OF_INTENSITY,
    ThreeZones,
    polarization_index,
    polarization_trend,
    zones_by_session,
    zones_by_time,
)
from coachboard.pages.trends.data import TrendsData
from coachboard.ui.frame import formats
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.activities import local_day
from coachboard.wire.enums import LapIntensity

_Row = NDArray[np.float64]
_BandTimes = Mapping[LapIntensity, float]

_WINDOW = "all sessions of the selected range."
_EASIEST_FIRST = (
    LapIntensity.RECOVERY,
    LapIntensity.AEROBIC,
    LapIntensity.TEMPO,
    LapIntensity.THRESHOLD,
    LapIntensity.VO2MAX,
    LapIntensity.ANAEROBIC,
    LapIntensity.NEUROMUSCULAR,
)
_DAY_MS = 86_400_000
_MINUTE_S = 60
_LEAST_PERCENT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ZoneTimes:
    """Time in each band of intensity."""

    band_s: dict[LapIntensity, float]
    race_band_s: dict[LapIntensity, float]  # the part of it on days of races
    weeks: list[date]  # first days of the weeks of the range
    week_band_s: dict[LapIntensity, _Row]  # of each week
    polarization: _Row  # of the 28 days that end on each day
    by_time: ThreeZones
    by_session: ThreeZones
    sessions: int


def zone_times(data: TrendsData, *, first_weekday: int = 0) -> ZoneTimes:
    """The time in zones of the range; the reader's weeks begin on `first_weekday`."""
    races = {shade.start for shade in data.circumstances if shade.kind == "race"}
    week_of = {day: week_start(day, first_weekday=first_weekday) for day in data.load.days}
    weeks = list(dict.fromkeys(week_of.values()))
    by_week: dict[LapIntensity, _Row] = defaultdict(lambda: np.zeros(len(weeks)))
    race_band_s: dict[LapIntensity, float] = defaultdict(float)
    zone_s = np.zeros((len(data.load.days), 3))
    for activity in data.activities:
        if (day := local_day(activity)) is None:
            continue
        for lap in activity.laps:
            by_week[lap.intensity][weeks.index(week_of[day])] += lap.duration
            zone_s[(day - data.start).days, ZONE_OF_INTENSITY[lap.intensity]] += lap.duration
            if day in races:
                race_band_s[lap.intensity] += lap.duration
    week_band_s = {band: by_week[band] for band in LapIntensity if band in by_week}
    band_s = {band: float(row.sum()) for band, row in week_band_s.items()}
    stimuli = [activity.training_stimulus for activity in data.activities]
    return ZoneTimes(
        band_s=band_s,
        race_band_s=race_band_s,
        weeks=weeks,
        week_band_s=week_band_s,
        polarization=polarization_trend(zone_s),
        by_time=zones_by_time(band_s),
        by_session=zones_by_session(stimuli),
        sessions=sum(stimulus is not None for stimulus in stimuli),
    )


def draw_zones(data: TrendsData, *, first_weekday: int) -> None:
    """The zones of the range with their distribution, then the zones by week."""
    times = zone_times(data, first_weekday=first_weekday)
    _draw_bands(times)
    if times.band_s:
        _draw_weeks(data, times)


def _draw_bands(times: ZoneTimes) -> None:
    race_s, whole_s = sum(times.race_band_s.values()), sum(times.band_s.values())
    races = f"; outlined: on race days, {formats.duration_hm(race_s)} of {formats.duration_hm(whole_s)}"
    if times.band_s:
        draw_chart(
            partial(bands_chart, times.band_s, race_s=times.race_band_s),
            key="trends.bands",
            says=f"Time in intensity zones, from cycling laps{races if race_s else ''}.",
            data=pd.DataFrame(
                {
                    "Zone": [formats.label(band) for band in times.band_s],
                    "Time (h)": [seconds / 3600 for seconds in times.band_s.values()],
                    "On race days (h)": [times.race_band_s.get(band, 0) / 3600 for band in times.band_s],
                }
            ).round(2),
            formulas=f"**Window:** {_WINDOW} Sum of lap durations per intensity. The data service classifies laps "
            "for cycling only.",
        )
    with st.container(gap="xxsmall"):
        if times.band_s:
            st.markdown(
                f"By time: {_in_words(times.by_time)}",
                help=formula_help.text_of(zones_by_time, polarization_index, window=_WINDOW),
            )
        if times.sessions:
            st.markdown(
                f"By session ({formats.count(times.sessions, 'session')}): {_in_words(times.by_session)}",
                help=formula_help.text_of(zones_by_session, polarization_index, window=_WINDOW),
            )
    st.caption(
        "By time: easy = recovery and aerobic (below 70 % of critical power); moderate = tempo and threshold (70–105 %); hard = "
        "VO2max and above. The polarization index (Treff 2019) is "
        f"defined only if easy > hard > moderate; above {POLARIZED_ABOVE:.2f} is polarized."
    )


def _in_words(zones: ThreeZones) -> str:
    shares = (
        f"easy {formats.percent(100 * zones.z1)}, moderate {formats.percent(100 * zones.z2)}, "
        f"hard {formats.percent(100 * zones.z3)}: **{zones.distribution}**"
    )
    index = zones.polarization_index
    if isnan(index):
        return shares
    verdict = "" if index > POLARIZED_ABOVE else " by order only (easy > hard > moderate)"
    return f"{shares}{verdict}, polarization index {formats.number(index, 2)}"


def bands_chart(band_s: _BandTimes, *, race_s: _BandTimes = MappingProxyType({})) -> go.Figure:
    """Hours in each band, easiest at the bottom, with an outline for the part on race days."""
    whole = sum(band_s.values()) or 1.0
    bands = [band for band in _EASIEST_FIRST if band in band_s]
    hours = [band_s[band] / 3600 for band in bands]
    names = [formats.label(band) for band in bands]
    figure = go.Figure()
    figure.add_bar(
        x=hours,
        y=names,
        orientation="h",
        marker={"color": [palette.intensity(band) for band in bands], "line": {"width": 0}},
        text=[_time_and_share(band_s[band], whole) for band in bands],
        textposition="outside",  # inside a light bar it has no contrast in one of the themes
        cliponaxis=False,
        hoverinfo="skip",
    )
    if any(race_s.values()):
        outline = {"color": "rgba(0,0,0,0)", "line": {"width": 2, "color": palette.INK.light}}
        race_h = [race_s.get(band, 0.0) / 3600 for band in bands]
        figure.add_bar(x=race_h, y=names, orientation="h", marker=outline, hoverinfo="skip")
    figure.update_layout(barmode="overlay", showlegend=False)
    palette.layout(figure, height=60 + 26 * len(bands))
    figure.update_yaxes(dtick=1, showgrid=False)
    # Room for the text next to the longest bar, on a phone too.
    figure.update_xaxes(title_text="Time (h)", range=[0, max(hours, default=1) * 1.45])
    return figure


def _time_and_share(seconds: float, whole_s: float) -> str:
    """`18h30, 15 %`; `<1 min` for a sprint, which 0 min would hide."""
    duration = "<1 min" if 0 < seconds < _MINUTE_S else plurals.duration_hm(seconds)
    percent = 100 * seconds / whole_s
    return f"{duration}, {'<1' if 0 < percent < _LEAST_PERCENT else f'{percent:.0f}'} %"


def week_name(week: date, days: Sequence[date]) -> str:
    """`2 Mar`, of a week that the range cuts with the day of the cut: `2 Mar, from Thu 5 Mar`."""
    if week < days[0]:
        return f"{week:%-d %b}, from {days[0]:%a %-d %b}"
    if week + timedelta(days=6) > days[-1]:
        return f"{week:%-d %b}, to {days[-1]:%a %-d %b}"
    return f"{week:%-d %b}"


def week_opacity(weeks: Sequence[date], days: Sequence[date]) -> list[float]:
    """Pale bars for the weeks that the range cuts: such a bar is no drop in training."""
    return [1.0 if "," not in week_name(week, days) else 0.5 for week in weeks]


def says_cut(weeks: Sequence[date], days: Sequence[date]) -> str:
    """A sentence for the text of a chart of weeks; empty if the range cuts none."""
    cut = [name for week in weeks if "," in (name := week_name(week, days))]
    return f" Pale = part of a week: {'; '.join(cut)}." if cut else ""


def _draw_weeks(data: TrendsData, times: ZoneTimes) -> None:
    latest = float(times.polarization[-1])
    index = f"{formats.number(latest, 2)} on the last day (dashed: {POLARIZED_ABOVE:.2f}, above is polarized)"
    if isnan(latest):
        index = "none on the last day, because easy > hard > moderate does not hold"
    hours = {f"{formats.label(band)} (h)": row / 3600 for band, row in times.week_band_s.items()}
    draw_chart(
        partial(zones_trend_chart, times, days=data.load.days, shades=data.circumstances),
        key="trends.zones",
        says=f"Time in intensity zones per week, from cycling laps. Polarization index of {TREND_D} days: {index}."
        f"{says_cut(times.weeks, data.load.days)}",
        data=pd.DataFrame({"Week": times.weeks} | hours).round(2),
        formulas=formula_help.text_of(
            polarization_trend,
            polarization_index,
            window=f"weeks of the selected range; {TREND_D} days up to each day for the index, at least "
            f"{TREND_LEAST_D} of them with training.",
        ),
    )


def zones_trend_chart(
    times: ZoneTimes, *, days: Sequence[date], shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """Hours in each zone by week, and below them the polarization index of 28 days where it has any value."""
    figure = go.Figure()
    middles = [week + timedelta(days=3) for week in times.weeks]
    has_index = bool(np.isfinite(times.polarization).any())
    for band in (band for band in _EASIEST_FIRST if band in times.week_band_s):
        figure.add_bar(
            x=middles,
            y=times.week_band_s[band] / 3600,
            width=6 * _DAY_MS,
            name=formats.label(band),
            marker={
                "color": palette.intensity(band),
                "line": {"width": 0},
                "opacity": week_opacity(times.weeks, days),
            },
            customdata=[week_name(week, days) for week in times.weeks],
            hovertemplate="Week of %{customdata}: %{y:.1f} h",
        )
    upper = [0.42, 1.0] if has_index else [0.0, 1.0]
    figure.update_layout(barmode="stack", yaxis={"domain": upper, "title": {"text": "Time (h)"}})
    if has_index:
        name = f"Polarization index, {TREND_D} days"
        add_line(figure, days, times.polarization, quantity="form", name=name, yaxis="y2")
        add_level(figure, POLARIZED_ABOVE, axis="y2")
        figure.update_layout(yaxis2={"domain": [0.0, 0.3], "title": {"text": "Polarization"}, "anchor": "x"})
    palette.layout(figure, height=340 if has_index else 240)
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    return add_shades(dated(figure, days), shades)
