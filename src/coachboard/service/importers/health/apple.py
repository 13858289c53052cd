"""Apple Health's export.xml: nights, HRV, resting heart rate, weight and workouts, read in one pass whatever its size."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from lxml import etree

from coachboard.imperial import KG_PER_POUND
from coachboard.models.enums import MetricType
from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, UnknownFormat
from coachboard.service.importers.health.apple_workouts import WorkoutRow
from coachboard.service.importers.health.data import HealthData, night_times
from coachboard.service.importers.plausible import is_plausible_day

_SLEEP = "HKCategoryTypeIdentifierSleepAnalysis"
_PHASE = "HKCategoryValueSleepAnalysis"
_PHASES = MappingProxyType(
    {
        "AsleepDeep": "deep_duration",
        "AsleepCore": "light_duration",
        "AsleepREM": "rem_duration",
        "Awake": "awake_duration",
    }
)
_HRV = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"
_RESTING = "HKQuantityTypeIdentifierRestingHeartRate"
_WEIGHT = "HKQuantityTypeIdentifierBodyMass"
_TO_KG = MappingProxyType({"kg": 1.0, "lb": KG_PER_POUND, "g": 0.001, "st": 6.35029318})
_APART = timedelta(hours=3)
"""A longer time awake ends a night."""
_LONGEST_PART = timedelta(days=1)
"""A part that ends decades later would join all nights after it into one."""
MOST_KEPT = 500_000
"""Parts of nights and values of HRV, each, that are in memory until the end; a watch writes 20,000 parts in a year."""
MOST_INSIDE = 100_000
"""Elements within one record: the tree of a record that never ends would grow with the file."""
_LONGEST_TEXT = 100


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a night as one device wrote it."""

    start: datetime
    end: datetime
    phase: str
    source: str

    @property
    def length_s(self) -> float:
        return (self.end - self.start).total_seconds()


def read_export(file: IO[bytes]) -> HealthData:
    """Read the export; raises `UnknownFormat` for another XML file and `BrokenRecording` for a damaged one."""
    found, parts, variability = HealthData(), list[_Part](), list[tuple[datetime, float]]()
    try:
        for row in _records(file):
            if isinstance(row, WorkoutRow):
                _add_workout(found, row)
            else:
                _add_record(found, parts, variability, row)
    except etree.XMLSyntaxError as error:
        found.reject(f"the file is damaged ({error.msg}); readable parts were imported")
    variability.sort(key=_AT)
    for night in _nights(parts):
        _add_night(found, night, variability)
    if found.rejected and not found.nights and not found.metrics and not found.sessions:
        raise BrokenRecording(found.notes[0])
    return found


def _records(file: IO[bytes]) -> Iterator[Mapping[str, Any] | WorkoutRow]:
    """The attributes of the records, and the workouts. The tree is dropped as it is read: an export of many years has gigabytes."""
    # Entities and networks are off; without huge_tree, libxml2 limits texts, depth and what entities expand to.
    options = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    events = etree.iterparse(file, events=("start", "end"), remove_comments=True, remove_pis=True, **options)
    _, root = next(events, (None, None))
    if root is None or root.tag != "HealthData":
        raise UnknownFormat("an XML file that is not Apple Health's export")
    inside = 0
    for event, element in events:
        inside += 1
        if inside > MOST_INSIDE:
            raise FileTooLarge(f"a record with more than {MOST_INSIDE:,} parts")
        if event == "end" and element.getparent() is root:
            inside = 0
            if element.tag == "Record":
                yield dict(element.attrib)
            elif element.tag == "Workout":
                yield WorkoutRow.of(element)
            element.clear()
            while element.getprevious() is not None:
                del root[0]


def _add_record(
    data: HealthData, parts: list[_Part], variability: list[tuple[datetime, float]], row: Mapping[str, Any]
) -> None:
    kind = row.get("type")
    if kind not in {_SLEEP, _HRV, _RESTING, _WEIGHT}:
        return
    try:
        start, end = _moment(row["startDate"]), _moment(row["endDate"])
        if kind == _SLEEP:
            parts.append(_part(start, end, row))
        elif kind == _HRV:
            variability.append((start, float(row["value"])))
        elif kind == _RESTING:
            data.put_night(start.date(), {"resting_heart_rate": float(row["value"])})
        else:
            data.put_metric(
                MetricType.WEIGHT, start.date(), round(float(row["value"]) * _TO_KG[row["unit"]], 2)
            )
    except (KeyError, ValueError):
        data.reject(f"a record of {row.get('startDate', 'an unknown day')[:40]!r} could not be read")
    if max(len(parts), len(variability)) > MOST_KEPT:
        raise FileTooLarge(f"more than {MOST_KEPT:,} records of sleep or HRV")


def _add_workout(data: HealthData, workout: WorkoutRow) -> None:
    try:
        start, end = _moment(workout.row["startDate"]), _moment(workout.row["endDate"])
        data.sessions.append(workout.session(start, end))
    except (KeyError, ValueError):
        data.reject(f"a workout of {workout.row.get('startDate', 'an unknown day')[:40]!r} could not be read")
    if len(data.sessions) > MOST_KEPT:
        raise FileTooLarge(f"more than {MOST_KEPT:,} workouts")


def _part(start: datetime, end: datetime, row: Mapping[str, Any]) -> _Part:
    if not timedelta(0) <= end - start <= _LONGEST_PART:
        raise ValueError("no part of a night lasts so long")
    phase, source = row["value"].removeprefix(_PHASE), row.get("sourceName", "")
    return _Part(start, end, phase[:_LONGEST_TEXT], source[:_LONGEST_TEXT])


def _moment(text: str) -> datetime:
    """A time of a day that a file can have; others cannot be written in UTC, or join nights. Raises `ValueError`."""
    moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z")
    if not is_plausible_day(moment.date()):
        raise ValueError("an impossible date")
    return moment


def _nights(parts: Iterable[_Part]) -> list[list[_Part]]:
    """Parts by night: a gap of more than `_APART` begins another one."""
    ordered = sorted(parts, key=lambda part: part.start)
    nights = [ordered[:1]] if ordered else []
    until = ordered[0].end if ordered else None
    for _, part in pairwise(ordered):
        assert until is not None
        if part.start - until > _APART:
            nights.append([])
        nights[-1].append(part)
        until = max(until, part.end)
    return nights


_AT = itemgetter(0)


def _add_night(data: HealthData, parts: list[_Part], variability: list[tuple[datetime, float]]) -> None:
    """Add a night; `variability` is sorted by time."""
    asleep = [part for part in parts if part.phase.startswith("Asleep")]
    if not asleep:
        return  # time in bed alone says nothing about sleep
    source = _best_source(asleep)
    own = [part for part in parts if part.source == source]
    start = min(part.start for part in own)
    end = max(part.end for part in own)
    fields: dict[str, Any] = night_times(start, end)
    lengths: dict[str, float] = defaultdict(float)
    for part in own:
        if part.phase in _PHASES:
            lengths[_PHASES[part.phase]] += part.length_s
    fields |= lengths
    fields["total_duration"] = sum(part.length_s for part in own if part.phase.startswith("Asleep"))
    first, after = bisect_left(variability, start, key=_AT), bisect_right(variability, end, key=_AT)
    values = [value for _, value in variability[first:after]]
    if values:
        fields["average_hrv"] = round(float(np.mean(values)), 1)
    data.put_night(end.date(), fields)


def _best_source(asleep: Iterable[_Part]) -> str:
    """The device with the most sleep in phases, else with the most sleep: a phone writes the same night without phases."""
    lengths: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for part in asleep:
        phased, total = lengths[part.source]
        lengths[part.source] = (phased + part.length_s * (part.phase in _PHASES), total + part.length_s)
    return max(lengths, key=lambda source: lengths[source])
