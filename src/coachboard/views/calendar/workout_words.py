"""A planned workout in words: sustainable or not, length of steps, range of targets."""

from collections.abc import Sequence

from coachboard.analytics.planning.feasibility import Feasibility
from coachboard.analytics.planning.structure import FlatStep, References, Target
from coachboard.charts.structure_profile import words
from coachboard.loaders.calendar.prescription import flat_step
from coachboard.loaders.capacities import Capacities
from coachboard.loaders.plan_outlook import feasibility_of
from coachboard.models.enums import StepLabel
from coachboard.models.prescriptions import StructureElement, StructureRepetition
from coachboard.views.frame import formats
from coachboard.views.frame.formats import Units

_MOST_PARTS = 60
"""Longest outline; an ellipsis marks further steps."""
_AS_GOOD_AS_FULL = 0.995
"""Above this the lowest share of W′ would round to 100 %."""
_SHORT_WAY_M = 1000


def verdict(steps: Sequence[FlatStep], capacities: Capacities | None, free_s: float | None) -> str:
    """Whether critical power and W′ suffice, with the hardest step."""
    if not any(step.power_w for step in steps):
        return "No feasibility check: no step has a power target."
    if capacities is None or capacities.critical_power_w is None or capacities.w_prime_j is None:
        return "No feasibility check: critical power or W′ of this athlete is unknown."
    found = feasibility_of(tuple(steps), capacities, free_s)
    assert found is not None
    basis = (
        f"critical power {formats.power(capacities.critical_power_w)}, "
        f"W′ {formats.number(capacities.w_prime_j / 1000, 1, 'kJ')}"
    )
    place = f"step {found.step.index + 1}, {words(found.step).lower()}"
    if not found.is_feasible:
        fits = (
            f"; {found.fitting} of {formats.count(found.repetitions, 'repetition')} fit"
            if found.repetitions
            else ""
        )
        return f"**Not feasible as planned:** at mid-target power W′ runs out in {place}{fits} ({basis})."
    if found.lowest_share >= _AS_GOOD_AS_FULL:
        return f"Feasible: W′ barely used ({basis})."
    share = formats.percent(100 * found.lowest_share)
    if found.repetitions < 2:
        return f"Feasible: W′ drops to {share} in {place} ({basis})."
    return f"Feasible: all {found.repetitions} repetitions fit; W′ is lowest in {_repetition(found) or place}, at {share} ({basis})."


def _repetition(found: Feasibility) -> str:
    """`repetition 5 of 5`; empty if the step is not one of a single series."""
    if found.repetition is None:
        return ""
    turn, of = found.repetition
    return f"repetition {turn} of {of}"


def length(step: FlatStep, length_s: float, sport: str | None, *, units: Units) -> str:
    """A duration or a distance; metres or yards on a track or in a pool."""
    if step.duration_s is not None:
        return formats.duration_hms(step.duration_s)
    if step.distance_m is None:
        return f"free, about {formats.duration_hms(length_s)}"
    if step.distance_m < _SHORT_WAY_M and not units.is_imperial(sport):
        return formats.number(step.distance_m, 0, "m")
    return formats.distance(step.distance_m, sport, units=units)


def between(target: Target | None, unit: str) -> str:
    """The two ends of a target, or its only value."""
    if target is None:
        return formats.MISSING
    if target.low is None or target.high is None:
        word = "up to " if target.low is None else "from "
        return f"{word}{formats.number(target.high if target.low is None else target.low, 0, unit)}"
    if round(target.low) == round(target.high):
        return formats.number(target.low, 0, unit)
    return f"{formats.number(target.low)}–{formats.number(target.high, 0, unit)}"


def speed(target: Target | None, sport: str | None, *, units: Units) -> str:
    """As `between`, in the sport's own measure; drops an end of 0, which has no pace."""
    if target is None or not (target.low or target.high):
        return formats.MISSING
    low, high = (formats.speed_or_pace(end, sport, units=units) for end in (target.low, target.high))
    if not target.low:
        return f"{high} or slower"
    if not target.high:
        return f"{low} or faster"
    return low if low == high else f"{low.partition(' ')[0]}–{high}"


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
