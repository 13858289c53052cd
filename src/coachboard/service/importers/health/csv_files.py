"""CSV files of nights, HRV, resting heart rate and weight, by the headers of common apps."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import Any

from coachboard.imperial import KG_PER_POUND
from coachboard.service.importers.errors import EmptyRecording, UnknownFormat
from coachboard.service.importers.health import cells
from coachboard.service.importers.health.cells import order_of, read_moment
from coachboard.service.importers.health.data import HealthData, night_times, sleep_words
from coachboard.service.importers.health.tables import Table, read_table
from coachboard.service.importers.plausible import is_plausible_day
from coachboard.wire.metrics import METRICS, NIGHT_FIELDS, MetricUnit
from coachboard.wire.own_data import CsvColumn, Preview

IGNORED = "ignore"
_MOST_LOOKED_AT = 50

_METRICS = {str(kind): kind for kind, record in METRICS.items() if record.headers}
_PATTERNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # Of the same apps and languages as the headers in `wire/metrics.py`.
        "date": (r"(calendar |summary )?(date|day|datum|fecha|data)( of sleep)?", r"timestamp measurement"),
        "started_at": (
            r"bedtime( start)?", r"sleep onset", r"(sleep )?start( time)?", r"from", r"sleep start.*", r"bed time", r"went to (bed|sleep)",
            r"schlafenszeit|heure (de|du) coucher|hora de acostarse|ora (in cui|di andare) .*letto|hora de (dormir|deitar)|bedtijd",
        ),
        "ended_at": (
            r"bedtime end", r"wake onset", r"wak(e|ing)( ?up)?( time)?", r"woke up", r"(sleep )?end( time)?", r"to", r"sleep end.*",
            r"auf(wach|steh)zeit|heure (de|du) (reveil|lever)|hora de (des|a)(pert|cord)ar(se)?|ora d(i|el) risveglio|(op|wek|ont)\w*tijd",
        ),
        "time_zone": (r"(cycle )?time ?zone", r"time offset", r"utc offset"),
        "nap": (r"(is )?nap", r"(sleep )?type"),
        **{name: field.headers for name, field in NIGHT_FIELDS.items() if field.headers},
        **{name: METRICS[kind].headers for name, kind in _METRICS.items()},
    }
)  # fmt: skip
QUANTITIES = tuple(_PATTERNS)
"""The possible contents of a column: times, fields of a night, and metrics."""
_OF_WORKOUTS = r"workout .*|activity (type|name|id)|exercise( .*)?"
"""Headers of a list of sessions, whose durations are no nights."""
_NAP = frozenset(
    {
        "true",
        "yes",
        "1",
        "nap",
        "late_nap",
        "rest",
        "wahr",
        "ja",
        "vrai",
        "oui",
        "verdadero",
        "si",
        "s\u00ed",
        "vero",
    }
)
_MILLISECONDS = r"\bms\b|rmssd"
_TIME_UNITS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("h", "hr", "hrs", "hours"), 3600.0),
        **dict.fromkeys(("m", "min", "mins", "minutes"), 60.0),
        **dict.fromkeys(("s", "sec", "secs", "seconds"), 1.0),
    }
)
"""Factors to seconds."""
_MASS_UNITS: Mapping[str, float] = MappingProxyType(
    {**dict.fromkeys(("lb", "lbs", "pounds"), KG_PER_POUND), "kg": 1.0, "g": 0.001}
)
"""Factors to kilograms."""
_MASSES = frozenset(kind.value for kind, record in METRICS.items() if record.unit is MetricUnit.KG)


def proposal(header: str) -> str | None:
    """The quantity that a header probably names; None for one that no app in the table writes."""
    spellings = (_words(header), header.lower())  # rMSSD is no camel case
    for quantity, patterns in _PATTERNS.items():
        if any(re.fullmatch(pattern, words) for pattern in patterns for words in spellings):
            return quantity
    return None


def proposals(table: Table) -> list[str | None]:
    """A proposal for each column; of two columns for one quantity the first has it, of two of HRV that in ms.

    A column without a header that is known is the day if its cells are: Garmin calls it `Sleep Score 4 Weeks`.
    """
    if any(re.fullmatch(_OF_WORKOUTS, _words(header)) for header in table.headers):
        return [None] * len(table.headers)
    named = [proposal(header) for header in table.headers]
    quantities = [
        name if place == _best(named, table.headers, name) else None for place, name in enumerate(named)
    ]
    if "nap" in quantities and not any(map(is_nap, table.column(quantities.index("nap")))):
        quantities[quantities.index("nap")] = None  # Elite HRV has types of measurements
    if any(quantities) and "date" not in quantities:
        _add_day(quantities, table)
    has_day = any(name in {"date", "started_at", "ended_at"} for name in quantities)
    return quantities if has_day else [None] * len(quantities)


def is_nap(cell: str) -> bool:
    """Whether a cell marks its row as a nap."""
    return cell.strip().lower() in _NAP


def _best(named: Sequence[str | None], headers: Sequence[str], quantity: str | None) -> int:
    """The place of the column that is read as the quantity."""
    places = [place for place, name in enumerate(named) if name == quantity]
    if quantity == "average_hrv":  # the other one is a score from 0 to 100
        return next(
            (place for place in places if re.search(_MILLISECONDS, headers[place].lower())), places[0]
        )
    return places[0]


def _add_day(quantities: list[str | None], table: Table) -> None:
    """Propose the first column of days as the day, unless a start or end has days."""
    days = [place for place in range(len(quantities)) if _holds_days(table.column(place))]
    if days and not any(quantities[place] in {"started_at", "ended_at"} for place in days):
        quantities[days[0]] = "date"


def _holds_days(texts: Sequence[str]) -> bool:
    some = [text for text in texts if text][:_MOST_LOOKED_AT]
    order = order_of(some)
    return sum(read_moment(text, order) is not None for text in some) * 2 > len(some)


def unit_factor(header: str, quantity: str) -> float | None:
    """The factor of a unit in the header, such as `Weight (lb)` or `minutes asleep`, to the unit of the interface."""
    units = _TIME_UNITS if quantity.endswith("_duration") else _MASS_UNITS if quantity in _MASSES else {}
    named = re.findall(r"[(\[]\s*([a-z]+)\s*[)\]]", header.lower())
    return next((units[word] for word in [*named, *_words(header).split()] if word in units), None)


def _words(header: str) -> str:
    """The header in lower case, without accents and unit: `Deep (SWS) duration (min)` is `deep sws duration`."""
    letters = unicodedata.normalize("NFKD", header)
    header = "".join(letter for letter in letters if not unicodedata.combining(letter))
    text = re.sub(r"([a-z])([A-Z])", r"\1 \2", header).lower().replace("_", " ")
    text = re.sub(r"[(\[](?!sws)[^)\]]*[)\]]", " ", text)
    return " ".join(re.sub(r"[^\w% ]", " ", text).split())


_SAMPLES, _LONGEST_SAMPLE = 3, 100
_NO_COLUMNS = "no column with a day and a value was recognised; choose the columns on the page Import"
_TIMES = ("date", "started_at", "ended_at")
_CYCLE = "cycle start time"
"""WHOOP's cycles begin when the athlete falls asleep, often the evening before: no day of a night."""
Columns = dict[str, list[Any]]
Chosen = Mapping[str, str]
"""The quantity that a person chose for each header."""


def preview(name: str, data: bytes) -> Preview:
    """The columns of a file with a proposal for each; raises a `RecordingError` if the file is not a table."""
    table = read_table(data)
    columns = tuple(
        CsvColumn(header=header, proposal=quantity, samples=_samples(table, place))
        for place, (header, quantity) in enumerate(zip(table.headers, proposals(table), strict=True))
    )
    return Preview(name=name, columns=columns, quantities=QUANTITIES, rows=len(table.rows))


def _samples(table: Table, place: int) -> tuple[str, ...]:
    return tuple(cell[:_LONGEST_SAMPLE] for cell in table.column(place)[:_SAMPLES])


def read_csv(data: bytes, chosen: Chosen | None = None) -> HealthData:
    """Read a file by the chosen columns, else by the proposals.

    Raises `UnknownFormat` if no column has a day, or none has a quantity.
    """
    table = read_table(data)
    quantities = [chosen.get(header) for header in table.headers] if chosen else proposals(table)
    places = {name: place for place, name in enumerate(quantities) if name and name != IGNORED}
    unknown = places.keys() - set(QUANTITIES)
    if unknown:
        raise UnknownFormat(f"no such quantity: {min(unknown)}")
    if not places.keys() & set(_TIMES) or places.keys() <= {"date", "time_zone", "nap"}:
        raise UnknownFormat(_NO_COLUMNS)
    data_ = HealthData()
    moments = [text for name in _TIMES if name in places for text in table.column(places[name])]
    columns = {name: _values(table, place, name, data_, moments) for name, place in places.items()}
    for place, (line, _row) in enumerate(table.rows):
        _read_row(data_, line, {name: values[place] for name, values in columns.items()}, is_utc=table.is_utc)
    if not data_.nights and not data_.metrics:
        raise EmptyRecording("; ".join(["no row could be read", *data_.all_notes()[:3]]))
    data_.misread = _misread(table, columns, places)
    return data_


def _values(table: Table, place: int, name: str, data: HealthData, moments: Sequence[str]) -> list[Any]:
    """A column's values, one for each row; a cell that is none of its quantity is noted and missing."""
    texts = table.column(place)
    if name in _TIMES:
        order = cells.order_of(texts, moments)
        return [_moment(text, order) for text in texts]
    if name == "time_zone":
        return [cells.read_zone(text) for text in texts]
    if name == "nap":
        return [is_nap(text) for text in texts]
    factor = unit_factor(table.headers[place], name)
    if not name.endswith("_duration"):
        factor = factor or unit_factor(cells.unit_of(texts), name)
        return [_number(data, table, row, text, factor) for row, text in enumerate(texts)]
    try:
        return list(cells.read_durations(texts, factor))
    except ValueError:
        return [_duration(data, table, row, text, factor) for row, text in enumerate(texts)]


def _moment(text: str, order: str) -> Any:
    return (
        cells.read_moment(text, order) or cells.read_clock(text) or (None if cells.is_missing(text) else text)
    )


def _number(data: HealthData, table: Table, row: int, text: str, factor: float | None) -> float | None:
    try:
        value = cells.read_number(text)
    except ValueError:
        data.reject(f"line {table.rows[row][0]}: {text[:40]!r} is not a number")
        return None
    return None if value is None else value * (factor or 1.0)


def _duration(data: HealthData, table: Table, row: int, text: str, factor: float | None) -> float | None:
    try:
        return cells.read_durations([text], factor)[0]
    except ValueError:
        data.reject(f"line {table.rows[row][0]}: {text[:40]!r} is not a duration")
        return None


def _read_row(data: HealthData, line: int, row: dict[str, Any], *, is_utc: bool) -> None:
    times = {name: row.pop(name) for name in _TIMES if name in row}
    zone, nap = row.pop("time_zone", None), row.pop("nap", False)
    days = [value.date() for value in times.values() if isinstance(value, datetime)]
    if wrong := [day for day in days if not is_plausible_day(day)]:
        data.reject(f"line {line}: {wrong[0]} is an impossible date")
        return
    times = {name: _in_zone(value, zone, is_utc=is_utc) for name, value in times.items()}
    day = _day_of(times)
    if day is None:
        text = next((str(value) for value in times.values() if value is not None), "")
        if text:
            data.reject(f"line {line}: {text[:40]!r} is not a day")
        else:
            data.without_day.append(f"line {line}")
        return
    _put_row(data, day, times, row, nap=nap)


def _put_row(
    data: HealthData, day: date, times: Mapping[str, Any], row: dict[str, Any], *, nap: bool
) -> None:
    for name, kind in _METRICS.items():
        value = row.pop(name, None)
        if value:  # 0 is how apps write a day without a measurement
            data.put_metric(kind, day, value)
    fields = night_times(*_ends(times, day)) | row
    if nap:
        data.naps.append(sleep_words(day, fields))
    elif any(value is not None for value in fields.values()):
        data.put_night(day, fields)


def _in_zone(value: Any, zone: tzinfo | None, *, is_utc: bool) -> Any:
    """A moment with the zone of its row; UTC becomes the time there."""
    if zone is None or not isinstance(value, datetime) or value.tzinfo is not None:
        return value
    return value.replace(tzinfo=UTC).astimezone(zone) if is_utc else value.replace(tzinfo=zone)


def _day_of(times: Mapping[str, Any]) -> date | None:
    """The day of the row: that of waking up, else its date, else the morning after the start.

    A night that ends at a moment in UTC has the day of its date: the place may be a day ahead.
    """
    named, ended, start = (times.get(name) for name in ("date", "ended_at", "started_at"))
    if isinstance(named, datetime) and (not isinstance(ended, datetime) or ended.tzinfo is UTC):
        return named.date()
    if isinstance(ended, datetime):
        return ended.date()
    return (start + timedelta(hours=12)).date() if isinstance(start, datetime) else None


def _ends(times: Mapping[str, Any], day: date) -> tuple[datetime | None, datetime | None]:
    """The start and end of the night; of clock times alone the end is on the day, and the start before it."""
    start, end = (times.get(name) for name in ("started_at", "ended_at"))
    if isinstance(end, time):
        end = datetime.combine(day, end)
    if isinstance(start, time):
        is_evening = (
            start.replace(tzinfo=None) >= end.time() if isinstance(end, datetime) else start.hour >= 12
        )
        start = datetime.combine(day - timedelta(days=is_evening), start)
    return start if isinstance(start, datetime) else None, end if isinstance(end, datetime) else None


def _misread(table: Table, columns: Columns, places: Mapping[str, int]) -> dict[date, dict[str, Any]]:
    """The nights that versions before 0.2 read from this file, if they misread it; else none.

    They took the start of WHOOP's cycle for the day and naps for nights, the first column of HRV even if it is a score,
    and every day with the year in front for year-month-day.
    """
    before = {name: columns[name] for name in columns if name not in {"time_zone", "nap", *_METRICS}}
    scores = []
    for place, header in enumerate(table.headers):
        quantity, texts = proposal(header), table.column(place)
        if header.lower() == _CYCLE or (quantity == "date" and cells.order_of(texts) == "ydm"):
            before["date"] = [_moment(text, "ymd") for text in texts]
        if quantity == "average_hrv" and place < places.get("average_hrv", 0):
            scores.append([_number(HealthData(), table, row, text, None) for row, text in enumerate(texts)])
    if scores:
        before["average_hrv"] = scores[0]
    nights: dict[date, dict[str, Any]] = {}
    for values in zip(*before.values(), strict=True) if before != columns else ():
        row = dict(zip(before, values, strict=True))
        times = {name: row.pop(name) for name in _TIMES if name in row}
        if isinstance(day := times.get("date"), datetime):
            fields = HealthData().kept(day.date(), night_times(*_ends(times, day.date())) | row)
            nights[day.date()] = {**fields, **nights.get(day.date(), {})}
    return {day: fields for day, fields in nights.items() if fields}
