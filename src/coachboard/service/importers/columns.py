"""Foreign names and units of time series as one table: FIT fields and developer fields; XML tags are in `points`.

Units of our columns where the interface names none (`spec: not shown`): leftRightBalance percent of the left
side, torque Nm, wPrimeBalance J, groundContactTime ms, stepLength and verticalOscillation mm, temperatures
degrees Celsius, breathingRate 1/min, tidalVolume L, minuteVentilation L/min, fluidLoss mL, sodiumLoss mg.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from coachboard.catalogues.streams import BY_WIRE_NAME, COLUMNS
from coachboard.service.importers.recording import Floats

Record = Mapping[Any, Any]

_SEMICIRCLES = 180 / 2**31
_RIGHT_SIDE = 0x80
_NO_ALTITUDE_M = -500.0
"""The raw value 0 of FIT's altitude; the lowest shore on earth is 430 m below the sea."""

FIT_FIELDS: Mapping[str, tuple[tuple[str, float], ...]] = MappingProxyType(
    {
        "power": (("power", 1),),
        "distance": (("distance", 1),),
        "heartRate": (("heart_rate", 1),),
        "temperature": (("temperature", 1),),
        "altitude": (("enhanced_altitude", 1), ("altitude", 1)),
        "speed": (("enhanced_speed", 1), ("speed", 1)),
        "grade": (("grade", 1),),
        "positionLat": (("position_lat", _SEMICIRCLES),),
        "positionLong": (("position_long", _SEMICIRCLES),),
        "coreTemperature": (("core_temperature", 1),),
        "breathingRate": (("enhanced_respiration_rate", 1), ("respiration_rate", 1)),
        "groundContactTime": (("stance_time", 1),),
        "stepLength": (("step_length", 1),),
        "verticalOscillation": (("vertical_oscillation", 1),),
    }
)
"""Our column, and the FIT record fields it is read from with their factors; the first that has values wins."""

_NATIVE_FIELDS = {
    2: "altitude",
    3: "heartRate",
    4: "cadence",
    5: "distance",
    6: "speed",
    7: "power",
    9: "grade",
    13: "temperature",
    39: "verticalOscillation",
    41: "groundContactTime",
    73: "speed",
    78: "altitude",
    85: "stepLength",
    99: "breathingRate",
    108: "breathingRate",
    139: "coreTemperature",
}
"""FIT record fields by number, and our column: a developer field may name the record field that it replaces."""

_DEVELOPER_NAMES = {column.wire_name.lower(): column.wire_name for column in COLUMNS if column.group} | {
    "power": "power",
    "rppower": "power",
    "runpower": "power",
    "cadence": "cadence",
    "strokerate": "cadence",
    "heartrate": "heartRate",
    "groundtime": "groundContactTime",
    "stancetime": "groundContactTime",
    "corebodytemperature": "coreTemperature",
    "hsi": "heatStrainIndex",
    "breathrate": "breathingRate",
    "respirationrate": "breathingRate",
    "ventilation": "minuteVentilation",
    "wprimebal": "wPrimeBalance",
    "wprimebalance": "wPrimeBalance",
    "wbal": "wPrimeBalance",
}
"""Names of developer fields, letters only: CORE, Stryd, RunScribe, Concept2, Tymewear, hDrop and the like.

Further sensors are also found under their own name.
"""

_UNITS: Mapping[str, Mapping[str, float]] = {
    "verticalOscillation": {"centimeters": 10, "cm": 10, "meters": 1000, "m": 1000},
    "stepLength": {"centimeters": 10, "cm": 10, "meters": 1000, "m": 1000},
    "groundContactTime": {"seconds": 1000, "s": 1000},
    "speed": {"km/h": 1 / 3.6, "kph": 1 / 3.6, "kmh": 1 / 3.6, "mm/s": 0.001},
    "distance": {"km": 1000, "cm": 0.01},
    "wPrimeBalance": {"kj": 1000},
    "tidalVolume": {"ml": 0.001},
    "minuteVentilation": {"ml/min": 0.001},
    "fluidLoss": {"l": 1000},
    "sodiumLoss": {"g": 1000},
}
"""Factors from the units that a developer field names to ours; a unit that is not listed is taken as ours."""

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
    for column, sources in FIT_FIELDS.items():
        for name, factor in sources:
            values = clean(column, _numbers([record.get(name) for record in records]) * factor)
            if np.isfinite(values).any():
                columns[column] = values
                break
    cadence = _numbers([record.get("cadence") for record in records])
    if np.isfinite(cadence).any():
        part = _numbers([record.get("fractional_cadence") for record in records])
        columns["cadence"] = cadence + np.nan_to_num(part)
    balance = _numbers([record.get("left_right_balance") for record in records])
    if np.isfinite(balance).any():
        columns["leftRightBalance"] = left_share_pct(balance)
    return drop_null_island(columns)


def left_share_pct(balance: Floats) -> Floats:
    """FIT's balance byte as percent of the left side: bit 7 says that the percentage is the right side's."""
    known = np.isfinite(balance)
    raw = np.where(known, balance, 0).astype(np.int64)
    share = (raw & ~_RIGHT_SIDE).astype(np.float64)
    left = np.where(raw & _RIGHT_SIDE, 100 - share, share)
    return np.where(known & (share <= 100), left, np.nan)


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
    native = _NATIVE_FIELDS.get(description.get("native_field_num", -1))
    return native or _DEVELOPER_NAMES.get(re.sub(r"[^a-z]", "", _text(description.get("field_name")).lower()))


def _in_our_unit(column: str, values: Floats, description: Record) -> Floats:
    invalid = _INVALID.get(description.get("fit_base_type_id", -1))
    if invalid is not None:
        values = np.where(values == invalid, np.nan, values)
    values = values / float(description.get("scale") or 1) - float(description.get("offset") or 0)
    unit = _text(description.get("units")).strip().lower()
    if unit in _FAHRENHEIT:
        return (values - 32) / 1.8
    return values * _UNITS.get(column, {}).get(unit, 1.0)


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
