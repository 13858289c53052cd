"""Workouts for trainers and games: ZWO (Zwift) with shares of a threshold, ERG in watts, MRC in percent.

All three hold times alone. Sources: the workout files that Zwift writes, and the description of ERG and MRC files in the
documentation of TrainerRoad and GoldenCheetah.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from coachboard.execution.alignment_costs import LEVEL_PCT
from coachboard.execution.swim_sets import PAUSES
from coachboard.plain_text import plain, visible
from coachboard.wire.enums import Sport
from coachboard.wire.prescriptions import StructureIntensity
from coachboard.workout_files.workout import (
    DeviceWorkout,
    Loss,
    Losses,
    NoWorkoutFile,
    StepRange,
    TimedStep,
    range_of,
    timed_steps,
)

_ZWO_SPORTS = {Sport.CYCLING: "bike", Sport.E_BIKING: "bike", Sport.RUNNING: "run"}
_RIDES = frozenset({Sport.CYCLING, Sport.E_BIKING})
_MESSAGE_S = 10


def write_zwo(workout: DeviceWorkout, losses: Losses) -> bytes:
    """Steps of a ride as shares of critical power, of a run as shares of critical speed; without one as free riding.

    Raises `NoWorkoutFile`.
    """
    plan = workout.prescription
    sport = _ZWO_SPORTS.get(plan.sport)
    if sport is None:
        raise NoWorkoutFile("ZWO is for rides and runs. Download the workout as FIT.")
    root = etree.Element("workout_file")
    for name, text in (
        ("author", "Coachboard"),
        ("name", plain(plan.title) or "Workout"),
        ("description", visible(plan.description)),
        ("sportType", sport),
    ):
        etree.SubElement(root, name).text = text
    steps = etree.SubElement(root, "workout")
    for step in timed_steps(workout, losses):
        _add_zwo_step(steps, step, workout, losses)
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True))


def _add_zwo_step(parent: etree._Element, step: TimedStep, workout: DeviceWorkout, losses: Losses) -> None:
    wish, is_run = step.step.intensity, workout.prescription.sport is Sport.RUNNING
    references = workout.references
    if is_run:
        percent = _percent(wish, "speed", references.critical_speed_mps, losses, needs="critical speed")
        losses[Loss.POWER] += _has_target(wish, "power", "power_threshold_percentage")
    else:
        percent = _percent(wish, "power", references.critical_power_w, losses, needs="critical power")
        losses[Loss.SPEED] += _has_target(wish, "speed", "speed_threshold_percentage")
    losses[Loss.HEART_RATE] += _has_target(wish, "heart_rate", "max_heart_rate_percentage")
    element = etree.SubElement(
        parent, "FreeRide" if percent is None else "SteadyState", Duration=str(step.seconds)
    )
    if percent is not None:
        element.set("Power", f"{percent / 100:.4g}")
    cadence = range_of(wish, "cadence", losses)
    if cadence is not None:
        element.set("Cadence", f"{round(_middle(cadence, losses))}")
    if cue := plain(step.cue):
        etree.SubElement(element, "textevent", timeoffset="0", message=cue)


def write_erg(workout: DeviceWorkout, losses: Losses) -> bytes:
    """Minutes and watts. Raises `NoWorkoutFile`, also for percent without the athlete's critical power."""
    return _course(workout, losses, unit="WATTS")


def write_mrc(workout: DeviceWorkout, losses: Losses) -> bytes:
    """Minutes and percent of critical power. Raises `NoWorkoutFile`, also for watts without critical power."""
    return _course(workout, losses, unit="PERCENT")


class _CoursePart(NamedTuple):
    seconds: int
    level: float
    cue: str


def _course(workout: DeviceWorkout, losses: Losses, *, unit: str) -> bytes:
    name = {"WATTS": "erg", "PERCENT": "mrc"}[unit]
    plan, references = workout.prescription, workout.references
    if plan.sport not in _RIDES:
        raise NoWorkoutFile(f"{name.upper()} is for rides. Download the workout as FIT.")
    parts = [
        _CoursePart(step.seconds, _level(step, workout, losses, unit=unit), plain(step.cue))
        for step in timed_steps(workout, losses)
    ]
    if visible(plan.description).strip():
        losses[Loss.DESCRIPTION] = 0
    header = ["VERSION = 2", "UNITS = METRIC", f"DESCRIPTION = {_line(plan.title)}", f"FILE NAME = {name}"]
    if references.critical_power_w:
        header.append(f"FTP = {round(references.critical_power_w)}")
    lines = [
        "[COURSE HEADER]", *header, f"MINUTES {unit}", "[END COURSE HEADER]",
        "[COURSE DATA]", *_points(parts), "[END COURSE DATA]",
        *_texts(parts), "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


def _level(step: TimedStep, workout: DeviceWorkout, losses: Losses, *, unit: str) -> float:
    """The watts or percent of a step."""
    wish, critical_w = step.step.intensity, workout.references.critical_power_w
    losses[Loss.HEART_RATE] += _has_target(wish, "heart_rate", "max_heart_rate_percentage")
    losses[Loss.SPEED] += _has_target(wish, "speed", "speed_threshold_percentage")
    losses[Loss.CADENCE] += _has_target(wish, "cadence")
    watts = range_of(wish, "power", losses) if unit == "WATTS" else None
    if watts is not None:
        return round(_middle(watts, losses))
    percent = _percent(wish, "power", critical_w, losses, needs="critical power")
    if percent is None:
        losses[Loss.NO_POWER] += 1
        is_pause = step.flat.label in PAUSES
        percent = LEVEL_PCT[step.flat.intensity or ("recovery" if is_pause else "aerobic")]
    if unit == "PERCENT":
        return round(percent, 1)
    if not critical_w:
        raise NoWorkoutFile(
            "ERG needs the athlete's critical power on that day. Set it, or download the workout as MRC."
        )
    return round(percent / 100 * critical_w)


def _points(parts: Sequence[_CoursePart]) -> list[str]:
    """Two points for each step, at its start and its end."""
    points, start_s = [], 0
    for part in parts:
        end_s = start_s + part.seconds
        points += [f"{second / 60:.3f}\t{part.level:g}" for second in (start_s, end_s)]
        start_s = end_s
    return points


def _texts(parts: Sequence[_CoursePart]) -> list[str]:
    """The cues with the second at which each appears, and for how many seconds."""
    lines, start_s = [], 0
    for part in parts:
        if part.cue:
            lines.append(f"{start_s}\t{_line(part.cue)}\t{min(part.seconds, _MESSAGE_S)}")
        start_s += part.seconds
    return ["[COURSE TEXT]", *lines, "[END COURSE TEXT]"] if lines else []


def _line(text: str) -> str:
    """A value of a line; a bracket at its beginning would be a section."""
    return plain(text).lstrip("[") or "Workout"


def _percent(
    wish: StructureIntensity, name: str, whole: float | None, losses: Losses, *, needs: str
) -> float | None:
    """The middle of a target in percent of the athlete's value. Raises `NoWorkoutFile` if that is unknown."""
    percent = range_of(wish, f"{name}_threshold_percentage", losses)
    if percent is not None:
        return _middle(percent, losses)
    ends = range_of(wish, name, losses)
    if ends is None:
        return None
    if not whole:
        raise NoWorkoutFile(
            f"This format needs the athlete's {needs} on that day. Set it, or download the workout as FIT."
        )
    return _middle(ends, losses) / whole * 100


def _middle(ends: StepRange, losses: Losses) -> float:
    losses[Loss.RANGE] += ends.low != ends.high
    return ends.middle


def _has_target(wish: StructureIntensity, *names: str) -> bool:
    return any(range_of(wish, name, Losses()) is not None for name in names)
