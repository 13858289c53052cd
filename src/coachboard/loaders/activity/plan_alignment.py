"""The laps that match a plan best, and the quantity that compares steps with laps."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from coachboard.analytics.planning.alignment import Alignment, align
from coachboard.analytics.planning.alignment_costs import LEVEL_PCT, Piece
from coachboard.analytics.planning.structure import FlatStep, Target
from coachboard.analytics.session.laps import find_laps
from coachboard.analytics.session.selection import weighted_mean
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.planned_steps import PlannedStep
from coachboard.loaders.activity.session_parts import Part, parts_of
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.power_curves import per_clock_second
from coachboard.models.enums import LapIntensity


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
    intensity: LapIntensity | None = None  # of the lap
    is_by_power: bool = False  # the intensity; power knows no recovery


def basis_of(data: ActivityData, streams: SessionStreams, steps: Sequence[PlannedStep]) -> Basis | None:
    """Power, else speed, else heart rate, if steps target it, it was recorded and its reference is known."""
    known = data.capacities
    options = (
        ("power", known.critical_power_w),
        ("speed", known.critical_speed_mps),
        ("heart_rate", known.max_heart_rate_bpm),
    )
    recorded = [(name, ref) for name, ref in options if streams.get(name) is not None]
    usable = [Basis(name, ref) for name, ref in recorded if ref]
    aimed = [basis for basis in usable if _mean_target(steps, basis.column)]
    # Power in watts needs no critical power.
    own = [
        Basis(name, mean, is_critical=False) for name, _ in recorded if (mean := _mean_target(steps, name))
    ]
    return next(iter([*aimed, *own, *usable]), None)


def _mean_target(steps: Sequence[PlannedStep], column: str) -> float:
    """The time-weighted mean of the steps' targets; 0 without targets."""
    found = [(step.duration_s, target_of(step.step, column)) for step in steps]
    aimed = [
        (seconds, target.middle)
        for seconds, target in found
        if target is not None and target.middle is not None
    ]
    total_s = sum(seconds for seconds, _ in aimed)
    return sum(seconds * middle for seconds, middle in aimed) / total_s if total_s > 0 else 0.0


def target_of(step: FlatStep, column: str) -> Target | None:
    return {"power": step.power_w, "speed": step.speed_mps, "heart_rate": step.heart_rate_bpm}[column]


def piece_of(planned: PlannedStep, basis: Basis | None) -> Piece:
    level_pct, step = planned_level(planned.step, basis), planned.step
    target = target_of(step, basis.column) if basis else None
    if basis is None or target is None:
        return Piece(level_pct, planned.duration_s, is_open=step.is_free)
    low, high = (None if end is None else end / basis.reference * 100 for end in (target.low, target.high))
    return Piece(level_pct, planned.duration_s, low, high, is_open=step.is_free)


def planned_level(step: FlatStep, basis: Basis | None) -> float:
    target = target_of(step, basis.column) if basis else None
    if basis and target and target.middle is not None:
        return target.middle / basis.reference * 100
    # Intensity levels are percent of critical power; heart rate has another scale.
    is_percent = basis is None or (basis.is_critical and basis.column != "heart_rate")
    return LEVEL_PCT[step.intensity] if step.intensity is not None and is_percent else nan


def best_alignment(
    data: ActivityData, streams: SessionStreams, *, steps: Sequence[PlannedStep], basis: Basis | None
) -> tuple[str, list[StepSpan], Alignment]:
    """The laps that match the plan best: classified laps, device laps, or sections found in the stream."""
    planned = [piece_of(step, basis) for step in steps]
    options = []
    for name, spans in _sources(data, streams, basis):
        done = [Piece(done_level(streams, span, basis), recorded_s(streams, span)) for span in spans]
        options.append((name, spans, align(planned, done)))
    return min(options, key=lambda option: option[2].cost)


def _sources(
    data: ActivityData, streams: SessionStreams, basis: Basis | None
) -> list[tuple[str, list[StepSpan]]]:
    found = []
    for name, kind in (("classified laps", Part.LAPS), ("device laps", Part.DEVICE)):
        spans = lap_spans(data, kind)
        if len(spans) > 1:
            found.append((name, spans))
    if not found and basis is not None and basis.column != "heart_rate":
        laps = find_laps(per_clock_second(streams, basis.column), critical_power_w=basis.reference)
        spans = [StepSpan(float(lap.start), float(lap.end + 1)) for lap in laps]
        found.append((f"changes in {basis.column.replace('_', ' ')}", spans))
    return found or [("the whole session", [StepSpan(0.0, streams.end_s)])]


def lap_spans(data: ActivityData, kind: Part) -> list[StepSpan]:
    return [
        StepSpan(part.from_s, part.to_s, part.intensity, is_by_power=kind is Part.DEVICE)
        for part in parts_of(data, kind).stretches
    ]


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
