"""What becomes of a planned session: done as planned, cut short, moved, missed; and what was never planned."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from coachboard.models.enums import StepLabel
from coachboard_demo.athlete import Athlete
from coachboard_demo.cells import CELL_S
from coachboard_demo.chance import lots
from coachboard_demo.prescription import FREE_S, timed
from coachboard_demo.repetitions import Repetitions, is_repeated
from coachboard_demo.session import Done, Swum
from coachboard_demo.workouts import Step, Workout, steps_of

_PIECE_S = (360, 840)  # even riding is never even for longer than that
_FORM_TELLS = 0.6  # easier than that is gone as it is asked for, on good days and bad ones
_DYNAMIC = 2.2  # as much more uneven are races and group rides


class Outcome(StrEnum):
    """How a planned session ended."""

    DONE = "done"
    SHORT = "short"
    MOVED = "moved"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Fate:
    """An outcome and when it happened."""

    outcome: Outcome
    days_later: int = 0
    share: float = 1.0


def fate_of(athlete: Athlete, *parts: object) -> Fate:
    """What becomes of the session named by the parts."""
    drawn, how_far, *_ = lots("fate", athlete.lot, *parts)
    if drawn < athlete.reliability:
        return Fate(Outcome.DONE)
    # What is not done as planned divides into short, moved and missed.
    within = (drawn - athlete.reliability) / (1 - athlete.reliability)
    if within < 0.35:
        return Fate(Outcome.SHORT, share=0.4 + 0.35 * how_far)
    return Fate(Outcome.MOVED, days_later=1) if within < 0.6 else Fate(Outcome.MISSED)


def done_of(
    workout: Workout, rng: Random, *, share: float, speed_mps: float, differ: float = 0.09
) -> tuple[Done, ...]:
    """The steps as they were done: a little more or less than asked, even stretches in pieces that differ."""
    day = rng.gauss(1.0, 0.018)
    found: list[Done] = []
    steps = list(timed(workout, speed_mps))
    repeated = Repetitions(sum(is_repeated(step) for step, _ in steps), rng)
    for step, seconds in steps:
        if step.seconds == 0 and step.metres == 0:
            seconds = round(FREE_S * rng.uniform(0.7, 1.5))  # noqa: PLW2901
        form = day * repeated.effort() if is_repeated(step) else day
        effort = rng.uniform(step.low, step.high) * (form if step.high > _FORM_TELLS else 1.0)
        lasts_s = repeated.lasts_s(step, seconds, effort)
        spread = differ * (_DYNAMIC if workout.label == "dynamic" else 1)
        found.extend(_pieces(step, lasts_s, effort, rng, label=workout.label, spread=spread))
    return tuple(_cut(found, share) if share < 1 else found)


def _pieces(
    step: Step, seconds: float, effort: float, rng: Random, *, label: str, spread: float
) -> Iterator[Done]:
    cadence = float(sum(step.cadence) / 2) if step.cadence else 0.0
    if seconds < 2 * _PIECE_S[1] or step.label is not StepLabel.ACTIVE:
        name = label if label in _TOLD and step.label is StepLabel.ACTIVE else step.label.value
        yield Done(_whole(seconds), round(effort, 3), cadence, name)
        return
    left = _whole(seconds)
    while left > 0:
        piece = min(left, _whole(rng.randrange(*_PIECE_S)))
        uneven = max(-0.3, min(0.4, rng.gauss(0.0, spread)))
        yield Done(piece, round(effort * (1 + uneven), 3), cadence, label)
        left -= piece


_TOLD = frozenset({"recovery", "progressive"})


def _whole(seconds: float) -> int:
    return max(1, round(seconds / CELL_S)) * CELL_S


def _cut(parts: list[Done], share: float) -> Iterator[Done]:
    left = sum(part.duration_s for part in parts) * share
    for part in parts:
        if left < CELL_S:
            return
        yield Done(min(part.duration_s, _whole(left)), part.effort, part.cadence_rpm, part.label)
        left -= part.duration_s


def swum_of(workout: Workout, rng: Random, *, share: float, pool_m: float) -> tuple[Swum, ...]:
    """The sets of a pool session; rests belong to the set before them."""
    sets: list[Swum] = []
    blocks = _Blocks(rng)
    for step in steps_of(workout):
        if step.metres:
            if sets and blocks.ends_before(step):
                sets[-1] = _rested(sets[-1], round(rng.uniform(*_BETWEEN_BLOCKS_S)))
            effort = round(blocks.effort(step), 3)
            sets.append(Swum(max(1, round(step.metres / pool_m)), effort, 0, step.stroke))
        elif sets:
            sets[-1] = _rested(sets[-1], step.seconds + rng.randrange(6))
    return tuple(sets[: max(2, round(len(sets) * share))])


# The recorded swim of 166 lengths: blocks of four to eight repetitions with 60 to 120 s between them; within three
# blocks of five each repetition is faster than the one before, by up to 12 % from the first to the last.
_BLOCKS, _BETWEEN_BLOCKS_S = (4, 5, 6, 8), (40.0, 120.0)
_DESCENDS, _DESCENT, _SWUM_SPREAD = 0.6, 1.6, 0.008


class _Blocks:
    """Repetitions as a swimmer takes them: some at a time, each block at one speed or descending."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.like, self.done, self.count, self.descent = rng, (0, ""), 0, 1, 0.0

    def ends_before(self, step: Step) -> bool:
        """Whether a block is over before that step: the next set is another one, or a breath is needed."""
        return self.like != self._kind(step) or self.done >= self.count

    def effort(self, step: Step) -> float:
        """The effort of the next repetition."""
        if self.ends_before(step):
            self.like, self.done, self.count = self._kind(step), 0, self.rng.choice(_BLOCKS)
            self.descent = _DESCENT * self.rng.random() if self.rng.random() < _DESCENDS else 0.0
        gone = self.done / max(self.count - 1, 1) - 0.5
        self.done += 1
        spread = step.high - step.low
        return (step.low + step.high) / 2 + spread * self.descent * gone + self.rng.gauss(0, _SWUM_SPREAD)

    @staticmethod
    def _kind(step: Step) -> tuple[int, str]:
        return step.metres, step.label


def _rested(swum: Swum, seconds: int) -> Swum:
    return Swum(swum.lengths, swum.effort, swum.rest_s + seconds, swum.stroke)
