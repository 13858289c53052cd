"""The paired workout beside what was done: its steps, and the scores of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from coachboard.analytics.alignment_costs import LEVEL_PCT
from coachboard.analytics.clock_grid import held, per_second
from coachboard.analytics.compliance import ComplianceState, state_of
from coachboard.analytics.structure import FlatStep
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.matching import duration_s
from coachboard.loaders.plan_alignment import Basis, basis_of, best_alignment, planned_level
from coachboard.loaders.planned_rows import Row, rows_of
from coachboard.loaders.planned_steps import PlannedStep, planned_steps
from coachboard.loaders.session_streams import SessionStreams
from coachboard.models.enums import StepLabel

_LOAD_WINDOW = 30
_RESTS = frozenset({StepLabel.REST, StepLabel.INTRA_RECOVERY})


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
    basis: Basis | None
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
    rows = rows_of(streams, steps, spans=spans, alignment=alignment, basis=basis)
    planned_total = sum(step.duration_s for step in steps)
    done_steps = sum(row.is_achieved for row in rows if row.step is not None)
    return PlannedAndDone(
        rows=rows,
        source=source,
        basis=basis,
        duration=duration if plan.duration else Score(planned_total, duration.done),
        volume=_volume(streams, steps, basis),
        steps=Score(float(len(steps)), float(done_steps)),
    )


def _number(value: float | None) -> float:
    return nan if value is None else float(value)


def _volume(streams: SessionStreams, steps: Sequence[PlannedStep], basis: Basis | None) -> Score:
    """Both by one definition, as a prescription has no volume: hours times the square of the level, times 100.

    A step without any target counts as recovery where it is a rest, else as aerobic.
    """
    if basis is None or not basis.is_critical or basis.column == "heart_rate":
        return Score(nan, nan)
    planned = sum(step.duration_s * (_assumed_level(step.step, basis) / 100) ** 2 for step in steps)
    values = np.nan_to_num(per_second(held(streams.columns[basis.column], streams.elapsed_s), streams.dt_s))
    window = min(_LOAD_WINDOW, len(values))
    smooth = np.convolve(values, np.full(window, 1 / window), "valid")
    return Score(planned / 36, float(np.sum((smooth / basis.reference) ** 2)) / 36)


def _assumed_level(step: FlatStep, basis: Basis) -> float:
    level = planned_level(step, basis)
    return LEVEL_PCT["recovery" if step.label in _RESTS else "aerobic"] if np.isnan(level) else level
