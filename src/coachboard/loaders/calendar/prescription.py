"""The athlete's capacities on a planned workout's day, and the workout's steps and lengths."""

from dataclasses import dataclass
from datetime import date, timedelta

from coachboard.analytics.planning.structure import (
    FlatStep,
    References,
    estimated_duration_s,
    step_duration_s,
    unroll,
)
from coachboard.client import Client
from coachboard.loaders.capacities import Capacities, capacities_on
from coachboard.models.enums import Sport
from coachboard.models.prescriptions import StructureStep, TrainingPrescription

METRIC_DAYS = 400
"""Older values of a capacity do not count."""


def load_capacities(client: Client, user_id: str, day: date, sport: Sport) -> Capacities:
    """Critical power, W', maximum heart rate and critical speed on a day."""
    metrics = client.list_metrics(user_id, day - timedelta(days=METRIC_DAYS), day)
    return capacities_on(day, sport, metrics=metrics.value, profile=None)


@dataclass(frozen=True, slots=True)
class WorkoutSteps:
    """The steps of a planned workout in order, repeats expanded, with their lengths."""

    steps: tuple[FlatStep, ...]
    lengths_s: tuple[float, ...]  # estimated for a distance, assumed for a free step
    total_s: float  # NaN if no step has a length
    free_s: float | None  # of each free step, if the workout states it


def workout_of(prescription: TrainingPrescription, references: References) -> WorkoutSteps:
    """The steps of a workout with a structure."""
    free_s = None if prescription.free_duration is None else float(prescription.free_duration)
    steps = unroll(prescription.structure or (), references)
    return WorkoutSteps(
        tuple(steps),
        tuple(step_duration_s(step, free_duration_s=free_s) for step in steps),
        estimated_duration_s(prescription.structure, free_duration_s=free_s, references=references),
        free_s,
    )


def flat_step(step: StructureStep, references: References) -> FlatStep:
    """One step with its targets as values."""
    (flat,) = unroll([step], references)
    return flat
