"""The steps of the paired prescription in order, their places in a recording, and the quantity that compares them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from coachboard.execution.alignment_costs import LEVEL_PCT
from coachboard.execution.capacities import references_of
from coachboard.execution.structure import FlatStep, Target, step_duration_s, unroll
from coachboard.execution.swim_sets import PAUSES
from coachboard.execution.work_steps import ScoreBasis, WorkScore
from coachboard.formulas.session.selection import weighted_mean
from coachboard.formulas.session.session_streams import SessionStreams
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


@dataclass(frozen=True, slots=True)
class Basis:
    """The quantity of the levels, and its value at 100 %."""

    column: str
    reference: float
    is_critical: bool = True
    """Whether the reference is the athlete's; else it is the plan's mean target, which is good for ratios only."""


@dataclass(frozen=True, slots=True)
class StepSpan:
    from_s: float
    to_s: float


_COLUMNS = {
    ScoreBasis.POWER: "power",
    ScoreBasis.SPEED: "speed",
    ScoreBasis.HEART_RATE: "heart_rate",
    ScoreBasis.LENGTHS: "speed",
}


def basis_of(
    data: ActivityData, streams: SessionStreams, steps: Sequence[PlannedStep], score: WorkScore | None
) -> Basis | None:
    """The quantity of the score, else power, speed or heart rate, if it was recorded and its reference is known."""
    capacities = data.capacities
    options = (
        ("power", capacities.critical_power_w),
        ("speed", capacities.critical_speed_mps),
        ("heart_rate", capacities.max_heart_rate_bpm),
    )
    recorded = [(name, ref) for name, ref in options if streams.get(name) is not None]
    scored = _COLUMNS.get(score.compared) if score else None
    recorded = [option for option in recorded if scored in {None, option[0]}] or recorded
    usable = [Basis(name, ref) for name, ref in recorded if ref]
    aimed = [basis for basis in usable if _mean_target(steps, basis.column)]
    # Power in watts needs no critical power.
    own = [
        Basis(name, mean, is_critical=False) for name, _ in recorded if (mean := _mean_target(steps, name))
    ]
    return next(iter([*aimed, *own, *usable]), None)


def _mean_target(steps: Sequence[PlannedStep], column: str) -> float:
    """The time-weighted mean of the steps' targets; 0 without targets."""
    targets = [(step.duration_s, target_of(step.step, column)) for step in steps]
    aimed = [
        (seconds, target.middle)
        for seconds, target in targets
        if target is not None and target.middle is not None
    ]
    total_s = sum(seconds for seconds, _ in aimed)
    return sum(seconds * middle for seconds, middle in aimed) / total_s if total_s > 0 else 0.0


def target_of(step: FlatStep, column: str) -> Target | None:
    return {"power": step.power_w, "speed": step.speed_mps, "heart_rate": step.heart_rate_bpm}[column]


def planned_level(step: FlatStep, basis: Basis | None) -> float:
    target = target_of(step, basis.column) if basis else None
    if basis and target and target.middle is not None:
        return target.middle / basis.reference * 100
    # Intensity levels are percent of critical power; heart rate has another scale.
    is_percent = basis is None or (basis.is_critical and basis.column != "heart_rate")
    return LEVEL_PCT[step.intensity] if step.intensity is not None and is_percent else nan


def spans_of(score: WorkScore, steps: Sequence[PlannedStep], end_s: float) -> list[StepSpan | None]:
    """The place of each step, None if skipped: work steps as in the score, the others in the time between them."""
    placed = {step.index: (step.from_s, step.to_s) for step in score.steps if not isnan(step.from_s)}
    places: dict[int, tuple[float, float]] = dict(placed)
    work, before, waiting, is_missed = {step.index for step in score.steps}, 0.0, list[int](), False
    for index in range(len(steps) + 1):
        if index == len(steps) or index in placed:
            start, end = placed.get(index, (end_s, end_s))
            if placed:
                places |= _shared_out(before, start, waiting, steps)
            before, waiting, is_missed = end, [], False
        elif index in work:
            is_missed = True
        elif not (is_missed and steps[index].step.label in PAUSES):  # no rest after a missed repetition
            waiting.append(index)
    return [StepSpan(*places[index]) if index in places else None for index in range(len(steps))]


def _shared_out(
    from_s: float, to_s: float, waiting: Sequence[int], steps: Sequence[PlannedStep]
) -> dict[int, tuple[float, float]]:
    """The time between two work steps for the steps between them, by their planned times."""
    planned_s = sum(steps[index].duration_s for index in waiting)
    if to_s - from_s < 1 or planned_s <= 0:
        return {}
    places, edge = {}, from_s
    for index in waiting:
        after = edge + (to_s - from_s) * steps[index].duration_s / planned_s
        places[index], edge = (edge, after), after
    return places


def done_level(streams: SessionStreams, span: StepSpan, basis: Basis | None) -> float:
    if basis is None:
        return nan
    part = samples_of(streams, span.from_s, span.to_s)
    return weighted_mean(streams.columns[basis.column][part], streams.dt_s[part]) / basis.reference * 100


def recorded_s(streams: SessionStreams, span: StepSpan) -> float:
    """Recorded seconds: a pause inside an interval does not extend it."""
    return float(streams.dt_s[samples_of(streams, span.from_s, span.to_s)].sum())


def samples_of(streams: SessionStreams, from_s: float, to_s: float) -> slice:
    start, stop = np.searchsorted(streams.elapsed_s, [from_s, to_s], side="left")
    return slice(int(start), int(max(stop, start + 1)))
