"""Workouts as FIT: message 26 with one message 27 for each step; a repeat names the first step it goes back to.

Source: FIT SDK, "Encoding Workout Files" (profile 21.218). A power up to 1000 is percent of the device's threshold, else watts
+ 1000; a heart rate up to 100 is percent of the maximum, else beats per minute + 100.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any, NamedTuple
from zlib import crc32

from garmin_fit_sdk import Encoder, Profile

from coachboard.execution.structure import References
from coachboard.plain_text import plain, visible
from coachboard.wire.enums import Sport, StepLabel, SubSport
from coachboard.wire.prescriptions import (
    DistanceLength,
    DurationLength,
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
)
from coachboard.workout_files.workout import (
    DeviceWorkout,
    Loss,
    Losses,
    StepRange,
    in_units,
    range_of,
    shortened,
)

_FILE_ID, _WORKOUT, _STEP = 0, 26, 27
_MOST_TEXT_BYTES = 254
"""A field has at most 255 bytes, with the NUL at its end."""
_POWER_OFFSET, _HEART_RATE_OFFSET = 1000, 100
_INTENSITIES = {
    StepLabel.WARM_UP: "warmup",
    StepLabel.COOL_DOWN: "cooldown",
    StepLabel.REST: "rest",
    StepLabel.INTRA_RECOVERY: "recovery",
    StepLabel.ACTIVE: "active",
    StepLabel.MAXIMUM: "interval",
}
_MOST_MS = 2**32 - 2


class _FitTarget(NamedTuple):
    """The fields of a target: its type and both ends as the file has them."""

    kind: str
    low: int
    high: int


def write_fit(workout: DeviceWorkout, losses: Losses) -> bytes:
    """The workout with nested repeats; equal workouts give equal bytes."""
    plan, steps = workout.prescription, list[dict[str, Any]]()
    _add_steps(workout.elements, 0, steps, workout, losses)
    if not workout.has_steps:
        losses[Loss.NO_STEPS] = 0
    header: dict[str, Any] = {
        "sport": _profile_name("sport", plan.sport) or "generic",
        "sub_sport": _sub_sport(plan.sport, plan.sub_sport),
        "num_valid_steps": len(steps),
        "wkt_name": shortened(plain(plan.title) or "Workout", _MOST_TEXT_BYTES, losses),
    }
    if description := visible(plan.description).strip():
        header["wkt_description"] = shortened(description, _MOST_TEXT_BYTES, losses)
    encoder = Encoder()
    encoder.on_mesg(
        _FILE_ID,
        {
            "type": "workout",
            "manufacturer": "development",
            "product": 0,
            "serial_number": crc32(plan.id.encode()) or 1,
            "time_created": datetime.combine(plan.date, plan.time or time(), UTC),
        },
    )
    encoder.on_mesg(_WORKOUT, {name: value for name, value in header.items() if value is not None})
    for step in steps:
        encoder.on_mesg(_STEP, step)
    return bytes(encoder.close())


def _add_steps(
    elements: Sequence[StructureElement],
    place: int,
    steps: list[dict[str, Any]],
    workout: DeviceWorkout,
    losses: Losses,
) -> int:
    """Append these elements; `place` is that of their first step in the text. Returns the place after the last one."""
    for element in elements:
        if not isinstance(element, StructureRepetition):
            steps.append({"message_index": len(steps), **_step(element, workout.cue(place), workout, losses)})
            place += 1
            continue
        first = len(steps)
        place = _add_steps(element.steps, place, steps, workout, losses)
        if len(steps) == first or element.n_repetitions < 1:
            del steps[first:]
        elif element.n_repetitions > 1:
            steps.append(
                {
                    "message_index": len(steps),
                    "duration_type": "repeat_until_steps_cmplt",
                    "duration_value": first,
                    "target_type": "open",
                    "target_value": int(element.n_repetitions),
                }
            )
    return place


def _step(step: StructureStep, cue: str, workout: DeviceWorkout, losses: Losses) -> dict[str, Any]:
    fields: dict[str, Any] = {"intensity": _INTENSITIES[step.label]}
    if isinstance(step.length, DurationLength):
        fields |= {
            "duration_type": "time",
            "duration_value": min(round(step.length.duration * 1000), _MOST_MS),
        }
    elif isinstance(step.length, DistanceLength):
        fields |= {
            "duration_type": "distance",
            "duration_value": min(round(step.length.distance * 100), _MOST_MS),
        }
    else:
        fields["duration_type"] = "open"
    targets = _targets(step.intensity, workout.references, losses)
    first = targets[0] if targets else None
    fields |= {"target_type": first.kind if first else "open", "target_value": 0}
    if first:
        fields |= {"custom_target_value_low": first.low, "custom_target_value_high": first.high}
    if len(targets) > 1:
        fields |= {
            "secondary_target_type": targets[1].kind,
            "secondary_target_value": 0,
            "secondary_custom_target_value_low": targets[1].low,
            "secondary_custom_target_value_high": targets[1].high,
        }
    losses[Loss.THIRD_TARGET] += len(targets) > 2
    if cue := plain(cue):
        fields["notes"] = shortened(cue, _MOST_TEXT_BYTES, losses)
    return fields


def _targets(wish: StructureIntensity, references: References, losses: Losses) -> list[_FitTarget]:
    """The targets, the most important first: in units where they are known, else in percent."""
    power_percent, heart_rate_percent, speed_percent = (
        "power_threshold_percentage",
        "max_heart_rate_percentage",
        "speed_threshold_percentage",
    )
    watts = in_units(wish, "power", power_percent, references.critical_power_w, losses)
    bpm = in_units(wish, "heart_rate", heart_rate_percent, references.max_heart_rate_bpm, losses)
    mps = in_units(wish, "speed", speed_percent, references.critical_speed_mps, losses)
    losses[Loss.UNKNOWN] += mps is None and range_of(wish, speed_percent, Losses()) is not None
    targets = [
        _fit_target("power", watts, offset=_POWER_OFFSET)
        or _percent_target("power", range_of(wish, power_percent, losses), _POWER_OFFSET, losses),
        _fit_target("speed", mps, scale=1000),
        _fit_target("heart_rate", bpm, offset=_HEART_RATE_OFFSET)
        or _percent_target(
            "heart_rate", range_of(wish, heart_rate_percent, losses), _HEART_RATE_OFFSET, losses
        ),
        _fit_target("cadence", range_of(wish, "cadence", losses)),
    ]
    return [target for target in targets if target is not None]


def _fit_target(kind: str, ends: StepRange | None, *, offset: int = 0, scale: int = 1) -> _FitTarget | None:
    if ends is None:
        return None
    return _FitTarget(kind, round(ends.low * scale) + offset, round(ends.high * scale) + offset)


def _percent_target(kind: str, ends: StepRange | None, most: int, losses: Losses) -> _FitTarget | None:
    """Percent; above `most` a device reads units."""
    if ends is None:
        return None
    losses[Loss.PERCENT] += ends.high > most
    return _FitTarget(kind, min(round(ends.low), most), min(round(ends.high), most))


def _sub_sport(sport: Sport, sub_sport: SubSport | None) -> str | None:
    """Watches take a swim with steps in a pool only."""
    if sub_sport is None:
        return "lap_swimming" if sport is Sport.SWIMMING else None
    return _profile_name("sub_sport", sub_sport)


def _profile_name(kind: str, name: Sport | SubSport) -> str | None:
    """The name in the FIT profile: `e_biking` for `eBiking`; None for one that the profile lacks."""
    joined = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return joined if joined in Profile["types"][kind].values() else None
