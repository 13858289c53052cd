"""The planned structure laid along the session: each step with its place in time and its ranges."""

from dataclasses import dataclass

from coachboard.analytics.structure import FlatStep, References, step_duration_s, unroll
from coachboard.loaders.activity import ActivityData


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step as planned, from the session's start on."""

    step: FlatStep
    from_s: float
    to_s: float


def planned_steps(data: ActivityData) -> tuple[PlannedStep, ...]:
    """The paired prescription unrolled from the start of the session; empty where nothing is paired or built."""
    plan = data.prescription
    if plan is None or plan.structure is None:
        return ()
    capacities = data.capacities
    references = References(
        capacities.critical_power_w, capacities.max_heart_rate_bpm, capacities.critical_speed_mps
    )
    steps, at = [], 0.0
    for step in unroll(plan.structure, references):
        duration_s = step_duration_s(
            step, free_duration_s=plan.free_duration, speed_mps=data.activity.average_speed
        )
        steps.append(PlannedStep(step, at, at + duration_s))
        at += duration_s
    return tuple(steps)
