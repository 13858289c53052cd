"""Days of a person's health data, as a reader found them, and as rows of the store."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from coachboard.formulas.plausible import RANGES
from coachboard.plurals import count, duration_hm
from coachboard.service.ids import id_from_file
from coachboard.service.importers.listed import ListedSession
from coachboard.service.importers.plausible import is_plausible_day
from coachboard.service.values import ImplausibleValueError, new_metric
from coachboard.wire import metrics as catalogue
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import MetricType

MOST_NOTES = 20
"""Reasons that a report lists one by one; a file of 10,000 bad rows has one sentence for the rest."""

NIGHT_FIELDS = tuple(name for name in Sleep.model_fields if name not in {"id", "day"})
_OF_DAY = frozenset({"resting_heart_rate"})
"""Fields that hold for a day whatever its sleep."""
_MOST_LISTED = 5


@dataclass(slots=True)
class HealthData:
    """Fields of nights and values of metrics by day; values outside their plausible range become notes."""

    nights: dict[date, dict[str, Any]] = field(default_factory=dict)
    metrics: dict[tuple[MetricType, date], float] = field(default_factory=dict)
    sessions: list[ListedSession] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rejected: int = 0
    naps: list[str] = field(default_factory=list)
    shorter: list[str] = field(default_factory=list)
    """Sleeps beside a longer one of their day, which alone is the night."""
    without_day: list[str] = field(default_factory=list)
    misread: dict[date, dict[str, Any]] = field(default_factory=dict)
    """The nights that an earlier version read from a file that it misread: those in the store are replaced."""

    def reject(self, note: str) -> None:
        """Note why a row or value is left out."""
        self.rejected += 1
        if self.rejected <= MOST_NOTES:
            self.notes.append(note)

    def put_night(self, day: date, fields: Mapping[str, Any]) -> None:
        """Add fields of a night; the first value of a field stays. Of two sleeps of a day the longer one is the night."""
        if not self._is_possible(day):
            return
        night = self.kept(day, fields)
        there = self.nights.get(day, {})
        if are_apart(there, night, without_times=True):
            there, night = sorted((there, night), key=length_s, reverse=True)
            self.shorter.append(sleep_words(day, night))
            night = {name: night[name] for name in _OF_DAY & night.keys()}
        if there or night:
            self.nights[day] = {**night, **there}

    def kept(self, day: date, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The plausible values of a night; the others become notes."""
        return {name: value for name, value in fields.items() if self._is_plausible(day, name, value)}

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
        if value == 0 < low:
            return False  # how apps write a day without a measurement
        if not low <= value <= high:
            record = catalogue.NIGHT_FIELDS[name]
            self.reject(f"{day}: {record.title} of {value:g} {record.unit} is not plausible")
            return False
        return True

    def all_notes(self) -> tuple[str, ...]:
        """The notes, with the number of those that are not listed."""
        more = self.rejected - MOST_NOTES
        return (
            *self.notes,
            *([f"and {more} more rows or values"] if more > 0 else []),
            *listed(self.naps, "nap", "left out"),
            *listed(self.shorter, "shorter sleep", "left out, as the longest sleep of a day is its night"),
            *listed(self.without_day, "row", "without a day or a wake-up time left out"),
        )


def listed(items: Sequence[str], noun: str, said: str) -> list[str]:
    """One sentence for many rows: `2 naps left out: 2026-06-06 14:00 to 15:00, 2026-06-07 13:00 to 13:30`."""
    if not items:
        return []
    more = f" and {len(items) - _MOST_LISTED:,} more" if len(items) > _MOST_LISTED else ""
    return [f"{count(len(items), noun)} {said}: {', '.join(items[:_MOST_LISTED])}{more}"]


def are_apart(night: Mapping[str, Any], other: Mapping[str, Any], *, without_times: bool = False) -> bool:
    """Whether two sleeps of a day are not the same sleep: they do not overlap.

    Sleeps `without_times` are apart if their durations differ.
    """
    for end in ("_local", ""):
        start, stop, other_start, other_stop = (
            row.get(f"{name}{end}") for row in (night, other) for name in ("started_at", "ended_at")
        )
        if start and stop and other_start and other_stop:
            return bool(stop <= other_start or other_stop <= start)
    totals = {row.get("total_duration") for row in (night, other)}
    return without_times and None not in totals and len(totals) > 1


def length_s(night: Mapping[str, Any]) -> float:
    """The length that compares the sleeps of a day: time asleep, else in bed, else from start to end."""
    fields = completed(night)
    return fields["total_duration"] or fields["in_bed_duration"] or 0.0


def sleep_words(day: date, night: Mapping[str, Any]) -> str:
    """A sleep in a note: `2026-06-06 14:00 to 15:00`, without local times its duration."""
    start, end = night.get("started_at_local"), night.get("ended_at_local")
    if start is not None and end is not None:
        return f"{day} {start:%H:%M} to {end:%H:%M}"
    return f"{day} ({duration_hm(length_s(night))})"


def night_times(start: datetime | None, end: datetime | None) -> dict[str, Any]:
    """The fields of a night's start and end; moments with a zone have UTC and local time, others local time alone."""
    fields: dict[str, Any] = {}
    for name, moment in (("started_at", start), ("ended_at", end)):
        if moment is None:
            continue
        offset = moment.utcoffset()
        fields[f"{name}_local"] = moment.replace(tzinfo=None, microsecond=0)
        if offset is not None:
            fields[name] = moment.astimezone(UTC).replace(microsecond=0)
            fields["utc_offset"] = round(offset.total_seconds() / 60)
    return fields


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


def fields_of(night: Sleep) -> dict[str, Any]:
    """The values that a night has."""
    return {name: value for name in NIGHT_FIELDS if (value := getattr(night, name)) is not None}


def filled(stored: Sleep, fields: Mapping[str, Any]) -> tuple[Sleep, list[str]]:
    """A known night with the values that it misses, and the names of these fields."""
    complete = completed(fields)
    missing = [
        name for name, value in complete.items() if value is not None and getattr(stored, name) is None
    ]
    return stored.model_copy(update={name: complete[name] for name in missing}), missing


def metrics_of(
    user_id: str, metrics: Mapping[tuple[MetricType, date], float], stored: Iterable[Metric]
) -> list[Metric]:
    """The values that are not known yet, of the kinds that the interface has as metrics."""
    there = {(metric.type, metric.date) for metric in stored}
    added = []
    for (kind, day), value in sorted(metrics.items()):
        if (kind, day) in there:
            continue
        id_ = id_from_file("mtr", user_id, f"{kind}/{day}", 0)
        try:
            added.append(new_metric(kind, value, day=day, sport=MetricSport.GLOBAL, id_=id_))
        except ImplausibleValueError:  # the data has noted it
            continue
    return added
