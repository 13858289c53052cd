"""The text of a workout as a structure, with what follows from it; the limits of structures that are sent without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import nan
from typing import Any

from coachboard.execution.structure import MOST_STEPS
from coachboard.service.api.errors import InvalidRequest
from coachboard.service.planning.targets import PlannedAthlete
from coachboard.wire.enums import Sport
from coachboard.wire.planning import ParsedText, ParseRequest
from coachboard.workout_text.parsing import in_words, parse_workout
from coachboard.workout_text.summary import summarize_workout
from coachboard.workout_text.values import (
    LIMITS,
    LONGEST_STEP_M,
    LONGEST_STEP_S,
    MOST_NESTED,
    MOST_REPEATS,
    SPEED_LIMITS_MPS,
    DayValues,
)

_UNITS = {
    "Power": ("W", LIMITS["w"]),
    "PowerThresholdPercentage": ("% of critical power", LIMITS["%"]),
    "HeartRate": ("bpm", LIMITS["bpm"]),
    "MaxHeartRatePercentage": ("% of maximum heart rate", LIMITS["% HR"]),
    "Speed": ("m/s", SPEED_LIMITS_MPS),
    "SpeedThresholdPercentage": ("% of critical speed", LIMITS["% Pace"]),
    "Cadence": ("rpm", LIMITS["rpm"]),
}
_LENGTHS = {"duration": ("s", LONGEST_STEP_S), "distance": ("m", LONGEST_STEP_M)}


_ANY_THRESHOLD = DayValues(threshold_heart_rate_bpm=nan)
"""Targets in % LTHR are read without their heart rates, which follow the athlete's threshold at each read."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """The structure of a text, by the names of the wire; targets in percent are in percent alone.

    Duration and distance are null where they follow the athlete's values.
    """

    structure: list[dict[str, Any]] | None
    zones_type: str | None
    duration: float | None
    distance: float | None
    error: str | None  # the first one, in words


@lru_cache(2_000)
def read_text(text: str, sport: Sport, free_s: float | None) -> ReadText:
    """The workout of a text; a plan repeats the same texts for many athletes."""
    typed = parse_workout(text, sport, _ANY_THRESHOLD)
    if typed.errors:
        return ReadText(None, None, None, None, in_words(typed.errors[0]))
    summary = summarize_workout(typed.structure, sport, free_duration_s=free_s)
    return ReadText(
        structure=[element.to_wire() for element in typed.structure] or None,
        zones_type=typed.zones_type,
        duration=None if summary.seconds is None else round(summary.seconds),
        distance=None if summary.metres is None else round(summary.metres),
        error=None,
    )


def parsed(asked: ParseRequest, athlete: PlannedAthlete, day: date) -> ParsedText:
    """The workout of a text for an athlete, with all errors; the usual speed is read where a step needs it."""
    values = athlete.day_values(asked.sport, day)
    typed = parse_workout(asked.text, asked.sport, values)
    summary = summarize_workout(typed.structure, asked.sport, values, free_duration_s=asked.free_duration)
    if summary.seconds is None and typed.structure:
        values = athlete.day_values(asked.sport, day, with_speed=True)
        summary = summarize_workout(typed.structure, asked.sport, values, free_duration_s=asked.free_duration)
    fits = summary.feasibility
    return ParsedText(
        structure=None if typed.errors else typed.structure or None,
        zones_type=typed.zones_type,
        duration=summary.seconds,
        distance=summary.metres,
        load=summary.load,
        zones=summary.zones,
        lowest_w_balance=summary.lowest_w_balance_j,
        repetitions=0 if fits is None else fits.repetitions,
        fitting=0 if fits is None else fits.fitting,
        errors=typed.errors,
    )


def check_threshold(text: str, sport: Sport, athlete: PlannedAthlete, day: date) -> None:
    """Raise `InvalidRequest` for a target in % LTHR of an athlete without a threshold heart rate."""
    threshold_bpm = athlete.threshold_bpm(sport, day)
    typed = parse_workout(text, sport, DayValues(threshold_heart_rate_bpm=threshold_bpm))
    if typed.errors:
        raise InvalidRequest(f"text: {in_words(typed.errors[0])}")


def check_structure(structure: Sequence[Mapping[str, Any]]) -> None:
    """Raise `InvalidRequest` for values that no workout has; the limits are those of the text."""
    if _count(structure, 1) > MOST_STEPS:
        raise InvalidRequest(f"structure: has more than {MOST_STEPS:,} steps")


def _count(elements: Sequence[Mapping[str, Any]], depth: int) -> int:
    """The number of steps, repetitions counted."""
    if depth > MOST_NESTED:
        raise InvalidRequest(f"structure: repetitions are nested deeper than {MOST_NESTED}")
    steps = 0
    for element in elements:
        if element["type"] == "repetition":
            times = element["nRepetitions"]
            if not 1 <= times <= MOST_REPEATS or not element["steps"]:
                raise InvalidRequest(
                    f"structure: a repetition has 1 to {MOST_REPEATS} turns and at least one step"
                )
            steps += times * _count(element["steps"], depth + 1)
        else:
            _check_step(element)
            steps += 1
    return steps


def _check_step(step: Mapping[str, Any]) -> None:
    length = step["length"]
    if length["type"] in _LENGTHS:
        unit, most = _LENGTHS[length["type"]]
        if not 0 < length[length["type"]] <= most:
            raise InvalidRequest(f"structure: a step has above 0 to {most:,.0f} {unit}")
    for name, (unit, (low, high)) in _UNITS.items():
        ends = [step["intensity"].get(f"{bound}{name}") for bound in ("min", "max")]
        given = [end for end in ends if end is not None]
        if given != sorted(given) or not all(low <= end <= high for end in given):
            raise InvalidRequest(
                f"structure: {name[:1].lower()}{name[1:]} is {low:g} to {high:g} {unit}, the lower end first"
            )
