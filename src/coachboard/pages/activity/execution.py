"""The paired workout with its execution: steps and overall scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from coachboard.execution.alignment_costs import LEVEL_PCT
from coachboard.execution.compliance import NOT_COMPARABLE, Compliance
from coachboard.execution.sessions import duration_s, swim_work
from coachboard.execution.structure import FlatStep
from coachboard.execution.swim_sets import PAUSES, NoSets, is_pause
from coachboard.execution.work_steps import WorkScore, WorkStep, level_load
from coachboard.formulas.plausible import or_nan
from coachboard.formulas.session.clock_grid import held, per_second
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.memo import once
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import can_adjust, effort_mps
from coachboard.pages.activity.plan_alignment import (
    Basis,
    PlannedStep,
    basis_of,
    planned_level,
    planned_steps,
    spans_of,
)
from coachboard.pages.activity.planned_rows import PlannedRow, rows_of
from coachboard.pages.activity.swim_sets import SwimSet, swum_rows
from coachboard.wire.enums import Sport
from coachboard.wire.prescriptions import TrainingPrescription

_LOAD_WINDOW = 30


@dataclass(frozen=True, slots=True)
class Score:
    """Done over planned."""

    planned: float
    done: float

    @property
    def ratio(self) -> float:
        """NaN if nothing was planned."""
        return self.done / self.planned if self.planned > 0 else nan


@dataclass(frozen=True, slots=True)
class PlannedAndDone:
    """Every step and every unplanned section in order, the verdict, and the totals."""

    rows: tuple[PlannedRow, ...]
    source: str
    basis: Basis | None
    compliance: Compliance
    duration: Score
    load: Score
    work: Score  # work steps; only for information if the verdict is by the totals
    distance: Score = Score(nan, nan)  # of a swim
    sets: tuple[SwimSet, ...] = ()
    no_sets: NoSets | None = None


@once
def planned_and_done(data: ActivityData) -> PlannedAndDone | None:
    """None without a paired prescription; overall scores only without a structure or streams."""
    plan = data.prescription
    if plan is None:
        return None
    compliance = data.match.compliance if data.match and data.match.compliance else NOT_COMPARABLE
    duration = Score(or_nan(plan.duration), or_nan(duration_s(data.activity)))
    steps, streams = planned_steps(data), by_effort(data)
    if not steps or streams is None or not len(streams):
        return PlannedAndDone((), "", None, compliance, duration, Score(nan, nan), work=Score(nan, nan))
    score = compliance.work
    basis = basis_of(data, streams, steps, score)
    if data.activity.sport is Sport.SWIMMING and (score is None or score.alignment is not None):
        return _swim(data, plan, streams, steps, basis)
    planned_total = sum(step.duration_s for step in steps)
    return PlannedAndDone(
        rows=_rows(streams, steps, basis, score) if score else (),
        source=str(score.compared) if score else "",
        basis=basis,
        compliance=compliance,
        duration=duration if plan.duration else Score(planned_total, duration.done),
        load=_load(streams, steps, basis),
        work=_work(score),
    )


def by_effort(data: ActivityData) -> SessionStreams | None:
    """The recording with the grade-adjusted speed of a run, because a planned pace is one on the flat.

    With the speed as recorded, each of ten hill repetitions at the planned effort was too easy.
    """
    streams, speed = data.streams, effort_mps(data)
    if streams is None or speed is None or not can_adjust(data):
        return streams
    return replace(streams, columns={**streams.columns, "speed": speed})


def _swim(
    data: ActivityData,
    plan: TrainingPrescription,
    streams: SessionStreams,
    steps: Sequence[PlannedStep],
    basis: Basis | None,
) -> PlannedAndDone:
    """By pool lengths; only totals if they do not show the repetitions. The elapsed time includes planned rests."""
    activity = data.activity
    compliance = data.match.compliance if data.match and data.match.compliance else NOT_COMPARABLE
    distances = [step.step.distance_m for step in steps if not is_pause(step.step)]
    planned_m = plan.distance or (
        sum(distance_m or 0 for distance_m in distances) if all(distances) else None
    )
    totals = PlannedAndDone(
        rows=(),
        source="pool lengths",
        basis=basis,
        compliance=compliance,
        duration=Score(
            plan.duration or sum(step.duration_s for step in steps),
            or_nan(activity.effective_duration or activity.total_duration),
        ),
        load=Score(nan, nan),
        work=Score(nan, nan),
        distance=Score(or_nan(planned_m), or_nan(activity.distance)),
    )
    if compliance.work is None:
        swim_score = swim_work(plan, activity)
        return replace(totals, no_sets=swim_score if isinstance(swim_score, NoSets) else None)
    rows, sets = swum_rows(data, streams, steps, basis=basis, judged=compliance.work)
    return replace(totals, rows=rows, sets=sets, work=_work(compliance.work))


def _rows(
    streams: SessionStreams, steps: Sequence[PlannedStep], basis: Basis | None, score: WorkScore
) -> tuple[PlannedRow, ...]:
    """The rows with the places and means of the score, so that table and verdict say the same."""
    rows = rows_of(streams, zip(steps, spans_of(score, steps, streams.end_s), strict=True), basis)
    judged = {step.index: step for step in score.steps}
    return tuple(_with_score(row, judged.get(row.step.index)) if row.step else row for row in rows)


def _with_score(row: PlannedRow, judged: WorkStep | None) -> PlannedRow:
    if judged is None:
        return row
    return replace(row, work=judged.outcome, achieved=judged.level, target=row.target or judged.target)


def _work(score: WorkScore | None) -> Score:
    return Score(float(len(score.steps)), score.done) if score else Score(nan, nan)


def _load(streams: SessionStreams, steps: Sequence[PlannedStep], basis: Basis | None) -> Score:
    """Planned and done load by `level_load`.

    A step without a target has the level of recovery if it is a rest, else of aerobic work.
    """
    if basis is None or not basis.is_critical or basis.column == "heart_rate":
        return Score(nan, nan)
    planned = level_load(
        [step.duration_s for step in steps], [_assumed_level(step.step, basis) for step in steps]
    )
    values = np.nan_to_num(per_second(held(streams.columns[basis.column], streams.elapsed_s), streams.dt_s))
    window = min(_LOAD_WINDOW, len(values))
    smooth = np.convolve(values, np.full(window, 1 / window), "valid")
    return Score(planned, level_load(np.ones(len(smooth)), smooth / basis.reference * 100))


def _assumed_level(step: FlatStep, basis: Basis) -> float:
    level = planned_level(step, basis)
    return LEVEL_PCT["recovery" if step.label in PAUSES else "aerobic"] if np.isnan(level) else level
