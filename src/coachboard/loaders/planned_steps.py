"""The steps of the paired prescription in the order they are to be done, each with its ranges and its length."""

from dataclasses import dataclass

from coachboard.analytics.structure import FlatStep, References, step_duration_s, unroll
from coachboard.loaders.activity import ActivityData


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step and how long it was to take."""

    step: FlatStep
    duration_s: float


def planned_steps(data: ActivityData) -> tuple[PlannedStep, ...]:
    """The paired prescription unrolled; empty where nothing is paired or it has no structure."""
    plan = data.prescription
    if plan is None or plan.structure is None:
        return ()
    known = data.capacities
    references = References(known.critical_power_w, known.max_heart_rate_bpm, known.critical_speed_mps)
    speed_mps = data.activity.average_speed
    return tuple(
        PlannedStep(step, step_duration_s(step, free_duration_s=plan.free_duration, speed_mps=speed_mps))
        for step in unroll(plan.structure, references)
    )
