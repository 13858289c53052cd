"""Any valid payload of any object, made from the table of expectations: strategies for hypothesis."""

from datetime import date, time
from enum import StrEnum
from typing import Any

from hypothesis import strategies as st

from coachboard.wire import enums, metrics
from coachboard.wire.base import FIRST_DAY, LAST_DAY, MAX_NUMBER
from unit.wire.expectations import OBJECTS, Expected

_SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(max_size=8),
    "number": st.integers(-(10**9), 10**9) | st.floats(-MAX_NUMBER, MAX_NUMBER),
    "index": st.integers(0, 10**6),
    "day": st.dates(FIRST_DAY, LAST_DAY).map(date.isoformat),
    "time of day": st.times().map(lambda moment: moment.replace(microsecond=0)).map(time.isoformat),
    "yes or no": st.booleans(),
}
_CHOICES = {
    "StepLength": ("FreeLength", "DurationLength", "DistanceLength"),
    "StructureElement": ("StructureStep", "StructureRepetition"),
}
_SIMPLE["moment"] = st.builds("{} {}+00".format, _SIMPLE["day"], _SIMPLE["time of day"])
_SIMPLE["local moment"] = _SIMPLE["moment"]


ENUMERATIONS = {
    name: value
    for module in (enums, metrics)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, StrEnum) and value is not StrEnum
}


def values(kind: str) -> st.SearchStrategy[Any]:
    """Any value of one kind of the table."""
    if kind.startswith("["):
        return st.lists(st.deferred(lambda: values(kind[1:-1])), max_size=2)
    if kind.startswith("'"):
        return st.just(kind.strip("'"))
    if kind in _CHOICES:
        return st.one_of([st.deferred(lambda name=name: payloads(name)) for name in _CHOICES[kind]])
    if kind in OBJECTS:
        return payloads(kind)
    return _SIMPLE[kind] if kind in _SIMPLE else st.sampled_from([str(v) for v in ENUMERATIONS[kind]])


def _value(field: Expected) -> st.SearchStrategy[Any]:
    return st.none() | values(field.kind) if field.is_nullable else values(field.kind)


def payloads(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any valid payload of one object."""
    fields = OBJECTS[name]
    return st.fixed_dictionaries(
        {field.name: _value(field) for field in fields if not field.is_optional},
        optional={field.name: _value(field) for field in fields if field.is_optional},
    )
