"""CSV files of nights, HRV, resting heart rate and weight."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from coachboard.models.enums import MetricType
from coachboard.models.own_data import CsvColumn, Preview
from coachboard.service.importers.errors import EmptyRecording, UnknownFormat
from coachboard.service.importers.health import cells
from coachboard.service.importers.health.columns import IGNORED, QUANTITIES, proposals, unit_factor
from coachboard.service.importers.health.data import HealthData, night_times
from coachboard.service.importers.health.tables import Table, read_table
from coachboard.service.importers.plausible import is_plausible_day

_SAMPLES, _LONGEST_SAMPLE = 3, 100
_METRICS = {"weight": MetricType.WEIGHT, "body fat": MetricType.BODY_FAT}
_TIMES = ("date", "started_at", "ended_at")
Chosen = Mapping[str, str]
"""The quantity that a person chose for each header."""


def preview(name: str, data: bytes) -> Preview:
    """The columns of a file with a proposal for each; raises a `RecordingError` if the file is not a table."""
    table = read_table(data)
    columns = tuple(
        CsvColumn(header=header, proposal=quantity, samples=_samples(table, place))
        for place, (header, quantity) in enumerate(zip(table.headers, proposals(table.headers), strict=True))
    )
    return Preview(name=name, columns=columns, quantities=QUANTITIES, rows=len(table.rows))


def _samples(table: Table, place: int) -> tuple[str, ...]:
    return tuple(cell[:_LONGEST_SAMPLE] for cell in table.column(place)[:_SAMPLES])


def read_csv(data: bytes, chosen: Chosen | None = None) -> HealthData:
    """Read a file by the chosen columns, else by the proposals.

    Raises `UnknownFormat` if no column has a day, or none has a quantity.
    """
    table = read_table(data)
    found = proposals(table.headers)
    if chosen:
        found = [chosen.get(header) for header in table.headers]
    places = {name: place for place, name in enumerate(found) if name and name != IGNORED}
    unknown = places.keys() - set(QUANTITIES)
    if unknown:
        raise UnknownFormat(f"no such quantity: {min(unknown)}")
    if not places.keys() & set(_TIMES) or places.keys() <= {"date"}:
        raise UnknownFormat("no column with a day and a value was recognised; choose the columns")
    data_ = HealthData()
    columns = {name: _values(table, place, name, data_) for name, place in places.items()}
    for place, (line, _row) in enumerate(table.rows):
        _read_row(data_, line, {name: values[place] for name, values in columns.items()})
    if not data_.nights and not data_.metrics:
        raise EmptyRecording("; ".join(["no row could be read", *data_.notes[:3]]))
    return data_


def _values(table: Table, place: int, name: str, data: HealthData) -> list[Any]:
    """A column's values, one for each row; a cell that is none of its quantity is noted and missing."""
    texts = [row[place].strip() if place < len(row) else "" for _, row in table.rows]
    if name in _TIMES:
        day_first = cells.is_day_first(texts)
        return [_moment(text, day_first=day_first) for text in texts]
    factor = unit_factor(table.headers[place], name)
    if not name.endswith("_duration"):
        return [_number(data, table, at, text, factor) for at, text in enumerate(texts)]
    try:
        return list(cells.read_durations(texts, factor))
    except ValueError:
        return [_duration(data, table, at, text, factor) for at, text in enumerate(texts)]


def _moment(text: str, *, day_first: bool) -> Any:
    return cells.read_moment(text, day_first=day_first) or cells.read_clock(text) or (text or None)


def _number(data: HealthData, table: Table, at: int, text: str, factor: float | None) -> float | None:
    try:
        value = cells.read_number(text)
    except ValueError:
        data.reject(f"line {table.rows[at][0]}: {text[:40]!r} is not a number")
        return None
    return None if value is None else value * (factor or 1.0)


def _duration(data: HealthData, table: Table, at: int, text: str, factor: float | None) -> float | None:
    try:
        return cells.read_durations([text], factor)[0]
    except ValueError:
        data.reject(f"line {table.rows[at][0]}: {text[:40]!r} is not a duration")
        return None


def _read_row(data: HealthData, line: int, row: dict[str, Any]) -> None:
    times = {name: row.pop(name) for name in _TIMES if name in row}
    days = [value.date() for value in times.values() if isinstance(value, datetime)]
    if wrong := [day for day in days if not is_plausible_day(day)]:
        data.reject(f"line {line}: {wrong[0]} is an impossible date")
        return
    day = _day_of(times)
    if day is None:
        text = next((str(value) for value in times.values() if value is not None), "")
        data.reject(f"line {line}: {text[:40]!r} is not a day")
        return
    for name, kind in _METRICS.items():
        value = row.pop(name, None)
        if value is not None:
            data.put_metric(kind, day, value)
    start, end = _ends(times, day)
    fields = night_times(start, end) | row
    if any(value is not None for value in fields.values()):
        data.put_night(day, fields)


def _day_of(times: Mapping[str, Any]) -> date | None:
    """The day of the row: its date, else the morning on which the night ended."""
    for name in ("date", "ended_at"):
        if isinstance(times.get(name), datetime):
            found: datetime = times[name]
            return found.date()
    start = times.get("started_at")
    return (start + timedelta(hours=12)).date() if isinstance(start, datetime) else None


def _ends(times: Mapping[str, Any], day: date) -> tuple[datetime | None, datetime | None]:
    """The start and end of the night; a clock time alone is of the evening before, or of the morning."""
    found = []
    for name in ("started_at", "ended_at"):
        moment = times.get(name)
        if isinstance(moment, datetime) or moment is None or isinstance(moment, str):
            found.append(moment if isinstance(moment, datetime) else None)
        else:
            is_evening = name == "started_at" and moment.hour >= 12
            found.append(datetime.combine(day - timedelta(days=is_evening), moment))
    return found[0], found[1]
