"""Apple Health's export.xml: nights, HRV, resting heart rate, weight and workouts, read in one pass whatever its size."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import IO, Any
from zoneinfo import ZoneInfo

import numpy as np
from lxml import etree

from coachboard.imperial import KG_PER_POUND
from coachboard.service.importers.errors import BrokenRecording, FileTooLarge, UnknownFormat
from coachboard.service.importers.health.data import HealthData, night_times
from coachboard.service.importers.listed import ListedSession
from coachboard.service.importers.plausible import is_plausible_day
from coachboard.wire.enums import Sport, SubSport
from coachboard.wire.metrics import MetricType

_SPORTS: Mapping[str, tuple[Sport, SubSport | None]] = MappingProxyType(
    {
        "Running": (Sport.RUNNING, None),
        "Cycling": (Sport.CYCLING, None),
        "HandCycling": (Sport.CYCLING, SubSport.HAND_CYCLING),
        "Walking": (Sport.WALKING, None),
        "Hiking": (Sport.HIKING, None),
        "Swimming": (Sport.SWIMMING, None),
        "Rowing": (Sport.ROWING, None),
        "SwimBikeRun": (Sport.MULTISPORT, None),
        "Transition": (Sport.TRANSITION, None),
        "TraditionalStrengthTraining": (Sport.TRAINING, SubSport.STRENGTH_TRAINING),
        "FunctionalStrengthTraining": (Sport.TRAINING, SubSport.STRENGTH_TRAINING),
        "CoreTraining": (Sport.TRAINING, SubSport.STRENGTH_TRAINING),
        "CrossTraining": (Sport.TRAINING, None),
        "MixedCardio": (Sport.TRAINING, SubSport.CARDIO_TRAINING),
        "HighIntensityIntervalTraining": (Sport.HIIT, None),
        "Flexibility": (Sport.TRAINING, SubSport.FLEXIBILITY_TRAINING),
        "Yoga": (Sport.TRAINING, SubSport.YOGA),
        "Pilates": (Sport.TRAINING, SubSport.PILATES),
        "Elliptical": (Sport.FITNESS_EQUIPMENT, SubSport.ELLIPTICAL),
        "StairClimbing": (Sport.FITNESS_EQUIPMENT, SubSport.STAIR_CLIMBING),
        "CrossCountrySkiing": (Sport.CROSS_COUNTRY_SKIING, None),
        "DownhillSkiing": (Sport.ALPINE_SKIING, None),
        "Snowboarding": (Sport.SNOWBOARDING, None),
        "SkatingSports": (Sport.ICE_SKATING, None),
        "PaddleSports": (Sport.PADDLING, None),
        "SurfingSports": (Sport.SURFING, None),
        "Sailing": (Sport.SAILING, None),
        "Climbing": (Sport.ROCK_CLIMBING, None),
        "JumpRope": (Sport.JUMP_ROPE, None),
        "Tennis": (Sport.TENNIS, None),
        "Golf": (Sport.GOLF, None),
        "Soccer": (Sport.SOCCER, None),
        "Basketball": (Sport.BASKETBALL, None),
        "Boxing": (Sport.BOXING, None),
    }
)
_INDOOR = MappingProxyType(
    {
        Sport.RUNNING: SubSport.TREADMILL,
        Sport.CYCLING: SubSport.INDOOR_CYCLING,
        Sport.WALKING: SubSport.INDOOR_WALKING,
        Sport.ROWING: SubSport.INDOOR_ROWING,
    }
)
_POOL_OR_OPEN = MappingProxyType({"1": SubSport.LAP_SWIMMING, "2": SubSport.OPEN_WATER})
_UNITS: Mapping[str, float] = MappingProxyType(
    {
        "min": 60.0,
        "s": 1.0,
        "sec": 1.0,
        "hr": 3600.0,
        "m": 1.0,
        "km": 1000.0,
        "mi": 1609.344,
        "yd": 0.9144,
        "ft": 0.3048,
        "cm": 0.01,
        "kcal": 1.0,
        "Cal": 1.0,
        "kJ": 1 / 4.184,
    }
)
"""Factors to seconds, metres and kilocalories."""
_LENGTH = re.compile(r"([\d.]+)\s*([a-z]+)")


@dataclass(frozen=True, slots=True)
class WorkoutRow:
    """A workout as the export writes it."""

    row: Mapping[str, str]
    statistics: dict[str, Mapping[str, str]] = field(default_factory=dict)  # by type, without the prefix
    metadata: dict[str, str] = field(default_factory=dict)
    route: str = ""

    @classmethod
    def of(cls, element: Any) -> "WorkoutRow":
        statistics, metadata, route = dict[str, Mapping[str, str]](), dict[str, str](), ""
        for child in element.iterdescendants():
            if child.tag == "WorkoutStatistics":
                kind = child.get("type", "").removeprefix("HKQuantityTypeIdentifier")
                statistics[kind] = dict(child.attrib)
            elif child.tag == "MetadataEntry":
                metadata.setdefault(child.get("key", ""), child.get("value", ""))
            elif child.tag == "FileReference":
                route = PurePosixPath(child.get("path", "")).name
        return cls(dict(element.attrib), statistics, metadata, route)

    def session(self, start: datetime, end: datetime) -> ListedSession:
        """The workout as a session; raises `ValueError` for one that ends before it starts."""
        if end <= start:
            raise ValueError("ends before it starts")
        kind = self.row.get("workoutActivityType", "").removeprefix("HKWorkoutActivityType")
        sport, sub_sport = _SPORTS.get(kind, (None, None))
        if self.metadata.get("HKIndoorWorkout") == "1":
            sub_sport = _INDOOR.get(sport, sub_sport) if sport else None
        if sport is Sport.SWIMMING:
            sub_sport = _POOL_OR_OPEN.get(self.metadata.get("HKSwimmingLocationType", ""))
        return ListedSession(
            key=f"apple/{start.timestamp():.0f}/{kind[:40]}",
            started_at=start,
            sport=sport,
            sub_sport=sub_sport,
            file_name=self.route,
            texts={},
            figures=self._figures(start, end),
            utc_offset_min=self._offset_min(start),
        )

    def _figures(self, start: datetime, end: datetime) -> dict[str, float]:
        row = self.row
        heart_rate = self.statistics.get("HeartRate", {})
        climbed = _LENGTH.fullmatch(self.metadata.get("HKElevationAscended", ""))
        figures = {
            "total_duration": (end - start).total_seconds(),
            "effective_duration": _value(row.get("duration"), row.get("durationUnit", "min")),
            "distance": _value(row.get("totalDistance"), row.get("totalDistanceUnit"))
            or self._sum("Distance"),
            "calories": _value(row.get("totalEnergyBurned"), row.get("totalEnergyBurnedUnit"))
            or self._sum("ActiveEnergyBurned"),
            "average_heart_rate": _value(heart_rate.get("average"), "s"),
            "max_heart_rate": _value(heart_rate.get("maximum"), "s"),
            "elevation_gain": _value(*climbed.groups()) if climbed else None,
        }
        return {name: value for name, value in figures.items() if value}

    def _sum(self, kind: str) -> float | None:
        row = next((row for name, row in self.statistics.items() if name.startswith(kind)), {})
        return _value(row.get("sum"), row.get("unit"))

    def _offset_min(self, start: datetime) -> int | None:
        """The offset of the workout's own zone; the times of the export all have the phone's zone at the export."""
        try:
            offset = start.astimezone(ZoneInfo(self.metadata["HKTimeZone"])).utcoffset()
        except (KeyError, OSError, ValueError):
            offset = start.utcoffset()
        return None if offset is None else round(offset.total_seconds() / 60)


def _value(text: str | None, unit: str | None) -> float | None:
    """A number in its base unit; None for a text that is none, or a unit that is not known."""
    try:
        return float(text or "") * _UNITS[unit or ""]
    except (KeyError, ValueError):
        return None


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
    data, parts, variability = HealthData(), list[_Part](), list[tuple[datetime, float]]()
    try:
        for row in _records(file):
            if isinstance(row, WorkoutRow):
                _add_workout(data, row)
            else:
                _add_record(data, parts, variability, row)
    except etree.XMLSyntaxError as error:
        data.reject(f"the file is damaged ({error.msg}); readable parts were imported")
    variability.sort(key=_AT)
    for night in _nights(parts):
        _add_night(data, night, variability)
    if data.rejected and not data.nights and not data.metrics and not data.sessions:
        raise BrokenRecording(data.notes[0])
    return data


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
