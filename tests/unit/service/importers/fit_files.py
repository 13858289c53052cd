"""Small FIT files made by the tests themselves, with the encoder of the maker's kit."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from garmin_fit_sdk import Encoder, Profile

START = datetime(2026, 5, 4, 6, 0, 0, tzinfo=UTC)
NUMBERS = Profile["mesg_num"]

Message = Mapping[str, Any]


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def fit_file(
    *messages: tuple[str, Message],
    developer: Mapping[int, Any] | None = None,
    kind: str = "activity",
    manufacturer: str = "development",
) -> bytes:
    """A file of (profile name, fields) pairs, after its file_id."""
    encoder = Encoder(field_descriptions=dict(developer or {}))
    head = {"type": kind, "manufacturer": manufacturer, "time_created": START}
    for name, fields in (("FILE_ID", head), *messages):
        encoder.write_mesg({"mesg_num": NUMBERS[name], **fields})
    return bytes(encoder.close())


def records(count: int, *, first_s: int = 0, step_s: int = 1, **columns: Any) -> list[tuple[str, Message]]:
    """Records one after another; a column is a value for all or a function of the record's place."""
    return [
        (
            "RECORD",
            {
                "timestamp": at(first_s + place * step_s),
                **{name: value(place) if callable(value) else value for name, value in columns.items()},
            },
        )
        for place in range(count)
    ]


def session(**fields: Any) -> tuple[str, Message]:
    return "SESSION", {
        "start_time": START,
        "timestamp": START,
        "sport": "cycling",
        "sub_sport": "road",
        **fields,
    }


def activity(*, offset_s: float | None = None, **fields: Any) -> tuple[str, Message]:
    if offset_s is not None:
        local = int(at(offset_s).timestamp()) - 631_065_600
        fields["local_timestamp"] = local
    return "ACTIVITY", {"timestamp": START, **fields}


def timer(kind: str, seconds: float) -> tuple[str, Message]:
    return "EVENT", {"timestamp": at(seconds), "event": "timer", "event_type": kind}


def developer_field(
    position: int, name: str, *, units: str = "", base_type: int = 0x88, native: int | None = None
) -> dict[int, Any]:
    """One developer field; 0x88 is a 32-bit float."""
    description = {
        "developer_data_index": 0,
        "field_definition_number": position,
        "fit_base_type_id": base_type,
        "field_name": name,
        "units": units,
        "native_mesg_num": NUMBERS["RECORD"],
    }
    if native is not None:
        description["native_field_num"] = native
    return {
        position: {
            "developer_data_id_mesg": {"developer_data_index": 0, "application_id": bytes(16)},
            "field_description_mesg": description,
        }
    }


def described(fields: Mapping[int, Any]) -> Iterable[tuple[str, Message]]:
    """The messages that describe developer fields, which a file has before the records."""
    if fields:
        yield "DEVELOPER_DATA_ID", {"developer_data_index": 0, "application_id": list(range(16))}
    for each in fields.values():
        yield "FIELD_DESCRIPTION", each["field_description_mesg"]
