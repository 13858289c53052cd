"""The outcome of a planned session (done, cut short, moved or missed) and of each step."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from coachboard.wire.enums import StepLabel
from coachboard_demo.chance import lots
from coachboard_demo.grid import CELL_S, whole_cells_s
from coachboard_demo.practice import Mover, Practice
from coachboard_demo.prescription import FREE_S, timed
from coachboard_demo.session import POOL_M, DonePart, Swum
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.workouts import Step, WorkoutPlan, steps_of

_PIECE_S = (360, 840)  # even work of 28 minutes or more changes after such pieces
_HARD = 0.85
_WINDOW = 48  # cells with at most one stop or pause
_WRITTEN_LABELS = frozenset({"recovery", "progressive"})


class Outcome(StrEnum):
    """How a planned session ended."""

    DONE = "done"
    SHORT = "short"
    MOVED = "moved"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Fate:
    """An outcome, and the share of the session that is done unless it is missed."""

    outcome: Outcome
    share: float = 1.0


def fate_of(athlete: DemoAthlete, *parts: object) -> Fate:
    """The outcome of the session that the parts name."""
    drawn, how_far, *_ = lots("fate", athlete.lot, *parts)
    if drawn < athlete.reliability:
        return Fate(Outcome.DONE)
    # Sessions that are not done as planned are short, moved or missed.
    within = (drawn - athlete.reliability) / (1 - athlete.reliability)
    if within < 0.35:
        return Fate(Outcome.SHORT, share=0.4 + 0.35 * how_far)
    return Fate(Outcome.MOVED) if within < 0.6 else Fate(Outcome.MISSED)


def done_of(workout: WorkoutPlan, rng: Random, *, share: float, speed_mps: float) -> tuple[DonePart, ...]:
    """The steps as they were done: a little more or less than asked, repetitions a little longer or shorter."""
    found: list[DonePart] = []
    for step, asked_s in timed(workout, speed_mps):
        seconds: float = asked_s
        effort = rng.uniform(step.low, step.high)
        if step.seconds == 0 and step.metres == 0:
            seconds = FREE_S * rng.uniform(0.7, 1.5)
        elif step.high > _HARD and step.label is not StepLabel.WARM_UP:
            effort *= rng.gauss(1.0, 0.022)
            seconds = max(seconds + rng.gauss(1.5, 3.0) * (seconds > 30), CELL_S)
        found.extend(_pieces(step, seconds, effort, rng, label=workout.label))
    return tuple(_cut(found, share) if share < 1 else found)


def _pieces(step: Step, seconds: float, effort: float, rng: Random, *, label: str) -> Iterator[DonePart]:
    cadence = float(sum(step.cadence) / 2) if step.cadence else 0.0
    if seconds < 2 * _PIECE_S[1] or step.label is not StepLabel.ACTIVE:
        name = label if label in _WRITTEN_LABELS and step.label is StepLabel.ACTIVE else step.label.value
        yield DonePart(whole_cells_s(seconds), round(effort, 3), cadence, name)
        return
    left, spread = whole_cells_s(seconds), 0.18 if label == "dynamic" else 0.05
    while left > 0:
        piece = min(left, whole_cells_s(rng.randrange(*_PIECE_S)))
        uneven = max(-0.3, min(0.4, rng.gauss(0.0, spread)))
        yield DonePart(piece, round(effort * (1 + uneven), 3), cadence, label)
        left -= piece


def _cut(parts: list[DonePart], share: float) -> Iterator[DonePart]:
    left = sum(part.duration_s for part in parts) * share
    for part in parts:
        if left < CELL_S:
            return
        yield DonePart(min(part.duration_s, whole_cells_s(left)), part.effort, part.cadence_rpm, part.label)
        left -= part.duration_s


def swum_of(workout: WorkoutPlan, rng: Random, *, share: float) -> tuple[Swum, ...]:
    """The sets of a pool session; a rest belongs to the set before it."""
    sets: list[Swum] = []
    for step in steps_of(workout):
        if step.metres:
            effort = round(rng.uniform(step.low, step.high), 3)
            sets.append(Swum(max(1, round(step.metres / POOL_M)), effort, rng.randrange(6), step.stroke))
        elif sets:
            last = sets[-1]
            sets[-1] = Swum(last.lengths, last.effort, last.rest_s + step.seconds, last.stroke)
    return tuple(sets[: max(2, round(len(sets) * share))])


Spots = tuple[tuple[int, int], ...]


def interruptions(kind: Practice, done: tuple[DonePart, ...], rng: Random) -> tuple[Spots, Spots]:
    """The stops with the device running, as (first cell, number of cells), and the pauses of the device, as (cell, seconds)."""
    cells = sum(part.duration_s for part in done) // CELL_S
    pauses_itself = kind.mover is Mover.WHEELS and rng.random() < 0.5
    stops: list[tuple[int, int]] = []
    pauses: list[tuple[int, int]] = []
    for start in range(_WINDOW, cells - 2 * _WINDOW, _WINDOW):
        if rng.random() > kind.stops_an_hour * _WINDOW * CELL_S / 3600:
            continue
        cell, lasts_s = start + rng.randrange(_WINDOW // 2), min(rng.lognormvariate(3.0, 1.1), 700.0)
        if pauses_itself:
            stops.append((cell, 1))
            pauses.append((cell, round(lasts_s) + 8))
        else:
            stops.append((cell, min(max(1, round(lasts_s / CELL_S)), _WINDOW // 2)))
    return tuple(stops), tuple(pauses)
