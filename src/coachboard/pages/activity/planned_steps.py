"""The steps of the paired prescription in order, with targets and length."""

from dataclasses import dataclass

from coachboard.execution.structure import FlatStep, step_duration_s, unroll
from coachboard.loaders.capacities import references_of
from coachboard.pages.activity.data import ActivityData


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step and its planned time."""

    step: FlatStep
    duration_s: float


def planned_steps(data: ActivityData) -> tuple[PlannedStep, ...]:
    """The paired prescription with unrolled repetitions; empty without one or without a structure."""
    plan = data.prescription
    if plan is None or plan.structure is None:
        return ()
    references = references_of(data.capacities)
    speed_mps = data.activity.average_speed
    return tuple(
        PlannedStep(step, step_duration_s(step, free_duration_s=plan.free_duration, speed_mps=speed_mps))
        for step in unroll(plan.structure, references)
    )
