"""The contents of a device's file in any format: the step between a reader and the objects of the interface.

Times are seconds since 1970 in UTC; columns carry the names and units of the interface's streams.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from coachboard.wire.enums import Sport, StrokeType, SubSport

Floats = NDArray[np.float64]

NEXT_SESSION_S = 6 * 3600.0
"""After a longer hole the next session begins, even in the same file."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A span of time, such as a pause."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class DeviceLap:
    """A lap as the device wrote it."""

    span: TimeSpan
    intensity: str | None
    trigger: str | None


@dataclass(frozen=True, slots=True)
class DeviceLength:
    """A pool length, or a rest between two, as the device wrote it."""

    span: TimeSpan
    is_active: bool
    stroke: StrokeType | None
    average_speed_mps: float | None
    strokes_per_min: float | None
    stroke_count: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leg:
    """One session: a whole recording, or one sport of a multisport one."""

    started_s: float
    times_s: Floats  # one a record, never falling; empty where no record was kept
    columns: Mapping[str, Floats]
    sport: Sport | None = None
    sub_sport: SubSport | None = None
    name: str | None = None
    description: str | None = None
    pauses: tuple[TimeSpan, ...] = ()
    laps: tuple[DeviceLap, ...] = ()
    lengths: tuple[DeviceLength, ...] = ()
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  # the device's own

    @property
    def last_s(self) -> float:
        """The time of the last record, or of the start where there is none."""
        return float(self.times_s[-1]) if len(self.times_s) else self.started_s

    @property
    def end_s(self) -> float:
        """The end of the records, of the laps, or of the device's duration, the latest of them."""
        laps = [lap.span.end_s for lap in self.laps]
        return max(self.last_s, self.started_s + self.figures.get("total_duration", 0.0), *laps)


@dataclass(frozen=True, slots=True)
class StepTarget:
    """The target of a step of a planned workout: a zone, a range in units, or a range in percent."""

    quantity: str  # power, heart rate, cadence, speed, or open
    zone: str | None = None
    low: float | None = None
    high: float | None = None
    is_percent: bool = False


@dataclass(frozen=True, slots=True)
class WorkoutStep:
    """A step of a planned workout; `length` is in s or m, None where the athlete decides."""

    intensity: str | None
    length_kind: str  # duration, distance or free
    length: float | None
    target: StepTarget


@dataclass(frozen=True, slots=True)
class PlannedRepetition:
    """Steps to be done several times."""

    count: int
    steps: tuple["WorkoutStep | PlannedRepetition", ...]


@dataclass(frozen=True, slots=True)
class Workout:
    """A planned workout of a device; `day_s` is set where the file schedules it."""

    title: str
    sport: Sport | None
    sub_sport: SubSport | None
    steps: tuple[WorkoutStep | PlannedRepetition, ...]
    notes: str | None = None
    day_s: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """All that one file holds; `problems` names in plain words the errors and the parts that were left out."""

    legs: tuple[Leg, ...]
    workouts: tuple[Workout, ...] = ()
    utc_offset_min: int | None = None
    is_multisport: bool = False
    problems: tuple[str, ...] = ()

    def groups(self) -> list[int | None]:
        """The number of each leg's multisport session, None for a session by itself; the legs are in order of time.

        Programs also write sessions of several days as one multisport session.
        """
        if not self.is_multisport:
            return [None] * len(self.legs)
        numbers, end_s = list[int](), float("inf")
        for leg in self.legs:
            is_next = leg.started_s - end_s > NEXT_SESSION_S
            numbers.append(numbers[-1] + is_next if numbers else 0)
            end_s = leg.end_s
        return [number if numbers.count(number) > 1 else None for number in numbers]
