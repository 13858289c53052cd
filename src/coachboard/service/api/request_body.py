"""The body of a request, read in parts with limits, and the first wrong field of one in words."""

import asyncio
from collections.abc import AsyncIterator, Iterator
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
_LIMITS = ("ge", "gt", "le", "multiple_of", "min_length", "max_length")


def wrong_field(error: ValidationError, model: type[Wire]) -> str:
    """The first wrong field of a body, without a full stop: `rpe: must be a number from 1 to 10, or null`.

    A field of an object in the body has its path: `operations[2].value.rpe`.
    """
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place, path = list(first["loc"]), ""
    while place:
        name, *place = place
        path += str(name)[:100]
        fields = {wire: model.model_fields[key] for key, wire in wire_names(model).items()}
        if name not in fields:
            return f"{path}: no such field"
        if place and isinstance(place[0], int):
            path += f"[{place.pop(0)}]"
        field = fields[str(name)]
        inner = _object_in(Annotated[field.annotation, field], place)
        if path.endswith("]") and (inner is None or not place):
            return f"{path}: must be an object with the fields of its type"
        if inner is None or not place:
            words = _words(Annotated[field.annotation, field])
            return f"{path}: required, {words}" if first["type"] == "missing" else f"{path}: must be {words}"
        model, path = inner, f"{path}."
    return "must be a JSON object" if not path else f"{path.rstrip('.')}: must be an object"


def _object_in(kind: Any, place: list[Any]) -> type[Wire] | None:
    """The class of an object in a field; of several that whose type begins the place, which loses it."""
    parts = [part for part in _parts(kind) if not isinstance(part, FieldInfo)]
    parts += [each for part in parts if get_origin(part) is tuple for each in _parts(get_args(part)[0])]
    classes = [part for part in parts if isinstance(part, type) and issubclass(part, Wire)]
    if len(classes) <= 1:
        return next(iter(classes), None)
    tag = place.pop(0) if place else None
    return next((each for each in classes if tag in get_args(each.model_fields["type"].annotation)), None)


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
    if get_origin(kind) is tuple:
        return "a list"
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    if get_origin(kind) is dict:
        return f"an object, each value {_words(get_args(kind)[1])}"
    if issubclass(kind, Wire):
        return "an object"
    if issubclass(kind, Enum):
        return f"one of {', '.join(str(member.value) for member in kind)}"
    return _NAMES[kind]


def _range(kind: Any, limits: dict[str, list[Any]]) -> str:
    if kind is str and limits["max_length"]:
        least = max(limits["min_length"], default=0)
        most = f"{min(limits['max_length']):,} characters"
        return f" of {least} to {most}" if least else f" of at most {most}"
    if get_origin(kind) is tuple and limits["max_length"]:
        least, most = max(limits["min_length"], default=0), f"{min(limits['max_length']):,} rows"
        return f" of {least} to {most}" if least else f" of at most {most}"
    if kind not in {int, float} or not limits["le"]:
        return ""
    most, step = f"{min(limits['le']):,}", limits["multiple_of"]
    span = f"above {max(limits['gt']):,} and at most {most}" if limits["gt"] else ""
    span = span or f"from {max(limits['ge']):,} to {most}"
    return f" {span}, a multiple of {step[0]}" if step else f" {span}"


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
        raise InvalidRequest(f"Invalid request body: {wrong_field(error, model)}.") from error
    except orjson.JSONDecodeError as error:
        raise InvalidRequest("Invalid request body: not JSON.") from error
