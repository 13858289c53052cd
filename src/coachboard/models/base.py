"""What every object on the wire has in common: closed, exact, frozen, camelCase outside and snake_case inside."""

import re
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, Strict, WithJsonSchema
from pydantic.alias_generators import to_camel

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME_OF_DAY = re.compile(r"\d{2}:\d{2}:\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00", re.ASCII)


class Wire(BaseModel):
    """An object of the interface ("Resources and their fields": objects are closed).

    A required field has no default, an optional one has; `to_wire` leaves out what was never set, so that
    an absent key and a null stay two things. Scalars are strict by their types (`Text`, `YesNo`, `Number`);
    the class is not, as a strict one takes no enumeration or tuple from decoded JSON.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    @classmethod
    def from_wire(cls, payload: object) -> Self:
        """Read a decoded JSON value; raises `pydantic.ValidationError` naming each wrong field."""
        return cls.model_validate(payload, by_alias=True, by_name=False)

    def to_wire(self) -> dict[str, Any]:
        """Write the object as JSON values under the names of the wire."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def parse_day(text: object) -> date:
    """Read `YYYY-MM-DD` and nothing else; `date.fromisoformat` alone would take 20250101 and 2025-W01-1."""
    if isinstance(text, date) and not isinstance(text, datetime):
        return text
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        raise ValueError("expected a date as YYYY-MM-DD")
    return date.fromisoformat(text)


def _parse_time_of_day(text: object) -> time:
    if isinstance(text, time):
        return text
    if not isinstance(text, str) or not _TIME_OF_DAY.fullmatch(text):
        raise ValueError("expected a time of day as HH:MM:SS")
    return time.fromisoformat(text)


def _parse_timestamp(text: object) -> datetime:
    if isinstance(text, datetime):
        return _whole_second_utc(text)
    return _read_timestamp(text).replace(tzinfo=UTC)


def _parse_local_timestamp(text: object) -> datetime:
    if isinstance(text, datetime):
        return _whole_second_naive(text)
    return _read_timestamp(text)


def _read_timestamp(text: object) -> datetime:
    if not isinstance(text, str) or not _TIMESTAMP.fullmatch(text):
        raise ValueError("expected a timestamp as YYYY-MM-DD HH:MM:SS+00")
    return datetime.fromisoformat(text[:-3])


def _whole_second_utc(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        raise ValueError("expected a time with a zone")
    return moment.astimezone(UTC).replace(microsecond=0)


def _whole_second_naive(moment: datetime) -> datetime:
    if moment.tzinfo is not None:
        raise ValueError("expected local wall-clock time without a zone")
    return moment.replace(microsecond=0)


_TWO_DIGITS = tuple(f"{number:02}" for number in range(60))


def write_timestamp(moment: datetime) -> str:
    """As the wire writes moments, whose zone is said by the field alone."""
    # A long list of laps has thousands of these: the table takes a third of the time of isoformat.
    two = _TWO_DIGITS
    day = f"{moment.year:04}-{two[moment.month]}-{two[moment.day]}"
    return f"{day} {two[moment.hour]}:{two[moment.minute]}:{two[moment.second]}+00"


Day = Annotated[date, BeforeValidator(parse_day), WithJsonSchema({"type": "string", "format": "date"})]
"""A calendar day, `YYYY-MM-DD` on the wire."""

TimeOfDay = Annotated[
    time,
    BeforeValidator(_parse_time_of_day),
    WithJsonSchema({"type": "string", "pattern": r"^\d{2}:\d{2}:\d{2}$"}),
]
"""A local time of day, `HH:MM:SS` on the wire."""

_TIMESTAMP_SCHEMA = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00$"}

Timestamp = Annotated[
    datetime,
    BeforeValidator(_parse_timestamp),
    PlainSerializer(write_timestamp, when_used="json"),
    WithJsonSchema(_TIMESTAMP_SCHEMA),
]
"""An aware UTC moment, whole seconds, `YYYY-MM-DD HH:MM:SS+00` on the wire."""

LocalTimestamp = Annotated[
    datetime,
    BeforeValidator(_parse_local_timestamp),
    PlainSerializer(write_timestamp, when_used="json"),
    WithJsonSchema(_TIMESTAMP_SCHEMA),
]
"""A naive local wall-clock moment; the wire writes it in the same shape, "+00" included."""

Text = Annotated[str, Strict()]
"""A string, and nothing that could pass for one."""

YesNo = Annotated[bool, Strict()]
"""A boolean, not 0, 1 or "yes"."""

Number = Annotated[
    Annotated[int, Strict()] | Annotated[float, Strict(), Field(allow_inf_nan=False)],
    WithJsonSchema({"type": "number"}),
]
"""A finite number; whole numbers stay `int`, so that writing gives back what was read."""


def _not_null(value: object) -> object:
    if value is None:
        raise ValueError("may be left out, but not null")
    return value


NotNull = BeforeValidator(_not_null)
"""Marks an optional field whose value, where it is present, is never null."""


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Index = Annotated[
    int, Strict(), BeforeValidator(_whole), Field(ge=0), WithJsonSchema({"type": "number", "minimum": 0})
]
"""A 0-based position in the streams; JSON knows no integers, so 3.0 is read as 3."""
