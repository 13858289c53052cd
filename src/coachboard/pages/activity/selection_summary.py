"""The figures of a part of a session, and the selection: a line above the panels and a summary of its numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from coachboard.execution.capacities import Capacities
from coachboard.formulas.session import zones
from coachboard.formulas.session.decoupling import Decoupling, decoupling, efficiency_factor
from coachboard.formulas.session.grade import ADJUSTED_SPEED, GradeModel, grade_adjusted_speed, grade_pct
from coachboard.formulas.session.power import normalized_power, power_ratio
from coachboard.formulas.session.selection import (
    SelectionSummary,
    adjusted_speed_mps,
    moving_speed_mps,
    summarize,
)
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity import selection
from coachboard.pages.activity.columns import Column
from coachboard.pages.activity.comparison import Overlay
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import effort_mps, heart_rate_against_output
from coachboard.pages.activity.selection import Selection
from coachboard.ui.frame import formats, theme
from coachboard.ui.frame.formats import MISSING
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.key_numbers import Card, draw_numbers, terms_of
from coachboard.wire.activities import Activity
from coachboard.wire.enums import Sport

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BandTimes:
    """Seconds in each band of a model, in ascending order, and the reference of the limits' percentages."""

    reference: str
    seconds: Mapping[str, float]


def summary_of(data: ActivityData, streams: SessionStreams, samples: slice) -> SelectionSummary:
    """The figures of the part, from every recorded sample."""
    return _summary(streams, samples, effort_mps=effort_mps(data), weight_kg=data.capacities.weight_kg)


@dataclass(frozen=True, slots=True)
class HeadlineRatios:
    """Ratios of the headline; NaN where unknown."""

    intensity_factor: float
    variability_index: float
    efficiency: float  # as in `SelectionSummary`
    decoupling: Decoupling | None


def headline_ratios(data: ActivityData, summary: Activity) -> HeadlineRatios:
    """From the powers of the summary, so that the headline's ratios fit the powers next to them."""
    normalized_w = summary.normalized_power
    drift = heart_rate_against_output(data)
    return HeadlineRatios(
        power_ratio(normalized_w, data.capacities.critical_power_w),
        power_ratio(normalized_w, summary.average_power),
        nan if data.streams is None else summary_of(data, data.streams, slice(None)).efficiency,
        None if drift is None else drift.decoupling,
    )


def summaries_of_both(
    streams: SessionStreams, overlay: Overlay, samples: slice
) -> tuple[SelectionSummary, SelectionSummary]:
    """The figures of the part in this session and in the compared session."""
    return _summary(streams, samples), _summary(overlay.streams, overlay.samples_of(samples))


def _summary(
    streams: SessionStreams,
    samples: slice,
    *,
    effort_mps: Floats | None = None,
    weight_kg: float | None = None,
) -> SelectionSummary:
    """The figures of the whole recording are those of the headline."""
    summary = summarize(streams, samples, effort_mps=effort_mps, weight_kg=weight_kg)
    normalized_w = streams.figure("normalized_power_w", samples, summary.normalized_power_w)
    columns = {
        name: replace(column, average=streams.figure(name, samples, column.average))
        for name, column in summary.columns.items()
    }
    average_w = columns["power"].average if "power" in columns else nan
    is_by_power = "power" in columns and isfinite(summary.efficiency)
    return replace(
        summary,
        active_s=streams.figure("active_s", samples, summary.active_s),
        distance_m=streams.figure("distance_m", samples, summary.distance_m),
        gain_m=streams.figure("gain_m", samples, summary.gain_m),
        loss_m=streams.figure("loss_m", samples, summary.loss_m),
        work_kj=streams.figure("work_kj", samples, summary.work_kj),
        normalized_power_w=normalized_w,
        efficiency=efficiency_factor(normalized_w, columns["heart_rate"].average)
        if is_by_power
        else summary.efficiency,
        columns=columns,
        power_per_kg=average_w / weight_kg if weight_kg else nan,
        variability_index=power_ratio(normalized_w, average_w),
    )


def band_times(
    streams: SessionStreams,
    samples: slice,
    capacities: Capacities,
    pace_bands: zones.BandModel = zones.SPEED_BANDS,
) -> BandTimes | None:
    """The bands of the first recorded measure with a known reference on that day."""
    choices = (
        ("power", capacities.critical_power_w, zones.POWER_BANDS),
        ("heart_rate", capacities.max_heart_rate_bpm, zones.HEART_RATE_BANDS),
        ("speed", capacities.critical_speed_mps, pace_bands),
    )
    for name, reference, model in choices:
        values = streams.columns.get(name)
        if values is not None and reference and np.isfinite(values[samples]).any():
            times = zones.time_by_model(
                values[samples], streams.dt_s[samples], reference=reference, model=model
            )
            return BandTimes(model.reference, times)
    return None


_LINE_PX = 32
_SELECTED = "the selection."


def line_of_selection(chosen: Selection | None) -> DeltaGenerator:
    """The container of the selection's numbers, of one height with and without a selection: the panels moved at each click."""
    # Height of the buttons; on a phone the numbers may take several lines.
    height: int | Literal["content"] = _LINE_PX if chosen is None else "content"
    return st.container(
        horizontal=True, gap="small", vertical_alignment="center", height=height, border=False
    )


def draw_line(
    page: Page, data: ActivityData, *, chosen: Selection | None, summary: SelectionSummary | None
) -> None:
    """The section's main numbers, and buttons to zoom and clear."""
    if chosen is None or summary is None:
        with st.container(key="screen-only.select"):
            st.caption(
                # The whole sentence took two lines next to "Compare", of which the line shows one.
                "Drag on the chart for figures."
                if theme.is_phone()
                else "To see the figures of one part, drag on the chart, select a lap, or enter start and end."
            )
    else:
        st.markdown(md(_line(page, data, chosen, summary)), width="content")
        st.button("Zoom", key="activity.zoom_in", on_click=selection.zoom_in, args=(chosen,), type="tertiary",
                  icon=":material/zoom_in:", help="Zoom in on the selection (full resolution).")  # fmt: skip
        st.button("Clear", key="activity.clear", on_click=selection.clear, type="tertiary",
                  icon=":material/close:", help="Clear the selection.")  # fmt: skip
    if selection.zoomed(data) is not None:
        st.button("Show all", key="activity.zoom_out", on_click=selection.zoom_out, type="tertiary",
                  icon=":material/zoom_out_map:")  # fmt: skip


def draw_card(
    page: Page,
    data: ActivityData,
    streams: SessionStreams,
    *,
    chosen: Selection,
    summary: SelectionSummary,
    columns: dict[str, Column],
) -> None:
    """All numbers of the section."""
    with st.container(border=True):
        st.markdown(f"**From {formats.duration_hms(chosen.from_s)} to {formats.duration_hms(chosen.to_s)}**")
        cards = [card for card in _cards(page, data, chosen, summary) if card.value != MISSING]
        draw_numbers(cards, key="activity.card.numbers")
        left, right = st.columns(2)
        with left:
            _draw_columns(summary, columns)
        with right:
            _draw_bands(band_times(streams, chosen.samples, data.capacities, page.pace_bands))
        st.caption(_small_print(summary), help=terms_of(cards) or None)


def _line(page: Page, data: ActivityData, chosen: Selection, summary: SelectionSummary) -> str:
    span = f"Selection, {formats.duration_hms(chosen.from_s)} to {formats.duration_hms(chosen.to_s)}"
    texts = {
        "duration": formats.duration_hms(chosen.length_s),
        "moving": f"{formats.duration_hms(summary.active_s)} moving",
        "distance": formats.distance(summary.distance_m, data.activity.sport, units=page.units),
        "power": _average_power(summary),
        "normalized": f"{formats.power(summary.normalized_power_w)} normalized",
        "heart rate": _average(summary, "heart_rate", formats.heart_rate),
        "speed": _speed(page, data, summary),
        "adjusted": f"{_speed(page, data, summary, ADJUSTED_SPEED)} grade-adjusted",
    }
    return " · ".join([span, *(text for text in texts.values() if not text.startswith(MISSING))])


def _average(summary: SelectionSummary, name: str, text: Callable[[float], str]) -> str:
    column = summary.columns.get(name)
    return text(column.average) if column is not None and isfinite(column.average) else MISSING


def _speed(page: Page, data: ActivityData, summary: SelectionSummary, name: str = "speed") -> str:
    sport = data.activity.sport
    return _average(summary, name, lambda mps: formats.speed_or_pace(mps, sport, units=page.units))


def _cards(page: Page, data: ActivityData, chosen: Selection, summary: SelectionSummary) -> list[Card]:
    sport, units = data.activity.sport, page.units
    gain = formats.elevation(summary.gain_m, units=units, sport=sport)
    loss = formats.elevation(summary.loss_m, units=units, sport=sport)
    per_kg = formats.power_per_kg(summary.power_per_kg)
    work = formats.work(summary.work_kj)
    return [
        Card(
            "Elapsed time",
            formats.duration_hms(chosen.length_s),
            f"{formats.duration_hms(summary.active_s)} moving",
        ),
        Card("Distance", formats.distance(summary.distance_m, sport, units=units)),
        Card(
            "Pace" if sport in formats.PACED_SPORTS else "Speed",
            _speed(page, data, summary),
            help=formula_help.text_of(moving_speed_mps, window=_SELECTED),
        ),
        adjusted_card(_speed(page, data, summary, ADJUSTED_SPEED), sport, window=_SELECTED),
        Card("Elevation gain", gain, f"{loss} loss" if loss != MISSING else ""),
        Card(
            "Normalized power",
            formats.power(summary.normalized_power_w),
            help=formula_help.text_of(normalized_power, window=f"{_SELECTED} At least 5 min."),
        ),
        Card("Average power", _average_power(summary), per_kg if per_kg != MISSING else ""),
        Card(
            "Variability index",
            formats.number(summary.variability_index, 2),
            help=formula_help.text_of(power_ratio, window=f"{_SELECTED} 1.00 = perfectly even."),
        ),
        Card(
            "Efficiency factor",
            formats.number(summary.efficiency, 2, "W/beat" if "power" in summary.columns else "m/beat"),
            help=formula_help.text_of(efficiency_factor, window=f"{_SELECTED} At least 20 min."),
        ),
        Card(
            "Decoupling",
            _decoupling_value(summary),
            help=formula_help.text_of(decoupling, window="the first and the second half of the selection."),
        ),
        Card("Work", work, f"{formats.work(summary.work_before_kj)} before" if work != MISSING else ""),
    ]


def adjusted_card(value: str, sport: Sport | None, *, window: str) -> Card:
    """The grade-adjusted pace of the session or of a selection, with its model."""
    return Card(
        f"Grade-adjusted {'pace' if sport in formats.PACED_SPORTS else 'speed'}",
        value,
        str(GradeModel.MINETTI),
        help=formula_help.text_of(adjusted_speed_mps, grade_adjusted_speed, grade_pct, window=window),
    )


def _average_power(summary: SelectionSummary) -> str:
    return _average(summary, "power", formats.power)


def _decoupling_value(summary: SelectionSummary) -> str:
    drift = summary.drift
    return formats.percent(drift.loss_pct, 1, signed=True) if drift is not None else MISSING


def _small_print(summary: SelectionSummary) -> str:
    drift = summary.drift
    name = "Decoupling" if drift and isfinite(drift.loss_pct) else "No decoupling"
    reason = f" {name}: {drift.caution}." if drift and drift.caution else ""
    return f"Time-weighted averages of all samples; speed and pace over moving time.{reason}"


def _draw_columns(summary: SelectionSummary, columns: dict[str, Column]) -> None:
    rows = []
    for name, column in columns.items():
        column_summary = summary.columns.get(name)
        if column_summary is not None and isfinite(column_summary.average):
            slow, fast = column.text(column_summary.lowest), column.text(column_summary.highest)
            average = MISSING if column.is_running_total else column.text(column_summary.average)
            rows.append((column.title, average, slow, fast))
    table = pd.DataFrame(rows, columns=["Metric", "Average", "Min", "Max"])
    if rows:
        st.table(table.set_index("Metric"), border="horizontal")


def _draw_bands(bands: BandTimes | None) -> None:
    if bands is None:
        st.caption(
            "No time in zones: critical power, maximum heart rate and critical speed are unknown for that day."
        )
        return
    total = sum(bands.seconds.values())
    rows = [
        (formats.label(name), formats.duration_hms(seconds), formats.share(seconds, total))
        for name, seconds in bands.seconds.items()
        if seconds > 0
    ]
    table = pd.DataFrame(rows, columns=[f"Zone, % of {bands.reference}", "Time", "Share"])
    st.table(table.set_index(table.columns[0]), border="horizontal")
