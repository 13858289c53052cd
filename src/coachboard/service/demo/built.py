"""Rows built without a check: the generator's values are right by construction, and the tests read every row back."""

from functools import cache
from typing import Any, TypeVar

from coachboard.models.base import Wire

_Row = TypeVar("_Row", bound=Wire)


def built(model: type[_Row], /, **values: Any) -> _Row:
    """The row with those values under their names in Python, all fields given.

    As `model_construct`, which looks up the alias and default of each field and took a fifth of the generation.
    """
    row = model.__new__(model)
    put = object.__setattr__
    put(row, "__dict__", values)
    put(row, "__pydantic_fields_set__", _fields(model))
    put(row, "__pydantic_extra__", None)
    put(row, "__pydantic_private__", None)
    return row


@cache
def _fields(model: type[Wire]) -> set[str]:
    return set(model.model_fields)
