"""The outcome of each planned step (done, shortened, extended or skipped) and unplanned sections."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import inf, isnan, nan
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.structure import FlatStep, Target
from coachboard.execution.swim_sets import is_pause
from coachboard.execution.work_steps import LEVEL_MARGIN, WorkOutcome
from coachboard.formulas.session import smoothing
from coachboard.formulas.session.selection import weighted_mean
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.zones import intensity_of
from coachboard.pages.activity.plan_alignment import (
    Basis,
    PlannedStep,
    StepSpan,
    done_level,
    planned_level,
    recorded_s,
    samples_of,
    target_of,
)
from coachboard.wire.enums import LapIntensity

Floats = NDArray[np.float64]

SHORT_SHARE, LONG_SHARE = 0.8, 1.2
"""Below this share of its planned time a step is shortened, above it extended; the limits of compliance."""
IN_BAND_MARGIN = LEVEL_MARGIN
BAND_MEAN_SHARE, LONGEST_BAND_MEAN_S = 0.1, 30.0
"""Window of the rolling means for time in range: a tenth of the step, at most 30 s."""
HEART_RATE_LAG_S = 120.0
"""Heart rate needs about two minutes to follow an effort: its mean leaves them out."""
SHORTEST_JUDGED_S = MappingProxyType({"heart_rate": 180.0, "speed": 30.0})
"""A shorter step counts by its time alone: heart rate and speed are still rising. A choice of this project.

Otherwise each stride of 20 s was too easy and each recovery of 70 s too hard.
"""
SHORTEST_ADDED_S = 10.0
"""Shorter unplanned sections are a mistake at the lap button."""


class StepState(StrEnum):
    """The outcome of a planned step, or "unplanned"."""

    DONE = "done"
    CUT_SHORT = "cut short"
    DRAWN_OUT = "too long"
    SKIPPED = "skipped"
    ADDED = "added"


class OffBand(StrEnum):
    """How a step missed its target range."""

    TOO_HARD = "too hard"
    TOO_EASY = "too easy"


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A step with its execution; `step` is None if unplanned, the span is None if skipped."""

    step: FlatStep | None
    planned_s: float
    from_s: float
    to_s: float
    done_s: float  # without pauses of the device; NaN for a skipped step
    column: str | None
    target: Target | None
    achieved: float
    in_band: float
    planned_level_pct: float
    level_pct: float
    intensity: LapIntensity | None
    state: StepState
    work: WorkOutcome | None = None  # as the verdict counts it; None if the step does not count
    done_m: float = nan  # of a step by distance
    done_intensity: LapIntensity | None = None  # a threshold step done at a tempo power is tempo

    @property
    def is_achieved(self) -> bool:
        """Whether the score counts the work step in full."""
        return self.work is WorkOutcome.DONE

    @property
    def is_found(self) -> bool:
        """Whether the session has the step at this time."""
        return not isnan(self.from_s) and self.step is not None and self.work is not WorkOutcome.MISSED

    @property
    def off_band(self) -> OffBand | None:
        """How the mean of a step that does not count missed its range; None in the range or without a target."""
        is_steady = self.planned_s >= SHORTEST_JUDGED_S.get(self.column or "", 0.0)
        if self.work is not None or self.target is None or isnan(self.achieved) or not is_steady:
            return None
        low, high = _widened(self.target)
        if low <= self.achieved <= high:
            return None
        return OffBand.TOO_HARD if self.achieved > high else OffBand.TOO_EASY

    @property
    def is_pause(self) -> bool:
        """Whether the step is a rest at the wall of a pool."""
        return self.step is not None and is_pause(self.step)


def rows_of(
    streams: SessionStreams,
    placed: Iterable[tuple[PlannedStep | None, StepSpan | None]],
    basis: Basis | None,
) -> tuple[PlannedRow, ...]:
    """A row for each step with its place in the recording, None if skipped, and for each place without a step."""
    rows: list[PlannedRow] = []
    for step, span in placed:
        if step is not None:
            rows.append(_judged(streams, step, span=span, basis=basis) if span else _skipped(step, basis))
        elif span is not None and recorded_s(streams, span) >= SHORTEST_ADDED_S:
            rows.append(_added(streams, span, basis))
    return tuple(rows)


def _added(streams: SessionStreams, span: StepSpan, basis: Basis | None) -> PlannedRow:
    level = done_level(streams, span, basis)
    achieved = level * basis.reference / 100 if basis else nan
    column = basis.column if basis else None
    return PlannedRow(
        step=None,
        planned_s=nan,
        from_s=span.from_s,
        to_s=span.to_s,
        done_s=recorded_s(streams, span),
        column=column,
        target=None,
        achieved=achieved,
        in_band=nan,
        planned_level_pct=nan,
        level_pct=level,
        intensity=None,
        state=StepState.ADDED,
        done_intensity=_intensity(level, basis),
    )


def _skipped(planned: PlannedStep, basis: Basis | None) -> PlannedRow:
    column, target = _aim(planned.step, basis)
    planned_s = planned.duration_s
    return PlannedRow(
        step=planned.step,
        planned_s=planned_s,
        from_s=nan,
        to_s=nan,
        done_s=nan,
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


def _judged(
    streams: SessionStreams, planned: PlannedStep, *, span: StepSpan, basis: Basis | None
) -> PlannedRow:
    column, target = _aim(planned.step, basis)
    part = samples_of(streams, span.from_s, span.to_s)
    values = streams.get(column) if column else None
    planned_s, level = planned.duration_s, done_level(streams, span, basis)
    done_s = float(streams.dt_s[part].sum())
    done_m = streams.distance_in(part) if planned.step.distance_m is not None else nan
    from_s, done_intensity = span.from_s, _done_intensity(level, basis, planned)
    shortest_s = SHORTEST_JUDGED_S.get(column or "", 0.0)
    if column == "heart_rate" and min(planned_s, done_s) >= shortest_s:
        span = StepSpan(span.from_s + HEART_RATE_LAG_S, span.to_s)
        part = samples_of(streams, span.from_s, span.to_s)
    dt_s = streams.dt_s[part]
    achieved = weighted_mean(None if values is None else values[part], dt_s)
    share = nan
    if values is not None and target and planned_s >= shortest_s:
        share = _share_in_band(_held(streams, values, part, span), dt_s, target)
    state = step_state(planned.step, _share_done(planned, done_s, done_m))
    return PlannedRow(
        step=planned.step,
        planned_s=planned_s,
        from_s=from_s,
        to_s=span.to_s,
        done_s=done_s,
        column=column,
        target=target,
        achieved=achieved,
        in_band=share,
        planned_level_pct=planned_level(planned.step, basis),
        level_pct=level,
        intensity=planned.step.intensity,
        state=state,
        done_m=done_m,
        done_intensity=done_intensity,
    )


def _done_intensity(level_pct: float, basis: Basis | None, planned: PlannedStep) -> LapIntensity | None:
    """By power, else the plan's; an easy part of a planned recovery is one, because power knows no recovery."""
    own, done = planned.step.intensity, _intensity(level_pct, basis)
    is_recovery = done is LapIntensity.AEROBIC and own is LapIntensity.RECOVERY
    return own if done is None or is_recovery else done


def _share_done(planned: PlannedStep, done_s: float, done_m: float) -> float:
    """By distance if the step has one: its planned time is estimated, and twelve full 400 m were cut short."""
    if planned.step.distance_m and not isnan(done_m):
        return done_m / planned.step.distance_m
    return done_s / planned.duration_s if planned.duration_s > 0 else 1.0


def _intensity(level_pct: float, basis: Basis | None) -> LapIntensity | None:
    if basis is None or not basis.is_critical or basis.column != "power" or np.isnan(level_pct):
        return None
    return intensity_of(level_pct)


def step_state(step: FlatStep, share: float) -> StepState:
    """The outcome of a step by the share of its planned time or distance that was done. [1].

    Notes
    -----
    Below 80 % it is cut short, above 120 % too long, otherwise done, and an open-ended step is always done. A done step with
    a target is too hard or too easy if its mean is outside the target; work steps that count have the outcome of
    their score.

    *Missing data*: pauses of the device and seconds without a sample do not count; a step without any is skipped.

    *Worked example*: 3 min of a step of 4 min: 3 / 4 = 75 %, below 80 %: cut short.

    Examples
    --------
    >>> from coachboard.wire.enums import StepLabel
    >>> step = FlatStep(0, (), StepLabel.ACTIVE, None, None, 240.0, None, None, None, None, None)
    >>> str(step_state(step, 180 / 240))
    'cut short'
    """
    if step.is_free:
        return StepState.DONE
    if share < SHORT_SHARE:
        return StepState.CUT_SHORT
    return StepState.DRAWN_OUT if share > LONG_SHARE else StepState.DONE


def _held(streams: SessionStreams, values: Floats, part: slice, span: StepSpan) -> Floats:
    """The rolling means compared with the range: power of single seconds leaves any range with each pedal stroke."""
    window_s = min(max(BAND_MEAN_SHARE * (span.to_s - span.from_s), 1.0), LONGEST_BAND_MEAN_S)
    # Inside the step only, so that the interval before has no influence.
    return smoothing.smoothed(values[part], streams.elapsed_s[part], window_s=window_s)


def _share_in_band(values: Floats, dt_s: Floats, target: Target) -> float:
    is_recorded = np.isfinite(values)
    total = float(dt_s[is_recorded].sum())
    low, high = _widened(target)
    inside = is_recorded & (values >= low) & (values <= high)
    return float(dt_s[inside].sum()) / total if total > 0 else nan


def _widened(target: Target) -> tuple[float, float]:
    low = -inf if target.low is None else target.low * (1 - IN_BAND_MARGIN)
    high = inf if target.high is None else target.high * (1 + IN_BAND_MARGIN)
    return low, high
