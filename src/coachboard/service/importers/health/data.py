"""Days of a person's health data, as a reader found them, and as rows of the store."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from coachboard.analytics.plausible import RANGES
from coachboard.catalogues import metrics as catalogue
from coachboard.models.body import Metric, Sleep
from coachboard.models.enums import MetricSport, MetricType
from coachboard.service.ids import id_from_file
from coachboard.service.importers.plausible import is_plausible_day
from coachboard.service.values import ImplausibleValueError, new_metric

MOST_NOTES = 20
"""Reasons that a report lists one by one; a file of 10,000 bad rows has one sentence for the rest."""

NIGHT_FIELDS = tuple(name for name in Sleep.model_fields if name not in {"id", "day"})
METRICS = (MetricType.WEIGHT, MetricType.BODY_FAT, MetricType.RESTING_HEART_RATE)


@dataclass(slots=True)
class HealthData:
    """Fields of nights and values of metrics by day; values outside their plausible range become notes."""

    nights: dict[date, dict[str, Any]] = field(default_factory=dict)
    metrics: dict[tuple[MetricType, date], float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    rejected: int = 0

    def reject(self, note: str) -> None:
        """Note why a row or value is left out."""
        self.rejected += 1
        if self.rejected <= MOST_NOTES:
            self.notes.append(note)

    def put_night(self, day: date, fields: Mapping[str, Any]) -> None:
        """Add fields of a night; the first value of a field stays."""
        if not self._is_possible(day):
            return
        kept = {name: value for name, value in fields.items() if self._is_plausible(day, name, value)}
        if kept:
            self.nights.setdefault(day, {}).update({**kept, **self.nights.get(day, {})})

    def put_metric(self, kind: MetricType, day: date, value: float) -> None:
        low, high = RANGES[kind]
        if not self._is_possible(day):
            return
        if low <= value <= high:
            self.metrics[kind, day] = value
        else:
            self.reject(
                f"{day}: {catalogue.METRICS[kind].title} of {value:g} {catalogue.METRICS[kind].unit} is not plausible"
            )

    def _is_possible(self, day: date) -> bool:
        if not is_plausible_day(day):
            self.reject(f"{day} is an impossible date")
        return is_plausible_day(day)

    def _is_plausible(self, day: date, name: str, value: Any) -> bool:
        if value is None or name not in RANGES:
            return value is not None
        low, high = RANGES[name]
        if not low <= value <= high:
            record = catalogue.NIGHT_FIELDS[name]
            self.reject(f"{day}: {record.title} of {value:g} {record.unit} is not plausible")
            return False
        return True

    def all_notes(self) -> tuple[str, ...]:
        """The notes, with the number of those that are not listed."""
        more = self.rejected - MOST_NOTES
        return (*self.notes, *([f"and {more} more rows or values"] if more > 0 else []))


def night_times(start: datetime | None, end: datetime | None) -> dict[str, Any]:
    """The fields of a night's start and end; moments with a zone have UTC and local time, others local time alone."""
    found: dict[str, Any] = {}
    for name, moment in (("started_at", start), ("ended_at", end)):
        if moment is None:
            continue
        offset = moment.utcoffset()
        found[f"{name}_local"] = moment.replace(tzinfo=None, microsecond=0)
        if offset is not None:
            found[name] = moment.astimezone(UTC).replace(microsecond=0)
            found["utc_offset"] = round(offset.total_seconds() / 60)
    return found


def completed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A night's fields with the durations that follow from others: sleep from its phases, time in bed from its ends."""
    night = dict.fromkeys(NIGHT_FIELDS) | dict(fields)
    phases = [night[f"{name}_duration"] for name in ("light", "rem", "deep")]
    if night["total_duration"] is None and any(value is not None for value in phases):
        night["total_duration"] = sum(value or 0 for value in phases)
    start, end = night["started_at_local"], night["ended_at_local"]
    if night["in_bed_duration"] is None and start is not None and end is not None:
        in_bed = (end - start).total_seconds()
        night["in_bed_duration"] = in_bed if 0 < in_bed <= timedelta(days=1).total_seconds() else None
    return night


def sleep_of(user_id: str, day: date, fields: Mapping[str, Any]) -> Sleep:
    """A new night; its id follows from the day, so that a second import of the same day finds it."""
    return Sleep(id=id_from_file("slp", user_id, str(day), 0), day=day, **completed(fields))


def filled(known: Sleep, fields: Mapping[str, Any]) -> tuple[Sleep, list[str]]:
    """A known night with the values that it misses, and the names of these fields."""
    missing = [
        name
        for name, value in completed(fields).items()
        if value is not None and getattr(known, name) is None
    ]
    found = completed(fields)
    return known.model_copy(update={name: found[name] for name in missing}), missing


def metrics_of(
    user_id: str, metrics: Mapping[tuple[MetricType, date], float], known: Iterable[Metric]
) -> list[Metric]:
    """The values that are not known yet, of the kinds that the interface has as metrics."""
    there = {(metric.type, metric.date) for metric in known}
    found = []
    for (kind, day), value in sorted(metrics.items()):
        if (kind, day) in there:
            continue
        id_ = id_from_file("mtr", user_id, f"{kind}/{day}", 0)
        try:
            found.append(new_metric(kind, value, day=day, sport=MetricSport.GLOBAL, id_=id_))
        except ImplausibleValueError:  # the data has noted it
            continue
    return found
