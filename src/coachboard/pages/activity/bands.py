"""Time in intensity bands by power, heart rate or speed, with the band model, and the distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.formulas.session.even_speed import even_speed
from coachboard.formulas.session.zones import (
    HEART_RATE_BANDS,
    POWER_BANDS,
    SPEED_BANDS,
    BandModel,
    Distribution,
    distribution,
    time_by_model,
)
from coachboard.loaders.memo import once
from coachboard.pages.activity.columns import Column, columns_of
from coachboard.pages.activity.data import ActivityData
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.pickers import pick_one
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.metrics import MetricType

Floats = NDArray[np.float64]

_WIDTHS = {"power": 10.0, "heart_rate": 2.0, "speed": 0.1}
_REFERENCES = {
    "power": MetricType.CRITICAL_POWER,
    "heart_rate": MetricType.MAX_HEART_RATE,
    "speed": MetricType.CRITICAL_SPEED,
}


@dataclass(frozen=True, slots=True, eq=False)
class Intensity:
    """One quantity: seconds by band (None without the athlete's reference) and seconds by value."""

    column: str
    model: BandModel
    reference: float | None
    seconds: dict[str, float] | None
    histogram: Distribution


def columns_with_values(data: ActivityData) -> list[str]:
    """The recorded ones of power, heart rate and speed."""
    return (
        [] if data.streams is None else [name for name in _REFERENCES if data.streams.get(name) is not None]
    )


@once
def intensity_by(data: ActivityData, column: str, pace_bands: BandModel = SPEED_BANDS) -> Intensity | None:
    """Time in bands while recording; for speed moving time only, because a stop is not easy running."""
    streams = data.streams
    values = None if streams is None else streams.get(column)
    if streams is None or values is None:
        return None
    if column == "speed":
        even = even_speed(streams)
        values = np.where(streams.is_moving, values if even is None else even, np.nan)
    models = {"power": POWER_BANDS, "heart_rate": HEART_RATE_BANDS, "speed": pace_bands}
    return _intensity(data, column, values, streams.dt_s, models[column])


def speed_intensity(
    data: ActivityData, speed_mps: Floats, dt_s: Floats, pace_bands: BandModel = SPEED_BANDS
) -> Intensity:
    """The same for another speed of the session, such as the grade-adjusted one."""
    return _intensity(data, "speed", speed_mps, dt_s, pace_bands)


def _intensity(data: ActivityData, column: str, values: Floats, dt_s: Floats, model: BandModel) -> Intensity:
    capacity = data.capacities.of(_REFERENCES[column])
    reference = capacity.value if capacity and capacity.value > 0 else None
    seconds = None if reference is None else time_by_model(values, dt_s, reference=reference, model=model)
    return Intensity(column, model, reference, seconds, distribution(values, dt_s, width=_WIDTHS[column]))


@dataclass(frozen=True, slots=True)
class BandBar:
    """A band: name, minutes, colour, and the text at its end."""

    name: str
    minutes: float
    colour: str
    text: str


def bands_chart(bars: Sequence[BandBar]) -> go.Figure:
    """Horizontal bars, easiest at the bottom."""
    figure = palette.layout(go.Figure(), height=46 + 34 * len(bars))
    figure.add_bar(
        x=[bar.minutes for bar in bars], y=[escape(bar.name) for bar in bars], orientation="h",
        marker={"color": [bar.colour for bar in bars]}, text=[escape(bar.text) for bar in bars],
        textposition="outside", cliponaxis=False, textfont={"color": palette.INK.light},
        hovertemplate="%{y}: %{text}<extra></extra>",
    )  # fmt: skip
    most = max((bar.minutes for bar in bars), default=1.0) or 1.0
    figure.update_layout(
        dragmode=False, hovermode="closest", bargap=0.25, margin={"t": 8, "b": 36, "l": 110, "r": 12}
    )
    figure.update_xaxes(
        range=[0, most * 1.35], fixedrange=True, title={"text": "Minutes"}, showgrid=True, nticks=5
    )
    figure.update_yaxes(fixedrange=True, nticks=len(bars))
    return figure


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """A bin: its position, minutes, colour and text."""

    low: float
    minutes: float
    colour: str
    text: str


def distribution_chart(
    bars: Sequence[HistogramBar], *, width: float, title: str, ticks: Sequence[tuple[float, str]] = ()
) -> go.Figure:
    """Minutes at each value, bins coloured by band."""
    figure = palette.layout(go.Figure(), height=250)
    figure.add_bar(
        x=[bar.low + width / 2 for bar in bars], y=[bar.minutes for bar in bars], width=width,
        marker={"color": [bar.colour for bar in bars], "line": {"width": 0}},
        customdata=[escape(bar.text) for bar in bars], hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        dragmode=False, hovermode="closest", bargap=0.02, margin={"t": 8, "b": 42, "l": 46, "r": 12}
    )
    figure.update_xaxes(fixedrange=True, title={"text": escape(title)})
    if ticks:
        figure.update_xaxes(tickvals=[tick for tick, _ in ticks], ticktext=[text for _, text in ticks])
    figure.update_yaxes(fixedrange=True, title={"text": "Minutes"}, nticks=4)
    return figure


_TITLES = {"power": "Power", "heart_rate": "Heart rate", "speed": "Speed"}


@st.fragment
def draw_bands(page: Page, data: ActivityData) -> None:
    """One quantity at a time; draws nothing if none was recorded."""
    columns = columns_with_values(data)
    if not columns or data.streams is None:
        return
    chosen = pick_one("By", {name: _TITLES[name] for name in columns}, param="by")
    intensity = intensity_by(data, chosen, page.pace_bands)
    if intensity is None:
        return
    column = columns_of(data.streams, data.activity.sport, units=page.units)[chosen]
    left, right = st.columns(2)
    with left:
        _draw_bands(data, intensity, column)
    with right:
        draw_distribution(data, intensity, column, name=_TITLES[intensity.column].lower())


def _draw_bands(data: ActivityData, intensity: Intensity, column: Column) -> None:
    if intensity.seconds is None or intensity.reference is None:
        st.caption(
            f"No zones: {_REFERENCES[intensity.column]} unknown on that day. Zones are percentages of "
            f"{intensity.model.reference}; enter it as a metric to see them."
        )
        return
    total_s = sum(intensity.seconds.values())
    bars = [
        BandBar(
            formats.label(name),
            seconds / 60,
            _colour(intensity, name),
            f"{formats.duration_hms(seconds)}, {formats.share(seconds, total_s)}",
        )
        for name, seconds in intensity.seconds.items()
    ]
    edges = "/".join(f"{edge:.0f}" for edge in intensity.model.edges)
    draw_chart(
        partial(bands_chart, bars),
        key=f"activity.bands.{data.activity.id}.{intensity.column}",
        says=f"Time in {_TITLES[intensity.column].lower()} zones. Model: {intensity.model.name}; limits {edges} % of "
        f"{intensity.model.reference}, {column.text(intensity.reference)}{_since(data, intensity)}.",
        data=pd.DataFrame(
            {
                "Zone": [formats.label(name) for name in intensity.seconds],
                "Time, s": list(intensity.seconds.values()),
            }
        ),
    )


def _since(data: ActivityData, intensity: Intensity) -> str:
    capacity = data.capacities.of(_REFERENCES[intensity.column])
    return "" if capacity is None or capacity.day is None else f" (set {formats.day(capacity.day)})"


def _colour(intensity: Intensity, name: str) -> str:
    """That of an intensity; other bands take the ramp from low to high."""
    ramp = list(palette.INTENSITY_RAMP)
    if name in ramp:
        return palette.intensity(name)
    names = [band.name for band in intensity.model.bands]
    return palette.intensity(ramp[names.index(name)])


def draw_distribution(
    data: ActivityData, intensity: Intensity, column: Column, *, name: str, formulas: str | None = None
) -> None:
    """Minutes at each value, coloured by zone; `name` is the quantity's."""
    lows, width = intensity.histogram.lows, intensity.histogram.width
    if not len(lows):
        return
    scaled_lows = column.shown(lows)
    step = abs(column.one(width) - column.one(0.0))
    bars = [
        HistogramBar(
            float(scaled_low),
            float(seconds) / 60,
            _bin_colour(intensity, float(low) + width / 2, column),
            f"{column.text(float(low))}–{column.text(float(low) + width)}: {formats.duration_hms(float(seconds))}",
        )
        for scaled_low, low, seconds in zip(scaled_lows, lows, intensity.histogram.seconds, strict=True)
    ]
    ticks = []
    if column.pace_per_m is not None and lows[-1] > 0:
        low, high = float(lows[lows > 0].min()), float(lows.max())
        ticks = [(column.one(tick), text) for tick, text in pace_ticks(low, high, column.pace_per_m)]
    draw_chart(
        partial(distribution_chart, bars, width=step, title=column.heading, ticks=ticks),
        key=f"activity.distribution.{data.activity.id}.{name.replace(' ', '-')}",
        says=f"Minutes at each {name}, in steps of {'equal speed' if column.is_pace else column.text(width)}. "
        f"{'Colour = zone.' if intensity.reference else ''}",
        data=lambda: pd.DataFrame(
            column.in_table(lows, "From")
            | column.in_table(lows + width, "To")
            | {"Time, s": intensity.histogram.seconds}
        ),
        formulas=formulas,
    )


def _bin_colour(intensity: Intensity, middle: float, column: Column) -> str:
    if intensity.reference is None:
        return column.colour
    place = int(np.searchsorted(intensity.model.edges, middle / intensity.reference * 100, side="right"))
    return _colour(intensity, intensity.model.bands[place].name)
