"""A swim against its workout: a row of each step and of each set, from pool lengths and rests at the wall."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from coachboard.execution import compliance
from coachboard.execution.compliance import ComplianceState
from coachboard.execution.pool_lengths import pool_length_m, with_rests
from coachboard.execution.pool_lengths import swum as lengths_of
from coachboard.execution.structure import FlatStep
from coachboard.execution.swim_sets import LEAST_REST_S, SwumLength, is_pause
from coachboard.execution.work_steps import WorkScore, WorkStep
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.plan_alignment import Basis, PlannedStep, StepSpan
from coachboard.pages.activity.planned_rows import PlannedRow, rows_of, step_state
from coachboard.pages.activity.session_parts import Part, parts_of


@dataclass(frozen=True, slots=True)
class SwimSet:
    """Repetitions of one step of the workout, or of unplanned lengths; NaN where nothing was planned or swum."""

    step: FlatStep | None
    planned_m: tuple[float, ...]  # of each repetition
    done_m: tuple[float, ...]  # of each repetition that was swum
    credit: float  # sum of the scored repetitions; NaN if the step does not count
    strokes: tuple[str, ...]  # recorded, in order
    speed_mps: float  # distance over swimming time
    planned_rest_s: float
    rest_s: float  # mean of the rests after the repetitions
    span: StepSpan | None

    @property
    def compliance_state(self) -> ComplianceState | None:
        """On target, off or far off, by the share of the repetitions; None if nothing was swum or nothing counts."""
        return (
            None
            if isnan(self.credit) or not self.done_m
            else compliance.work_state(self.credit / len(self.planned_m))
        )


@dataclass(frozen=True, slots=True)
class _Repetition:
    """A step of the workout (None: unplanned) with its pool lengths; a rest has a span and no lengths."""

    index: int | None
    lengths: tuple[int, ...]
    span: StepSpan | None


def swum_rows(
    data: ActivityData,
    streams: SessionStreams,
    steps: Sequence[PlannedStep],
    *,
    basis: Basis | None,
    judged: WorkScore,
) -> tuple[tuple[PlannedRow, ...], tuple[SwimSet, ...]]:
    """Each step with its recorded part, and the sets; both with unplanned lengths."""
    spans = [StepSpan(part.from_s, part.to_s) for part in parts_of(data, Part.LENGTHS).stretches]
    swum, pool_m = with_rests(data.activity), pool_length_m(data.activity)
    strokes = [length.stroke_type or "" for length in lengths_of(data.activity)]
    matches_of = judged.alignment.matches if judged.alignment else ()
    lengths_by_step = {match.steps[0]: match.stretches for match in matches_of}
    repetitions = list(_repetitions(steps, lengths_by_step, swum, spans))
    placed = ((None if each.index is None else steps[each.index], each.span) for each in repetitions)
    rows = rows_of(streams, placed, basis)
    scored = {step.index: step for step in judged.steps}
    return (
        tuple(
            _by_distance(
                row, [swum[place] for place in lengths_by_step.get(row.step.index, ())], pool_m, basis, scored
            )
            if row.step
            else row
            for row in rows
        ),
        tuple(_sets([step.step for step in steps], repetitions, swum, strokes, pool_m, scored)),
    )


def _repetitions(
    steps: Sequence[PlannedStep],
    lengths_by_step: Mapping[int, tuple[int, ...]],
    swum: Sequence[SwumLength],
    spans: Sequence[StepSpan],
) -> Iterator[_Repetition]:
    """All steps in order, with the unplanned repetitions between them."""
    next_length, is_done = 0, False
    free = set(range(len(spans))).difference(*lengths_by_step.values())
    for index, planned in enumerate(steps):
        if is_pause(planned.step):
            rests = is_done and next_length < len(spans) and swum[next_length - 1].rest_s >= LEAST_REST_S
            yield _Repetition(
                index, (), StepSpan(spans[next_length - 1].to_s, spans[next_length].from_s) if rests else None
            )
            continue
        lengths = lengths_by_step.get(index, ())
        is_done = bool(lengths)
        if lengths:
            yield from _unplanned(range(next_length, lengths[0]), free, swum, spans)
            next_length = lengths[-1] + 1
        yield _Repetition(index, lengths, _span(lengths, spans))
    yield from _unplanned(range(len(spans)), free, swum, spans)


def _unplanned(
    lengths: range, free: set[int], swum: Sequence[SwumLength], spans: Sequence[StepSpan]
) -> Iterator[_Repetition]:
    """The repetitions of the free lengths in a range; each length comes once, also if sets were swum in another order."""
    here = free.intersection(lengths)
    free -= here
    first = None
    for length in sorted(here):
        first = length if first is None else first
        if length + 1 not in here or swum[length].rest_s >= LEAST_REST_S:
            yield _Repetition(
                None, tuple(range(first, length + 1)), StepSpan(spans[first].from_s, spans[length].to_s)
            )
            first = None


def _span(lengths: Sequence[int], spans: Sequence[StepSpan]) -> StepSpan | None:
    return StepSpan(spans[lengths[0]].from_s, spans[lengths[-1]].to_s) if lengths else None


def _by_distance(
    row: PlannedRow,
    lengths: Sequence[SwumLength],
    pool_m: float,
    basis: Basis | None,
    scored: Mapping[int, WorkStep],
) -> PlannedRow:
    """A step of a swim is as long as its distance, and as fast as its lengths: streams have no speed in a drill."""
    assert row.step is not None
    if not lengths:
        return row
    done_m, judged = len(lengths) * pool_m, scored.get(row.step.index)
    speed_mps = done_m / sum(length.duration_s for length in lengths)
    is_speed = basis is not None and basis.column == "speed"
    return replace(
        row,
        state=step_state(row.step, done_m / row.step.distance_m) if row.step.distance_m else row.state,
        work=judged.outcome if judged else None,
        achieved=speed_mps if is_speed else row.achieved,
        level_pct=speed_mps / basis.reference * 100 if basis and is_speed else row.level_pct,
    )


def _sets(
    steps: Sequence[FlatStep],
    repetitions: Sequence[_Repetition],
    swum: Sequence[SwumLength],
    strokes: Sequence[str],
    pool_m: float,
    scored: Mapping[int, WorkStep],
) -> Iterator[SwimSet]:
    """Repetitions of the same step and the same block of the workout together, in order of their first one."""
    blocks = _blocks(steps)
    groups: dict[Hashable, list[_Repetition]] = {}
    before: Hashable = None
    for repetition in repetitions:
        if repetition.index is None:
            key: Hashable = (before, len(repetition.lengths))
        elif is_pause(steps[repetition.index]):
            continue
        else:
            before = key = blocks[repetition.index]
        groups.setdefault(key, []).append(repetition)
    for group in groups.values():
        lengths = [length for repetition in group for length in repetition.lengths]
        indices = [repetition.index for repetition in group if repetition.index is not None]
        time_s = sum(swum[length].duration_s for length in lengths)
        earned = [scored[index].credit for index in indices if index in scored]
        yield SwimSet(
            step=steps[indices[0]] if indices else None,
            planned_m=tuple(steps[index].distance_m or nan for index in indices),
            done_m=tuple(len(repetition.lengths) * pool_m for repetition in group if repetition.lengths),
            credit=sum(earned) if earned else nan,
            strokes=tuple(dict.fromkeys(strokes[length] for length in lengths if strokes[length])),
            speed_mps=len(lengths) * pool_m / time_s if time_s else nan,
            planned_rest_s=_mean([_rest_after(steps, index) for index in indices]),
            rest_s=_mean([rest for repetition in group if repetition.lengths and (rest := swum[repetition.lengths[-1]].rest_s) >= LEAST_REST_S]),
            span=StepSpan(min(spans)[0], max(spans)[1]) if (spans := [(repetition.span.from_s, repetition.span.to_s) for repetition in group if repetition.span]) else None,
        )  # fmt: skip


def _blocks(steps: Sequence[FlatStep]) -> list[Hashable]:
    """The innermost repetition of each step, with its distance and target."""
    blocks: list[Hashable] = []
    block, outer, turn = 0, None, 0
    for step in steps:
        now = (step.repeats[:-1], step.repeats[-1][1]) if step.repeats else None
        repetition = step.repeats[-1][0] if step.repeats else 0
        if now is None or now != outer or repetition < turn:
            block += 1
        outer, turn = now, repetition
        blocks.append((block, step.label, step.distance_m, step.duration_s, step.speed_mps))
    return blocks


def _rest_after(steps: Sequence[FlatStep], index: int) -> float:
    after = steps[index + 1] if index + 1 < len(steps) else None
    return after.duration_s or nan if after and is_pause(after) else nan


def _mean(values: Sequence[float]) -> float:
    recorded = [value for value in values if value == value]  # noqa: PLR0124 (drops NaN)
    return float(np.mean(recorded)) if recorded else nan
