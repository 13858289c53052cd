"""Power and pace: best efforts compared with the season, heart rate and output, grade-adjusted pace."""

from collections.abc import Sequence
from functools import partial
from math import isfinite

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.charts.power_and_pace import (
    Curve,
    Half,
    decoupling_chart,
    grade_adjusted_chart,
    mean_maximal_chart,
)
from coachboard.formulas.session.decoupling import decoupling
from coachboard.formulas.session.grade import ADJUSTED_SPEED, GradeModel, grade_adjusted_speed, grade_pct
from coachboard.formulas.session.mean_maximal import DURATIONS, highest_of, holders_of, mean_maximal
from coachboard.formulas.session.zones import distribution
from coachboard.loaders import power_curves
from coachboard.loaders.power_curves import SeasonCurve
from coachboard.pages.activity import efficiency
from coachboard.pages.activity.bands import draw_distribution
from coachboard.pages.activity.bests import (
    ALL,
    SEASON,
    YEAR,
    SpanCurves,
    curve_columns,
    draw_bests,
    own_curve,
    span_curves,
)
from coachboard.pages.activity.columns import Column, columns_of, speed_column
from coachboard.pages.activity.data import HISTORY_DAYS, ActivityData
from coachboard.pages.activity.efficiency import HeartRateAgainstOutput
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.key_numbers import Card, draw_numbers
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.pickers import pick_one
from coachboard.ui.widgets.plot import draw_chart

Floats = power_curves.Floats

_SPANS = {SEASON: f"Last {HISTORY_DAYS} days", YEAR: "Last 12 months", ALL: "All sessions"}
_CURVES = {"power": "Power", "speed": "Pace", ADJUSTED_SPEED: "Grade-adjusted pace"}
_MARKS_S = (5, 60, 300, 1200, 3600)
_FOLLOW_S = 2.0
_MODELLED_S = (120, 1200)
"""Critical power describes efforts of 2 to 20 min; draw the model curve in this range only."""


@st.fragment
def draw_power_and_pace(page: Page, data: ActivityData) -> None:
    """The sections for the recorded columns; draws nothing without power, speed and heart rate."""
    if data.effort_column is None:
        return
    _draw_curve(page, data)
    if not efficiency.can_adjust(data):
        _draw_heart_rate(page, data)
        return
    left, right = st.columns(2)
    with left:
        _draw_heart_rate(page, data)
    with right:
        _draw_grade_adjusted(page, data)


def _draw_curve(page: Page, data: ActivityData) -> None:
    st.subheader("Best efforts", anchor=False)
    columns = curve_columns(data)
    column = columns[0]
    if len(columns) > 1:
        column = pick_one("Curve", {name: _CURVES[name] for name in columns}, param="best")
    spans = span_curves(page.client, data, column)
    offered = {span: title for span, title in _SPANS.items() if span in spans.of}
    span = pick_one("Compare with", offered, param="curve")
    own = own_curve(data, column)
    season = spans.of[span]
    value_text, quantity = partial(_value_text, page, data, column), _quantity(page, data, column)
    curves = [
        Curve("This session", quantity.shown(own), _texts("This session", own, value_text), is_this=True),
        *([] if spans.is_alone(span) else [_best(span, season, quantity, value_text)]),
        *_model(data, column, value_text),
    ]
    draw_chart(
        partial(
            mean_maximal_chart,
            DURATIONS,
            curves,
            title=quantity.heading,
            colour=quantity.colour,
            reference=_reference(data, quantity),
            ticks=_ticks(quantity, np.concatenate([own, season.best])),
        ),
        key=f"activity.curve.{data.activity.id}",
        alt=_bests_words(page, data, column, own),
        says=_curve_says(page, data, column, spans, span),
        data=lambda: pd.DataFrame(
            {"Duration, s": DURATIONS}
            | quantity.in_table(own, "This session")
            | quantity.in_table(season.best, _SPANS[span])
        ),
        formulas=formula_help.text_of(
            mean_maximal,
            highest_of,
            holders_of,
            window="this session, and the sessions of the chosen days up to it.",
        ),
    )
    draw_bests(page, data, column, spans=spans, span=span, against=_SPANS[span].lower())
    if not spans.is_complete:
        st.fragment(_follow, run_every=_FOLLOW_S)(page, data, column, spans)


def _follow(page: Page, data: ActivityData, column: str, drawn: SpanCurves) -> None:
    """How many sessions are read by now; the curves are drawn again when it matters, not at each session."""
    spans = span_curves(page.client, data, column, power_curves.kept_curves)
    is_reading = power_curves.is_reading(page.client)
    st.caption(waiting_words(spans, is_reading=is_reading))
    if power_curves.is_worth_drawing(drawn.of.values(), spans.of.values(), is_reading=is_reading):
        st.rerun()


def waiting_words(spans: SpanCurves, *, is_reading: bool) -> str:
    """How many sessions are read; empty if all are."""
    counts = [
        f"{_SPANS[name].lower()} {curve.used} of {curve.total}"
        for name, curve in spans.of.items()
        if not curve.is_complete
    ]
    if not counts:
        return ""
    parts = [f"Sessions read: {', '.join(counts)}"]
    if not all(curve.is_enough for curve in spans.of.values()):
        parts.append("percentages and records need half of the sessions")
    parts.append(
        "others load in the background, and the curves are drawn again with half and with all of them"
        if is_reading
        else "the others could not be loaded; a choice on this page tries again"
    )
    return "; ".join(parts) + "."


def _bests_words(page: Page, data: ActivityData, column: str, own: Floats) -> str:
    """For the text alternative: the table below the curve has the same numbers."""
    marks = [(mark, own[DURATIONS.index(mark)]) for mark in _MARKS_S]
    bests = ", ".join(
        f"{_value_text(page, data, column, value)} over {formats.duration_hm(mark) if mark >= 60 else f'{mark} s'}"
        for mark, value in marks
        if isfinite(value)
    )
    return f"Best average by duration: {bests}."


def _curve_says(page: Page, data: ActivityData, column: str, spans: SpanCurves, span: str) -> str:
    season = spans.of[span]
    over = f"best of {season.used} of {formats.count(season.total, 'session')}, {_SPANS[span].lower()}"
    if spans.is_alone(span):
        others = (
            "no other session with these values" if season.is_complete else "other sessions not loaded yet"
        )
        over = f"none, {others} ({_SPANS[span].lower()})"
    unknown = (
        ""
        if _reference(data, _quantity(page, data, column))
        else f" Critical {'power' if column == 'power' else 'speed'} is unknown for that day."
    )
    return f"Best average by duration. Reference: {over}. Pauses count as 0, so the curve may rise.{unknown}"


def _value_text(page: Page, data: ActivityData, column: str, value: float) -> str:
    if column != "power":
        return formats.speed_or_pace(value, data.activity.sport, units=page.units)
    weight_kg = data.capacities.weight_kg
    per_kg = f" ({formats.power_per_kg(value / weight_kg)})" if weight_kg else ""
    return f"{formats.power(value)}{per_kg}"


def _texts(name: str, values: Floats, value_text: "partial[str]") -> Sequence[str]:
    return [
        f"{name}, {_duration(seconds)}: {value_text(float(value))}"
        for seconds, value in zip(DURATIONS, values, strict=True)
    ]


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 60 else formats.duration_hms(seconds)


def _best(span: str, season: SeasonCurve, quantity: Column, value_text: "partial[str]") -> Curve:
    return Curve(_SPANS[span], quantity.shown(season.best), _texts(_SPANS[span], season.best, value_text))


def _model(data: ActivityData, column: str, value_text: "partial[str]") -> list[Curve]:
    durations = np.array(DURATIONS, np.float64)
    model = data.capacities.sustainable_power_w(durations) if column == "power" else None
    if model is None:
        return []
    inside = (durations >= _MODELLED_S[0]) & (durations <= _MODELLED_S[1])
    values = np.where(inside, model, np.nan)
    return [
        Curve("Critical power model, 2–20 min", values, _texts("model", values, value_text), is_model=True)
    ]


def _reference(data: ActivityData, quantity: Column) -> tuple[float, str] | None:
    if quantity.name == "power":
        value = data.capacities.critical_power_w
        return None if value is None else (value, f"critical power {formats.power(value)}")
    value = data.capacities.critical_speed_mps
    if value is None:
        return None
    return quantity.one(value), f"critical speed {quantity.text(value)}"


def _quantity(page: Page, data: ActivityData, column: str) -> Column:
    """The column in the user's unit."""
    assert data.streams is not None
    return columns_of(data.streams, data.activity.sport, units=page.units)[column]


def _ticks(quantity: Column, values: Floats) -> list[tuple[float, str]]:
    """Round paces; automatic ticks for other quantities."""
    positive = values[np.isfinite(values) & (values > 0)]
    if quantity.pace_per_m is None or not len(positive):
        return []
    return pace_ticks(float(positive.min()), float(positive.max()), quantity.pace_per_m)


def _draw_heart_rate(page: Page, data: ActivityData) -> None:
    drift = efficiency.heart_rate_against_output(data)
    if drift is None or not len(drift.minutes):
        return
    value_text, quantity = partial(_value_text, page, data, drift.column), _quantity(page, data, drift.column)
    output = _output_name(drift, power="power")
    if quantity.is_pace:
        output = output.replace("speed", "pace")  # as on the axis; per heartbeat it stays a speed
    st.subheader(f"Heart rate vs {output}", anchor=False)
    halves = [
        _half(name, drift, part, value_text, quantity)
        for name, part in (
            ("First half", slice(None, drift.middle)),
            ("Second half", slice(drift.middle, None)),
        )
    ]
    draw_chart(
        partial(decoupling_chart, halves, title=quantity.heading, ticks=_ticks(quantity, drift.output)),
        key=f"activity.heart.{data.activity.id}",
        says=_heart_says(drift),
        data=lambda: pd.DataFrame(
            {"Minute": drift.minutes + 1}
            | quantity.in_table(drift.output)
            | {"Heart rate, bpm": drift.heart_rate_bpm.round(1)}
        ),
        formulas=formula_help.text_of(
            decoupling, window="the first and the second half of the session; dots are minutes."
        ),
    )


def _half(
    name: str, drift: HeartRateAgainstOutput, part: slice, value_text: "partial[str]", quantity: Column
) -> Half:
    minutes, output, rate = drift.minutes[part], drift.output[part], drift.heart_rate_bpm[part]
    texts = [
        f"Minute {minute + 1:.0f}: {value_text(float(value))} at {formats.heart_rate(float(beats))}"
        for minute, value, beats in zip(minutes, output, rate, strict=True)
    ]
    return Half(name, quantity.shown(output), rate, texts)


def _output_name(drift: HeartRateAgainstOutput, *, power: str) -> str:
    if drift.column == "power":
        return power
    return "grade-adjusted speed" if drift.is_adjusted else "speed"


def _heart_says(drift: HeartRateAgainstOutput) -> str:
    halves = drift.decoupling
    dots = "One dot per minute, crosses = mean of each half."
    if not isfinite(halves.loss_pct):
        return f"{dots} No decoupling: {halves.caution}."
    unit, factor = ("W per beat", 1.0) if drift.column == "power" else ("m per beat", 60.0)
    quantity = _output_name(drift, power="normalized power")
    verdict = halves.caution or f"{'coupled' if halves.is_coupled else 'not coupled'}, limit 5 %"
    direction = "fell" if halves.loss_pct >= 0 else "rose"
    return (
        f"{dots} Decoupling {formats.percent(halves.loss_pct, 1, signed=True)} ({verdict}): {quantity} per heartbeat "
        f"{direction} from {halves.first * factor:.2f} to {halves.second * factor:.2f} {unit}."
    )


def _draw_grade_adjusted(page: Page, data: ActivityData) -> None:
    st.subheader("Grade-adjusted pace", anchor=False)
    model = GradeModel(
        pick_one("Model", {str(m): f"{m[:1].upper()}{m[1:]}" for m in GradeModel}, param="gap")
    )
    per_m, unit = formats.pace_unit(data.activity.sport, units=page.units)
    adjusted = efficiency.grade_adjusted(data, model, per_m=per_m, pace_bands=page.pace_bands)
    if adjusted is None or adjusted.splits.empty:
        return
    pace_text = partial(formats.pace, sport=data.activity.sport, units=page.units)
    draw_numbers(
        [
            Card("Pace", pace_text(adjusted.speed_mps), "over moving time"),
            Card("Grade-adjusted", pace_text(adjusted.adjusted_mps), str(model)),
        ],
        key="activity.pace.numbers",
    )
    splits, speed = adjusted.splits, speed_column(data.activity.sport, page.units)
    way = "Mile" if unit == "/mi" else "Kilometre"
    lines = [
        (name, splits[column].to_numpy(), [f"{name} {pace_text(float(v))}" for v in splits[column]])
        for name, column in (("Actual", "speed_mps"), ("Adjusted", "adjusted_mps"))
    ]
    speeds_mps = np.concatenate([values[np.isfinite(values)] for _, values, _ in lines])
    draw_chart(
        partial(
            grade_adjusted_chart,
            splits["way"].to_numpy(),
            lines,
            unit=way,
            ticks=pace_ticks(float(speeds_mps.min()), float(speeds_mps.max()), per_m),
            title=f"Pace, {unit}",
        ),
        key=f"activity.gap.{data.activity.id}",
        says=f"Actual pace and the equivalent pace on flat ground at the same energy cost ({unit}). Model: {model}; grade from "
        f"{adjusted.grade_source}. The two models differ most on downhills.",
        data=lambda: _splits_table(splits, speed, way),
        formulas=formula_help.text_of(grade_adjusted_speed, grade_pct, window="moving time of the session."),
    )
    draw_distribution(
        data, adjusted.intensity, _quantity(page, data, "speed"), name="grade-adjusted pace",
        formulas=formula_help.text_of(
            distribution, grade_adjusted_speed, window="moving time of the session, each second."
        ),
    )  # fmt: skip


def _splits_table(splits: pd.DataFrame, speed: Column, way: str) -> pd.DataFrame:
    return pd.DataFrame(
        {way: splits["way"].to_numpy()}
        | speed.in_table(splits["speed_mps"].to_numpy(), "Actual pace")
        | speed.in_table(splits["adjusted_mps"].to_numpy(), "Grade-adjusted pace")
        | {"Grade, %": splits["grade_pct"].round(1).to_numpy()}
    )
