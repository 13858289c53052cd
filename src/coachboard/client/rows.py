"""The columns of ranged lists as data frames: the models' field names, with type and unit.

Nested lists (laps, climbs, lengths, structures) are no columns; they are read from the models.
"""

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.internals import create_dataframe_from_blocks  # type: ignore[import-not-found] # the stubs lack it
from pydantic.alias_generators import to_snake

from coachboard.models.base import Wire
from coachboard.models.streams import ActivityStreams

UNITS: Mapping[str, str] = {
    "utc_offset": "min",
    "moving_duration": "s",
    "effective_duration": "s",
    "total_duration": "s",
    "duration": "s",
    "free_duration": "s",
    "in_bed_duration": "s",
    "awake_duration": "s",
    "light_duration": "s",
    "rem_duration": "s",
    "deep_duration": "s",
    "no_data_duration": "s",
    "distance": "m",
    "elevation_loss": "m",
    "elevation_gain": "m",
    "min_elevation": "m",
    "average_elevation": "m",
    "max_elevation": "m",
    "start_latitude": "degrees",
    "start_longitude": "degrees",
    "average_speed": "m/s",
    "max_speed": "m/s",
    "average_running_cadence": "strides/min",
    "max_running_cadence": "strides/min",
    "average_power": "W",
    "normalized_power": "W",
    "max_power": "W",
    "work": "kJ",
    "calories": "kcal",
    "carb_intake": "g/h",
    "height": "cm",
    # spec: not shown: units of nights and of temperatures, taken as these.
    "min_temperature": "°C",
    "average_temperature": "°C",
    "max_temperature": "°C",
    "average_hrv": "ms",
    "resting_heart_rate": "bpm",
    "average_heart_rate": "bpm",
    "max_heart_rate": "bpm",
    "skin_body_temperature": "°C",
    "skin_body_temperature_deviation": "°C",
}
"""Units of the columns that have one; a metric's value is in the unit of its own row."""

STREAM_UNITS: Mapping[str, str] = {
    "power": "W",
    "distance": "m",
    "heart_rate": "bpm",
    "altitude": "m",
    "speed": "m/s",
    "grade": "%",
    "position_lat": "degrees",
    "position_long": "degrees",
    "torque": "Nm",
}
"""Units of the stream columns whose unit the interface or its other fields tell."""


class Kind(Enum):
    """How a column is held."""

    TEXT = "str"
    NUMBER = "float64"
    FLAG = "boolean"
    DAY = "datetime64[s]"
    MOMENT = "datetime64[s, UTC]"
    LOCAL_MOMENT = "datetime64[s] of the athlete's clock"


@dataclass(frozen=True, slots=True)
class Column:
    """One declared column of a list."""

    name: str
    wire_name: str
    kind: Kind
    unit: str | None


_KIND_BY_TYPE: tuple[tuple[type, Kind], ...] = (
    (bool, Kind.FLAG),
    (str, Kind.TEXT),
    (time, Kind.TEXT),
    (float, Kind.NUMBER),
    (int, Kind.NUMBER),
)


@cache
def columns_of(model: type[Wire]) -> tuple[Column, ...]:
    """The declared columns of a model, in the order of its fields."""
    columns = []
    for name, field in model.model_fields.items():
        kind = _kind_of(name, field.annotation)
        if kind is not None:
            columns.append(Column(name, field.alias or name, kind, UNITS.get(name)))
    return tuple(columns)


def _kind_of(name: str, annotation: object) -> Kind | None:
    """The kind of a field, None where it is nested; of `int | float | None` the first that counts."""
    leaves = leaves_of(annotation)
    if datetime in leaves:
        return Kind.LOCAL_MOMENT if name.endswith("_local") else Kind.MOMENT
    if date in leaves:
        return Kind.DAY
    for base, kind in _KIND_BY_TYPE:
        if any(isinstance(leaf, type) and issubclass(leaf, base) for leaf in leaves):
            return kind
    return None


def leaves_of(annotation: Any) -> set[Any]:
    """The types of a union, with `Annotated` taken off; a tuple or list is a leaf."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return leaves_of(typing.get_args(annotation)[0])
    if origin in {typing.Union, types.UnionType}:
        return set[Any]().union(*(leaves_of(part) for part in typing.get_args(annotation)))
    return {annotation if origin is None else origin}


def build_frame(model: type[Wire], rows: Sequence[Sequence[Any]]) -> pd.DataFrame:
    """A frame with the declared columns from the values of rows as `values_of` gives them; they must be valid."""
    layout = _layout_of(model)
    # A typed row from the cache lacks the nested lists, which come last and have no column; an untyped row has them.
    columns = list(zip(*rows, strict=False)) or [()] * layout.width
    blocks = [
        block
        for kind, (fields, places) in layout.columns.items()
        for block in _BLOCKS[kind]([columns[field] for field in fields], places)
    ]
    frame: pd.DataFrame = create_dataframe_from_blocks(
        blocks, index=pd.RangeIndex(len(rows)), columns=layout.names
    )
    return frame


def values_of(model: type[Wire], row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values of a decoded row in the order of the model's fields."""
    return tuple(map(row.get, _wire_names(model)))


@cache
def _wire_names(model: type[Wire]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


_Block = tuple[Any, Any]  # of values, and the places of its columns: as pandas takes them


@dataclass(frozen=True, slots=True)
class _Layout:
    """The declared columns by their kind: which fields of the model they are, and their places in the frame."""

    width: int  # of the model
    names: pd.Index
    columns: Mapping[Kind, tuple[tuple[int, ...], Any]]


@cache
def _layout_of(model: type[Wire]) -> _Layout:
    columns = columns_of(model)
    by_kind = {
        kind: [place for place, column in enumerate(columns) if column.kind is kind]
        for kind in dict.fromkeys(column.kind for column in columns)
    }
    fields = list(model.model_fields)
    return _Layout(
        len(fields),
        pd.Index([column.name for column in columns]),
        {
            kind: (tuple(fields.index(columns[place].name) for place in places), np.array(places))
            for kind, places in by_kind.items()
        },
    )


def _texts(columns: Sequence[Sequence[Any]], places: Any) -> list[_Block]:
    # By way of Arrow, which is how pandas holds them: from a list it takes four times as long. All at once, and
    # each its part of it, takes half of what one at a time does.
    rows = len(columns[0])
    whole = pa.array([text for column in columns for text in column], pa.large_string())
    parts = (whole.slice(n * rows, rows) for n in range(len(columns)))
    make: Any = pd.arrays.ArrowStringArray  # the stubs lack its dtype
    return [(make(part, dtype=_TEXT), places[n : n + 1]) for n, part in enumerate(parts)]


_TEXT = pd.StringDtype(na_value=np.nan)


def _numbers(columns: Sequence[Sequence[Any]], places: Any) -> list[_Block]:
    # One block for all of them: forty single ones take pandas longer than all the rest.
    return [(np.array(columns, np.float64), places)]  # None becomes NaN


def _flags(columns: Sequence[Sequence[Any]], places: Any) -> list[_Block]:
    return [(pd.array(values, dtype="boolean"), places[n : n + 1]) for n, values in enumerate(columns)]


def _days(columns: Sequence[Sequence[Any]], places: Any) -> list[_Block]:
    return [(np.array(columns, "datetime64[s]"), places)]  # None becomes NaT


def _local_moments(columns: Sequence[Sequence[Any]], places: Any) -> list[_Block]:
    return _days([[value and value[:19] for value in values] for values in columns], places)


def _moments(columns: Sequence[Sequence[Any]], places: Any) -> list[_Block]:
    # The array as it is held; each way there that pandas documents takes ten times as long.
    make = pd.arrays.DatetimeArray._simple_new  # type: ignore[attr-defined] # noqa: SLF001
    ((moments, _),) = _local_moments(columns, places)
    return [(make(values, dtype=_MOMENT), places[n : n + 1]) for n, values in enumerate(moments)]


_MOMENT = pd.DatetimeTZDtype("s", "UTC")


_BLOCKS: Mapping[Kind, Callable[[Sequence[Sequence[Any]], Any], list[_Block]]] = {
    Kind.TEXT: _texts,
    Kind.NUMBER: _numbers,
    Kind.FLAG: _flags,
    Kind.DAY: _days,
    Kind.MOMENT: _moments,
    Kind.LOCAL_MOMENT: _local_moments,
}


def frame_of(value: object) -> pd.DataFrame:
    """A frame of what a result holds: one row a model, or one row a sample of streams."""
    if isinstance(value, ActivityStreams):
        return _streams_frame(value)
    models = value if isinstance(value, tuple) else (value,)
    if not models:
        return pd.DataFrame()
    if not all(isinstance(model, Wire) for model in models):
        raise TypeError(f"no frame of {type(models[0]).__name__}")
    model = type(models[0])
    return build_frame(model, [values_of(model, one.to_wire()) for one in models])


def _streams_frame(streams: ActivityStreams) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    if streams.timestamps is not None:
        columns["timestamp"] = pd.DatetimeIndex(streams.timestamps, tz="UTC")
    columns |= {to_snake(name): values for name, values in streams.columns.items()}
    return pd.DataFrame(columns, copy=False)
