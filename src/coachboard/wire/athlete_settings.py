"""Values, availability and weekly targets of an athlete under `/plan/v1` (`docs/planning-api.md`); no part of the interface."""

import datetime as dt
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import Field, WithJsonSchema

from coachboard.wire.base import Day, Number, Text, Wire
from coachboard.wire.enums import MetricSource, MetricSport, Sport
from coachboard.wire.metrics import VALUES, MetricUnit
from coachboard.wire.own_data import Job
from coachboard.wire.planning import Person

ValueType = Annotated[Text, WithJsonSchema({"type": "string", "enum": list(VALUES)})]
"""The types of values that people set: those of the interface's metrics, and `threshold heart rate`."""


class NewAthleteValue(Wire):
    """A value from a day on, in the unit of its type."""

    type: ValueType
    sport: MetricSport = MetricSport.GLOBAL
    value: Number
    date: Day
    source: MetricSource = MetricSource.USER


class AthleteValuePatch(Wire):
    """A correction; a field that is absent stays as it is."""

    value: Number | None = None
    date: Day | None = None


class AthleteValue(Wire):
    """A value from a day on; `set_by` is null for an import, an estimate, and values of earlier versions."""

    id: Text
    type: ValueType
    sport: MetricSport
    value: Number
    unit: MetricUnit | None
    date: Day
    source: MetricSource | None
    set_by: Person | None
    etag: Text


class SavedAthleteValue(Wire):
    """The value, null on deletion; `recompute` computes the athlete's loads again, null where no load depends on the type."""

    saved: AthleteValue | None
    recompute: Job | None


class DayHours(Wire):
    """The hours of a weekday for training, 0 for none, and the sports that are possible; without sports all are."""

    hours: Annotated[Number, Field(ge=0, le=24)]
    sports: Annotated[tuple[Sport, ...], Field(max_length=len(Sport))] = ()


Weekdays = Annotated[tuple[DayHours, ...], Field(min_length=7, max_length=7)]
"""Monday to Sunday."""


class NewAvailability(Wire):
    """Hours by weekday from a day on, or with `end_date` an exception for the days up to it."""

    date: Day
    end_date: Day | None = None
    weekdays: Weekdays


class AvailabilityPatch(Wire):
    """A correction; a field that is absent stays as it is."""

    date: Day | None = None
    end_date: Day | None = None
    weekdays: Weekdays | None = None


class Availability(NewAvailability):
    """Hours by weekday of an athlete."""

    id: Text
    set_by: Person | None
    etag: Text


def day_hours(rows: Iterable[Availability], day: dt.date) -> DayHours | None:
    """The hours of a day: the newest exception for it, else the newest row from before it; None without one."""
    valid = [row for row in rows if row.date <= day and (row.end_date is None or day <= row.end_date)]
    newest = max(valid, key=lambda row: (row.end_date is not None, row.date, row.id), default=None)
    return None if newest is None else newest.weekdays[day.weekday()]


class WeekPhase(StrEnum):
    """The purpose of a week in the season."""

    BASE = "base"
    BUILD = "build"
    PEAK = "peak"
    TAPER = "taper"
    RACE = "race"
    RECOVERY = "recovery"
    TRANSITION = "transition"


class NewWeekTarget(Wire):
    """The load or the hours of a week, and its phase: at least one of them, not both load and hours."""

    load: Annotated[Number, Field(gt=0, le=10_000)] | None = None
    hours: Annotated[Number, Field(gt=0, le=168)] | None = None
    phase: WeekPhase | None = None


class WeekTarget(NewWeekTarget):
    """The target of the week that begins on that Monday."""

    monday: Day
    set_by: Person | None
    etag: Text


SENT = (NewAthleteValue, AthleteValuePatch, NewAvailability, AvailabilityPatch, NewWeekTarget)
RECEIVED = (AthleteValue, SavedAthleteValue, Availability, WeekTarget)
"""The models of requests and replies, for their description."""
