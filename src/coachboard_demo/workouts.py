"""The structure of a workout: nested steps of relative effort (1 = critical power, critical speed)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from coachboard.models.enums import StepLabel, TrainingStimulus


@dataclass(frozen=True, slots=True)
class Step:
    """One step; without seconds and metres it is as long as the athlete likes."""

    label: StepLabel
    low: float
    high: float
    seconds: int = 0
    metres: int = 0
    cadence: tuple[int, int] | None = None
    stroke: str | None = "freestyle"


@dataclass(frozen=True, slots=True)
class Repeat:
    """Steps done several times over."""

    times: int
    parts: tuple["Step | Repeat", ...]


Part = Step | Repeat


@dataclass(frozen=True, slots=True, eq=False)
class WorkoutPlan:
    """A session as a coach writes it; compared by identity, as `catalogue.workout` returns each only once."""

    title: str
    stimulus: TrainingStimulus | None
    parts: tuple[Part, ...]
    description: str | None = None
    rpe: int = 4
    practice: str | None = None  # where it is not the slot's own
    label: str = ""  # what the laps of an even session are called


@lru_cache(maxsize=4096)
def steps_of(workout: WorkoutPlan) -> tuple[Step, ...]:
    """The steps in the order they are done."""
    return tuple(_unrolled(workout.parts))


def _unrolled(parts: tuple[Part, ...]) -> Iterator[Step]:
    for part in parts:
        if isinstance(part, Step):
            yield part
        else:
            for _ in range(part.times):
                yield from _unrolled(part.parts)


def warm(minutes: int = 15, low: float = 0.5, high: float = 0.65) -> Step:
    return Step(StepLabel.WARM_UP, low, high, minutes * 60)


def cool(minutes: int = 10, low: float = 0.4, high: float = 0.55) -> Step:
    return Step(StepLabel.COOL_DOWN, low, high, minutes * 60)


def on(
    low: float, high: float, seconds: int = 0, *, metres: int = 0, cadence: tuple[int, int] | None = None
) -> Step:
    return Step(StepLabel.ACTIVE, low, high, seconds, metres, cadence)


def hard(low: float, high: float, seconds: int, *, cadence: tuple[int, int] | None = None) -> Step:
    return Step(StepLabel.MAXIMUM, low, high, seconds, cadence=cadence)


def off(seconds: int, low: float = 0.42, high: float = 0.52) -> Step:
    return Step(StepLabel.INTRA_RECOVERY, low, high, seconds)


def rest(seconds: int, low: float = 0.0, high: float = 0.0) -> Step:
    return Step(StepLabel.REST, low, high, seconds, stroke=None)


def rest_of(minutes: float, used_s: int) -> Step:
    return on(0.56, 0.68, max(300, round((minutes * 60 - used_s) / 300) * 300))


def fives(minutes: float) -> int:
    """Seconds of so many minutes, in steps of five minutes."""
    return round(minutes / 5) * 300


def times(count: int, *parts: Part) -> Repeat:
    return Repeat(count, parts)
