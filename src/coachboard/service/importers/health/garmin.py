"""Garmin's account export: nights, HRV and resting heart rate, weight. Everything else there is telemetry."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

import orjson

from coachboard.service.importers.errors import BrokenRecording
from coachboard.service.importers.health.data import HealthData, night_times
from coachboard.service.importers.plausible import is_plausible_day
from coachboard.wire.metrics import MetricType

Rows = Iterator[Mapping[str, Any]]
_PHASES = MappingProxyType(
    {
        "deepSleepSeconds": "deep_duration",
        "lightSleepSeconds": "light_duration",
        "remSleepSeconds": "rem_duration",
        "awakeSleepSeconds": "awake_duration",
        "unmeasurableSeconds": "no_data_duration",
    }
)
_DAILY = MappingProxyType({"HRV": "average_hrv", "HR": "resting_heart_rate"})


def reader_of(name: str) -> Callable[[bytes], HealthData] | None:
    """The reader of a file of the export, by its name; None for telemetry."""
    file = PurePath(name).name.lower()
    if not file.endswith(".json"):
        return None
    for part, read in _READERS.items():
        if part in file:
            return read
    return None


def _read(data: bytes, add: Callable[[HealthData, Mapping[str, Any]], None]) -> HealthData:
    try:
        rows = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BrokenRecording(f"not readable as JSON ({error})") from error
    health_data = HealthData()
    for place, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        try:
            add(health_data, row)
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
            health_data.reject(f"entry {place}: not in the layout that Garmin writes")
    return health_data


def read_sleep(data: bytes) -> HealthData:
    return _read(data, _add_night)


def read_health_status(data: bytes) -> HealthData:
    return _read(data, _add_health)


def read_daily_summary(data: bytes) -> HealthData:
    return _read(data, _add_summary)


def read_weight(data: bytes) -> HealthData:
    return _read(data, _add_weight)


_READERS: Mapping[str, Callable[[bytes], HealthData]] = MappingProxyType(
    {
        "_sleepdata": read_sleep,
        "healthstatusdata": read_health_status,
        "udsfile": read_daily_summary,
        "_userbiometrics": read_weight,
    }
)


def _add_night(data: HealthData, row: Mapping[str, Any]) -> None:
    if row.get("sleepStartTimestampGMT") is None:
        return  # Garmin writes a row without times for a night without the watch
    fields: dict[str, Any] = night_times(
        _moment(row["sleepStartTimestampGMT"]), _moment(row.get("sleepEndTimestampGMT"))
    )
    # The export has no zone, so the local times are unknown.
    for name in ("started_at_local", "ended_at_local", "utc_offset"):
        fields.pop(name, None)
    fields |= {ours: row[theirs] for theirs, ours in _PHASES.items() if row.get(theirs) is not None}
    data.put_night(_day(row["calendarDate"]), fields)


def _add_health(data: HealthData, row: Mapping[str, Any]) -> None:
    fields = {
        _DAILY[metric["type"]]: metric["value"]
        for metric in row.get("metrics") or ()
        # Garmin writes 0 with the status UNKNOWN for a day without a measurement.
        if metric.get("type") in _DAILY and metric.get("value")
    }
    if fields:
        data.put_night(_day(row["calendarDate"]), fields)


def _add_summary(data: HealthData, row: Mapping[str, Any]) -> None:
    if row.get("restingHeartRate"):
        data.put_night(_day(row["calendarDate"]), {"resting_heart_rate": row["restingHeartRate"]})


def _add_weight(data: HealthData, row: Mapping[str, Any]) -> None:
    weight = (row.get("weight") or {}).get("weight")
    if weight:
        data.put_metric(MetricType.WEIGHT, _day(row["metaData"]["calendarDate"]), round(weight / 1000, 2))


def _day(text: str) -> date:
    return date.fromisoformat(text[:10])


def _moment(value: str | float | None) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, int | float):
        moment = datetime.fromtimestamp(value / 1000, UTC)
    else:
        moment = datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=UTC)
    if not is_plausible_day(moment.date()):
        raise ValueError("an impossible date")
    return moment
