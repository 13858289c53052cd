"""Rows built without a check: the generator's values are right by construction, and the tests read every row back."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any, TypeVar

from coachboard.wire.base import Wire, wire_names

_Row = TypeVar("_Row", bound=Wire)


def built(model: type[_Row], /, **values: Any) -> _Row:
    """The row with those values under their names in Python; the other fields are null.

    As `model_construct`, which looks up the alias and default of each field and took a fifth of the generation.
    """
    row = model.__new__(model)
    put = object.__setattr__
    put(row, "__dict__", _nulls(model) | values)
    put(row, "__pydantic_fields_set__", _fields(model))
    put(row, "__pydantic_extra__", None)
    put(row, "__pydantic_private__", None)
    return row


Part = dict[str, Any]
"""A row within a row (a lap, a length, a step of a plan) under the names of the wire: an activity has dozens."""


def parts(model: type[Wire], columns: Mapping[str, Sequence[Any]]) -> tuple[Part, ...]:
    """The parts that the columns hold, under their names in Python; the other fields are null."""
    names, absent = wire_names(model), [name for name in _nulls(model) if name not in columns]
    keys = [names[name] for name in (*columns, *absent)]
    values = zip(*columns.values(), *[repeat(None)] * len(absent), strict=False)
    return tuple(dict(zip(keys, row, strict=True)) for row in values)


@cache
def _fields(model: type[Wire]) -> set[str]:
    return set(model.model_fields)


@cache
def _nulls(model: type[Wire]) -> dict[str, Any]:
    return dict.fromkeys(model.model_fields)
