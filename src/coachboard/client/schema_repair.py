"""Whether rows are as the interface describes: a whole list in one pass, or row by row, with a repair of those that differ.

msgspec decodes and checks a list in one pass: a struct per model has the same fields and accepts no more than the model
does. If a reply does not fit, `decode` reads it row by row.

The interface is closed, but a service adds fields and enumeration values. A new field must not cost the row: the odd part
is removed, and a row that stays unreadable is set aside. The cache stores the row as it was received, so that a later
version reads the fields that this version cannot.
"""

import copy
import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import astuple
from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_snake

from coachboard.client.errors import RowProblem
from coachboard.client.frames import leaves_of
from coachboard.client.resources import ALWAYS_PRESENT, HAS_MORE_FIELDS, ListRow, packer
from coachboard.wire.base import MAX_NUMBER, TimeOfDay, Wire, plausible_day
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import User, UserProfile

_Check = Callable[[list[str]], bool]
_Checks = tuple[tuple[Callable[[Any], Any], _Check], ...]

MAX_TEXT = 10_000
"""Characters of a text: of a longer one only the beginning is read.

The search of illnesses in a note of 50 MB took three minutes, in which no other session ran.
"""


def read_sound(model: type[Wire], body: bytes, nested: tuple[str, ...]) -> list[ListRow] | None:
    """The rows of a reply if the model reads all of them and no id is repeated; None means only: check each row.

    A year of sessions has 8,000 laps and pool lengths: to decode its 2.7 MB and then check each column took 51 ms, this
    takes 17. A roster of 25 athletes reads a year of each: most of its first page.
    """
    reader = _reader(model, nested)
    if reader is None:
        return None
    try:
        rows = reader.read(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return rows if rows is not None and len({row.id for row in rows}) == len(rows) else None


@dataclass(frozen=True, slots=True)
class _Parts:
    """The nested lists with one name: checked, but kept as JSON."""

    get: Callable[[Any], bytes]
    decode: Callable[[bytes], list[list[Any]]]
    checks: _Checks

    def are_sound(self, rows: Sequence[Any]) -> bool:
        parts = self.decode(b"[%b]" % b",".join(map(self.get, rows)))
        return _pass(self.checks, list(chain.from_iterable(parts)))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads an array of the rows of one model."""

    decode: Callable[[bytes], list[Any]]
    checks: _Checks
    names: tuple[str, ...]  # on the wire, without the nested lists, which are the last fields
    parts: tuple[_Parts, ...]
    nested: bytes  # the template for the JSON of the nested lists of a row

    def read(self, body: bytes) -> list[ListRow] | None:
        """The rows; None, or an exception, if anything differs from the interface."""
        rows = self.decode(body)
        if not _pass(self.checks, rows) or not all(parts.are_sound(rows) for parts in self.parts):
            return None
        pack = packer()
        return [self._row(astuple(row), pack) for row in rows]

    def _row(self, values: tuple[Any, ...], pack: Callable[[bytes], bytes]) -> ListRow:
        count = len(self.names)
        nested = pack(self.nested % values[count:]) if self.parts else None
        return ListRow(dict(zip(self.names, values[:count], strict=True)), nested=nested)


def _pass(checks: _Checks, rows: Sequence[Any]) -> bool:
    texts = ((are_valid, [text for text in map(get, rows) if text is not None]) for get, are_valid in checks)
    return all(are_valid(column) for are_valid, column in texts)


@cache
def _reader(model: type[Wire], nested: tuple[str, ...]) -> _Reader | None:
    """The reader of a model; None for a model with optional fields or with objects outside of its nested lists."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    flat = {name: leaves_of(field.annotation) for name, field in fields.items() if name not in nested}
    kinds = [leaf for leaf in chain(*flat.values()) if isinstance(leaf, type)]
    if any(issubclass(kind, Wire | tuple) for kind in kinds) or not all(
        field.is_required() for field in fields.values()
    ):
        return None
    assert (*flat, *nested) == tuple(fields), "the nested lists are the last fields"
    return _Reader(
        msgspec.json.Decoder(list.__class_getitem__(_struct_of(model, nested))).decode,
        _checks_of(model),
        tuple(flat),
        tuple(_parts(name, typing.get_args(fields[name].annotation)[0]) for name in nested),
        b"{%b}" % b",".join(b'"%b":%%b' % name.encode() for name in nested),
    )


def _parts(name: str, model: type[Wire]) -> _Parts:
    lists = list.__class_getitem__(list.__class_getitem__(_struct_of(model, ())))
    return _Parts(attrgetter(to_snake(name)), msgspec.json.Decoder(lists).decode, _checks_of(model))


def _struct_of(model: type[Wire], nested: tuple[str, ...]) -> Any:
    fields = model.model_fields
    return msgspec.defstruct(
        model.__name__,
        [_field(model, name, is_nested=field.alias in nested) for name, field in fields.items()],
        rename={name: field.alias or name for name, field in fields.items()},
        forbid_unknown_fields=model not in HAS_MORE_FIELDS,
        gc=False,
    )


def _field(model: type[Wire], name: str, *, is_nested: bool) -> tuple[str, Any] | tuple[str, Any, None]:
    leaves = leaves_of(model.model_fields[name].annotation)
    kind = msgspec.Raw if is_nested else _kind_of(leaves)
    kind = kind | None if NoneType in leaves else kind
    return (name, kind, None) if name not in ALWAYS_PRESENT.get(model, {name}) else (name, kind)


_LIMITS = msgspec.Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)
_KIND_OF_TYPE: Mapping[type, Any] = {
    float: Annotated[int, _LIMITS] | Annotated[float, _LIMITS],
    int: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)],  # orjson reads a larger one as a float
    bool: bool,
}


def _kind_of(leaves: set[Any]) -> Any:
    """The type that msgspec decodes for a field; days and times are texts, which `_CHECKS` read."""
    enums = [leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, StrEnum)]
    if enums:
        return Literal[*map(str, enums[0])]
    kinds = (kind for leaf, kind in _KIND_OF_TYPE.items() if leaf in leaves)
    return next(kinds, Annotated[str, msgspec.Meta(max_length=MAX_TEXT)])


_MOMENTS = re.compile(r"(?:\d{4}-\d{2}-\d{2} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\+00)*", re.ASCII)
_MOMENT_LENGTH = len("2026-03-10 08:00:00+00")
_CLOCK_TIMES = TypeAdapter(list[TimeOfDay])


def _are_moments(moments: list[str]) -> bool:
    """Whether moments are valid: form and clock by one pattern, each day by the model.

    A year of sessions has 16,000 moments; for 4,100 of them the model alone takes 6.8 ms, this check 1.4 ms.
    """
    # Without the length, a text of two moments would match.
    is_in_form = set(map(len, moments)) <= {_MOMENT_LENGTH} and _MOMENTS.fullmatch("".join(moments))
    return bool(is_in_form) and _are_days({moment[:10] for moment in moments})


def _are_days(days: Iterable[str]) -> bool:
    return all(map(_is_day, set(days)))


@lru_cache(4_096)
def _is_day(text: str) -> bool:
    """Whether a text is a day of the interface; cached because all lists of a squad have the same days."""
    try:
        plausible_day(text)
    except ValueError:
        return False
    return True


def _are_clock_times(texts: list[str]) -> bool:
    try:
        _CLOCK_TIMES.validate_python(texts)
    except ValueError:
        return False
    return True


_CHECKS: Mapping[type, _Check] = {
    datetime: _are_moments,
    date: _are_days,
    time: _are_clock_times,
}


def _checks_of(model: type[Wire]) -> _Checks:
    leaves = {name: leaves_of(field.annotation) for name, field in model.model_fields.items()}
    return tuple(
        (attrgetter(name), check)
        for name in leaves
        for kind, check in _CHECKS.items()
        if kind in leaves[name]
    )


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
