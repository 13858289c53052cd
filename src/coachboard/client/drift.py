"""Rows that are not of the interface: what is odd is taken out, what cannot be read is set aside.

The interface is closed, the world is not: a field or an enumeration value that came later must not cost the
row. The raw row stays in the cache, so that a later version reads what this one could not.
"""

import copy
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from coachboard.client.result import RowProblem
from coachboard.models.base import Wire
from coachboard.models.body import Metric, Sleep
from coachboard.models.plans import Event, Note
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.users import User, UserProfile

CATCH_ALL: Mapping[tuple[type[Wire], str], str] = {
    (TrainingPrescription, "sport"): "generic",
    (Event, "sport"): "generic",
    (Note, "type"): "other",
    (User, "dataOnboardingStatus"): "ongoing",
    (UserProfile, "dataOnboardingStatus"): "ongoing",
}
"""What stands for an unknown value where the field may not be null and the list has a word for the rest."""

_MOST_ROUNDS = 50  # of mending one row; each round takes out at least one oddity
_VALUE_LENGTH = 40
_UNKNOWN_VALUE = frozenset({"enum", "union_tag_invalid", "literal_error"})

MAY_HAVE_MORE: frozenset[type[Wire]] = frozenset({Metric})
"""spec: not shown: metrics have further fields, which are left out."""

SURE: Mapping[type[Wire], frozenset[str]] = {Sleep: frozenset({"id", "day"})}
"""spec: not shown: what a row of these has for certain; anything else may be missing."""


def settle(model: type[Wire], row: Any) -> Any:
    """Even out what the document leaves open, which is no drift."""
    if not isinstance(row, dict):
        return row
    names = [field.alias or name for name, field in model.model_fields.items()]
    if model in MAY_HAVE_MORE:
        return {name: value for name, value in row.items() if name in names}
    if model in SURE:
        return {name: None for name in names if name not in SURE[model]} | row
    return row


def mend(model: type[Wire], row: Any, place: str) -> tuple[dict[str, Any] | None, list[RowProblem]]:
    """The row as the model can read it, None where it cannot, and what was odd."""
    row_id = row.get("id") if isinstance(row, dict) and isinstance(row.get("id"), str) else None
    mended = copy.deepcopy(row)
    problems: list[RowProblem] = []
    for _ in range(_MOST_ROUNDS):
        errors = _errors_of(model, mended)
        if not errors:
            return mended, problems
        worst = next((error for error in errors if error["type"] not in _MENDABLE), errors[0])
        where = f"{place}.{_where(mended, worst)}" if worst["loc"] else place
        says = _take_out(model, mended, worst)
        if says is None:
            return None, [RowProblem(where, _in_words(worst), is_set_aside=True, row_id=row_id)]
        problems.append(RowProblem(where, says, is_set_aside=False, row_id=row_id))
    return None, [RowProblem(place, "too many unknown fields", is_set_aside=True, row_id=row_id)]


_MENDABLE = _UNKNOWN_VALUE | {"extra_forbidden"}

_WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "int_type": "is not a number",
    "float_type": "is not a number",
    "finite_number": "is not a number",
    "string_type": "is not a text",
    "bool_type": "is not true or false",
    "tuple_type": "is not a list",
    "model_type": "is not an object",
    "model_attributes_type": "is not an object",
}
"""What pydantic finds wrong, for who reads of it on a page; else its own words."""


def _in_words(error: Mapping[str, Any]) -> str:
    return _WORDS.get(error["type"], str(error["msg"]).removeprefix("Value error, "))


def _where(row: Any, error: Mapping[str, Any]) -> str:
    """The place as the reply has it: pydantic names the branches of a union too."""
    location = error["loc"]
    if error["type"] == "missing":
        return _written((*_keys(row, location[:-1]), location[-1]))
    return _written(tuple(_keys(row, location)))


def _errors_of(model: type[Wire], row: Any) -> list[Any]:
    try:
        model.from_wire(row)
    except ValidationError as error:
        return error.errors(include_url=False, include_context=False)
    return []


def _take_out(model: type[Wire], row: Any, error: Mapping[str, Any]) -> str | None:
    """Take the odd part out of the row in place; None where it must stay."""
    if error["type"] == "extra_forbidden":
        keys = _keys(row, error["loc"])
        del _at(row, keys[:-1])[keys[-1]]
        return "unknown field, ignored"
    if error["type"] in _UNKNOWN_VALUE:
        return _take_value_out(model, row, _keys(row, error["loc"]))
    return None


def _take_value_out(model: type[Wire], row: Any, keys: list[str | int]) -> str | None:
    if not keys:
        return None
    unknown = f"unknown value {str(_at(row, keys))[:_VALUE_LENGTH]!r}"
    for substitute, says in (
        (None, "left empty"),
        (CATCH_ALL.get((model, str(keys[0]))), "read as other"),
    ):
        if len(keys) == 1 and substitute is None and says != "left empty":
            continue
        if _accepts(model, row, keys, substitute):
            _at(row, keys[:-1])[keys[-1]] = substitute
            return f"{unknown}, {says}"
    return _take_element_out(row, keys, unknown)


def _accepts(model: type[Wire], row: Any, keys: list[str | int], substitute: object) -> bool:
    trial = copy.deepcopy(row)
    _at(trial, keys[:-1])[keys[-1]] = substitute
    return not any(_keys(trial, error["loc"])[: len(keys)] == keys for error in _errors_of(model, trial))


def _take_element_out(row: Any, keys: list[str | int], unknown: str) -> str | None:
    """Leave out the list element that holds the value; half a workout would be a wrong one, so that goes whole."""
    top = keys[0]
    if top == "structure":
        row[top] = None
        return f"{unknown}, workout structure ignored"
    if len(keys) > 1 and isinstance(row[top], list):
        del row[top][keys[1]]
        return f"{unknown}, element ignored"
    return None


def _keys(row: Any, location: tuple[str | int, ...]) -> list[str | int]:
    """The location without the names of union branches, which stand for no key."""
    keys: list[str | int] = []
    here: Any = row
    for part in location:
        try:
            here = here[part]
        except (KeyError, IndexError, TypeError):
            continue
        keys.append(part)
    return keys


def _at(row: Any, keys: list[str | int]) -> Any:
    for key in keys:
        row = row[key]
    return row


def _written(location: tuple[str | int, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")
