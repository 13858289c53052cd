"""A workout as it is prescribed to one athlete: its steps in watts, beats or metres a second."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from coachboard.formulas.session.zones import intensity_of
from coachboard.wire.base import wire_names
from coachboard.wire.enums import IntensitySourceKind, LapIntensity, StepLabel, ZonesType
from coachboard.wire.prescriptions import StructureIntensity
from coachboard_demo.rows import Part as Row
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
