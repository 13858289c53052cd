"""The parts as a table with sorting, selection and export."""

import datetime as dt
from collections.abc import Callable
from math import isfinite, nan
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
import streamlit as st

from coachboard.formulas.session.grade import GradeModel
from coachboard.imperial import M_PER_FOOT, M_PER_MILE, M_PER_YARD
from coachboard.loaders.memo import once
from coachboard.loaders.pool_lengths import is_in_yards
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.selection import take_row
from coachboard.pages.activity.session_parts import Part, Parts, parts_of
from coachboard.ui.frame import formats, theme
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets import export
from coachboard.ui.widgets.paper import html_of
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.plot import draw_hint
from coachboard.wire.enums import LapCharacteristic, Sport

_Maker: TypeAlias = tuple[str, Callable[[pd.Series], object]]
"""A column's header, and its cells in the service's units."""


def draw_table(page: Page, data: ActivityData, parts: Parts, *, title: str) -> None:
    """A row per part; on a phone the main columns, the others after a click."""
    if parts.kind is Part.LENGTHS:
        st.markdown("**By length**")  # below the downloads of the table by stroke, which seemed to be its own
    whole, paper = _shown(data, parts.kind, page.units)
    table = fitted(whole, _first_columns(whole, parts.kind), key=f"activity.table.{parts.kind}")
    key = f"activity.table.{data.activity.id}.{parts.kind}"
    can_select = data.streams is not None and len(data.streams) > 0
    st.dataframe(
        table,
        hide_index=True,
        placeholder=formats.MISSING,
        key=key,
        on_select=(lambda: take_row(key, parts)) if can_select else "ignore",
        selection_mode="single-row",
        width="stretch" if len(table.columns) > _NARROW else "content",
        column_config=_column_config(table),
        height="auto" if len(table) <= 12 else 460,
        alt=f"{title}, one row each.",
    )
    st.html(paper)
    selects = "Select a row to mark it in the panels. " if can_select else ""
    room_px = _PHONE_PX if theme.is_phone() else _LAPTOP_PX
    scrolls = "If columns are cut off, scroll the table sideways. " if _width_px(table) > room_px else ""
    if selects or scrolls:
        draw_hint(f"{selects}{scrolls}".strip(), key=key)
    st.caption(
        f"{_ORIGINS.get(parts.kind, '')}{_terms_note(whole)}{_speed_note(data, parts)}"
        "The CSV and Parquet files have more columns, in metric units."
    )
    export.draw_downloads(
        lambda: exported(parts.table, data.activity.sport),
        name=f"{parts.kind}-{data.activity.id}",
        key=f"activity.export.{parts.kind}",
    )


def exported(table: pd.DataFrame, sport: Sport | None) -> pd.DataFrame:
    """The table for a file: the cadence in the unit of the page, which its head names."""
    if "average_cadence" not in table:
        return table
    factor, unit = formats.cadence_scale(sport)
    head = f"average_cadence_{unit.replace('/', '_per_')}"
    return table.assign(average_cadence=table["average_cadence"] * factor).rename(
        columns={"average_cadence": head}
    )


_ORIGINS = MappingProxyType(
    {
        Part.LAPS: "Intensity is classified by the data service, not by average power alone. ",
        Part.REPETITIONS: "A rest of 6 s or more ends a repetition. Strokes as the device counts them; many count one arm. ",
        Part.DEVICE: "Lap values and colours are computed from the recording, not taken from the device. ",
    }
)


_TERMS = MappingProxyType(
    {
        "GAP": f"GAP = grade-adjusted pace ({GradeModel.MINETTI}). ",
        "NP": "NP = normalized power, from 5 min. ",
        "IF": "IF = NP / critical power. ",
        "VAM": "VAM = metres climbed per hour. ",
    }
)


def _terms_note(table: pd.DataFrame) -> str:
    """The abbreviations in the heads of the table."""
    heads = {head.split(",")[0].split(" /")[0] for head in table.columns}
    return "".join(words for term, words in _TERMS.items() if term in heads)


def _speed_note(data: ActivityData, parts: Parts) -> str:
    """Over which time the speeds are; nothing of those that only the service knows."""
    if not parts.table["average_speed_mps"].notna().any():
        return ""
    name = "Pace" if _is_paced(data) else "Speed"
    is_sent = parts.kind is Part.CLIMBS and bool(data.activity.climbs)
    if is_sent or parts.kind in {Part.REPETITIONS, Part.LENGTHS}:
        return f"{name} over duration. "
    is_computed = data.streams is not None and data.streams.get("speed") is not None
    return f"{name} over moving time. " if is_computed else ""


_PHONE_COLUMNS, _NARROW = 5, 6
_PHONE_FIRST = (
    "#", "Intensity", "Stroke", "Duration", "Power", "VAM", "Pace", "SWOLF", "HR", "Speed", "Label"
)  # fmt: skip


_PHONE_OF: MappingProxyType[Part, tuple[str, ...]] = MappingProxyType(
    {
        Part.CLIMBS: ("#", "Duration", "Gain", "Grade", "VAM"),
        Part.REPETITIONS: ("#", "Distance", "Pace", "Rest after"),
    }
)


def _first_columns(table: pd.DataFrame, kind: Part) -> list[str]:
    """The main columns of a lap, as many as a phone shows side by side."""
    # With them, a phone cut SWOLF off; the duration of a pool length repeats its pace.
    left_out = {"Duration", "HR"} if kind is Part.LENGTHS and "SWOLF" in table.columns else set()
    wanted = [
        head
        for first in _PHONE_OF.get(kind, _PHONE_FIRST)
        for head in table.columns
        if first not in left_out and head.split(",")[0].split(" /")[0] == first
    ]
    return wanted[:_PHONE_COLUMNS]


_DIGITS = {
    "IF": 2,
    "W/kg": 2,
    "Distance, km": 2,
    "Distance, mi": 2,
    "Strokes per length": 1,
    "SWOLF": 0,
    "Speed": 1,
    "Grade": 1,
    "Max grade": 1,
}
_TIMES = ("Start", "Duration", "Rest after")
_WORDS = ("Intensity", "Trait", "Stroke", "Lap ended by")
"""Columns as wide as their longest word or header: otherwise the browser gives all columns the same width."""
_CHARACTER_PX, _PADDING_PX = 7.2, 20


_LAPTOP_PX, _PHONE_PX = 1000, 370
"""Room for a table in a window of 1366 px and on a phone of 400 px."""


def _width_px(table: pd.DataFrame) -> float:
    """The least width that shows every header in full."""
    return sum(len(head) * _CHARACTER_PX + _PADDING_PX for head in table.columns)


def _column_config(table: pd.DataFrame) -> dict[str, Any]:
    config: dict[str, Any] = {}
    for head in table.columns:
        if head in _TIMES:
            config[head] = st.column_config.TimeColumn(format=_time_format(table[head]))
        elif head.startswith(("Pace", "GAP")):
            config[head] = st.column_config.TimeColumn(format="m:ss")
        elif pd.api.types.is_float_dtype(table[head]):
            digits = _DIGITS.get(head, _DIGITS.get(head.split(",")[0], 0))
            config[head] = st.column_config.NumberColumn(format=f"%.{digits}f")
        elif head in _WORDS:
            longest = max(len(head), *(len(str(word)) for word in table[head]))
            config[head] = st.column_config.TextColumn(width=int(longest * _CHARACTER_PX) + _PADDING_PX)
    return config | {"#": st.column_config.NumberColumn(width=44)}


def _time_format(times: pd.Series) -> str:
    return "H:mm:ss" if any(time is not None and time.hour for time in times) else "m:ss"


class _Shown(NamedTuple):
    """The table in the reader's units, and its copy for paper."""

    table: pd.DataFrame
    paper: str


@once
def _shown(data: ActivityData, kind: Part, units: Units) -> _Shown:
    table = _shown_table(units, data, parts_of(data, kind))
    return _Shown(table, html_of(table, _column_config(table)))


def _shown_table(units: Units, data: ActivityData, parts: Parts) -> pd.DataFrame:
    table = parts.table
    per_stride, cadence_unit = formats.cadence_scale(data.activity.sport)
    distance_unit, unit_m = _distance_scale(units, data)
    height_unit, height_m = ("ft", M_PER_FOOT) if units.is_imperial(data.activity.sport) else ("m", 1.0)
    makers: dict[str, _Maker] = {
        "number": ("#", _same),
        "intensity": ("Intensity", _labels),
        "characteristic": ("Trait", _traits),
        "stroke": ("Stroke", _labels),
        "label": ("Label", _texts),
        "trigger": ("Lap ended by", _triggers),
        "start_s": ("Start", _times),
        "duration_s": ("Duration", _times),
        "distance_m": (f"Distance, {distance_unit}", lambda way: way / unit_m),
        "average_power_w": ("Power, W", _same),
        "normalized_power_w": ("NP, W", _same),
        "intensity_factor": ("IF", _same),
        "power_per_kg": ("W/kg", _same),
        "max_power_w": ("Max, W", _same),
        "vam_m_per_h": ("VAM, m/h", _same),
        "average_grade_pct": ("Grade, %", _same),
        "average_heart_rate_bpm": ("HR, bpm", _same),
        "max_heart_rate_bpm": ("Max HR, bpm", _same),
        "work_before_kj": ("Prior work, kJ", _same),
        "average_cadence": (
            f"{formats.cadence_name(data.activity.sport)}, {cadence_unit.removeprefix('strokes')}",
            lambda rate: rate * per_stride,
        ),
        "average_speed_mps": (_speed_head(units, data), lambda mps: _speed_cells(units, data, mps)),
        "adjusted_speed_mps": (
            _speed_head(units, data, pace="GAP", speed="Grade-adjusted"),
            lambda mps: _speed_cells(units, data, mps),
        ),
        "elevation_gain_m": (f"Gain, {height_unit}", lambda m: m / height_m),
        "stroke_count": ("Strokes", _same),
        "strokes_per_length": ("Strokes per length", _same),
        "swolf": ("SWOLF", _same),
        "rest_after_s": ("Rest after", _times),
    }
    cells = {
        makers[name][0]: makers[name][1](table[name])
        for name in dict.fromkeys([*_order(parts.kind, is_paced=_is_paced(data)), *makers])
        if name in table and table[name].replace("", nan).notna().any()
    }
    return pd.DataFrame(cells, index=table.index)


def _order(kind: Part, *, is_paced: bool) -> tuple[str, ...]:
    """The first columns of a kind, before those that a table of laps has first."""
    place = ("number", "intensity", "characteristic", "label", "trigger", "start_s")
    if kind is Part.CLIMBS:
        return (*place, "duration_s", "distance_m", "elevation_gain_m", "average_grade_pct", "vam_m_per_h")
    if kind is Part.REPETITIONS:
        return (
            *place,
            "distance_m",
            "duration_s",
            "average_speed_mps",
            "rest_after_s",
            "stroke",
            "average_cadence",
        )
    if kind is Part.DEVICE and is_paced:
        return (*place, "duration_s", "distance_m", "average_speed_mps", "adjusted_speed_mps")
    return ()


def _same(values: pd.Series) -> object:
    return values


def _labels(values: pd.Series) -> object:
    return [_word(value) for value in values]


def _word(value: object) -> str:
    return formats.label(value) if isinstance(value, str) else ""


def _traits(values: pd.Series) -> object:
    # The label would repeat the intensity: "Recovery, intra-recovery".
    return ["Within a set" if value == LapCharacteristic.INTRA_RECOVERY else _word(value) for value in values]


def _texts(values: pd.Series) -> list[str]:
    return [value if isinstance(value, str) else "" for value in values]


_TRIGGERS = MappingProxyType(
    {"manual": "Lap button", "time": "Time reached", "distance": "Distance reached", "session_end": "End of session",
     "fitness_equipment": "Machine"}
)  # fmt: skip
"""Words of FIT for what ended a lap; others are shown as they are."""


def _triggers(values: pd.Series) -> object:
    return [_TRIGGERS.get(word, plain(word).replace("_", " ")) for word in _texts(values)]


def _times(seconds: pd.Series) -> object:
    # Time of day, because the table widget can sort it and format it as 1:23:45.
    return [_time(value) for value in seconds]


def _time(seconds: float) -> dt.time | None:
    if not isfinite(seconds) or seconds < 0 or seconds >= 86_400:
        return None
    whole = round(seconds)
    return dt.time(whole // 3600 % 24, whole // 60 % 60, whole % 60)


def _is_paced(data: ActivityData) -> bool:
    return data.activity.sport in formats.PACED_SPORTS


def _speed_scale(units: Units, data: ActivityData) -> tuple[str, float]:
    if units.is_imperial(data.activity.sport):
        return "mph", 3.6 / formats.KM_PER_MILE
    return "km/h", 3.6


def _speed_head(units: Units, data: ActivityData, *, pace: str = "Pace", speed: str = "Speed") -> str:
    if _is_paced(data):
        return f"{pace} {formats.pace_unit(data.activity.sport, units=units)[1]}"
    return f"{speed}, {_speed_scale(units, data)[0]}"


def _speed_cells(units: Units, data: ActivityData, mps: pd.Series) -> object:
    if not _is_paced(data):
        return mps * _speed_scale(units, data)[1]
    per_m, _ = formats.pace_unit(data.activity.sport, units=units)
    return _times(per_m / mps.where(mps > per_m / 3600, nan))


def _distance_scale(units: Units, data: ActivityData) -> tuple[str, float]:
    """In a pool its own unit: a repetition of 100 yd stays one for readers of metres."""
    is_imperial = units.is_imperial(data.activity.sport)
    if data.activity.sport == Sport.SWIMMING:
        is_in_open_water = not data.activity.lengths and is_imperial
        return ("yd", M_PER_YARD) if is_in_open_water or is_in_yards(data.activity) else ("m", 1.0)
    return ("mi", M_PER_MILE) if is_imperial else ("km", 1000.0)
