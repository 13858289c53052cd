"""A workout as it is prescribed to one athlete, and the outcome of the session (done, cut short, moved or missed) by step."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from random import Random
from typing import Any

import orjson

from coachboard.formulas.session.zones import intensity_of
from coachboard.wire.base import wire_names
from coachboard.wire.enums import IntensitySourceKind, LapIntensity, StepLabel, ZonesType
from coachboard.wire.prescriptions import StructureIntensity
from coachboard_demo.chance import lots
from coachboard_demo.grid import CELL_S, whole_cells_s
from coachboard_demo.practice import Mover, Practice
from coachboard_demo.rows import Part as Row
from coachboard_demo.session import POOL_M, DonePart, Swum
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.workouts import Part, Step, WorkoutPlan, steps_of

FREE_S = 600
_ZONES = ("Z1", "Z2", "Z3", "Z4", "Z5", "Z6", "Z7")
_ZONE_EDGES = (0.55, 0.75, 0.9, 1.05, 1.2, 1.5)  # Coggan


@dataclass(frozen=True, slots=True)
class Terms:
    """In which quantity a coach writes, and whether by zone, percent (`metric`) or absolute value."""

    quantity: ZonesType
    kind: IntensitySourceKind
    power_w: int
    hr_max: int
    speed_mps: float


@lru_cache(maxsize=1024)
def structure_of(workout: WorkoutPlan, terms: Terms) -> orjson.Fragment:
    """The steps in the terms, as JSON; shared by all prescriptions that say the same."""
    return orjson.Fragment(orjson.dumps([_element(part, terms) for part in workout.parts]))


def _element(part: Part, terms: Terms) -> Row:
    """A step or a repetition under the names of the wire."""
    if isinstance(part, Step):
        names = wire_names(StructureIntensity)
        intensity = {names[name]: value for name, value in _intensity(part, terms).items()}
        return {"type": "step", "label": part.label, "intensity": intensity, "length": _length(part)}
    steps = [_element(each, terms) for each in part.parts]
    return {"type": "repetition", "nRepetitions": part.times, "steps": steps}


def _length(step: Step) -> Row:
    if step.seconds:
        return {"type": "duration", "duration": step.seconds}
    return {"type": "distance", "distance": step.metres} if step.metres else {"type": "free"}


def _intensity(step: Step, terms: Terms) -> dict[str, Any]:
    low, high = (None, None) if step.cadence is None else step.cadence
    middle = (step.low + step.high) / 2
    values = _BLANK | {
        "service_intensity": None if step.label is StepLabel.REST else _class_of(step, middle),
        "zone": _zone(middle) if terms.kind is IntensitySourceKind.ZONE else None,
        "min_cadence": low,
        "max_cadence": high,
    }
    if step.high > 0.2:
        values |= _in_terms(step, terms)
    return values


_BLANK: dict[str, Any] = dict.fromkeys((
    "from_power", "from_heart_rate", "min_power", "max_power", "min_power_threshold_percentage",
    "max_power_threshold_percentage", "min_heart_rate", "max_heart_rate", "min_max_heart_rate_percentage",
    "max_max_heart_rate_percentage",
))  # fmt: skip


def _class_of(step: Step, middle: float) -> LapIntensity:
    if step.label in {StepLabel.INTRA_RECOVERY, StepLabel.COOL_DOWN} and middle < 0.55:
        return LapIntensity.RECOVERY
    return intensity_of(middle * 100)


def _zone(middle: float) -> str:
    return _ZONES[sum(middle >= edge for edge in _ZONE_EDGES)]


def _in_terms(step: Step, terms: Terms) -> dict[str, Any]:
    """The bounds in the quantity of the terms; percentages are part of the prescription unless it is absolute."""
    quantity, of, reference, digits = {
        ZonesType.POWER: ("power", "power_threshold", terms.power_w, None),
        ZonesType.HEART_RATE: ("heart_rate", "max_heart_rate", terms.hr_max, None),
        ZonesType.SPEED: ("speed", "speed_threshold", terms.speed_mps, 2),
    }[terms.quantity]
    values: dict[str, Any] = {f"from_{quantity}": terms.kind}
    for bound, effort in (("min", step.low), ("max", step.high)):
        # The share of the maximal heart rate at a relative effort lies on the line that `simulation` follows.
        share = min(0.98, 0.36 + 0.56 * effort) if terms.quantity is ZonesType.HEART_RATE else effort
        values[f"{bound}_{quantity}"] = round(share * reference, digits)
        is_absolute = terms.kind is IntensitySourceKind.ABSOLUTE
        values[f"{bound}_{of}_percentage"] = None if is_absolute else round(share * 100)
    return values


def timed(workout: WorkoutPlan, speed_mps: float) -> Iterator[tuple[Step, int]]:
    """Each step with the seconds it should take."""
    for step in steps_of(workout):
        if step.metres:
            middle = max((step.low + step.high) / 2, 0.3)
            yield step, round(step.metres / (speed_mps * middle))
        else:
            yield step, step.seconds or FREE_S


@dataclass(frozen=True, slots=True)
class Outline:
    """The totals of a workout."""

    seconds: int
    metres: int
    effort: float  # mean
    has_free_length: bool


@lru_cache(maxsize=8192)
def outline_of(workout: WorkoutPlan, speed_mps: float) -> Outline:
    """Sum a workout up; the speed is that at effort 1."""
    steps = list(timed(workout, speed_mps))
    seconds = sum(long for _, long in steps)
    effort = sum((step.low + step.high) / 2 * long for step, long in steps) / max(seconds, 1)
    free = any(not step.seconds and not step.metres for step, _ in steps)
    return Outline(seconds, sum(step.metres for step, _ in steps), effort, free)


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
