"""Planned workouts of devices as training prescriptions of the interface."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date

from coachboard.formulas.session.zones import intensity_of
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.recording import PlannedRepetition, StepTarget, Workout, WorkoutStep
from coachboard.service.importers.segment_figures import figure
from coachboard.wire.enums import IntensitySourceKind, LapIntensity, Sport, StepLabel, ZonesType
from coachboard.wire.prescriptions import (
    DistanceLength,
    DurationLength,
    FreeLength,
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)

_LABELS = {
    "warmup": StepLabel.WARM_UP,
    "cooldown": StepLabel.COOL_DOWN,
    "rest": StepLabel.REST,
    "recovery": StepLabel.INTRA_RECOVERY,
}
_ZONES = {"power": ZonesType.POWER, "heart rate": ZonesType.HEART_RATE, "speed": ZonesType.SPEED}


def prescription_of(
    workout: Workout,
    *,
    prescription_id: str,
    day: date,
    athlete: AthleteValues,
    activity_id: str | None = None,
) -> TrainingPrescription:
    """A planned workout on a day, paired with the activity whose file contains it."""
    return TrainingPrescription(
        id=prescription_id,
        date=day,
        time=None,
        title=workout.title,
        description=workout.notes,
        # A workout need not name its sport, a prescription must.
        sport=workout.sport or Sport.GENERIC,
        sub_sport=workout.sub_sport,
        training_stimulus=None,
        structure=tuple(_element(step, athlete) for step in workout.steps),
        zones_type=_zones_type(workout.steps),
        distance=_total(workout.steps, "distance"),
        duration=_total(workout.steps, "duration"),
        free_duration=None,
        elevation_gain=None,
        average_power=None,
        work=None,
        calories=None,
        rpe=None,
        carb_intake=None,
        comment=None,
        activity_id=activity_id,
    )


def _element(planned: WorkoutStep | PlannedRepetition, athlete: AthleteValues) -> StructureElement:
    if isinstance(planned, PlannedRepetition):
        steps = tuple(_element(step, athlete) for step in planned.steps)
        return StructureRepetition(type="repetition", n_repetitions=planned.count, steps=steps)
    return StructureStep(
        type="step",
        label=_LABELS.get(planned.intensity or "", StepLabel.ACTIVE),
        intensity=_intensity(planned.target, athlete),
        length=_length(planned),
    )


def _length(step: WorkoutStep) -> FreeLength | DurationLength | DistanceLength:
    if step.length_kind == "duration" and step.length is not None:
        return DurationLength(type="duration", duration=step.length)
    if step.length_kind == "distance" and step.length is not None:
        return DistanceLength(type="distance", distance=step.length)
    return FreeLength(type="free")


def _intensity(target: StepTarget, athlete: AthleteValues) -> StructureIntensity:
    power = target if target.quantity == "power" else None
    heart_rate = target if target.quantity == "heart rate" else None
    cadence = target if target.quantity == "cadence" else None
    watts = _units(power, athlete.critical_power_w)
    of_threshold = _percent(power, athlete.critical_power_w)
    beats = _units(heart_rate, athlete.max_heart_rate_bpm)
    of_most = _percent(heart_rate, athlete.max_heart_rate_bpm)
    speed = _speed_fields(target, athlete) if target.quantity == "speed" else {}
    return StructureIntensity(
        service_intensity=_classified(of_threshold),
        zone=target.zone,
        from_power=_source(power),
        from_heart_rate=_source(heart_rate),
        min_power=watts[0],
        max_power=watts[1],
        min_power_threshold_percentage=of_threshold[0],
        max_power_threshold_percentage=of_threshold[1],
        min_heart_rate=beats[0],
        max_heart_rate=beats[1],
        min_max_heart_rate_percentage=of_most[0],
        max_max_heart_rate_percentage=of_most[1],
        min_cadence=cadence.low if cadence else None,
        max_cadence=cadence.high if cadence else None,
        **speed,
    )


def _speed_fields(target: StepTarget, athlete: AthleteValues) -> dict[str, object]:
    percent = _percent(target, athlete.critical_speed_mps)
    return {
        "from_speed": _source(target),
        "min_speed": figure(target.low, 3),
        "max_speed": figure(target.high, 3),
        "min_speed_threshold_percentage": percent[0],
        "max_speed_threshold_percentage": percent[1],
    }


Bounds = tuple[float | None, float | None]


def _units(target: StepTarget | None, reference: float | None) -> Bounds:
    if target is None:
        return None, None
    if not target.is_percent:
        return figure(target.low), figure(target.high)
    return _scaled(target, None if reference is None else reference / 100)


def _percent(target: StepTarget | None, reference: float | None) -> Bounds:
    if target is None:
        return None, None
    if target.is_percent:
        return figure(target.low), figure(target.high)
    return _scaled(target, None if reference is None else 100 / reference)


def _scaled(target: StepTarget, factor: float | None) -> Bounds:
    if factor is None:
        return None, None
    low, high = (None if value is None else figure(value * factor, 1) for value in (target.low, target.high))
    return low, high


def _source(target: StepTarget | None) -> IntensitySourceKind | None:
    if target is None:
        return None
    if target.zone is not None:
        return IntensitySourceKind.ZONE
    return IntensitySourceKind.METRIC if target.is_percent else IntensitySourceKind.ABSOLUTE


def _classified(of_threshold: Bounds) -> LapIntensity | None:
    """The band in which the middle of the asked range lies."""
    bounds = [value for value in of_threshold if value is not None]
    return intensity_of(sum(bounds) / len(bounds)) if bounds else None


def _zones_type(steps: Sequence[WorkoutStep | PlannedRepetition]) -> ZonesType | None:
    """The quantity that most steps are asked for in."""
    counts = Counter(step.target.quantity for step, _ in _flat(steps) if step.target.quantity in _ZONES)
    return _ZONES[counts.most_common(1)[0][0]] if counts else None


def _total(steps: Sequence[WorkoutStep | PlannedRepetition], kind: str) -> float | None:
    """The whole length, where every step has one of that kind."""
    flat = list(_flat(steps))
    if any(step.length_kind != kind or step.length is None for step, _ in flat):
        return None
    return figure(sum((step.length or 0.0) * count for step, count in flat))


def _flat(
    steps: Sequence[WorkoutStep | PlannedRepetition], count: int = 1
) -> Iterator[tuple[WorkoutStep, int]]:
    """Each step once, with how often it is done."""
    for step in steps:
        if isinstance(step, PlannedRepetition):
            yield from _flat(step.steps, count * step.count)
        else:
            yield step, count
