"""A planned workout on one line: `warm up 15:00 150–180 W, 6 × (1:00 500 W, rest 4:00 150 W)`."""

from collections.abc import Sequence

from coachboard.analytics.planning.structure import FlatStep, References
from coachboard.loaders.calendar.prescription import flat_step
from coachboard.models.enums import StepLabel
from coachboard.models.prescriptions import StructureElement, StructureRepetition
from coachboard.views.calendar.workout_words import between, length, speed
from coachboard.views.frame import formats
from coachboard.views.frame.formats import Units

_MOST_PARTS = 60
"""Longest outline; an ellipsis marks further steps."""


def outline(
    structure: Sequence[StructureElement], references: References, *, sport: str | None, units: Units
) -> str:
    """The steps with repeats grouped; a step without an end is `free`."""
    parts = [_part(element, references, sport, units) for element in structure[:_MOST_PARTS]]
    return ", ".join([*parts, "…"] if len(structure) > _MOST_PARTS else parts)


def _part(element: StructureElement, references: References, sport: str | None, units: Units) -> str:
    if isinstance(element, StructureRepetition):
        return f"{element.n_repetitions} × ({outline(element.steps, references, sport=sport, units=units)})"
    step = flat_step(element, references)
    label = "" if step.label is StepLabel.ACTIVE else str(step.label)
    far = "free" if step.is_free else length(step, 0.0, sport, units=units)
    return " ".join(word for word in (label, far, _target(step, sport, units)) if word)


def _target(step: FlatStep, sport: str | None, units: Units) -> str:
    """The step's target: power, else speed, else heart rate; with cadence."""
    targets = (
        between(step.power_w, "W"),
        speed(step.speed_mps, sport, units=units),
        between(step.heart_rate_bpm, "bpm"),
    )
    target = next((words for words in targets if words != formats.MISSING), "")
    cadence = between(step.cadence_rpm, "/min")
    return target if cadence == formats.MISSING else f"{target} at {cadence}".strip()
