"""Sentences about a request body that a model refuses: the name on the wire and what the field must be."""

from collections.abc import Iterator
from datetime import date, datetime
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from coachboard.models.base import FIRST_DAY, LAST_DAY, Wire, wire_names

_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    date: f"a date as YYYY-MM-DD from {FIRST_DAY} to {LAST_DAY}",
    datetime: f"a time as YYYY-MM-DD HH:MM:SS+00 from {FIRST_DAY.year} to {LAST_DAY.year}",
    type(None): "null",
}
_LIMITS = ("ge", "gt", "le", "multiple_of", "min_length", "max_length")


def wrong_field(error: ValidationError, model: type[Wire]) -> str:
    """The first wrong field of a body, without a full stop: `rpe: must be a number from 1 to 10, or null`."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if not first["loc"]:
        return "must be a JSON object"
    name = str(first["loc"][0])
    field = next((model.model_fields[key] for key, wire in wire_names(model).items() if wire == name), None)
    if field is None:
        return f"{name[:100]}: no such field"
    words = _words(Annotated[field.annotation, field])
    return f"{name}: required, {words}" if first["type"] == "missing" else f"{name}: must be {words}"


def _words(kind: Any) -> str:
    """The type of a field in words, with its limits."""
    parts = list(_parts(kind))
    kinds = [part for part in parts if isinstance(part, type) or get_origin(part)]
    if float in kinds:
        kinds.remove(int)
    limits = {name: [getattr(part, name) for part in parts if hasattr(part, name)] for name in _LIMITS}
    return ", or ".join(_named(each) + _range(each, limits) for each in kinds)


def _parts(kind: Any) -> Iterator[Any]:
    """The types of an annotation and the limits in it."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        yield from _parts(inner)
        for note in notes:
            yield from note.metadata if isinstance(note, FieldInfo) else [note]
    elif get_origin(kind) in {Union, UnionType}:
        for each in get_args(kind):
            yield from _parts(each)
    else:
        yield kind


def _named(kind: Any) -> str:
    if get_origin(kind) is dict:
        return f"an object, each value {_words(get_args(kind)[1])}"
    if issubclass(kind, Enum):
        return f"one of {', '.join(str(member.value) for member in kind)}"
    return _NAMES[kind]


def _range(kind: Any, limits: dict[str, list[Any]]) -> str:
    if kind is str and limits["max_length"]:
        least = max(limits["min_length"], default=0)
        most = f"{min(limits['max_length']):,} characters"
        return f" of {least} to {most}" if least else f" of at most {most}"
    if kind not in {int, float} or not limits["le"]:
        return ""
    most, step = f"{min(limits['le']):,}", limits["multiple_of"]
    span = f"above {max(limits['gt']):,} and at most {most}" if limits["gt"] else ""
    span = span or f"from {max(limits['ge']):,} to {most}"
    return f" {span}, a multiple of {step[0]}" if step else f" {span}"
