"""A pool swim: its lengths as bars, a sentence about pool and rests, and a table of totals by stroke."""

from collections.abc import Hashable, Mapping
from functools import partial
from math import isfinite
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.charts.lengths import LOWEST_SHARE, LengthBar, bar_at, lengths_chart
from coachboard.imperial import M_PER_YARD
from coachboard.loaders.activity import pool_lengths
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_parts import Parts
from coachboard.models.enums import Sport
from coachboard.views.activity.columns import pace_text
from coachboard.views.activity.part_choice import take
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.widgets import export
from coachboard.views.widgets.figure import Listener, Report
from coachboard.views.widgets.pace_ticks import pace_ticks
from coachboard.views.widgets.phone_columns import fitted
from coachboard.views.widgets.plot import draw_chart

_ROUND = 0.1


def draw_lengths(page: Page, data: ActivityData, parts: Parts) -> None:
    """The lengths as bars by stroke, pool and rests as text, totals by stroke."""
    st.caption(_says_pool(data))
    per_m, unit = formats.pace_unit(Sport.SWIMMING, units=page.units)
    bars = [_length_bar(row, per_m, unit) for row in parts.table.to_dict("records")]
    speeds = parts.table["average_speed_mps"]
    known = speeds[speeds > 0]
    if len(known):
        draw_chart(
            partial(
                lengths_chart,
                bars,
                pace_ticks=pace_ticks(LOWEST_SHARE * float(known.min()), float(known.max()), per_m),
            ),
            key=f"activity.lengths.{data.activity.id}",
            says=f"Pool lengths: height = pace {unit}, colour = stroke, with SWOLF = seconds + strokes as the device counts them (many watches count one arm only); drills have none. "
            "Select a length to mark it in the panels.",
            listener=Listener("point", lambda bar: _take(bar, bars, parts)),
        )
    _draw_strokes(page, data, parts)


def _says_pool(data: ActivityData) -> str:
    activity = data.activity
    swum, rests = pool_lengths.swum(activity), pool_lengths.rests(activity)
    swims = formats.count(len(swum), "length") + " swum"
    if rests:
        rested_s = sum(rest.duration for rest in rests)
        swims += f", {formats.count(len(rests), 'rest')} ({formats.duration_hms(rested_s)} total)"
    pool_m = pool_lengths.pool_length_m(activity)
    if not isfinite(pool_m):
        return f"{swims}."
    return f"{swims}. Pool length {_pool_words(pool_m)}, estimated from speed and time per length."


def _pool_words(pool_m: float) -> str:
    """`25 m`; `25 yd (22.86 m)` where only the yards are round."""
    yards = pool_m / M_PER_YARD
    is_in_yards = abs(yards - round(yards)) < _ROUND and abs(pool_m - round(pool_m)) >= _ROUND
    return f"{yards:.4g} yd ({pool_m:.4g} m)" if is_in_yards else f"{pool_m:.4g} m"


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
    shown = pd.DataFrame(
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
        fitted(shown, ("Stroke", "Lengths", f"Pace {unit}", "SWOLF"), key="activity.strokes"),
        hide_index=True,
        placeholder=formats.MISSING,
        width="content",
        key="activity.strokes",
        alt="Lengths by stroke.",
    )
    export.draw_downloads(
        lambda: by_stroke, name=f"strokes-{data.activity.id}", key="activity.export.strokes"
    )
