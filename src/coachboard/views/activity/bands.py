"""Time in intensity bands by power, heart rate or speed, with the band model, and the distribution."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.charts import palette
from coachboard.charts.bands import BandBar, HistogramBar, bands_chart, distribution_chart
from coachboard.loaders.activity.intensity import Intensity, columns_with_values, intensity_by
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.models.enums import LapIntensity, MetricType
from coachboard.views.activity.columns import Column, columns_of
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.widgets.pace_ticks import pace_ticks
from coachboard.views.widgets.pickers import pick_one
from coachboard.views.widgets.plot import draw_chart

_TITLES = {"power": "Power", "heart_rate": "Heart rate", "speed": "Speed"}
_METRICS = {
    "power": MetricType.CRITICAL_POWER,
    "heart_rate": MetricType.MAX_HEART_RATE,
    "speed": MetricType.CRITICAL_SPEED,
}
_INTENSITIES = {str(intensity) for intensity in LapIntensity}
# Bands without a colour of their own take the ramp from low to high.
_STEPS = (
    LapIntensity.RECOVERY, LapIntensity.AEROBIC, LapIntensity.TEMPO, LapIntensity.THRESHOLD, LapIntensity.VO2MAX,
    LapIntensity.ANAEROBIC, LapIntensity.NEUROMUSCULAR,
)  # fmt: skip


@st.fragment
def draw_bands(page: Page, data: ActivityData) -> None:
    """One quantity at a time; draws nothing if none was recorded."""
    columns = columns_with_values(data)
    if not columns or data.streams is None:
        return
    chosen = pick_one("By", {name: _TITLES[name] for name in columns}, param="by")
    found = intensity_by(data, chosen)
    if found is None:
        return
    column = columns_of(data.streams, data.activity.sport, units=page.units)[chosen]
    left, right = st.columns(2)
    with left:
        _draw_bands(data, found, column)
    with right:
        draw_distribution(data, found, column, name=_TITLES[found.column].lower())


def _draw_bands(data: ActivityData, found: Intensity, column: Column) -> None:
    if found.seconds is None or found.reference is None:
        st.caption(
            f"No zones: {_METRICS[found.column]} unknown on that day. Zones are percentages of "
            f"{found.model.reference}; enter it as a metric to see them."
        )
        return
    total_s = sum(found.seconds.values())
    bars = [
        BandBar(formats.label(name), seconds / 60, _colour(found, name), _share(seconds, total_s))
        for name, seconds in found.seconds.items()
    ]
    edges = "/".join(f"{edge:.0f}" for edge in found.model.edges)
    draw_chart(
        partial(bands_chart, bars),
        key=f"activity.bands.{data.activity.id}.{found.column}",
        says=f"Time in {_TITLES[found.column].lower()} zones. Model: {found.model.name}; limits {edges} % of "
        f"{found.model.reference}, {column.text(found.reference)}{_since(data, found)}.",
        data=pd.DataFrame(
            {"Zone": [formats.label(name) for name in found.seconds], "Time, s": list(found.seconds.values())}
        ),
    )


def _since(data: ActivityData, found: Intensity) -> str:
    known = data.capacities.of(_METRICS[found.column])
    return "" if known is None or known.day is None else f" (set {formats.day(known.day)})"


def _share(seconds: float, total_s: float) -> str:
    return f"{formats.duration_hms(seconds)}, {formats.share(seconds, total_s)}"


def _colour(found: Intensity, name: str) -> str:
    if name in _INTENSITIES:
        return palette.intensity(name)
    names = [band.name for band in found.model.bands]
    return palette.intensity(_STEPS[names.index(name)])


def draw_distribution(
    data: ActivityData, found: Intensity, column: Column, *, name: str, formulas: str | None = None
) -> None:
    """Minutes at each value, coloured by zone; `name` is the quantity's."""
    lows, width = found.histogram.lows, found.histogram.width
    if not len(lows):
        return
    shown = column.shown(lows)
    step = abs(column.one(width) - column.one(0.0))
    bars = [
        HistogramBar(
            float(at),
            float(seconds) / 60,
            _bin_colour(found, float(low) + width / 2, column),
            f"{column.text(float(low))}–{column.text(float(low) + width)}: {formats.duration_hms(float(seconds))}",
        )
        for at, low, seconds in zip(shown, lows, found.histogram.seconds, strict=True)
    ]
    ticks = []
    if column.pace_per_m is not None and lows[-1] > 0:
        low, high = float(lows[lows > 0].min()), float(lows.max())
        ticks = [(column.one(at), text) for at, text in pace_ticks(low, high, column.pace_per_m)]
    draw_chart(
        partial(distribution_chart, bars, width=step, title=column.heading, ticks=ticks),
        key=f"activity.distribution.{data.activity.id}.{name.replace(' ', '-')}",
        says=f"Minutes at each {name}, in steps of {'equal speed' if column.is_pace else column.text(width)}. "
        f"{'Colour = zone.' if found.reference else ''}",
        data=lambda: pd.DataFrame(
            column.in_table(lows, "From")
            | column.in_table(lows + width, "To")
            | {"Time, s": found.histogram.seconds}
        ),
        formulas=formulas,
    )


def _bin_colour(found: Intensity, middle: float, column: Column) -> str:
    if found.reference is None:
        return column.colour
    place = int(np.searchsorted(found.model.edges, middle / found.reference * 100, side="right"))
    return _colour(found, found.model.bands[place].name)
