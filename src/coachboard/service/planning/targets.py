"""Planned workouts for their athlete: targets in percent as watts, heart rates and speeds of the day, length and load."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property, lru_cache
from math import nan
from statistics import median
from typing import Any

import orjson
from pydantic import TypeAdapter

from coachboard.execution.structure import DEFAULT_FREE_S
from coachboard.service.importers.athlete import AthleteOn, AthleteValues, athlete_on, nearest_of
from coachboard.service.store import RowKind, Store
from coachboard.service.store.plans import Plans
from coachboard.wire.athlete_settings import NewAthleteValue
from coachboard.wire.body import Metric
from coachboard.wire.enums import Gender, Sport, StepLabel
from coachboard.wire.prescriptions import StructureElement
from coachboard.workout_text.parsing import parse_workout
from coachboard.workout_text.summary import planned_load
from coachboard.workout_text.values import DayValues

_PERCENT = (
    ("PowerThresholdPercentage", "Power", "critical_power_w", 0),
    ("MaxHeartRatePercentage", "HeartRate", "max_heart_rate_bpm", 0),
    ("SpeedThresholdPercentage", "Speed", "critical_speed_mps", 3),
)
"""The end of a field in percent, that of its field in units, the athlete's value, and the digits of the result."""

PLANNED = frozenset({RowKind.PRESCRIPTIONS, RowKind.NOTES, RowKind.EVENTS})
"""The kinds of rows that the planning API writes."""

USUAL_DAYS = 90
"""The usual speed is the median of the sessions of these days."""
_LTHR = re.compile(r"%\s*LTHR", re.IGNORECASE)
_PAUSES = frozenset({StepLabel.REST, StepLabel.INTRA_RECOVERY})


class PlannedAthlete:
    """The values of an athlete by sport and day, and their usual speeds; each is read when first needed."""

    def __init__(self, plans: Plans, user_id: str, *, today: date) -> None:
        self._plans = plans
        self._user_id = user_id
        self._today = today

    @cached_property
    def metrics(self) -> list[Metric]:
        return [Metric.from_wire(orjson.loads(body)) for body in self._plans.metric_bodies(self._user_id)]

    @cached_property
    def values_on(self) -> AthleteOn:
        return athlete_on(self.metrics)

    @cached_property
    def _thresholds(self) -> list[NewAthleteValue]:
        bodies = map(orjson.loads, self._plans.threshold_bodies(self._user_id))
        names = ("type", "sport", "value", "date")
        return [NewAthleteValue.from_wire({name: body[name] for name in names}) for body in bodies]

    def threshold_bpm(self, sport: Sport, day: date) -> float | None:
        """The threshold heart rate; None if it is not set."""
        nearest = nearest_of(self._thresholds, sport, day, is_of_one_sport=True)
        return None if nearest is None else nearest.value

    @cached_property
    def _gender(self) -> Gender | None:
        return self._plans.gender_of(self._user_id)

    def day_values(self, sport: Sport, day: date, *, with_speed: bool = False) -> DayValues:
        """The values that figures of a workout follow; the usual speed only if it is asked for."""
        values = self.values_on(sport, day)
        return DayValues(
            critical_power_w=values.critical_power_w,
            w_prime_j=values.w_prime_j,
            critical_speed_mps=values.critical_speed_mps,
            max_heart_rate_bpm=values.max_heart_rate_bpm,
            threshold_heart_rate_bpm=self.threshold_bpm(sport, day),
            resting_heart_rate_bpm=values.resting_heart_rate_bpm,
            usual_speed_mps=self.usual_mps(sport) if with_speed else None,
            gender=self._gender,
        )

    @cached_property
    def _speeds(self) -> dict[str, float]:
        speeds: dict[str, list[float]] = {}
        since = self._today - timedelta(days=USUAL_DAYS)
        for body in self._plans.activity_bodies(self._user_id, since):
            activity = orjson.loads(body)
            if activity["averageSpeed"]:
                speeds.setdefault(activity["sport"], []).append(activity["averageSpeed"])
        return {sport: median(each) for sport, each in speeds.items()}

    def usual_mps(self, sport: Sport) -> float | None:
        """The usual speed in a sport; None without a session of it."""
        return self._speeds.get(sport)


def visible_rows(store: Store, kind: RowKind, user_id: str, *, today: date, **asked: Any) -> list[bytes]:
    """The planned rows that a caller may see, as the ten endpoints send them."""
    rows = store.planned_bodies(kind, user_id, today=today, **asked)
    if not any(row.in_percent for row in rows):
        return [row.body for row in rows]
    with store.reading_plans() as plans:
        athlete = PlannedAthlete(plans, user_id, today=today)
        return [
            resolved(row.body, athlete, None if row.entry is None else orjson.loads(row.entry).get("text"))
            if row.in_percent
            else row.body
            for row in rows
        ]


def follows_values(structure: Sequence[Mapping[str, Any]] | None, text: str | None = None) -> bool:
    """Whether a target is in percent, or the time of a step by distance needs the athlete's speed."""
    return uses_threshold(text) or any(
        step["length"]["type"] == "distance"
        or any(
            step["intensity"].get(f"{bound}{name}") is not None
            for name, *_ in _PERCENT
            for bound in ("min", "max")
        )
        for step, _times in _steps(structure or (), 1)
    )


def uses_threshold(text: str | None) -> bool:
    """Whether a target of the text is in percent of the threshold heart rate, which a structure has in bpm alone."""
    return text is not None and _LTHR.search(text) is not None


def resolved(body: bytes, athlete: PlannedAthlete, text: str | None) -> bytes:
    """The workout with each target in percent also in units; null where the athlete's value is unknown.

    A duration and a distance that are not stored follow from the steps.
    """
    workout = orjson.loads(body)
    sport = Sport(workout["sport"])
    if text is not None and workout["structure"] and uses_threshold(text):
        bpm = athlete.threshold_bpm(sport, date.fromisoformat(workout["date"]))
        workout["structure"] = orjson.loads(_structure_at(text, sport, nan if bpm is None else bpm))
    values = athlete.values_on(sport, date.fromisoformat(workout["date"]))
    steps = list(_steps(workout["structure"] or (), 1))
    for step, _times in steps:
        _resolve(step["intensity"], values)
    for name, measure in (("duration", _seconds), ("distance", _metres)):
        if workout[name] is None and steps:
            parts = [(measure(step, workout["freeDuration"], sport, athlete), times) for step, times in steps]
            total = sum(part * times for part, times in parts if part is not None)
            workout[name] = None if any(part is None for part, _times in parts) else round(total) or None
    return orjson.dumps(workout)


@lru_cache(2_000)
def _structure_at(text: str, sport: Sport, threshold_bpm: float) -> bytes:
    """The structure of a text at a threshold heart rate; with NaN its heart rates are null."""
    typed = parse_workout(text, sport, DayValues(threshold_heart_rate_bpm=threshold_bpm))
    return orjson.dumps([element.to_wire() for element in typed.structure])


def load_of(body: bytes, athlete: PlannedAthlete, text: str | None) -> float | None:
    """The load of a workout's steps for its athlete; None without steps, or where they do not give it. [points]."""
    workout = orjson.loads(resolved(body, athlete, text))
    if not workout["structure"]:
        return None
    sport, day = Sport(workout["sport"]), date.fromisoformat(workout["date"])
    needs_speed = any(
        step["length"]["type"] == "distance" and not _target_mps(step)
        for step, _times in _steps(workout["structure"], 1)
    )
    values = athlete.day_values(sport, day, with_speed=needs_speed)
    return _load_of(orjson.dumps(workout["structure"]), sport, values, workout["freeDuration"])


_STRUCTURE = TypeAdapter(tuple[StructureElement, ...])


@lru_cache(10_000)
def _load_of(structure: bytes, sport: Sport, values: DayValues, free_s: float | None) -> float | None:
    """Kept, because a roster asks for months of workouts of each athlete; 1 ms each."""
    steps = _STRUCTURE.validate_python(orjson.loads(structure), by_alias=True, by_name=False)
    return planned_load(steps, sport, values, free_duration_s=free_s)


def _seconds(
    step: Mapping[str, Any], free_s: float | None, sport: Sport, athlete: PlannedAthlete
) -> float | None:
    """The time of a step; None for a distance without a speed."""
    length = step["length"]
    if length["type"] == "duration":
        return float(length["duration"])
    if length["type"] == "free":
        return DEFAULT_FREE_S if free_s is None else free_s
    speed = _target_mps(step) or athlete.usual_mps(sport)
    return length["distance"] / speed if speed else None


def _metres(
    step: Mapping[str, Any], _free_s: float | None, _sport: Sport, _athlete: PlannedAthlete
) -> float | None:
    """The distance of a step; 0 for a pause without one, None where it is unknown."""
    length, speed = step["length"], _target_mps(step)
    if length["type"] == "distance":
        return float(length["distance"])
    if length["type"] == "duration" and speed:
        return float(length["duration"] * speed)
    return 0.0 if step["label"] in _PAUSES else None


def _target_mps(step: Mapping[str, Any]) -> float | None:
    ends = [end for end in (step["intensity"].get("minSpeed"), step["intensity"].get("maxSpeed")) if end]
    return sum(ends) / len(ends) if ends else None


def _resolve(target: dict[str, Any], values: AthleteValues) -> None:
    for percent, unit, name, digits in _PERCENT:
        whole = getattr(values, name)
        for bound in ("min", "max"):
            share = target.get(f"{bound}{percent}")
            if share is not None:
                amount = None if whole is None else round(share / 100 * whole, digits)
                target[f"{bound}{unit}"] = int(amount) if amount is not None and digits == 0 else amount


def _steps(elements: Sequence[Any], times: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Each step once, with the number of times that it is done."""
    for element in elements:
        if element["type"] == "repetition":
            yield from _steps(element["steps"], times * element["nRepetitions"])
        else:
            yield element, times
