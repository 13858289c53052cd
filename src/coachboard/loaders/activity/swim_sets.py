"""A swim against its workout: a row of each step and of each set, from pool lengths and rests at the wall."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from coachboard.analytics.planning import compliance
from coachboard.analytics.planning.alignment import Alignment, StepMatch
from coachboard.analytics.planning.compliance import ComplianceState
from coachboard.analytics.planning.structure import FlatStep
from coachboard.analytics.planning.swim_sets import LEAST_REST_S, SwumLength, is_pause
from coachboard.analytics.planning.work_steps import WorkScore, WorkStep
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.plan_alignment import Basis, StepSpan
from coachboard.loaders.activity.planned_rows import PlannedRow, rows_of, step_state
from coachboard.loaders.activity.planned_steps import PlannedStep
from coachboard.loaders.activity.pool_lengths import pool_length_m, with_rests
from coachboard.loaders.activity.pool_lengths import swum as lengths_of
from coachboard.loaders.activity.session_parts import Part, parts_of
from coachboard.loaders.activity.session_streams import SessionStreams


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
            else compliance.state_of(self.credit / len(self.planned_m))
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
    taken = {match.steps[0]: match.stretches for match in matches_of}
    found = list(_repetitions(steps, taken, swum, spans))
    done = [one.span for one in found if one.span]
    places = iter(range(len(done)))
    matches = [
        StepMatch(() if one.index is None else (one.index,), (next(places),) if one.span else ())
        for one in found
    ]
    rows = rows_of(streams, steps, spans=done, alignment=Alignment(tuple(matches), 0.0), basis=basis)
    scored = {step.index: step for step in judged.steps}
    return (
        tuple(
            _by_distance(row, [swum[at] for at in taken.get(row.step.index, ())], pool_m, basis, scored)
            if row.step
            else row
            for row in rows
        ),
        tuple(_sets([step.step for step in steps], found, swum, strokes, pool_m, scored)),
    )


def _repetitions(
    steps: Sequence[PlannedStep],
    taken: Mapping[int, tuple[int, ...]],
    swum: Sequence[SwumLength],
    spans: Sequence[StepSpan],
) -> Iterator[_Repetition]:
    """All steps in order, with the unplanned repetitions between them."""
    at, is_done = 0, False
    for index, planned in enumerate(steps):
        if is_pause(planned.step):
            rests = is_done and at < len(spans) and swum[at - 1].rest_s >= LEAST_REST_S
            yield _Repetition(index, (), StepSpan(spans[at - 1].to_s, spans[at].from_s) if rests else None)
            continue
        lengths = taken.get(index, ())
        is_done = bool(lengths)
        if lengths:
            yield from _unplanned(range(at, lengths[0]), swum, spans)
            at = lengths[-1] + 1
        yield _Repetition(index, lengths, _span(lengths, spans))
    yield from _unplanned(range(at, len(spans)), swum, spans)


def _unplanned(
    lengths: range, swum: Sequence[SwumLength], spans: Sequence[StepSpan]
) -> Iterator[_Repetition]:
    first = lengths.start
    for at in lengths:
        if at == lengths.stop - 1 or swum[at].rest_s >= LEAST_REST_S:
            yield _Repetition(
                None, tuple(range(first, at + 1)), StepSpan(spans[first].from_s, spans[at].to_s)
            )
            first = at + 1


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
    found: Sequence[_Repetition],
    swum: Sequence[SwumLength],
    strokes: Sequence[str],
    pool_m: float,
    scored: Mapping[int, WorkStep],
) -> Iterator[SwimSet]:
    """Repetitions of the same step and the same block of the workout together, in order of their first one."""
    blocks = _blocks(steps)
    groups: dict[Hashable, list[_Repetition]] = {}
    before: Hashable = None
    for one in found:
        if one.index is None:
            key: Hashable = (before, len(one.lengths))
        elif is_pause(steps[one.index]):
            continue
        else:
            before = key = blocks[one.index]
        groups.setdefault(key, []).append(one)
    for group in groups.values():
        lengths = [at for one in group for at in one.lengths]
        indices = [one.index for one in group if one.index is not None]
        time_s = sum(swum[at].duration_s for at in lengths)
        earned = [scored[index].credit for index in indices if index in scored]
        yield SwimSet(
            step=steps[indices[0]] if indices else None,
            planned_m=tuple(steps[index].distance_m or nan for index in indices),
            done_m=tuple(len(one.lengths) * pool_m for one in group if one.lengths),
            credit=sum(earned) if earned else nan,
            strokes=tuple(dict.fromkeys(strokes[at] for at in lengths if strokes[at])),
            speed_mps=len(lengths) * pool_m / time_s if time_s else nan,
            planned_rest_s=_mean([_rest_after(steps, index) for index in indices]),
            rest_s=_mean([rest for one in group if one.lengths and (rest := swum[one.lengths[-1]].rest_s) >= LEAST_REST_S]),
            span=StepSpan(min(spans)[0], max(spans)[1]) if (spans := [(one.span.from_s, one.span.to_s) for one in group if one.span]) else None,
        )  # fmt: skip


def _blocks(steps: Sequence[FlatStep]) -> list[Hashable]:
    """The innermost repetition of each step, with its distance and target."""
    found: list[Hashable] = []
    block, outer, turn = 0, None, 0
    for step in steps:
        now = (step.repeats[:-1], step.repeats[-1][1]) if step.repeats else None
        at = step.repeats[-1][0] if step.repeats else 0
        if now is None or now != outer or at < turn:
            block += 1
        outer, turn = now, at
        found.append((block, step.label, step.distance_m, step.duration_s, step.speed_mps))
    return found


def _rest_after(steps: Sequence[FlatStep], index: int) -> float:
    after = steps[index + 1] if index + 1 < len(steps) else None
    return after.duration_s or nan if after and is_pause(after) else nan


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if value == value]  # noqa: PLR0124 (drops NaN)
    return float(np.mean(known)) if known else nan
