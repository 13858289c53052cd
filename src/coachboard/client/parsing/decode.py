"""The one path from the bytes of a reply to rows: decode the JSON, check each row against its model, repair it.

A row is the decoded JSON object. Frames are built from rows without models; models are built when a caller asks.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isinf
from typing import Any, TypeVar
from weakref import ref

import orjson
import pandas as pd

from coachboard.client.concurrency import Memo
from coachboard.client.errors import RowProblem, UnreadableResponse
from coachboard.client.parsing.frames import build_frame
from coachboard.client.parsing.schema_repair import fill_open_fields, is_sound, repair, report_once
from coachboard.client.parsing.sound_rows import MAX_TEXT, read_sound
from coachboard.client.resources import ListRow, Request
from coachboard.client.result import Source
from coachboard.models.base import Wire, plausible_instant

M = TypeVar("M", bound=Wire)


def read_json(request: Request, body: bytes) -> Any:
    """The decoded body; raises `UnreadableResponse`."""
    try:
        return decode_json(body)
    except ValueError as error:
        raise UnreadableResponse(
            request.method, request.target, status=200, text=f"not JSON: {error}", is_cut=True
        ) from error


def decode_json(body: bytes) -> Any:
    """The value of a JSON text; raises `ValueError` where the text is no JSON.

    A number too large for a double becomes its text, and bytes that are not UTF-8 become U+FFFD: such a value
    costs its own field or row. orjson alone would reject the whole reply.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        try:
            value = _TOLERANT.decode(body.decode("utf-8", "replace"))
            orjson.dumps(value)  # rejects half of a surrogate pair, which the cache could not store
        except (ValueError, TypeError, RecursionError):
            raise error from None
        return value


def _number(text: str) -> float | int | str:
    """A number as orjson reads it; past the range of a double its text, which no field of numbers accepts."""
    value = float(text)
    if isinf(value):
        return text
    is_whole = len(text) <= 20 and text.lstrip("-").isdigit()
    return int(text) if is_whole and -(2**63) <= int(text) < 2**64 else value


def _reject(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


_TOLERANT = json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_reject)


def read_list(
    request: Request, body: bytes, model: type[Wire], *, nested: Collection[str] = ()
) -> list[ListRow]:
    """The rows of a reply that is an array; raises `UnreadableResponse` where it is none.

    A few odd rows are drift. If no row has an id, the reply is another document: to accept it as the list would
    delete all rows that the cache has of these days.
    """
    sound = read_sound(model, body, tuple(nested))
    if sound is not None:
        return sound
    payload = read_json(request, body)
    if not isinstance(payload, list):
        raise UnreadableResponse(request.method, request.target, status=200, text="expected an array")
    rows = check_rows(model, payload, nested=nested)
    if rows and all(row.id is None for row in rows):
        raise UnreadableResponse(request.method, request.target, status=200, text="no row has an id")
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
    return ListRow(rest, is_odd, dumped)


def _dumped(large: dict[str, Any]) -> bytes | None:
    """JSON of the nested lists, None if they nest deeper than orjson writes."""
    try:
        return orjson.dumps(large)
    except TypeError:
        return None


_LARGE_BYTES = 500_000
"""JSON of laps and steps: below it a text is not looked for, as the laps of a year have 100,000 values."""


MAX_LEVELS = 60
"""Levels of objects and arrays of which a row is read; a deeper part becomes null.

A workout with 125 repeats within each other ended pages with RecursionError: orjson reads 1,024 levels and writes 254,
pydantic and `copy.deepcopy` reach Python's limit before. The workouts of the interface need 5.
"""


def _cut(value: Any, *, but: Collection[str] = ()) -> None:
    """Shorten all texts and remove too deep parts of a decoded object in place, except in its parts with these names."""
    waiting = [(value, 1)]
    while waiting:
        within, level = waiting.pop()
        for at, part in within.items() if type(within) is dict else enumerate(within):
            if type(part) is str:
                if len(part) > MAX_TEXT:
                    within[at] = part[:MAX_TEXT] + "…"
            elif type(part) in {dict, list} and at not in but:
                if level < MAX_LEVELS:
                    waiting.append((part, level + 1))
                else:
                    within[at] = None


MODEL_BYTES = 30 * 2**20
"""JSON of the rows whose models stay in memory, over all lists of all clients of the process.

Models take several times the memory of their rows: after twelve people had left, they were 116 of 450 MB.
"""

_WITH_MODELS: Memo[ref["ListRows[Any]"]] = Memo(MODEL_BYTES)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class RowsIdentity:
    """Identifies the rows of one version of a list: one object, also after the decoded rows have left memory."""

    model: type[Wire]
    count: int
    problems: tuple[RowProblem, ...]


class CachedList(Source[tuple[M, ...]]):
    """The rows of one version of a list."""

    __slots__ = ("_identity",)

    def __init__(self, identity: RowsIdentity) -> None:
        self._identity = identity

    @property
    def identity(self) -> RowsIdentity:
        return self._identity

    @property
    def problems(self) -> tuple[RowProblem, ...]:
        """The faults of the rows."""
        return self._identity.problems

    def __len__(self) -> int:
        return self._identity.count

    def describe(self) -> str:
        return f"{len(self)} x {self._identity.model.__name__}" if len(self) else "empty"


class ListRows(CachedList[M]):
    """The readable rows of one list; the frame is built once, models again if other lists took their room.

    Pass `identity` if the same rows were decoded before.
    """

    __slots__ = ("_frame", "_model", "_models", "_rows")

    def __init__(
        self, model: type[M], rows: Sequence[ListRow], *, name: str, identity: RowsIdentity | None = None
    ) -> None:
        self._model = model
        self._rows, problems = _repaired(model, rows, name)
        super().__init__(identity or RowsIdentity(model, len(self._rows), problems))
        self._models: tuple[M, ...] | None = None
        self._frame: pd.DataFrame | None = None

    def value(self) -> tuple[M, ...]:
        models, itself = self._models, ref(self)
        if models is None:
            models = self._models = tuple(self._model.from_wire(row.whole()) for row in self._rows)
            for dropped in _WITH_MODELS.put(itself, itself, _json_bytes(self._rows)):
                if (rows := dropped()) is not None:
                    rows._models = None  # noqa: SLF001 (of this class)
        else:
            _WITH_MODELS.get(itself)
        return models

    def rows(self, ids: Collection[str]) -> tuple[M, ...]:
        if (models := self._models) is not None:
            return tuple(row for row in models if getattr(row, "id", None) in ids)
        return tuple(self._model.from_wire(row.whole()) for row in self._rows if row.id in ids)

    def frame(self) -> pd.DataFrame:
        if self._frame is None:
            self._frame = build_frame(self._model, [row.value for row in self._rows])
        return self._frame.copy(deep=False)  # copy-on-write: a reader's change stays the reader's


class LazyRows(CachedList[M]):
    """Rows that were decoded before and have left memory: decoded again when a caller asks for a value.

    The renewal of a roster of 60 athletes decoded and computed all rows again, because memory has room for 27.
    `read_again` returns the present rows if the list has changed since; `len` and `problems` stay those of the read.
    """

    __slots__ = ("_read_again", "_rows")

    def __init__(self, identity: RowsIdentity, read_again: Callable[[], Source[tuple[M, ...]]]) -> None:
        super().__init__(identity)
        self._read_again = read_again
        self._rows: Source[tuple[M, ...]] | None = None

    def value(self) -> tuple[M, ...]:
        return self._decoded().value()

    def frame(self) -> pd.DataFrame:
        return self._decoded().frame()

    def rows(self, ids: Collection[str]) -> tuple[M, ...]:
        return self._decoded().rows(ids)

    def _decoded(self) -> Source[tuple[M, ...]]:
        """The rows of the first call, so that two frames of a reader have the same length."""
        if self._rows is None:
            rows = self._read_again()
            if self._rows is None:  # else another thread was first
                self._rows = rows
        return self._rows


def _json_bytes(rows: Iterable[ListRow]) -> int:
    try:
        return sum(len(orjson.dumps(row.value)) + len(row.nested or b"") for row in rows)
    except TypeError:  # nested too deep for orjson: the models are read again each time
        return MODEL_BYTES + 1


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
        value, found = repair(model, row.whole(), place)
        problems += found
        if value is not None:
            readable.append(ListRow(value, is_odd=True))
            seen.add(row.id)
    return readable, report_once(problems)


def read_object(request: Request, body: bytes, model: type[M]) -> tuple[M, tuple[RowProblem, ...]]:
    """One object of a reply, repaired where that is possible; raises `UnreadableResponse`."""
    name = model.__name__[0].lower() + model.__name__[1:]
    payload = read_json(request, body)
    _cut([payload])
    value, problems = repair(model, payload, name)
    if value is None:
        first = problems[0]
        raise UnreadableResponse(
            request.method, request.target, status=200, place=first.place, text=first.says
        )
    return model.from_wire(value), report_once(problems)


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


def read_invitation(request: Request, body: bytes) -> Invitation:
    """The invitation; raises `UnreadableResponse` if the reply has no code."""
    payload = read_json(request, body)
    fields = payload if isinstance(payload, dict) else {}
    _cut(fields)
    code = _text(fields, _CODE_NAMES, "code")
    if code is None:
        raise UnreadableResponse(
            request.method, request.target, status=200, place="code", text="no invitation code in the reply"
        )
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
