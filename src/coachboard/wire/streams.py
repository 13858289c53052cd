"""Column-oriented time series of one activity ("ActivityStreams"), as float64 arrays.

Not a pydantic model: 25 columns of 21,600 values are read and written as arrays, one pass a column.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from coachboard.wire.stream_columns import BY_WIRE_NAME

TIMESTAMP = "timestamp"

STREAM_COLUMNS = tuple(BY_WIRE_NAME)
"""The numeric columns by their names on the wire."""

_WORDS = {"Infinity": np.inf, "-Infinity": -np.inf, "NaN": np.nan}
_ELEMENT_TYPES = frozenset({int, float, type(None), str})


class StreamsError(ValueError):
    """A streams payload that violates the interface; the message names the column."""


@dataclass(frozen=True, slots=True, eq=False)
class ActivityStreams:
    """Streams of one activity; a column that was not recorded is absent.

    In a column null is NaN; `nan_words` has the positions where the service sent the word "NaN", so that a round trip
    keeps them, and both count as missing in arithmetic.
    """

    columns: Mapping[str, NDArray[np.float64]]
    timestamps: NDArray[np.datetime64] | None = None  # UTC, datetime64[ms], NaT where null
    nan_words: Mapping[str, NDArray[np.intp]] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        """Check that the arrays have one length and valid names."""
        unknown = set(self.columns) - set(STREAM_COLUMNS)
        if unknown:
            raise StreamsError(f"unknown column {min(unknown)!r}")
        if len({len(column) for column in self._arrays()}) > 1:
            raise StreamsError("columns differ in length")

    def __len__(self) -> int:
        """The number of samples."""
        return next((len(column) for column in self._arrays()), 0)

    def __eq__(self, other: object) -> bool:
        """Whether both give the same payload."""
        return isinstance(other, ActivityStreams) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # arrays do not hash

    def _arrays(self) -> list[NDArray[Any]]:
        stamps = [] if self.timestamps is None else [self.timestamps]
        return [*stamps, *self.columns.values()]

    @classmethod
    def from_json(cls, body: bytes) -> "ActivityStreams":
        """Read a payload; raises `StreamsError` for anything that the document does not allow."""
        try:
            payload = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise StreamsError(f"not JSON: {error}") from error
        return cls.from_wire(payload)

    @classmethod
    def from_wire(cls, payload: object) -> "ActivityStreams":
        """Read a decoded payload."""
        if not isinstance(payload, dict):
            raise StreamsError("expected an object of columns")
        columns, words = {}, {}
        for name, values in payload.items():
            if name == TIMESTAMP:
                continue
            if name not in STREAM_COLUMNS:
                raise StreamsError(f"unknown column {name!r}")
            columns[name], nan_at = read_column(name, values)
            if len(nan_at):
                words[name] = nan_at
        stamps = read_timestamps(payload[TIMESTAMP]) if TIMESTAMP in payload else None
        return cls(columns, stamps, words)

    def to_json(self) -> bytes:
        """Write the payload as JSON bytes."""
        payload: dict[str, object] = {}
        if self.timestamps is not None:
            payload[TIMESTAMP] = write_timestamps(self.timestamps)
        for name in STREAM_COLUMNS:
            if name in self.columns:
                payload[name] = _write_column(self.columns[name], self.nan_words.get(name))
        return orjson.dumps(payload, option=orjson.OPT_SERIALIZE_NUMPY)


def read_column(name: str, values: object) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Read one column to floats and the positions of the word "NaN"; raises `StreamsError`."""
    if not isinstance(values, list):
        raise StreamsError(f"column {name!r}: expected an array")
    kinds = set(map(type, values))
    if not kinds <= _ELEMENT_TYPES:
        raise StreamsError(f"column {name!r}: expected numbers, Infinity, -Infinity, NaN or null")
    nan_at = np.empty(0, np.intp)
    if str in kinds:
        nan_at = np.array([i for i, value in enumerate(values) if value == "NaN"], np.intp)
        values = [_read_word(name, value) if isinstance(value, str) else value for value in values]
    try:
        return np.array(values, np.float64), nan_at
    except OverflowError as error:
        raise StreamsError(f"column {name!r}: a number is too large") from error


def _read_word(name: str, word: str) -> float:
    try:
        return _WORDS[word]
    except KeyError:
        raise StreamsError(f"column {name!r}: {word[:40]!r} is not a number") from None


def _write_column(values: NDArray[np.float64], nan_at: NDArray[np.intp] | None) -> object:
    if not np.isinf(values).any() and (nan_at is None or not len(nan_at)):
        # orjson writes NaN as null.
        return _shortest(np.ascontiguousarray(values, np.float64))
    items: list[object] = [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 (NaN)
    for i in np.flatnonzero(np.isinf(values)):
        items[i] = "Infinity" if values[i] > 0 else "-Infinity"
    for i in nan_at if nan_at is not None else ():
        items[i] = "NaN"
    return items


def _shortest(values: NDArray[np.float64]) -> NDArray[Any]:
    # Whole numbers as 250 instead of 250.0: a fifth fewer bytes. 2**53 is the limit of exact integers in float64.
    is_whole = (
        len(values) > 0 and bool(np.all(values == np.rint(values))) and bool(np.all(np.abs(values) < 2**53))
    )
    return values.astype(np.int64) if is_whole else values


def read_timestamps(values: object) -> NDArray[np.datetime64]:
    """Read UTC ISO 8601 texts and nulls to datetime64[ms]; raises `StreamsError`."""
    if not isinstance(values, list) or not set(map(type, values)) <= {str, type(None)}:
        raise StreamsError("column 'timestamp': expected an array of texts and nulls")
    with suppress(pa.ArrowInvalid):  # a form that NumPy reads below, such as microseconds
        utc = pa.array(values, pa.string())
        if pc.all(pc.ends_with(utc, "Z")).as_py():
            stamps: NDArray[np.datetime64] = utc.cast(pa.timestamp("ms", "UTC")).to_numpy(
                zero_copy_only=False
            )
            return stamps
    texts = ["NaT" if value is None else _without_zone(value) for value in values]
    try:
        return np.array(texts, "datetime64[ms]")
    except ValueError as error:
        raise StreamsError("column 'timestamp': not UTC ISO 8601") from error


def _without_zone(text: str) -> str:
    if text.endswith("Z"):
        return text[:-1]
    if text.endswith(("+00:00", "-00:00")):
        return text[:-6]
    if text.endswith("+00"):
        return text[:-3]
    raise StreamsError(f"column 'timestamp': {text[:40]!r} is not UTC")


def write_timestamps(stamps: NDArray[np.datetime64]) -> list[str | None]:
    """Write moments as `YYYY-MM-DDTHH:MM:SSZ`, with milliseconds where there are any."""
    whole = bool(np.all((stamps == stamps.astype("datetime64[s]")) | np.isnat(stamps)))
    texts = np.datetime_as_string(stamps.astype("datetime64[s]" if whole else "datetime64[ms]"))
    return [None if text == "NaT" else f"{text}Z" for text in texts.tolist()]
