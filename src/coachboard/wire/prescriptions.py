"""Planned workouts and their nested structure ("TrainingPrescription" and the sections after it)."""

from typing import Annotated, Literal

from pydantic import Field

from coachboard.wire.base import Day, Index, Number, Text, TimeOfDay, Wire
from coachboard.wire.enums import (
    IntensitySourceKind,
    LapIntensity,
    Sport,
    StepLabel,
    SubSport,
    TrainingStimulus,
    ZonesType,
)


class FreeLength(Wire):
    """Open-ended: the athlete decides when to move on."""

    type: Literal["free"]


class DurationLength(Wire):
    """A length in seconds."""

    type: Literal["duration"]
    duration: Number


class DistanceLength(Wire):
    """A length in metres."""

    type: Literal["distance"]
    distance: Number


StepLength = Annotated[FreeLength | DurationLength | DistanceLength, Field(discriminator="type")]


class StructureIntensity(Wire):
    """The target of a step: by power, heart rate or speed, from a zone, a metric or absolute."""

    service_intensity: LapIntensity | None
    zone: Text | None
    from_power: IntensitySourceKind | None
    from_heart_rate: IntensitySourceKind | None
    min_power: Number | None
    max_power: Number | None
    min_power_threshold_percentage: Number | None
    max_power_threshold_percentage: Number | None
    min_heart_rate: Number | None
    max_heart_rate: Number | None
    min_max_heart_rate_percentage: Number | None
    max_max_heart_rate_percentage: Number | None
    min_cadence: Number | None
    max_cadence: Number | None
    from_speed: IntensitySourceKind | None = None
    min_speed: Number | None = None
    max_speed: Number | None = None
    min_speed_threshold_percentage: Number | None = None
    max_speed_threshold_percentage: Number | None = None


class StructureStep(Wire):
    """A step of a workout."""

    type: Literal["step"]
    label: StepLabel
    intensity: StructureIntensity
    length: StepLength


class StructureRepetition(Wire):
    """Steps with a number of repetitions, nested to any depth."""

    type: Literal["repetition"]
    n_repetitions: Index
    steps: tuple["StructureElement", ...]


StructureElement = Annotated[StructureStep | StructureRepetition, Field(discriminator="type")]

StructureRepetition.model_rebuild()


class TrainingPrescription(Wire):
    """A planned workout."""

    id: Text
    date: Day
    time: TimeOfDay | None
    title: Text
    description: Text | None
    sport: Sport
    sub_sport: SubSport | None
    training_stimulus: TrainingStimulus | None
    structure: tuple[StructureElement, ...] | None
    zones_type: ZonesType | None
    distance: Number | None
    duration: Number | None
    free_duration: Number | None
    elevation_gain: Number | None
    average_power: Number | None
    work: Number | None
    calories: Number | None
    rpe: Number | None
    carb_intake: Number | None
    comment: Text | None
    activity_id: Text | None
