"""Base of all objects on the wire: closed, exact, frozen; camelCase on the wire and snake_case in Python."""

import re
from datetime import UTC, date, datetime, time
from functools import cache
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, Strict, WithJsonSchema
from pydantic.alias_generators import to_camel

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME_OF_DAY = re.compile(r"\d{2}:\d{2}:\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00", re.ASCII)


class Wire(BaseModel):
    """An object of the interface ("Resources and their fields": objects are closed).

    A required field has no default, an optional one has; `to_wire` leaves out fields that were never set, so that
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


@cache
def wire_names(model: type[Wire]) -> dict[str, str]:
    """The names of the fields on the wire by their names in Python."""
    return {name: field.alias or name for name, field in model.model_fields.items()}


def parse_day(text: object) -> date:
    """Parse `YYYY-MM-DD` only; `date.fromisoformat` also accepts 20250101 and 2025-W01-1."""
    if isinstance(text, date) and not isinstance(text, datetime):
        return text
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        raise ValueError("expected a date as YYYY-MM-DD")
    return date.fromisoformat(text)


FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
"""The valid days of a row. Outside, a change of zone or an added day exceeds the year 9999 of `datetime`."""


def plausible_day(text: object) -> date:
    """Parse the day of a row or of a URL; raises `ValueError` outside the range."""
    day = parse_day(text)
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValueError(f"expected a date from {FIRST_DAY} to {LAST_DAY}")
    return day


def plausible_instant(moment: datetime | None) -> datetime | None:
    """The time in UTC, which every zone can represent; None outside the range."""
    if moment is None or not FIRST_DAY <= moment.date() <= LAST_DAY:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


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
    moment = datetime.fromisoformat(text[:-3])
    # As `plausible_day`, whose range is whole years: a list of sessions with laps has thousands of moments.
    if not FIRST_DAY.year <= moment.year <= LAST_DAY.year:
        raise ValueError(f"expected a date from {FIRST_DAY} to {LAST_DAY}")
    return moment


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
    """The time as on the wire, where the field name gives the zone."""
    # A long list of laps has thousands of times: the table takes a third of the time of isoformat.
    two = _TWO_DIGITS
    day = f"{moment.year:04}-{two[moment.month]}-{two[moment.day]}"
    return f"{day} {two[moment.hour]}:{two[moment.minute]}:{two[moment.second]}+00"


Day = Annotated[date, BeforeValidator(plausible_day), WithJsonSchema({"type": "string", "format": "date"})]
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
"""A string; rejects other types."""

YesNo = Annotated[bool, Strict()]
"""A boolean, not 0, 1 or "yes"."""

MAX_NUMBER = 10**12
"""Far above every quantity of the interface; sums and time spans of such numbers do not overflow."""

Number = Annotated[
    Annotated[int, Strict(), Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
    | Annotated[float, Strict(), Field(ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False)],
    WithJsonSchema({"type": "number"}),
]
"""A finite number; whole numbers stay `int`, so that a round trip does not change them."""


def _not_null(value: object) -> object:
    if value is None:
        raise ValueError("may be left out, but not null")
    return value


NotNull = BeforeValidator(_not_null)
"""Marks an optional field whose value is never null."""


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Index = Annotated[
    int,
    Strict(),
    BeforeValidator(_whole),
    Field(ge=0, le=MAX_NUMBER),
    WithJsonSchema({"type": "number", "minimum": 0}),
]
"""A 0-based index into the streams; JSON has no integers, so 3.0 becomes 3."""
