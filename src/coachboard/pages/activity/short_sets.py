"""Short repetitions of a planned workout as sets: 3 x 12 x 40/20 s is three sets, not 72 rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

from coachboard.execution.structure import FlatStep
from coachboard.execution.work_steps import is_work
from coachboard.formulas.session.selection import weighted_mean
from coachboard.pages.activity.planned_rows import PlannedRow

LEAST_REPETITIONS = 4
LONGEST_REPETITION_S = 120.0
"""A repetition with its recovery up to this time is one of a set; a coach reads longer ones one by one."""


@dataclass(frozen=True, slots=True)
class ShortSet:
    """The steps of one set in order: repetitions and recoveries."""

    rows: tuple[PlannedRow, ...]

    @property
    def first(self) -> PlannedRow:
        """The first repetition, whose target is that of all."""
        return self.work[0]

    @property
    def work(self) -> tuple[PlannedRow, ...]:
        """The repetitions."""
        return tuple(row for row in self.rows if row.step is not None and is_work(row.step))

    @property
    def recoveries(self) -> tuple[PlannedRow, ...]:
        """The steps between them."""
        return tuple(row for row in self.rows if row.step is not None and not is_work(row.step))

    @property
    def done(self) -> int:
        """How many repetitions count in full."""
        return sum(row.is_achieved for row in self.work)

    @property
    def span_s(self) -> tuple[float, float] | None:
        """From the first to the last recorded step; None if the set was skipped."""
        spans = [(row.from_s, row.to_s) for row in self.rows if not isnan(row.done_s)]
        return (spans[0][0], spans[-1][1]) if spans else None

    @property
    def achieved(self) -> float:
        """Mean of the repetitions, weighted by their time; NaN without a recording."""
        return _mean([(row.achieved, row.done_s) for row in self.work])

    @property
    def in_band(self) -> float:
        """Share of the repetitions' time on target."""
        return _mean([(row.in_band, row.done_s) for row in self.work])


def with_sets(rows: Sequence[PlannedRow]) -> tuple[PlannedRow | ShortSet, ...]:
    """The rows with each set of short repetitions as one; an unplanned section inside a set follows it."""
    grouped: list[PlannedRow | ShortSet] = []
    open_set = -1  # of the set that the next row may continue
    for row in rows:
        if row.step is None:
            grouped.append(row)
            continue
        last = grouped[open_set] if open_set >= 0 else None
        if isinstance(last, ShortSet) and _continues(last.rows[-1].step, row.step):
            grouped[open_set] = replace(last, rows=(*last.rows, row))
        else:
            open_set = len(grouped)
            grouped.append(ShortSet((row,)) if row.step.repeats else row)
    return tuple(
        line
        for group in grouped
        for line in ([group] if not isinstance(group, ShortSet) or _is_short(group) else group.rows)
    )


def _continues(last: FlatStep | None, step: FlatStep) -> bool:
    """Whether a step is of the same set as the one before: same outer repetition, and not back at the first."""
    if last is None or not step.repeats or len(last.repeats) != len(step.repeats):
        return False
    (which, many), (next_which, next_many) = last.repeats[-1], step.repeats[-1]
    return last.repeats[:-1] == step.repeats[:-1] and many == next_many and which <= next_which <= which + 1


def _is_short(short_set: ShortSet) -> bool:
    first = short_set.rows[0].step
    if first is None or not short_set.work or first.repeats[-1][1] < LEAST_REPETITIONS:
        return False
    repetition_s = sum(row.planned_s for row in short_set.rows if row.step and row.step.repeats[-1][0] == 1)
    return repetition_s <= LONGEST_REPETITION_S


def _mean(values: Sequence[tuple[float, float]]) -> float:
    weighted = [(value, weight) for value, weight in values if not isnan(value) and weight > 0]
    return (
        weighted_mean([value for value, _ in weighted], [weight for _, weight in weighted])
        if weighted
        else nan
    )
