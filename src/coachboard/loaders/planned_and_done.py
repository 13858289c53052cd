"""The paired workout step by step beside what was done: matched by intensity and duration, judged by band."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.alignment import LEVEL_PCT, Alignment, Match
from coachboard.analytics.compliance import ComplianceState, state_of
from coachboard.analytics.selection import per_second, weighted_mean
from coachboard.analytics.structure import FlatStep, Target
from coachboard.analytics.zones import intensity_of
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.matching import duration_s
from coachboard.loaders.plan_alignment import (
    Basis,
    Span,
    basis_of,
    best_alignment,
    done_level,
    planned_level,
    samples_of,
    target_of,
)
from coachboard.loaders.planned_steps import PlannedStep, planned_steps
from coachboard.loaders.session_streams import SessionStreams
from coachboard.models.enums import LapIntensity, StepLabel

Floats = NDArray[np.float64]

SHORT_SHARE, LONG_SHARE = 0.8, 1.2
"""A step done for less of its planned time was cut short, for more was drawn out; the limits of compliance."""
IN_BAND_MARGIN = 0.03
"""The band is widened by 3 % at either end: nobody holds a number to the watt."""
ACHIEVED_SHARE = 0.6
"""A step counts as achieved from 80 % of its duration and 60 % of its time in the band."""
SHORTEST_ADDED_S = 10.0
"""A stretch below this is a slip of the lap button, not something that was added."""
_LOAD_WINDOW = 30
_RESTS = frozenset({StepLabel.REST, StepLabel.INTRA_RECOVERY})


class StepState(StrEnum):
    """What became of a planned step, or that a stretch was not planned."""

    DONE = "done"
    CUT_SHORT = "cut short"
    DRAWN_OUT = "drawn out"
    SKIPPED = "skipped"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Row:
    """One step with what was done for it; `step` is None for what was added, the span for what was skipped."""

    step: FlatStep | None
    planned_s: float
    from_s: float
    to_s: float
    column: str | None
    target: Target | None
    achieved: float
    in_band: float
    planned_level_pct: float
    level_pct: float
    intensity: LapIntensity | None
    state: StepState

    @property
    def done_s(self) -> float:
        """How long it was done; NaN for a skipped step."""
        return self.to_s - self.from_s

    @property
    def is_achieved(self) -> bool:
        """Long enough and in its band; a step without a target needs the time alone."""
        long_enough = self.done_s >= SHORT_SHARE * self.planned_s
        return long_enough and (self.target is None or self.in_band >= ACHIEVED_SHARE)


@dataclass(frozen=True, slots=True)
class Score:
    """Done over planned and its state of compliance."""

    planned: float
    done: float

    @property
    def ratio(self) -> float:
        """NaN where nothing was planned."""
        return self.done / self.planned if self.planned > 0 else nan

    @property
    def state(self) -> ComplianceState | None:
        """None where the ratio is unknown."""
        return state_of(self.ratio)


@dataclass(frozen=True, slots=True)
class PlannedAndDone:
    """Every step and every unplanned stretch in order, and the scores of the whole."""

    rows: tuple[Row, ...]
    source: str
    basis: str | None
    duration: Score
    volume: Score
    steps: Score


def planned_and_done(data: ActivityData) -> PlannedAndDone | None:
    """None where no prescription is paired; without a structure or streams the overall scores alone."""
    plan = data.prescription
    if plan is None:
        return None
    duration = Score(_number(plan.duration), _number(duration_s(data.activity)))
    steps, streams = planned_steps(data), data.streams
    if not steps or streams is None or not len(streams):
        return PlannedAndDone((), "", None, duration, Score(nan, nan), Score(nan, nan))
    basis = basis_of(data, streams, steps)
    source, spans, alignment = best_alignment(data, streams, steps=steps, basis=basis)
    rows = _rows(streams, steps, spans=spans, alignment=alignment, basis=basis)
    planned_total = sum(step.to_s - step.from_s for step in steps)
    done_steps = sum(row.is_achieved for row in rows if row.step is not None)
    return PlannedAndDone(
        rows=rows,
        source=source,
        basis=basis.column if basis else None,
        duration=duration if plan.duration else Score(planned_total, duration.done),
        volume=_volume(streams, steps, basis),
        steps=Score(float(len(steps)), float(done_steps)),
    )


def _number(value: float | None) -> float:
    return nan if value is None else float(value)


def _rows(
    streams: SessionStreams,
    steps: Sequence[PlannedStep],
    *,
    spans: Sequence[Span],
    alignment: Alignment,
    basis: Basis | None,
) -> tuple[Row, ...]:
    rows: list[Row] = []
    for match in alignment.matches:
        if match.is_added:
            added = [spans[at] for at in match.stretches]
            rows += [_added(streams, span, basis) for span in added if _is_worth_telling(span)]
        elif match.is_skipped:
            rows += [_skipped(steps[at], basis) for at in match.steps]
        else:
            rows += _done(streams, steps, spans=spans, match=match, basis=basis)
    return tuple(rows)


def _is_worth_telling(span: Span) -> bool:
    return span.to_s - span.from_s >= SHORTEST_ADDED_S


def _added(streams: SessionStreams, span: Span, basis: Basis | None) -> Row:
    level = done_level(streams, span, basis)
    achieved = level * basis.reference / 100 if basis else nan
    column = basis.column if basis else None
    return Row(
        step=None,
        planned_s=nan,
        from_s=span.from_s,
        to_s=span.to_s,
        column=column,
        target=None,
        achieved=achieved,
        in_band=nan,
        planned_level_pct=nan,
        level_pct=level,
        intensity=_intensity(level, basis),
        state=StepState.ADDED,
    )


def _skipped(planned: PlannedStep, basis: Basis | None) -> Row:
    column, target = _aim(planned.step, basis)
    planned_s = planned.to_s - planned.from_s
    return Row(
        step=planned.step,
        planned_s=planned_s,
        from_s=nan,
        to_s=nan,
        column=column,
        target=target,
        achieved=nan,
        in_band=0.0,
        planned_level_pct=planned_level(planned.step, basis),
        level_pct=nan,
        intensity=planned.step.intensity,
        state=StepState.SKIPPED,
    )


def _aim(step: FlatStep, basis: Basis | None) -> tuple[str | None, Target | None]:
    if basis is not None and target_of(step, basis.column):
        return basis.column, target_of(step, basis.column)
    for column in ("power", "speed", "heart_rate"):
        if target_of(step, column):
            return column, target_of(step, column)
    return (basis.column if basis else None), None


def _done(
    streams: SessionStreams,
    steps: Sequence[PlannedStep],
    *,
    spans: Sequence[Span],
    match: Match,
    basis: Basis | None,
) -> list[Row]:
    """Several steps in one stretch share it in proportion to their planned times."""
    own = [steps[at] for at in match.steps]
    first, last = spans[match.stretches[0]].from_s, spans[match.stretches[-1]].to_s
    planned_s = np.array([step.to_s - step.from_s for step in own])
    shares = np.concatenate([[0.0], np.cumsum(planned_s)]) / max(float(planned_s.sum()), 1e-9)
    edges = (first + shares * (last - first)).tolist()
    return [
        _judged(streams, step, span=Span(*edge), basis=basis)
        for step, edge in zip(own, pairwise(edges), strict=True)
    ]


def _judged(streams: SessionStreams, planned: PlannedStep, *, span: Span, basis: Basis | None) -> Row:
    column, target = _aim(planned.step, basis)
    part = samples_of(streams, span.from_s, span.to_s)
    values = streams.get(column) if column else None
    dt_s = streams.dt_s[part]
    achieved = weighted_mean(None if values is None else values[part], dt_s)
    share = _share_in_band(values[part], dt_s, target) if values is not None and target else nan
    planned_s, level = planned.to_s - planned.from_s, done_level(streams, span, basis)
    state = _state(planned.step, planned_s, span.to_s - span.from_s)
    return Row(
        step=planned.step,
        planned_s=planned_s,
        from_s=span.from_s,
        to_s=span.to_s,
        column=column,
        target=target,
        achieved=achieved,
        in_band=share,
        planned_level_pct=planned_level(planned.step, basis),
        level_pct=level,
        intensity=planned.step.intensity,
        state=state,
    )


def _intensity(level_pct: float, basis: Basis | None) -> LapIntensity | None:
    if basis is None or basis.column != "power" or np.isnan(level_pct):
        return None
    return intensity_of(level_pct)


def _state(step: FlatStep, planned_s: float, done_s: float) -> StepState:
    if step.is_free or planned_s <= 0:
        return StepState.DONE
    if done_s < SHORT_SHARE * planned_s:
        return StepState.CUT_SHORT
    return StepState.DRAWN_OUT if done_s > LONG_SHARE * planned_s else StepState.DONE


def _share_in_band(values: Floats, dt_s: Floats, target: Target) -> float:
    known = np.isfinite(values)
    total = float(dt_s[known].sum())
    low = -np.inf if target.low is None else target.low * (1 - IN_BAND_MARGIN)
    high = np.inf if target.high is None else target.high * (1 + IN_BAND_MARGIN)
    inside = known & (values >= low) & (values <= high)
    return float(dt_s[inside].sum()) / total if total > 0 else nan


def _volume(streams: SessionStreams, steps: Sequence[PlannedStep], basis: Basis | None) -> Score:
    """Both by one definition, as a prescription has no volume: hours times the square of the level, times 100.

    A step without any target counts as recovery where it is a rest, else as aerobic.
    """
    if basis is None or basis.column == "heart_rate":
        return Score(nan, nan)
    planned = sum((step.to_s - step.from_s) * (_assumed_level(step.step, basis) / 100) ** 2 for step in steps)
    values = np.nan_to_num(per_second(streams.columns[basis.column], streams.dt_s))
    window = min(_LOAD_WINDOW, len(values))
    smooth = np.convolve(values, np.full(window, 1 / window), "valid")
    return Score(planned / 36, float(np.sum((smooth / basis.reference) ** 2)) / 36)


def _assumed_level(step: FlatStep, basis: Basis) -> float:
    level = planned_level(step, basis)
    return LEVEL_PCT["recovery" if step.label in _RESTS else "aerobic"] if np.isnan(level) else level
