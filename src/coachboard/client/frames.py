"""The columns of ranged lists as data frames: the models' field names, with type and unit.

Nested lists (laps, climbs, lengths, structures) are no columns; each has a frame of its own.
"""

import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import Enum
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic.alias_generators import to_snake

from coachboard.wire.activities import Activity
from coachboard.wire.base import Wire
from coachboard.wire.fields import FIELDS
from coachboard.wire.prescriptions import (
    StructureElement,
    StructureIntensity,
    StructureStep,
    TrainingPrescription,
)
from coachboard.wire.stream_columns import COLUMNS
from coachboard.wire.streams import ActivityStreams

STREAM_UNITS: Mapping[str, str] = {column.name: column.unit for column in COLUMNS if column.unit}
"""Units of the stream columns that have one."""


class Kind(Enum):
    """The type of a column."""

    TEXT = "str"
    NUMBER = "float64"
    YES_NO = "boolean"
    DAY = "datetime64[s]"
    MOMENT = "datetime64[s, UTC]"
    LOCAL_MOMENT = "datetime64[s] of the athlete's clock"


@dataclass(frozen=True, slots=True)
class ListColumn:
    """One declared column of a list."""

    name: str
    wire_name: str
    kind: Kind
    unit: str | None


_KIND_BY_TYPE: tuple[tuple[type, Kind], ...] = (
    (bool, Kind.YES_NO),
    (str, Kind.TEXT),
    (time, Kind.TEXT),
    (float, Kind.NUMBER),
    (int, Kind.NUMBER),
)


@cache
def columns_of(model: type[Wire]) -> tuple[ListColumn, ...]:
    """The declared columns of a model, in the order of its fields."""
    columns = []
    for name, field in model.model_fields.items():
        kind = _kind_of(name, field.annotation)
        if kind is not None:
            columns.append(ListColumn(name, field.alias or name, kind, _unit_of(model, name)))
    return tuple(columns)


def _unit_of(model: type[Wire], name: str) -> str | None:
    """The unit of a field; a record of this model goes first: a length counts strokes, a lap revolutions a minute."""
    record = FIELDS.get(f"{model.__name__}.{name}") or FIELDS.get(name)
    return (record.unit or None) if record else None


def _kind_of(name: str, annotation: object) -> Kind | None:
    """The kind of a field, None for a nested field."""
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
    """The types that a field may have: `X | None` gives X and NoneType, `tuple[X, ...]` gives tuple."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return leaves_of(typing.get_args(annotation)[0])
    if origin in {typing.Union, types.UnionType}:
        return set[Any]().union(*(leaves_of(part) for part in typing.get_args(annotation)))
    return {annotation if origin is None else origin}


def build_frame(model: type[Wire], rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A frame with the declared columns from decoded rows that the model accepts."""
    return pd.DataFrame(
        {
            column.name: _ARRAYS[column.kind]([row.get(column.wire_name) for row in rows])
            for column in columns_of(model)
        },
        copy=False,
    )


def _text(values: Sequence[Any]) -> Any:
    # pandas stores text as Arrow; from a list it takes four times as long.
    make: Any = pd.arrays.ArrowStringArray  # the stubs lack its dtype
    return make(pa.array(values, pa.large_string()), dtype=_TEXT)


_TEXT = pd.StringDtype(na_value=np.nan)


def _local_moment(values: Sequence[str | None]) -> Any:
    """The wall clock; None becomes NaT. The wire writes +00 after it, which is no zone here."""
    return np.array([value and value[:19] for value in values], "datetime64[s]")


_ARRAYS: Mapping[Kind, Callable[[Sequence[Any]], Any]] = {
    Kind.TEXT: _text,
    Kind.NUMBER: lambda values: np.array(values, np.float64),  # None becomes NaN
    Kind.YES_NO: lambda values: pd.array(values, dtype="boolean"),
    Kind.DAY: lambda values: np.array(values, "datetime64[s]"),
    Kind.MOMENT: lambda values: pd.DatetimeIndex(_local_moment(values), tz="UTC").array,
    Kind.LOCAL_MOMENT: _local_moment,
}


def frame_of(value: object) -> pd.DataFrame:
    """A value as a frame: one row per model, or per sample of streams."""
    if isinstance(value, ActivityStreams):
        return _streams_frame(value)
    models = value if isinstance(value, tuple) else (value,)
    if not models:
        return pd.DataFrame()
    if not all(isinstance(model, Wire) for model in models):
        raise TypeError(f"no frame of {type(models[0]).__name__}")
    model: type[Wire] = type(models[0])
    names = {column.name for column in columns_of(model)}  # not the nested lists, which take most of the time
    rows = [row.model_dump(mode="json", by_alias=True, include=names) for row in models]
    return build_frame(model, rows)


def _streams_frame(streams: ActivityStreams) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    if streams.timestamps is not None:
        columns["timestamp"] = pd.DatetimeIndex(streams.timestamps, tz="UTC")
    columns |= {to_snake(name): values for name, values in streams.columns.items()}
    return pd.DataFrame(columns, copy=False)


def empty_streams_frame() -> pd.DataFrame:
    """A frame of no samples with the activity, the time and each numeric column of the interface ("ActivityStreams")."""
    numbers = {to_snake(column.name): np.empty(0) for column in COLUMNS}
    return pd.DataFrame({"activity_id": _text([]), "timestamp": _ARRAYS[Kind.MOMENT]([]), **numbers})


NESTED: Mapping[type[Wire], tuple[str, ...]] = {
    Activity: ("laps", "climbs", "lengths", "provider_laps"),
    TrainingPrescription: ("structure",),
}
"""The nested lists that have a frame of their own."""


def nested_frame(models: Sequence[Wire], name: str) -> pd.DataFrame:
    """The nested rows of all models in one frame, each with the id of its model and its number from 1.

    `structure` has one row per written step; `repetitions` says how often the workout has the step. Raises `ValueError`
    for another name.
    """
    model = next((kind for kind, names in NESTED.items() if name in names), None)
    if model is None or not all(isinstance(row, model) for row in models):
        raise ValueError(f"no nested rows {name!r}; activities have laps, climbs, lengths and provider_laps, "
                         "planned workouts have a structure")  # fmt: skip
    nested: list[Sequence[Any]] = [
        list(_steps(getattr(row, name) or ())) if name == "structure" else getattr(row, name)
        for row in models
    ]
    parts = [part for rows in nested for part in rows]
    if name == "structure":
        frame = _steps_frame(parts)
    else:
        frame = build_frame(
            typing.get_args(model.model_fields[name].annotation)[0], [part.to_wire() for part in parts]
        )
    ids: list[Any] = [row.id for row in models]  # type: ignore[attr-defined] # the base of all models has no id
    owner = "activity_id" if model is Activity else "prescription_id"
    frame.insert(0, owner, _text([id_ for id_, rows in zip(ids, nested, strict=True) for _ in rows]))
    frame.insert(1, "number", np.array([n for rows in nested for n in range(1, len(rows) + 1)], np.int64))
    return frame


class _Step(typing.NamedTuple):
    step: StructureStep
    repetitions: int


def _steps(elements: Sequence[StructureElement]) -> Iterator[_Step]:
    """The steps in order; no recursion, because a workout may nest a thousand levels."""
    waiting = [(element, 1) for element in reversed(elements)]
    while waiting:
        element, times = waiting.pop()
        if isinstance(element, StructureStep):
            yield _Step(element, times)
        else:
            waiting += [(inner, times * element.n_repetitions) for inner in reversed(element.steps)]


def _steps_frame(steps: Sequence[_Step]) -> pd.DataFrame:
    frame = build_frame(StructureIntensity, [numbered.step.intensity.to_wire() for numbered in steps])
    lengths = [numbered.step.length for numbered in steps]
    frame.insert(0, "label", _text([numbered.step.label for numbered in steps]))
    frame.insert(1, "repetitions", np.array([float(numbered.repetitions) for numbered in steps], np.float64))
    frame.insert(2, "length", _text([length.type for length in lengths]))
    frame.insert(
        3, "duration", np.array([getattr(length, "duration", None) for length in lengths], np.float64)
    )
    frame.insert(
        4, "distance", np.array([getattr(length, "distance", None) for length in lengths], np.float64)
    )
    return frame
