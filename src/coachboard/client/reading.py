"""From the bytes of a reply to rows that can be read, and from rows to models and frames when asked for."""

import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from math import isinf
from typing import Any, NamedTuple, TypeVar

import msgspec
import orjson
import pandas as pd
from msgspec.structs import astuple

from coachboard.client.building import build
from coachboard.client.drift import mend, settle
from coachboard.client.errors import UnreadableResponse
from coachboard.client.forms import Row
from coachboard.client.http import Request
from coachboard.client.result import RowProblem, Source
from coachboard.client.rows import build_frame, values_of
from coachboard.client.typed import join, read_one, read_rows
from coachboard.models.base import Wire

M = TypeVar("M", bound=Wire)

_INDEX = re.compile(r"\[[^\]]*\]")


class RawRow(NamedTuple):
    """A row as the service sent it: typed where it is exactly of the interface, else decoded.

    `is_odd` where the model does not read it as it stands.
    """

    value: Any
    is_odd: bool
    nested: bytes | None = None  # the large lists of a row from the cache, not decoded yet

    def whole(self) -> Any:
        """The row with its nested lists."""
        if self.nested is None:
            return self.value
        if not isinstance(self.value, Row):
            return {**self.value, **orjson.loads(self.nested)}
        # What stands in the cache another version may have put there.
        return join(self.value, self.nested) or {
            **msgspec.to_builtins(self.value),
            **orjson.loads(self.nested),
        }


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

    A number too large for a double becomes its text, and bytes that are not UTF-8 become U+FFFD. Such a value costs
    its own field, as it does where msgspec skips a field that the interface does not list; orjson rejects the reply.
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


def read_list(request: Request, body: bytes, model: type[Wire]) -> list[RawRow]:
    """The rows of a reply that is an array, each told apart as sound or odd."""
    typed = read_rows(model, body)
    if typed is not None:
        return _all_sound(typed)
    payload = read_json(request, body)
    if not isinstance(payload, list):
        raise UnreadableResponse(request.method, request.target, status=200, text="expected an array")
    # A few odd rows are drift. Where nothing is a row of anything it is another thing altogether, and taking
    # it for the list would drop all that is known of these days.
    if payload and all(id_of(row) is None for row in payload):
        raise UnreadableResponse(request.method, request.target, status=200, text="no row has an id")
    return sort_out(model, [settle(model, row) for row in payload])


def sort_out(model: type[Wire], rows: Sequence[Any]) -> list[RawRow]:
    """Tell sound rows from odd ones."""
    return _once_each_id([_told(model, row) for row in rows])


def _all_sound(rows: Sequence[Row]) -> list[RawRow]:
    sound = [RawRow(row, is_odd=False) for row in rows]
    return sound if len({row.get("id") for row in rows}) == len(rows) else _once_each_id(sound)


def _told(model: type[Wire], row: Any) -> RawRow:
    typed = read_one(model, row)
    return RawRow(row, is_odd=not _is_sound(model, row)) if typed is None else RawRow(typed, is_odd=False)


def _once_each_id(rows: list[RawRow]) -> list[RawRow]:
    """Without what is in it twice; what shares its id with an earlier row and is not the same is odd."""
    by_id: dict[str, RawRow] = {}
    told: list[RawRow] = []
    for row in rows:
        row_id = id_of(row.value)
        first = row if row_id is None else by_id.setdefault(row_id, row)
        if first is row:
            told.append(row)
        elif first.value != row.value:
            told.append(RawRow(row.value, is_odd=True))
    return told


def id_of(row: Any) -> str | None:
    """The id of a row, where it has one."""
    row_id = row.get("id") if isinstance(row, dict | Row) else None
    return row_id if isinstance(row_id, str) else None


def _is_sound(model: type[Wire], row: Any) -> bool:
    try:
        model.from_wire(row)
    except ValueError:
        return False
    return True


class Rows(Source[tuple[M, ...]]):
    """The readable rows of one list; models and frame are made once, when first asked for."""

    __slots__ = ("_frame", "_lock", "_models", "_rows", "_tell", "model", "problems")

    def __init__(self, model: type[M], rows: Sequence[RawRow], *, name: str) -> None:
        self.model = model
        self._rows, self.problems = _readable(model, rows, name)
        self._models: tuple[M, ...] | None = None
        self._frame: pd.DataFrame | None = None
        self._tell: Callable[[pd.DataFrame], None] | None = None
        self._lock = threading.Lock()

    def slim(self, rows: Sequence[RawRow]) -> None:
        """Hold the same rows in less room: their nested lists are decoded again when asked for."""
        if not any(row.is_odd for row in rows):
            with self._lock:
                self._rows = list(rows)

    def when_framed(self, tell: Callable[[pd.DataFrame], None]) -> None:
        """Have somebody told the frame, as soon as there is one."""
        with self._lock:
            self._tell = tell
            frame = self._frame
        if frame is not None:
            tell(frame)

    def __len__(self) -> int:
        return len(self._rows)

    def value(self) -> tuple[M, ...]:
        with self._lock:
            if self._models is None:
                self._models = _models(self.model, self._rows)
            return self._models

    def frame(self) -> pd.DataFrame:
        with self._lock:
            is_new = self._frame is None
            if self._frame is None:
                self._frame = build_frame(self.model, [_values(self.model, row.value) for row in self._rows])
            frame, tell = self._frame, self._tell
        if is_new and tell is not None:
            tell(frame)
        return frame.copy(deep=False)  # copy-on-write: a reader's change stays the reader's


class FramedRows(Rows[M]):
    """Rows of which the frame is known; the rest is read when somebody asks for it."""

    __slots__ = ("_unpacked",)

    def __init__(self, model: type[M], frame: pd.DataFrame, unpacked: Callable[[], Rows[M]]) -> None:
        super().__init__(model, (), name="")
        self._frame = frame
        self._unpacked = unpacked

    def __len__(self) -> int:
        return 0 if self._frame is None else len(self._frame)

    def value(self) -> tuple[M, ...]:
        with self._lock:
            if self._models is None:
                self._models = self._unpacked().value()
            return self._models


def _values(model: type[Wire], row: Any) -> tuple[Any, ...]:
    return astuple(row) if isinstance(row, Row) else values_of(model, row)


def _models(model: type[M], rows: Sequence[RawRow]) -> tuple[M, ...]:
    """What is typed is not validated again."""
    wholes = [row.whole() for row in rows]
    built = iter(build(model, [whole for whole in wholes if isinstance(whole, Row)]))
    return tuple(next(built) if isinstance(whole, Row) else model.from_wire(whole) for whole in wholes)


def _readable(
    model: type[Wire], rows: Sequence[RawRow], name: str
) -> tuple[list[RawRow], tuple[RowProblem, ...]]:
    if not any(row.is_odd for row in rows):
        return list(rows), ()
    readable, problems = [], []
    shown = {id_of(row.value) for row in rows if not row.is_odd}
    for row in rows:
        if not row.is_odd:
            readable.append(row)
            continue
        row_id = id_of(row.value)
        place = f"{name}[{(row_id or '?')[:40]}]"
        if row_id is not None and row_id in shown:
            problems.append(RowProblem(place, _SECOND, is_set_aside=True, row_id=row_id))
            continue
        mended, found = mend(model, row.whole(), place)
        problems += found
        if mended is not None:
            readable.append(RawRow(mended, is_odd=True))
            shown.add(row_id)
    return readable, once_each(problems)


_SECOND = "another row with the same id"


def once_each(problems: Iterable[RowProblem]) -> tuple[RowProblem, ...]:
    """Rows set aside one by one, oddities once for each place: a new field is news once, not 240 times."""
    kept: dict[object, RowProblem] = {}
    for number, problem in enumerate(problems):
        place = _INDEX.sub("[]", problem.place)
        kept.setdefault(number if problem.is_set_aside else (place, problem.says), problem)
    return tuple(kept.values())


def read_object(request: Request, body: bytes, model: type[M]) -> tuple[M, tuple[RowProblem, ...]]:
    """One object of a reply, mended where that is possible; raises `UnreadableResponse`."""
    name = model.__name__[0].lower() + model.__name__[1:]
    mended, problems = mend(model, read_json(request, body), name)
    if mended is None:
        first = problems[0]
        raise UnreadableResponse(
            request.method, request.target, status=200, place=first.place, text=first.says
        )
    return model.from_wire(mended), once_each(problems)
