"""A pool swim: its sets, its lengths as bars, a sentence about pool and rests, and a table of totals by stroke."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from math import isfinite, isnan
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from coachboard.charts import palette
from coachboard.execution.pool_lengths import rests, swum
from coachboard.loaders import pool_lengths
from coachboard.loaders.pool_lengths import RepetitionSet
from coachboard.pages.activity.columns import pace_text
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.selection import take
from coachboard.pages.activity.session_parts import Parts
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import export
from coachboard.ui.widgets.figure import Listener, Report
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.enums import Sport

HEIGHT_PX = 250
LOWEST_SHARE = 0.6
"""The axis begins at this share of the slowest length, so that differences of a tenth are visible."""
_STROKES = ("freestyle", "backstroke", "breaststroke", "butterfly", "drill", "mixed", "im")


@dataclass(frozen=True, slots=True)
class LengthBar:
    """A length; its height is speed, so that a rest is low instead of infinitely high."""

    number: int
    stroke: str
    speed_mps: float
    swolf: float
    text: str


def lengths_chart(lengths: Sequence[LengthBar], *, pace_ticks: Sequence[tuple[float, str]]) -> go.Figure:
    """Bars of speed labelled as pace, a legend by stroke, and SWOLF in a panel below."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    for stroke in _strokes(lengths):
        own = _of_stroke(lengths, stroke)
        colour = _colour(stroke)
        common = {
            "x": [length.number for length in own],
            "customdata": [escape(length.text) for length in own],
            "hovertemplate": "%{customdata}<extra></extra>",
            "legendgroup": stroke,
        }
        figure.add_bar(
            **common, y=[length.speed_mps for length in own], name=escape(stroke.capitalize()),
            marker={"color": colour, "line": {"width": 0}}, yaxis="y",
        )  # fmt: skip
        figure.add_scatter(
            **common, y=[length.swolf for length in own], mode="markers", showlegend=False,
            marker={"color": colour, "size": 5}, yaxis="y2",
        )  # fmt: skip
    speeds_mps = [length.speed_mps for length in lengths if length.speed_mps > 0]
    figure.update_layout(
        bargap=0.15, hovermode="closest", dragmode=False, margin={"t": 30, "b": 34, "l": 46, "r": 12},
        yaxis={"domain": [0.42, 1], "range": [LOWEST_SHARE * min(speeds_mps, default=0), 1.05 * max(speeds_mps, default=1)],
               "tickvals": [tick for tick, _ in pace_ticks], "ticktext": [text for _, text in pace_ticks],
               "fixedrange": True},
        yaxis2={"domain": [0, 0.34], "title": {"text": "SWOLF", "font": {"size": 11, "color": palette.MUTED.light}}, "anchor": "x", "fixedrange": True,
                "gridcolor": palette.GRID.light, "nticks": 4, "tickfont": {"color": palette.MUTED.light}},
    )  # fmt: skip
    figure.update_xaxes(
        title={"text": "Length"}, fixedrange=True, anchor="y2", zeroline=False, rangemode="normal"
    )
    return figure


def bar_at(lengths: Sequence[LengthBar], *, curve: int, point: int) -> int:
    """The index of the clicked length: each stroke has its bars and its dots."""
    own = _of_stroke(lengths, _strokes(lengths)[curve // 2])
    return lengths.index(own[point])


def _strokes(lengths: Sequence[LengthBar]) -> list[str]:
    return sorted({length.stroke for length in lengths}, key=_place)


def _of_stroke(lengths: Sequence[LengthBar], stroke: str) -> list[LengthBar]:
    return [length for length in lengths if length.stroke == stroke]


def _place(stroke: str) -> tuple[int, str]:
    return (_STROKES.index(stroke) if stroke in _STROKES else len(_STROKES), stroke)


def _colour(stroke: str) -> str:
    place = _place(stroke)[0]
    return palette.CATEGORICAL[place % len(palette.CATEGORICAL)].light


def draw_sets(page: Page, data: ActivityData, parts: Parts) -> None:
    """Pool and rests as text, and the sets: the repetitions follow as bars and rows."""
    if data.activity.lengths:
        st.caption(_pool_caption(data))
    per_m, unit = formats.pace_unit(Sport.SWIMMING, units=page.units)
    sets = [_set_words(data, done, per_m) for done in pool_lengths.sets_of(parts.table)]
    if sets:
        st.caption(md(f"Sets, pace {unit}: {' · '.join(sets)}."))


def _set_words(data: ActivityData, done: RepetitionSet, per_m: float) -> str:
    span = f"{pace_text(done.fastest_mps, per_m)}–{pace_text(done.slowest_mps, per_m)}"
    rest = "" if isnan(done.rest_s) else f", rest {formats.duration_hms(done.rest_s)}"
    distance = pool_lengths.distance_words(data.activity, done.distance_m)
    return f"{done.count} × {distance} in {pace_text(done.speed_mps, per_m)} ({span}){rest}"


def draw_lengths(page: Page, data: ActivityData, parts: Parts) -> None:
    """The lengths as bars by stroke, pool and rests as text, totals by stroke."""
    st.caption(_pool_caption(data))
    per_m, unit = formats.pace_unit(Sport.SWIMMING, units=page.units)
    bars = [_length_bar(row, per_m, unit) for row in parts.table.to_dict("records")]
    speeds = parts.table["average_speed_mps"]
    swum_mps = speeds[speeds > 0]
    if len(swum_mps):
        draw_chart(
            partial(
                lengths_chart,
                bars,
                pace_ticks=pace_ticks(LOWEST_SHARE * float(swum_mps.min()), float(swum_mps.max()), per_m),
            ),
            key=f"activity.lengths.{data.activity.id}",
            says=f"Pool lengths: height = pace {unit}, colour = stroke, with SWOLF = seconds + strokes as the device counts them (many watches count one arm only); drills have none. "
            "Select a length to mark it in the panels.",
            listener=Listener("point", lambda bar: _take(bar, bars, parts)),
        )
    _draw_strokes(page, data, parts)


def _pool_caption(data: ActivityData) -> str:
    activity = data.activity
    pauses = rests(activity)
    swims = formats.count(len(swum(activity)), "length") + " swum"
    if pauses:
        rested_s = sum(pause.duration for pause in pauses)
        swims += f", {formats.count(len(pauses), 'rest')} ({formats.duration_hms(rested_s)} total)"
    pool = pool_lengths.pool_words(activity)
    return f"{swims}. Pool length {pool}, estimated from speed and time per length." if pool else f"{swims}."


def _take(bar: Report | None, bars: list[LengthBar], parts: Parts) -> None:
    take(bar_at(bars, curve=bar["curve"], point=bar["point"]) if bar else None, parts)


def _length_bar(row: Mapping[Hashable, Any], per_m: float, unit: str) -> LengthBar:
    strokes = row["stroke_count"]
    texts = (
        formats.duration_hms(row["duration_s"]),
        f"{pace_text(row['average_speed_mps'], per_m)} {unit}",
        formats.count(int(strokes), "stroke") if isfinite(strokes) else "no strokes counted",
    )
    text = f"Length {row['number']}: {', '.join(texts)}"
    return LengthBar(row["number"], _stroke(row["stroke"]), row["average_speed_mps"], row["swolf"], text)


def _stroke(stroke: Any) -> str:
    return stroke if isinstance(stroke, str) else "unknown stroke"


def _draw_strokes(page: Page, data: ActivityData, parts: Parts) -> None:
    by_stroke = pool_lengths.strokes_of(parts.table)
    per_m, unit = formats.pace_unit(Sport.SWIMMING, units=page.units)
    strokes = pd.DataFrame(
        {
            "Stroke": [formats.label(stroke) for stroke in by_stroke["stroke"]],
            "Lengths": by_stroke["lengths"],
            "Time per length": [formats.duration_hms(s) for s in by_stroke["duration_s"]],
            f"Pace {unit}": [pace_text(mps, per_m) for mps in by_stroke["average_speed_mps"]],
            "Strokes per length": by_stroke["stroke_count"].round(1),
            "SWOLF": by_stroke["swolf"].round(1),
        }
    )
    st.markdown("**By stroke**")
    st.dataframe(
        fitted(strokes, ("Stroke", "Lengths", f"Pace {unit}", "SWOLF"), key="activity.strokes"),
        hide_index=True,
        placeholder=formats.MISSING,
        width="content",
        key="activity.strokes",
        alt="Lengths by stroke.",
    )
    export.draw_downloads(
        lambda: by_stroke, name=f"strokes-{data.activity.id}", key="activity.export.strokes"
    )
