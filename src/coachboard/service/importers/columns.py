"""FIT records to columns, by the names and units of the catalogue `wire/stream_columns.py`; fields of devices and of developers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coachboard.service.importers.recording import Floats
from coachboard.wire.stream_columns import BY_WIRE_NAME, COLUMNS

Record = Mapping[Any, Any]

_RIGHT_SIDE = 0x80
_NO_ALTITUDE_M = -500.0
"""The raw value 0 of FIT's altitude; the lowest shore on earth is 430 m below the sea."""

_BY_FIELD_NUMBER = {
    fit.number: column.wire_name for column in COLUMNS for fit in column.fit if fit.number is not None
}
"""Columns by the number of the record field that a developer's field says it replaces."""
_BY_DEVELOPER_NAME = {column.wire_name.lower(): column.wire_name for column in COLUMNS if column.group} | {
    name: column.wire_name for column in COLUMNS for name in column.fit_names
}
_FAHRENHEIT = frozenset({"°f", "f", "fahrenheit", "degf"})
_INVALID = {0x00: 255, 0x01: 127, 0x02: 255, 0x83: 32767, 0x84: 65535, 0x85: 2**31 - 1, 0x86: 2**32 - 1}


def fit_columns(
    records: Sequence[Record], descriptions: Sequence[Record]
) -> tuple[dict[str, Floats], frozenset[str]]:
    """The columns of FIT records, and the names of those in which a developer's field replaced the device's.

    The device's own field goes before a developer's that says much the same.
    """
    columns = _native_columns(records)
    replaced = set()
    for name, values in _developer_columns(records, descriptions).items():
        if name not in columns or _says_more(values, columns[name]):
            replaced |= {name} & columns.keys()
            columns[name] = values
    cleaned = {name: clean(name, values) for name, values in columns.items()}
    kept = {name: values for name, values in cleaned.items() if np.isfinite(values).any()}
    return kept, frozenset(replaced)


def clean(name: str, values: Floats) -> Floats:
    """Infinite values, zeros of a sensor that lost its signal, and FIT's raw altitude 0 become missing."""
    is_lost = (values == 0) & (BY_WIRE_NAME[name].zero == "no signal")
    if name == "altitude":
        is_lost |= values == _NO_ALTITUDE_M
    return np.where(np.isfinite(values) & ~is_lost, values, np.nan)


def drop_null_island(columns: dict[str, Floats]) -> dict[str, Floats]:
    """A receiver without a fix may write 0, 0; nobody rides there."""
    if "positionLat" not in columns or "positionLong" not in columns:
        return columns
    lat, long = columns["positionLat"], columns["positionLong"]
    is_wrong = ((lat == 0) & (long == 0)) | (np.abs(lat) > 90) | (np.abs(long) > 180)
    here = {name: np.where(is_wrong, np.nan, columns[name]) for name in ("positionLat", "positionLong")}
    return {**columns, **here}


def _native_columns(records: Sequence[Record]) -> dict[str, Floats]:
    columns: dict[str, Floats] = {}
    for column in COLUMNS:
        for field in column.fit:
            read = _numbers([record.get(field.name) for record in records]) * field.factor
            values = clean(column.wire_name, read)
            if np.isfinite(values).any():
                columns[column.wire_name] = values
                break
    if "cadence" in columns:
        part = _numbers([record.get("fractional_cadence") for record in records])
        columns["cadence"] = columns["cadence"] + np.nan_to_num(part)
    balance = _numbers([record.get("left_right_balance") for record in records])
    if np.isfinite(balance).any():
        columns["leftRightBalance"] = left_share_pct(balance)
    return drop_null_island(columns)


def left_share_pct(balance: Floats) -> Floats:
    """FIT's balance byte as percent of the left side: bit 7 says that the percentage is the right side's."""
    is_recorded = np.isfinite(balance)
    raw = np.where(is_recorded, balance, 0).astype(np.int64)
    share = (raw & ~_RIGHT_SIDE).astype(np.float64)
    left = np.where(raw & _RIGHT_SIDE, 100 - share, share)
    return np.where(is_recorded & (share <= 100), left, np.nan)


def _developer_columns(records: Sequence[Record], descriptions: Sequence[Record]) -> dict[str, Floats]:
    columns: dict[str, Floats] = {}
    for position, description in enumerate(descriptions):
        column = _developer_column(description)
        if column is None:
            continue
        values = _numbers([record.get("developer_fields", {}).get(position) for record in records])
        if np.isfinite(values).any():
            columns.setdefault(column, _in_our_unit(column, values, description))
    return columns


def _developer_column(description: Record) -> str | None:
    if description.get("native_mesg_num") not in (None, 20, "record"):
        return None
    native = _BY_FIELD_NUMBER.get(description.get("native_field_num", -1))
    name = re.sub(r"[^a-z]", "", _text(description.get("field_name")).lower())
    return native or _BY_DEVELOPER_NAME.get(name)


def _in_our_unit(column: str, values: Floats, description: Record) -> Floats:
    invalid = _INVALID.get(description.get("fit_base_type_id", -1))
    if invalid is not None:
        values = np.where(values == invalid, np.nan, values)
    values = values / float(description.get("scale") or 1) - float(description.get("offset") or 0)
    unit = _text(description.get("units")).strip().lower()
    if unit in _FAHRENHEIT:
        return (values - 32) / 1.8
    return values * BY_WIRE_NAME[column].units.get(unit, 1.0)


def _text(value: object) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, str) else ""


def _says_more(developer: Floats, native: Floats) -> bool:
    # A watch may write zeros in a column that an ergometer's own field measures: twice as many values decide.
    return _count(developer) > 2 * _count(native)


def _count(values: Floats) -> int:
    return int(np.count_nonzero(np.nan_to_num(values)))


def _numbers(values: list[Any]) -> Floats:
    try:
        numbers = np.array(values, np.float64)
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim == 1:
        return numbers
    return np.array([_number(value) for value in values], np.float64)


def _number(value: object) -> float:
    # Some devices write a number twice; the first counts.
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return float(first) if isinstance(first, (int, float)) else np.nan
