"""The one path from the bytes of a reply to rows: decode the JSON, check each row against its model, repair it.

A row is the decoded JSON object. Frames are built from rows without models; models are built when a caller asks.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import orjson
import pandas as pd
from pydantic import ValidationError

from coachboard.client.errors import RowProblem, UnreadableResponse
from coachboard.client.frames import build_frame
from coachboard.client.resources import ListRow, packer
from coachboard.client.schema_repair import (
    MAX_TEXT,
    fill_open_fields,
    is_sound,
    read_sound,
    repair,
    report_once,
)
from coachboard.plain_text import MOST_LEVELS
from coachboard.wire.base import Wire, plausible_instant

M = TypeVar("M", bound=Wire)


def read_json(body: bytes) -> Any:
    """The decoded body; raises `UnreadableResponse`."""
    try:
        return decode_json(body)
    except ValueError as error:
        raise UnreadableResponse(text=f"not JSON: {error}", is_cut=True) from error


def decode_json(body: bytes) -> Any:
    """The value of a JSON text; raises `ValueError` where the text is no JSON.

    Bytes that are not UTF-8 become U+FFFD: they cost their own field or row, not the whole reply.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return orjson.loads(body.decode("utf-8", "replace"))


def read_list(body: bytes, model: type[Wire], *, nested: Collection[str] = ()) -> list[ListRow]:
    """The rows of a reply that is an array; raises `UnreadableResponse` where it is none.

    A few odd rows are drift. If no row has an id, the reply is another document: to accept it as the list would
    delete all rows that the cache has of these days.
    """
    sound = read_sound(model, body, tuple(nested))
    if sound is not None:
        return sound
    payload = read_json(body)
    if not isinstance(payload, list):
        raise UnreadableResponse(text="expected an array")
    rows = check_rows(model, payload, nested=nested)
    if rows and all(row.id is None for row in rows):
        raise UnreadableResponse(text="no row has an id")
    return rows


def check_rows(model: type[Wire], payload: Sequence[Any], *, nested: Collection[str] = ()) -> list[ListRow]:
    """The decoded rows, odd ones marked; a repeated row once, another row with the same id marked as odd."""
    for value in payload:
        if isinstance(value, dict):
            _cut(value, but=nested)
    first_with: dict[str, ListRow] = {}
    rows: list[ListRow] = []
    for value in (fill_open_fields(model, value) for value in payload):
        row = _row(value, nested, is_odd=not is_sound(model, value))
        first = row if row.id is None else first_with.setdefault(row.id, row)
        if first is row:
            rows.append(row)
        elif (first.value, first.nested) != (row.value, row.nested):
            rows.append(ListRow(row.value, is_odd=True, nested=row.nested))
    return rows


def _row(value: Any, nested: Collection[str], *, is_odd: bool) -> ListRow:
    if not nested or not isinstance(value, dict):
        return ListRow(value, is_odd)
    large = {name: value[name] for name in nested if name in value}
    rest = {name: part for name, part in value.items() if name not in large}
    if (dumped := _dumped(large)) is None or len(dumped) > _LARGE_BYTES:
        _cut(large)
        dumped = orjson.dumps(large)
    return ListRow(rest, is_odd, packer()(dumped))


def _dumped(large: dict[str, Any]) -> bytes | None:
    """JSON of the nested lists, None if they nest deeper than orjson writes."""
    try:
        return orjson.dumps(large)
    except TypeError:
        return None


_LARGE_BYTES = 500_000
"""JSON of laps and steps: below it a text is not looked for, as the laps of a year have 100,000 values."""


def _cut(value: Any, *, but: Collection[str] = ()) -> None:
    """Shorten all texts and remove parts below `MOST_LEVELS` of a decoded object in place, except in its parts with these names."""
    waiting = [(value, 1)]
    while waiting:
        within, level = waiting.pop()
        for key, part in within.items() if type(within) is dict else enumerate(within):
            if type(part) is str:
                if len(part) > MAX_TEXT:
                    within[key] = part[:MAX_TEXT] + "…"
            elif type(part) in {dict, list} and key not in but:
                if level < MOST_LEVELS:
                    waiting.append((part, level + 1))
                else:
                    within[key] = None


class ListRows(Generic[M]):
    """The readable rows of a list, and the faults of the others; `identity` is equal for equal rows of the cache.

    The frame is built once, and models too, except those with laps and climbs: they take several times the memory of
    their rows, and end with the result that asked for them.
    """

    __slots__ = ("_frame", "_models", "_rows", "identity", "model", "problems")

    def __init__(
        self, model: type[M], rows: Sequence[ListRow], *, name: str, identity: Hashable = None
    ) -> None:
        self.model = model
        self._rows, self.problems = _repaired(model, rows, name)
        self.identity = identity
        self._models: tuple[M, ...] | None = None
        self._frame: pd.DataFrame | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def value(self) -> tuple[M, ...]:
        if self._models is not None:
            return self._models
        models = tuple(self.model.from_wire(row.whole()) for row in self._rows)
        if not any(row.nested for row in self._rows):
            self._models = models
        return models

    def rows(self, ids: Collection[str]) -> tuple[M, ...]:
        if (models := self._models) is not None:
            return tuple(row for row in models if getattr(row, "id", None) in ids)
        return tuple(self.model.from_wire(row.whole()) for row in self._rows if row.id in ids)

    def frame(self) -> pd.DataFrame:
        if self._frame is None:
            self._frame = build_frame(self.model, [row.value for row in self._rows])
        return self._frame.copy(deep=False)  # copy-on-write: a reader's change stays the reader's


def _repaired(
    model: type[Wire], rows: Sequence[ListRow], name: str
) -> tuple[list[ListRow], tuple[RowProblem, ...]]:
    """The rows that the model reads, the faulty ones repaired, and their faults."""
    if not any(row.is_odd for row in rows):
        return list(rows), ()
    readable: list[ListRow] = []
    problems: list[RowProblem] = []
    seen = {row.id for row in rows if not row.is_odd}
    for row in rows:
        if not row.is_odd:
            readable.append(row)
            continue
        place = f"{name}[{(row.id or '?')[:40]}]"
        if row.id is not None and row.id in seen:
            problems.append(
                RowProblem(place, "another row with the same id", is_set_aside=True, row_id=row.id)
            )
            continue
        value, faults = repair(model, row.whole(), place)
        problems += faults
        if value is not None:
            readable.append(ListRow(value, is_odd=True))
            seen.add(row.id)
    return readable, report_once(problems)


def read_object(body: bytes, model: type[M]) -> tuple[M, tuple[RowProblem, ...]]:
    """One object of a reply, repaired where that is possible; raises `UnreadableResponse`."""
    name = model.__name__[0].lower() + model.__name__[1:]
    payload = read_json(body)
    _cut([payload])
    value, problems = repair(model, payload, name)
    if value is None:
        raise UnreadableResponse(place=problems[0].place, text=problems[0].says)
    return model.from_wire(value), report_once(problems)


def read_model(model: type[M], body: bytes) -> M:
    """The object of a reply; raises `UnreadableResponse` naming the first wrong field."""
    return model_of(model, read_json(body))


def model_of(model: type[M], payload: object) -> M:
    """The model of decoded JSON; raises as `read_model`, also for more than `MOST_LEVELS`."""
    _check_levels(payload)
    try:
        return model.from_wire(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UnreadableResponse(place=place, text=first["msg"]) from error


def _check_levels(payload: object) -> None:
    waiting = [(payload, 1)]
    while waiting:
        within, level = waiting.pop()
        if level > MOST_LEVELS:
            raise UnreadableResponse(text=f"nested deeper than {MOST_LEVELS} levels")
        parts = within.values() if isinstance(within, dict) else within if isinstance(within, list) else ()
        waiting += [(part, level + 1) for part in parts if type(part) in {dict, list}]


def read_models(model: type[M], body: bytes) -> tuple[M, ...]:
    """The objects of a reply that is an array; raises as `read_model`."""
    rows = read_json(body)
    if not isinstance(rows, list):
        raise UnreadableResponse(text="expected an array")
    return tuple(model_of(model, row) for row in rows)


@dataclass(frozen=True, slots=True)
class Invitation:
    """A pending invitation; `raw` has all fields of the reply."""

    code: str
    expires_at: datetime | None
    email: str | None
    role: str | None
    raw: Mapping[str, Any]


# spec: not shown: the names of the fields. These are tried in order, then any name that contains the word.
_CODE_NAMES = ("code", "invitationCode", "inviteCode", "token")
_EXPIRY_NAMES = ("expiresAt", "expiry", "expires", "expirationDate", "validUntil")


def read_invitation(body: bytes) -> Invitation:
    """The invitation; raises `UnreadableResponse` if the reply has no code."""
    payload = read_json(body)
    fields = payload if isinstance(payload, dict) else {}
    _cut(fields)
    code = _text(fields, _CODE_NAMES, "code")
    if code is None:
        raise UnreadableResponse(place="code", text="no invitation code in the reply")
    expiry = _text(fields, _EXPIRY_NAMES, "expir")
    return Invitation(
        code, _moment(expiry), _text(fields, ("email",), "mail"), _text(fields, ("role",), "role"), fields
    )


def _text(fields: Mapping[str, Any], names: tuple[str, ...], word: str) -> str | None:
    candidates = [name for name in names if name in fields]
    candidates += [name for name in fields if word in name.lower()]
    return next((fields[name] for name in candidates if isinstance(fields[name], str) and fields[name]), None)


def _moment(text: str | None) -> datetime | None:
    """A moment in UTC from any ISO 8601 text; None for "never", the year 9999."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return plausible_instant(moment)
