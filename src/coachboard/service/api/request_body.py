"""The body of a request: read in parts with limits, decoded to its model, and refused with its first wrong field."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import date, datetime, time
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import orjson
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from starlette.requests import ClientDisconnect, Request

from coachboard.plain_text import is_storable
from coachboard.service.api.errors import BodyTooLarge, BodyTooSlow, InvalidRequest
from coachboard.wire.base import FIRST_DAY, LAST_DAY, Wire, wire_names

MOST_BODY_BYTES = 65_536  # spec: not shown; a description of 10,000 characters has up to 40,000
BODY_TIMEOUT_S = 20.0
"""Time limit for a whole small body, and for the next part of a file.

Without it, requests that stop half-way held their connections for ever, also without a key.
"""

M = TypeVar("M", bound=Wire)


async def read_body(request: Request, *, most_bytes: int = MOST_BODY_BYTES) -> bytes:
    """The body; raises `BodyTooLarge` as soon as it exceeds that size, and `BodyTooSlow`."""
    body = bytearray()
    async for part in body_parts(request, is_whole_limited=True):
        body += part
        if len(body) > most_bytes:
            raise BodyTooLarge(f"The body exceeds {most_bytes} bytes.")
    return bytes(body)


async def body_parts(request: Request, *, is_whole_limited: bool = False) -> AsyncIterator[bytes]:
    """The parts of a body as they come, with a time limit for the whole body or for each part."""
    now = asyncio.get_running_loop().time
    parts, until = request.stream(), now() + BODY_TIMEOUT_S
    try:
        while True:
            async with asyncio.timeout_at(until if is_whole_limited else now() + BODY_TIMEOUT_S):
                part = await anext(parts, None)
            if part is None:
                return
            yield part
    except TimeoutError as error:
        raise BodyTooSlow("The body took too long.") from error
    except ClientDisconnect as error:
        # The connection is closed; this reply only prevents an error in the log.
        raise InvalidRequest("The body is incomplete.") from error


def read_json(body: bytes, model: type[M]) -> M:
    """Parse the body; raises `InvalidRequest` with the first wrong field, and for a control character in a text."""
    try:
        payload = orjson.loads(body)
        if not is_storable(payload):
            raise InvalidRequest("Invalid request body: a text has a control character.")
        return model.from_wire(payload)
    except ValidationError as error:
        raise InvalidRequest(f"Invalid request body: {_wrong_field(error, model)}.") from error
    except RecursionError as error:
        raise InvalidRequest(f"Invalid request body: {error}.") from error
    except orjson.JSONDecodeError as error:
        raise InvalidRequest("Invalid request body: not JSON.") from error


_NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    time: "a time of day as HH:MM:SS",
    date: f"a date as YYYY-MM-DD from {FIRST_DAY} to {LAST_DAY}",
    datetime: f"a time as YYYY-MM-DD HH:MM:SS+00 from {FIRST_DAY.year} to {LAST_DAY.year}",
    type(None): "null",
}


def _wrong_field(error: ValidationError, model: type[Wire]) -> str:
    """The first wrong field with its path: `operations[2].value.rpe: must be a number from 1 to 10, or null`."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    path, kind = "", model
    for name in first["loc"]:
        inner = _inside(kind, name)
        if inner is None:
            break
        path, kind = path + inner[0], inner[1]
    if first["type"] == "extra_forbidden":
        return f"{path}.{str(first['loc'][-1])[:100]}: no such field".removeprefix(".")
    if not path:
        return "must be a JSON object"
    state = "required," if first["type"] == "missing" else "must be"
    return f"{path}: {state} {_words(kind)}".removeprefix(".")


def _inside(kind: Any, name: str | int) -> tuple[str, Any] | None:
    """A row or a field of a value of this type: its part of the path and its type. None if it has no such part.

    Pydantic names the chosen one of several types of objects by its tag. A tag is no part of the path in the body.
    """
    parts = list(_parts(kind))
    if isinstance(name, int):
        return next(((f"[{name}]", get_args(part)[0]) for part in parts if get_origin(part) is tuple), None)
    models = [part for part in parts if _is_model(part)]
    if len(models) > 1:
        return next((("", model) for model in models if name in _tags(model)), None)
    fields = {wire: model.model_fields[key] for model in models for key, wire in wire_names(model).items()}
    return (f".{name}", Annotated[fields[name].annotation, fields[name]]) if name in fields else None


def _words(kind: Any) -> str:
    """A type in words, with its limits: `a number from 1 to 10, or null`."""
    parts = list(_parts(kind))
    kinds = [part for part in parts if isinstance(part, type) or get_origin(part)]
    if float in kinds:
        kinds.remove(int)  # `Number` is both
    return ", or ".join(_named(each) + _range(each, parts) for each in kinds)


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


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Wire)


def _tags(model: type[Wire]) -> tuple[str, ...]:
    """The value of `type` in an object of this model, which tells it from others in the same field; empty without one."""
    field = model.model_fields.get("type")
    return get_args(field.annotation) if field is not None and get_origin(field.annotation) is Literal else ()


def _named(kind: Any) -> str:
    if get_origin(kind) is tuple:
        return "a list"
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    if get_origin(kind) is dict:
        return f"an object, each value {_words(get_args(kind)[1])}"
    if issubclass(kind, Wire):
        return " ".join(["an object", *(f"of type {tag}" for tag in _tags(kind))])
    if issubclass(kind, Enum):
        return f"one of {', '.join(str(member.value) for member in kind)}"
    return _NAMES[kind]


def _range(kind: Any, parts: list[Any]) -> str:
    if kind is str or get_origin(kind) is tuple:
        least, most = _limit(parts, "min_length", max), _limit(parts, "max_length", min)
        unit = "characters" if kind is str else "rows"
        start = f"{least} to" if least else "at most"
        return "" if most is None else f" of {start} {most:,} {unit}"
    highest = _limit(parts, "le", min)
    if kind not in {int, float} or highest is None:
        return ""
    above, step = _limit(parts, "gt", max), _limit(parts, "multiple_of", max)
    start = f"from {_limit(parts, 'ge', max):,} to" if above is None else f"above {above:,} and at most"
    return f" {start} {highest:,}" + ("" if step is None else f", a multiple of {step}")


def _limit(parts: list[Any], name: str, strictest: Callable[..., Any]) -> Any:
    """The strictest limit of this name; None without one."""
    return strictest((getattr(part, name) for part in parts if hasattr(part, name)), default=None)
