"""Workouts of Apple Health's export.xml: a summary each, and the name of the GPX file of the route where there is one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from coachboard.models.enums import Sport, SubSport
from coachboard.service.importers.listed import ListedSession

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
        found = {
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
        return {name: value for name, value in found.items() if value}

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
