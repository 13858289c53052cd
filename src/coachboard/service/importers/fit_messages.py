"""Bytes of a FIT file to messages: the maker's own decoder first, a second opinion where it is needed.

Times stay numbers of the FIT epoch, so that both decoders give the same and 45,000 datetimes are not made.
"""

import struct
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import fitdecode
from garmin_fit_sdk import Decoder, Stream

from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, ImportLimits, Watch

Message = dict[Any, Any]

FIT_EPOCH_S = 631_065_600
"""1989-12-31 in seconds since 1970."""

_DAMAGE = (
    fitdecode.FitError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)
"""Errors that the decoders do not catch when a file is damaged; neither promises a type."""


def text_of(value: object) -> str | None:
    """A field of text; some files have an array with damaged text after its first element."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    text = first.strip() if isinstance(first, str) else ""
    return text or None


@dataclass(frozen=True, slots=True)
class FitMessages:
    """Messages by the profile's name (record, session, lap ...), and the decoder's complaints."""

    by_name: Mapping[str, list[Message]]
    errors: tuple[str, ...] = field(default=())

    def of(self, name: str) -> list[Message]:
        return self.by_name.get(name, [])

    @property
    def weight(self) -> tuple[int, int]:
        """How much was read, to compare two decodings of one file."""
        return len(self.of("record")), sum(map(len, self.by_name.values()))


def is_fit(data: bytes) -> bool:
    """Whether the bytes begin like a FIT file."""
    return len(data) >= 12 and data[8:12] == b".FIT"


def read_messages(
    data: bytes, limits: ImportLimits, *, clock: Callable[[], float] = time.monotonic
) -> FitMessages:
    """Decode a FIT file; raises `BrokenRecording` where neither decoder gets a message out of it."""
    # The checksum is not a gate: o15 of the recordings and many others carry 0, and the check costs a quarter.
    first = _decode_with_garmin(data, Watch(limits, clock, most=limits.messages))
    if first.errors or not first.of("record"):
        second = _decode_with_fitdecode(data, Watch(limits, clock, most=limits.messages))
        # Only the first merges heart rates of swims, so the second must bring more records, not the same.
        if second.weight[0] > first.weight[0] or not first.by_name:
            first = second
    if not any(first.by_name.values()):
        raise BrokenRecording(f"no readable message ({'; '.join(first.errors) or 'empty'})")
    return first


def _decode_with_garmin(data: bytes, watch: Watch) -> FitMessages:
    messages: Any
    errors: list[Exception]
    # It collects its errors and returns them beside the messages.
    messages, errors = Decoder(Stream.from_byte_array(bytearray(data))).read(
        enable_crc_check=False, convert_datetimes_to_dates=False, mesg_listener=watch.tick
    )
    _raise_limit(errors)
    named = {str(key).removesuffix("_mesgs"): rows for key, rows in messages.items() if rows}
    return FitMessages(named, tuple(map(str, errors)))


def _raise_limit(errors: list[Exception]) -> None:
    # The errors that the listener raises are among them; a passed limit is no damage.
    for error in errors:
        if isinstance(error, FileTooLarge):
            raise error


def _decode_with_fitdecode(data: bytes, watch: Watch) -> FitMessages:
    by_name: dict[str, list[Message]] = {}
    places: dict[tuple[object, object], int] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = fitdecode.FitReader(
                data,
                processor=None,
                check_crc=fitdecode.CrcCheck.DISABLED,
                error_handling=fitdecode.ErrorHandling.IGNORE,
            )
            with reader:
                for frame in reader:
                    watch.tick()
                    if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                        by_name.setdefault(frame.name, []).append(_message(frame, places))
    except _DAMAGE as error:
        return FitMessages(by_name, (str(error),))
    return FitMessages(by_name)


def _message(frame: Any, places: dict[tuple[object, object], int]) -> Message:
    message: Message = {}
    own: dict[int, Any] = {}
    for each in frame.fields:
        if each.field_def is not None and each.field_def.is_dev:
            place = places.get((each.field_def.dev_data_index, each.field_def.def_num))
            if place is not None and each.value is not None:
                own[place] = each.value
        elif each.value is not None:
            message.setdefault(each.name, each.value)
    if frame.name == "field_description":
        key = (message.get("developer_data_index"), message.get("field_definition_number"))
        places[key] = len(places)
    return {**message, "developer_fields": own} if own else message
