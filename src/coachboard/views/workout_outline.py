"""A planned workout on one line: `warm up 15:00 150–180 W, 6 × (1:00 500 W, rest 4:00 150 W)`."""

from collections.abc import Sequence

from coachboard.analytics.structure import FlatStep, References, unroll
from coachboard.models.enums import StepLabel
from coachboard.models.prescriptions import StructureElement, StructureRepetition
from coachboard.views import formats
from coachboard.views.formats import Units
from coachboard.views.workout_words import between, length, speed

_MOST_PARTS = 60
"""A line that names more is no outline any more; it says that it goes on."""


def outline(
    structure: Sequence[StructureElement], references: References, *, sport: str | None, units: Units
) -> str:
    """The steps with their repeats kept together; a step of open end is `free`."""
    parts = [_part(element, references, sport, units) for element in structure[:_MOST_PARTS]]
    return ", ".join([*parts, "…"] if len(structure) > _MOST_PARTS else parts)


def _part(element: StructureElement, references: References, sport: str | None, units: Units) -> str:
    if isinstance(element, StructureRepetition):
        return f"{element.n_repetitions} × ({outline(element.steps, references, sport=sport, units=units)})"
    (step,) = unroll([element], references)
    label = "" if step.label is StepLabel.ACTIVE else str(step.label)
    far = "free" if step.is_free else length(step, None, sport, units=units)
    return " ".join(word for word in (label, far, _target(step, sport, units)) if word)


def _target(step: FlatStep, sport: str | None, units: Units) -> str:
    """The one that the step is done by: power, else speed, else heart rate; with its cadence."""
    held = (
        between(step.power_w, "W"),
        speed(step.speed_mps, sport, units=units),
        between(step.heart_rate_bpm, "bpm"),
    )
    told = next((words for words in held if words != formats.MISSING), "")
    cadence = between(step.cadence_rpm, "/min")
    return told if cadence == formats.MISSING else f"{told} at {cadence}".strip()
