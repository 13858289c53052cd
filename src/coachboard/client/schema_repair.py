"""Rows that differ from the interface: remove the odd part, and set aside the row that stays unreadable.

The interface is closed, but a service adds fields and enumeration values. A new field must not cost the row. The
cache stores the row as it was received, so that a later version reads the fields that this version cannot.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from pydantic import ValidationError

from coachboard.client.errors import RowProblem
from coachboard.client.resources import ALWAYS_PRESENT, HAS_MORE_FIELDS
from coachboard.wire.base import Wire, plausible_day
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import User, UserProfile

CATCH_ALL: Mapping[tuple[type[Wire], str], str] = {
    (TrainingPrescription, "sport"): "generic",
    (Event, "sport"): "generic",
    (Note, "type"): "other",
    (User, "dataOnboardingStatus"): "ongoing",
    (UserProfile, "dataOnboardingStatus"): "ongoing",
}
"""The substitute for an unknown value in a field that may not be null."""

_MAX_ROUNDS = 50  # of repairing one row; each round removes at least one odd part
_MAX_VALUE_LENGTH = 40
_UNKNOWN_VALUE = frozenset({"enum", "union_tag_invalid", "literal_error"})
_REPAIRABLE = _UNKNOWN_VALUE | {"extra_forbidden"}
_INDEX = re.compile(r"\[[^\]]*\]")


def fill_open_fields(model: type[Wire], row: Any) -> Any:
    """Drop or add the fields that the interface leaves open; such a row is no drift."""
    if not isinstance(row, dict) or (model not in HAS_MORE_FIELDS and model not in ALWAYS_PRESENT):
        return row
    names = [field.alias or name for name, field in model.model_fields.items()]
    if model in HAS_MORE_FIELDS:
        return {name: value for name, value in row.items() if name in names}
    return {name: None for name in names if name not in ALWAYS_PRESENT[model]} | row


def is_sound(model: type[Wire], row: Any) -> bool:
    """Whether the model reads the row without repair."""
    try:
        model.from_wire(row)
    except ValueError:
        return False
    return True


def repair(model: type[Wire], row: Any, place: str) -> tuple[dict[str, Any] | None, list[RowProblem]]:
    """The row as the model reads it, None where it stays unreadable, and the problems found."""
    row_id = row.get("id") if isinstance(row, dict) and isinstance(row.get("id"), str) else None
    repaired = copy.deepcopy(row)
    problems: list[RowProblem] = []
    for _ in range(_MAX_ROUNDS):
        errors = _errors_of(model, repaired)
        if not errors:
            return repaired, problems
        worst = next((error for error in errors if error["type"] not in _REPAIRABLE), errors[0])
        where = f"{place}.{_where(repaired, worst)}" if worst["loc"] else place
        change = _remove(model, repaired, worst)
        if change is None:
            return None, [
                RowProblem(where, _in_words(worst), is_set_aside=True, row_id=row_id, day=_day_of(row))
            ]
        problems.append(RowProblem(where, change, is_set_aside=False, row_id=row_id))
    return None, [
        RowProblem(place, "too many unknown fields", is_set_aside=True, row_id=row_id, day=_day_of(row))
    ]


def _day_of(row: Any) -> date | None:
    """The day of a session that is left out: its local day, as in the lists."""
    for name in ("startedAtLocal", "startedAt") if isinstance(row, dict) else ():
        if row.get(name) is not None:
            with suppress(ValueError):
                return plausible_day(str(row[name])[:10])
    return None


def report_once(problems: Iterable[RowProblem]) -> tuple[RowProblem, ...]:
    """Each row set aside, but each odd field once: a new field is one notice, not 240."""
    kept: dict[object, RowProblem] = {}
    for number, problem in enumerate(problems):
        place = _INDEX.sub("[]", problem.place)
        kept.setdefault(number if problem.is_set_aside else (place, problem.says), problem)
    return tuple(kept.values())


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
"""The words that a coach reads for an error of pydantic; without an entry, its message."""


def _in_words(error: Mapping[str, Any]) -> str:
    return _WORDS.get(error["type"], str(error["msg"]).removeprefix("Value error, "))


def _where(row: Any, error: Mapping[str, Any]) -> str:
    """The place in the reply: pydantic also names the branches of a union."""
    location = error["loc"]
    if error["type"] == "missing":
        return _path((*_keys(row, location[:-1]), location[-1]))
    return _path(tuple(_keys(row, location)))


def _errors_of(model: type[Wire], row: Any) -> list[Any]:
    try:
        model.from_wire(row)
    except ValidationError as error:
        return error.errors(include_url=False, include_context=False)
    return []


def _remove(model: type[Wire], row: Any, error: Mapping[str, Any]) -> str | None:
    """Remove the odd part of the row in place; None where that is impossible."""
    if error["type"] == "extra_forbidden":
        keys = _keys(row, error["loc"])
        del _at(row, keys[:-1])[keys[-1]]
        return "unknown field, ignored"
    if error["type"] in _UNKNOWN_VALUE:
        return _remove_value(model, row, _keys(row, error["loc"]))
    return None


def _remove_value(model: type[Wire], row: Any, keys: list[str | int]) -> str | None:
    if not keys:
        return None
    unknown = f"unknown value {str(_at(row, keys))[:_MAX_VALUE_LENGTH]!r}"
    for substitute, change in ((None, "left empty"), (CATCH_ALL.get((model, str(keys[0]))), "read as other")):
        if _accepts(model, row, keys, substitute):
            _at(row, keys[:-1])[keys[-1]] = substitute
            return f"{unknown}, {change}"
    return _remove_element(row, keys, unknown)


def _accepts(model: type[Wire], row: Any, keys: list[str | int], substitute: object) -> bool:
    trial = copy.deepcopy(row)
    _at(trial, keys[:-1])[keys[-1]] = substitute
    return not any(_keys(trial, error["loc"])[: len(keys)] == keys for error in _errors_of(model, trial))


def _remove_element(row: Any, keys: list[str | int], unknown: str) -> str | None:
    """Remove the list element with the value. Half a workout would be a wrong workout: remove the whole structure."""
    top = keys[0]
    if top == "structure":
        row[top] = None
        return f"{unknown}, workout structure ignored"
    if len(keys) > 1 and isinstance(row[top], list):
        del row[top][keys[1]]
        return f"{unknown}, element ignored"
    return None


def _keys(row: Any, location: tuple[str | int, ...]) -> list[str | int]:
    """The location without the names of union branches, which are no keys of the row."""
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


def _path(location: tuple[str | int, ...]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")
