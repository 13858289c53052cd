"""The parts of a session: laps as bars and table, climbs, pool lengths, device laps; a row selects its stretch."""

import datetime as dt
from collections.abc import Callable, Hashable, Mapping
from math import isfinite, nan
from typing import Any

import pandas as pd
import streamlit as st

from coachboard.charts.lap_bars import LapBar, lap_bars_chart
from coachboard.charts.lengths import LengthBar, lengths_chart
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.session_parts import Part, Parts, kinds_of, parts_of, pool_length_m, strokes_of
from coachboard.models.enums import Sport
from coachboard.views import export, formats, notices, state
from coachboard.views.activity import choices, selection
from coachboard.views.activity.columns import pace_text
from coachboard.views.activity.streams import bands_of, pace_ticks
from coachboard.views.figure import Listener
from coachboard.views.plot import draw_chart
from coachboard.views.shell import Page

_TITLES = {Part.LAPS: "Laps", Part.CLIMBS: "Climbs", Part.LENGTHS: "Lengths", Part.DEVICE: "Device laps"}
_KM_PER_MILE, _M_PER_FOOT = 1.609344, 0.3048


def draw_parts(page: Page, data: ActivityData) -> None:
    """One kind of part at a time, the richest first."""
    kinds = kinds_of(data)
    if not kinds:
        return
    st.header("Parts", anchor=False)
    titles = {str(kind): f"{_TITLES[kind]} ({len(_rows(data, kind))})" for kind in kinds}
    kind = Part(choices.pick_one("Kind of part", titles, param="part"))
    parts = parts_of(data, kind)
    if kind is Part.LENGTHS:
        _draw_lengths(page, data, parts)
    else:
        _draw_bars(page, data, parts)
    _draw_table(page, data, parts)


def _rows(data: ActivityData, kind: Part) -> tuple[object, ...]:
    activity = data.activity
    return {
        Part.LAPS: activity.laps,
        Part.CLIMBS: activity.climbs,
        Part.LENGTHS: activity.lengths,
        Part.DEVICE: activity.provider_laps,
    }[kind]


def _draw_bars(page: Page, data: ActivityData, parts: Parts) -> None:
    by_power = bool(parts.table["average_power_w"].notna().any())
    name = "average_power_w" if by_power else "average_speed_mps"
    if not parts.table[name].notna().any():
        return
    values = parts.table[name] if by_power else _speeds(page, data, parts.table[name])
    unit = "W" if by_power else _speed_unit(page, data)
    texts = [_bar_text(page, data, parts, row) for row in range(len(parts.table))]
    bars = [
        LapBar(band, float(value), text)
        for band, value, text in zip(bands_of(parts), values, texts, strict=True)
    ]
    critical_power_w = data.capacities.critical_power_w if by_power else None
    key = f"activity.bars.{data.activity.id}.{parts.kind}"
    what = "average power" if by_power else "average speed"
    draw_chart(
        lap_bars_chart(
            bars,
            title=what.capitalize(),
            unit=unit,
            selected=_selected_row(data, parts),
            reference=(critical_power_w, "critical power") if critical_power_w else None,
        ),
        key=key,
        says=f"{_TITLES[parts.kind]}: as wide as they were long, as high as their {what}, "
        "coloured by intensity. A click selects one.",
        listener=Listener("point", lambda bar: _take(bar["point"] if bar else None, parts)),
    )


def _draw_lengths(page: Page, data: ActivityData, parts: Parts) -> None:
    pool_m = pool_length_m(data.activity.lengths)
    if isfinite(pool_m):
        st.caption(
            f"Pool of {pool_m:.4g} m ({pool_m / 0.9144:.4g} yd), inferred from the lengths' own speed and time; "
            "the service does not name it."
        )
    way_m, unit = formats.pace_way(Sport.SWIMMING, units=page.units)
    table = parts.table
    bars = [_length_bar(row, way_m, unit) for row in table.to_dict("records")]
    known = table["average_speed_mps"].dropna()
    if len(known):
        ticks = pace_ticks(float(known.min()), float(known.max()), way_m)
        draw_chart(
            lengths_chart(bars, pace_ticks=ticks),
            key=f"activity.lengths.{data.activity.id}",
            says=f"Each pool length by its pace {unit}, coloured by stroke, with its SWOLF (seconds and strokes).",
        )
    _draw_strokes(page, parts)


def _length_bar(row: Mapping[Hashable, Any], way_m: float, unit: str) -> LengthBar:
    strokes = row["stroke_count"]
    texts = (
        formats.duration_hms(row["duration_s"]),
        f"{pace_text(row['average_speed_mps'], way_m)} {unit}",
        formats.count(int(strokes), "stroke") if isfinite(strokes) else "no strokes counted",
    )
    text = f"Length {row['number']}: {', '.join(texts)}"
    return LengthBar(row["number"], _stroke(row["stroke"]), row["average_speed_mps"], row["swolf"], text)


def _stroke(stroke: Any) -> str:
    return stroke if isinstance(stroke, str) else "no stroke"


def _draw_strokes(page: Page, parts: Parts) -> None:
    by_stroke = strokes_of(parts)
    way_m, unit = formats.pace_way(Sport.SWIMMING, units=page.units)
    shown = pd.DataFrame(
        {
            "Stroke": [formats.label(stroke) for stroke in by_stroke["stroke"]],
            "Lengths": by_stroke["lengths"],
            "Time a length": [formats.duration_hms(s) for s in by_stroke["duration_s"]],
            f"Pace {unit}": [pace_text(mps, way_m) for mps in by_stroke["average_speed_mps"]],
            "Strokes a length": by_stroke["stroke_count"].round(1),
            "SWOLF": by_stroke["swolf"].round(1),
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        placeholder=formats.MISSING,
        width="content",
        key="activity.strokes",
        alt="The lengths by stroke.",
    )


def _draw_table(page: Page, data: ActivityData, parts: Parts) -> None:
    table = _shown_table(page, data, parts)
    key = f"activity.table.{data.activity.id}.{parts.kind}"
    st.dataframe(
        table,
        hide_index=True,
        placeholder=formats.MISSING,
        key=key,
        on_select=lambda: _take_row(key, parts),
        selection_mode="single-row",
        column_config=_column_config(table),
        height="auto" if len(table) <= 12 else 460,
        alt=f"{_TITLES[parts.kind]}, one row each.",
    )
    if parts.kind is Part.DEVICE:
        notices.say_empty(
            "The service gives a device lap its begin and end alone;",
            fills="its numbers and colour are computed from the streams.",
        )
    st.caption("A row selects its stretch. The files hold further columns, in the service's units.")
    export.draw_downloads(
        parts.table, name=f"{parts.kind}-{data.activity.id}", key=f"activity.export.{parts.kind}"
    )


_DIGITS = {"W/kg": 2, "Distance": 2, "Speed": 1, "Grade": 1, "Max grade": 1}
_TIMES = ("Start", "Duration")


def _column_config(table: pd.DataFrame) -> dict[str, Any]:
    config: dict[str, Any] = {}
    for head in table.columns:
        if head in _TIMES:
            config[head] = st.column_config.TimeColumn(format=_time_format(table[head]))
        elif head.startswith("Pace"):
            config[head] = st.column_config.TimeColumn(format="m:ss")
        elif pd.api.types.is_float_dtype(table[head]):
            digits = _DIGITS.get(head.split(",")[0], 0)
            config[head] = st.column_config.NumberColumn(format=f"%.{digits}f")
    return config | {"#": st.column_config.NumberColumn(width=44)}


def _time_format(times: pd.Series) -> str:
    return "H:mm:ss" if any(time is not None and time.hour for time in times) else "m:ss"


def _shown_table(page: Page, data: ActivityData, parts: Parts) -> pd.DataFrame:
    table = parts.table
    makers: dict[str, tuple[str, Callable[[pd.Series], object]]] = {
        "number": ("#", _same),
        "intensity": ("Intensity", _labels),
        "characteristic": ("Trait", _labels),
        "stroke": ("Stroke", _labels),
        "label": ("Label", _texts),
        "trigger": ("Ended by", _texts),
        "start_s": ("Start", _times),
        "duration_s": ("Duration", _times),
        "distance_m": (f"Distance, {_way_unit(page, data)}", lambda way: way / _way_m(page, data)),
        "average_power_w": ("Power, W", _same),
        "power_per_kg": ("W/kg", _same),
        "max_power_w": ("Max, W", _same),
        "vam_m_per_h": ("VAM, m/h", _same),
        "average_grade_pct": ("Grade, %", _same),
        "average_heart_rate_bpm": ("HR, bpm", _same),
        "average_cadence": ("Cadence", _same),
        "average_speed_mps": (_speed_head(page, data), lambda mps: _speed_cells(page, data, mps)),
        "elevation_gain_m": (f"Gain, {_height_unit(page, data)}", lambda m: m / _height_m(page, data)),
        "stroke_count": ("Strokes", _same),
        "swolf": ("SWOLF", _same),
        "work_before_kj": ("Before, kJ", _same),
    }
    shown = {
        head: make(table[name])
        for name, (head, make) in makers.items()
        if name in table and table[name].notna().any()
    }
    return pd.DataFrame(shown, index=table.index)


def _same(values: pd.Series) -> object:
    return values


def _labels(values: pd.Series) -> object:
    return [formats.label(value) if isinstance(value, str) else "" for value in values]


def _texts(values: pd.Series) -> object:
    return [value if isinstance(value, str) else "" for value in values]


def _times(seconds: pd.Series) -> object:
    # A time of day is what the table widget can both sort and write as 1:23:45.
    return [_time(value) for value in seconds]


def _time(seconds: float) -> dt.time | None:
    if not isfinite(seconds) or seconds < 0 or seconds >= 86_400:
        return None
    whole = round(seconds)
    return dt.time(whole // 3600 % 24, whole // 60 % 60, whole % 60)


def _is_paced(data: ActivityData) -> bool:
    return data.activity.sport in formats.PACED_SPORTS


def _speed_head(page: Page, data: ActivityData) -> str:
    if _is_paced(data):
        return f"Pace {formats.pace_way(data.activity.sport, units=page.units)[1]}"
    return f"Speed, {_speed_unit(page, data)}"


def _speed_unit(page: Page, data: ActivityData) -> str:
    return "mph" if page.units.is_imperial(data.activity.sport) else "km/h"


def _speeds(page: Page, data: ActivityData, mps: pd.Series) -> pd.Series:
    return mps * 3.6 / (_KM_PER_MILE if page.units.is_imperial(data.activity.sport) else 1)


def _speed_cells(page: Page, data: ActivityData, mps: pd.Series) -> object:
    if not _is_paced(data):
        return _speeds(page, data, mps)
    way_m, _ = formats.pace_way(data.activity.sport, units=page.units)
    return _times(way_m / mps.where(mps > way_m / 3600, nan))


def _way_unit(page: Page, data: ActivityData) -> str:
    if data.activity.sport == Sport.SWIMMING:
        return "m"
    return "mi" if page.units.is_imperial(data.activity.sport) else "km"


def _way_m(page: Page, data: ActivityData) -> float:
    return {"m": 1.0, "km": 1000.0, "mi": 1000 * _KM_PER_MILE}[_way_unit(page, data)]


def _height_unit(page: Page, data: ActivityData) -> str:
    return "ft" if page.units.is_imperial(data.activity.sport) else "m"


def _height_m(page: Page, data: ActivityData) -> float:
    return _M_PER_FOOT if page.units.is_imperial(data.activity.sport) else 1.0


def _bar_text(page: Page, data: ActivityData, parts: Parts, row: int) -> str:
    stretch, numbers = parts.stretches[row], parts.table.iloc[row]
    texts = [
        f"{stretch.number}: {stretch.label}",
        formats.duration_hms(numbers["duration_s"]),
        formats.power(numbers["average_power_w"]),
        formats.heart_rate(numbers["average_heart_rate_bpm"]),
        formats.speed_or_pace(numbers["average_speed_mps"], data.activity.sport, units=page.units),
    ]
    return ", ".join(text for text in texts if text != formats.MISSING)


def _selected_row(data: ActivityData, parts: Parts) -> int | None:
    chosen = selection.current(data)
    if chosen is None:
        return None
    texts = [selection.span_text(stretch.from_s, stretch.to_s) for stretch in parts.stretches]
    return texts.index(chosen.text) if chosen.text in texts else None


def _take_row(key: str, parts: Parts) -> None:
    rows = (state.get(key) or {}).get("selection", {}).get("rows", [])
    _take(rows[0] if rows else None, parts)


def _take(row: int | None, parts: Parts) -> None:
    if row is None or row >= len(parts.stretches):
        selection.clear()
    else:
        selection.choose(parts.stretches[row].from_s, parts.stretches[row].to_s)
