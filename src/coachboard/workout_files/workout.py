"""A planned workout as the writers of files read it, and what a format cannot hold of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from math import nan
from typing import Any

from coachboard.execution.structure import MOST_STEPS, FlatStep, References, step_duration_s, unroll
from coachboard.wire.enums import Sport, StepLabel
from coachboard.wire.planning import EntryKind
from coachboard.wire.prescriptions import (
    DistanceLength,
    DurationLength,
    FreeLength,
    StepLength,
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from coachboard.wire.training_plans import TrainingPlanEntry
from coachboard.workout_text.labels import steps_in_order
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.values import DayValues


class NoWorkoutFile(ValueError):  # noqa: N818 (the workout is right, the format is not for it)
    """The format cannot hold the workout at all; the text says why and what to do."""


class Loss(StrEnum):
    """Parts of a workout that a format replaces or leaves out, as people read them."""

    NO_STEPS = "a workout without steps: one step of the planned length"
    RANGE = "ranges: their middle"
    OPEN_END = "targets with an open end: their other end"
    REPEATS = "repeats: written out"
    DISTANCE = "lengths by distance: the expected time"
    FREE = "steps until the lap button: their planned time"
    PERCENT = "percent of maximum heart rate above 100: 100"
    NO_POWER = "steps without a power target: the power of their intensity"
    THIRD_TARGET = "a third target of a step"
    HEART_RATE = "targets of heart rate"
    SPEED = "targets of pace and speed"
    POWER = "targets of power"
    CADENCE = "cadence"
    UNKNOWN = "percent of a value that is unknown"
    LONG_TEXT = "the end of long texts"
    DESCRIPTION = "the description"


OF_WHOLE = frozenset({Loss.NO_STEPS, Loss.REPEATS, Loss.LONG_TEXT, Loss.DESCRIPTION})
"""The losses of a whole workout, which have no number of steps."""

Losses = Counter[Loss]
"""How many steps each loss concerns; 0 for one of `OF_WHOLE`."""


@dataclass(frozen=True, slots=True)
class DeviceWorkout:
    """A planned workout with the cues of its text and the athlete's values of the day.

    `elements` are its steps; without steps one step of the planned length. `cues` are in the order of `steps_in_order`.
    """

    prescription: TrainingPrescription
    references: References
    elements: tuple[StructureElement, ...]
    cues: tuple[str, ...]
    has_steps: bool
    owner: str = ""  # the athlete's name, where files of several are in one archive
    label: str = ""  # the day in a plan without dates

    @property
    def day(self) -> str:
        """The day for the name of the file and for people."""
        return self.label or str(self.prescription.date)

    def cue(self, place: int) -> str:
        """The cue of a step by its place in the text; empty without one."""
        return self.cues[place] if place < len(self.cues) else ""


def device_workout(
    prescription: TrainingPrescription, text: str | None, references: References, *, owner: str = ""
) -> DeviceWorkout:
    """The workout of a planned row and of its typed text, if there is one."""
    elements = prescription.structure or ()
    has_steps = next(steps_in_order(elements), None) is not None
    cues = parse_workout(text, prescription.sport).cues if text and has_steps else ()
    if not has_steps:
        elements = (_whole(prescription),)
    return DeviceWorkout(prescription, references, elements, cues, has_steps, owner)


_FIRST = date(2001, 1, 1)
_WEEK = 7


def plan_workouts(
    entries: Iterable[TrainingPlanEntry], values_of: Callable[[Sport], DayValues]
) -> Iterator[DeviceWorkout]:
    """The workouts of a plan without its drafts, each labelled with its week and day."""
    for entry in sorted(entries, key=lambda entry: entry.day):
        value = entry.value
        if entry.kind is not EntryKind.WORKOUT or value.is_draft or value.sport is None:
            continue
        values = values_of(value.sport)
        structure = value.structure
        if value.text:
            bpm = values.threshold_heart_rate_bpm
            known = replace(values, threshold_heart_rate_bpm=nan if bpm is None else bpm)
            structure = parse_workout(value.text, value.sport, known).structure
        given: dict[str, Any] = {
            name: getattr(value, name, None) for name in TrainingPrescription.model_fields
        }
        given |= {"id": entry.id or "", "title": value.title or "", "structure": structure}
        plan = TrainingPrescription(**given | {"date": _FIRST + timedelta(days=entry.day - 1)})
        week, day = divmod(entry.day - 1, _WEEK)
        workout = device_workout(plan, value.text, values.references)
        yield replace(workout, label=f"Week {week + 1:02} day {day + 1}")


def _whole(plan: TrainingPrescription) -> StructureStep:
    """One step of the planned length and power."""
    length: StepLength = FreeLength(type="free")
    if plan.duration:
        length = DurationLength(type="duration", duration=plan.duration)
    elif plan.distance:
        length = DistanceLength(type="distance", distance=plan.distance)
    wish = StructureIntensity(**dict.fromkeys(StructureIntensity.model_fields))
    power = {"min_power": plan.average_power, "max_power": plan.average_power}
    return StructureStep(
        type="step", label=StepLabel.ACTIVE, intensity=wish.model_copy(update=power), length=length
    )


@dataclass(frozen=True, slots=True)
class StepRange:
    """Both ends of a target."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def range_of(wish: StructureIntensity, name: str, losses: Losses) -> StepRange | None:
    """The target of that name (`power`, `power_threshold_percentage`); an open end is the other end."""
    low, high = getattr(wish, f"min_{name}"), getattr(wish, f"max_{name}")
    if low is None and high is None:
        return None
    losses[Loss.OPEN_END] += low is None or high is None
    ends = sorted(float(end) for end in (low, high) if end is not None)
    return StepRange(ends[0], ends[-1])


def in_units(
    wish: StructureIntensity, name: str, percent_name: str, whole: float | None, losses: Losses
) -> StepRange | None:
    """The target in W, bpm or m/s, also of a target in percent whose 100 % is known."""
    ends = range_of(wish, name, losses)
    if ends is not None or not whole:
        return ends
    percent = range_of(wish, percent_name, losses)
    return percent and StepRange(percent.low / 100 * whole, percent.high / 100 * whole)


@dataclass(frozen=True, slots=True)
class TimedStep:
    """A step of a file that knows only times, with its place in the text."""

    step: StructureStep
    flat: FlatStep
    seconds: int
    cue: str


def timed_steps(workout: DeviceWorkout, losses: Losses) -> list[TimedStep]:
    """The steps in the order in which they are done, each with its time. Raises `NoWorkoutFile`."""
    plan = workout.prescription
    if not workout.has_steps:
        losses[Loss.NO_STEPS] = 0
    if any(isinstance(element, StructureRepetition) for element in workout.elements):
        losses[Loss.REPEATS] = 0
    written, places = list(steps_in_order(workout.elements)), _places(workout.elements, 0)
    flats = unroll(workout.elements, workout.references)
    timed = []
    for flat, place in zip(flats, places, strict=False):
        losses[Loss.DISTANCE] += flat.distance_m is not None
        losses[Loss.FREE] += flat.is_free
        seconds = round(step_duration_s(flat, free_duration_s=plan.free_duration))
        if seconds > 0:
            timed.append(TimedStep(written[place], flat, seconds, workout.cue(place)))
    if next(places, None) is not None:
        raise NoWorkoutFile(f"The workout has more than {MOST_STEPS:,} steps. Download it as FIT.")
    if not timed:
        raise NoWorkoutFile("The workout has no length. Give it a step or a duration.")
    return timed


def _places(elements: Sequence[StructureElement], first: int) -> Iterator[int]:
    """For each step that is done, its place among the steps that are written."""
    place = first
    for element in elements:
        if isinstance(element, StructureRepetition):
            count = sum(1 for _ in steps_in_order(element.steps))
            for _turn in range(int(element.n_repetitions) if count else 0):
                yield from _places(element.steps, place)
            place += count
        else:
            yield place
            place += 1


def shortened(text: str, most_bytes: int, losses: Losses) -> str:
    """The text in at most that many bytes of UTF-8, cut between characters."""
    encoded = text.encode()
    if len(encoded) <= most_bytes:
        return text
    losses[Loss.LONG_TEXT] = 0
    return encoded[: most_bytes - 3].decode(errors="ignore").rstrip() + "…"


def loss_words(losses: Losses) -> list[str]:
    """Each loss with the number of its steps."""
    return [
        f"{loss} ({count} step{'s' if count > 1 else ''})" if count else str(loss)
        for loss, count in losses.items()
    ]
