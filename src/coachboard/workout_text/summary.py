"""Sum a workout up for one athlete: time, distance, load, time in zones, W' balance and its profile."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.alignment_costs import LEVEL_PCT
from coachboard.execution.feasibility import Feasibility, feasibility
from coachboard.execution.structure import (
    DEFAULT_SPEED_MPS,
    FlatStep,
    References,
    Target,
    step_duration_s,
    unroll,
)
from coachboard.execution.swim_sets import is_pause
from coachboard.formulas.session import zones as bands
from coachboard.formulas.session.session_load import hr_load_score, pace_load, power_load
from coachboard.formulas.session.summary_load import SPEED_EXPONENTS
from coachboard.wire.enums import LapIntensity, Sport, StepLabel, ZonesType
from coachboard.wire.planning import ZoneSeconds
from coachboard.wire.prescriptions import StructureElement
from coachboard.workout_text.values import LONGEST_WORKOUT_S, DayValues

Floats = NDArray[np.float64]

UNTARGETED_HEART_RATE_PCT = 65.0
"""Heart rate of a step without a target of heart rate. [% of maximum]"""

_UNITS = {ZonesType.POWER: "W", ZonesType.HEART_RATE: "bpm", ZonesType.SPEED: "m/s"}
_MODELS = {ZonesType.POWER: bands.POWER_BANDS, ZonesType.HEART_RATE: bands.HEART_RATE_BANDS}


class ProfileRow(NamedTuple):
    """A step as a block of the profile; `low` and `high` in the unit of the summary, None without a target."""

    start_s: float
    end_s: float
    low: float | None
    high: float | None
    intensity: LapIntensity | None
    label: StepLabel


@dataclass(frozen=True, slots=True)
class WorkoutSummary:
    """The figures of a workout for one athlete; None where the text or the athlete's values do not give them."""

    seconds: float | None
    metres: float | None
    load: float | None  # [points]; an hour at critical power, critical speed or threshold heart rate is 100
    zones: tuple[ZoneSeconds, ...]  # of the bands of the pages, ascending; empty without a reference
    feasibility: Feasibility | None  # lowest W' balance, and how many repetitions fit
    quantity: ZonesType | None  # of the profile, the zones and the load
    unit: str  # of the profile: "W", "bpm", "m/s", or "%" without the athlete's value; "" without targets
    profile: tuple[ProfileRow, ...]

    @property
    def lowest_w_balance_j(self) -> float | None:
        """The lowest W' balance, in J."""
        return self.feasibility.lowest_j if self.feasibility else None


def summarize_workout(
    structure: Sequence[StructureElement],
    sport: Sport,
    values: DayValues | None = None,
    *,
    free_duration_s: float | None = None,
    pace_bands: bands.BandModel = bands.SPEED_BANDS,
) -> WorkoutSummary:
    """Time, distance, load, time in zones, lowest W' balance and profile of a workout.

    Parameters
    ----------
    structure : sequence of StructureElement
        Of a parsed text or of a prescription.
    sport : Sport
        Of the workout.
    values : DayValues, optional
        The athlete's values.
    free_duration_s : float, optional
        Of each step without an end; 600 s where not given. [s]
    pace_bands : BandModel, optional
        The zones of speed, which a user chooses.

    Returns
    -------
    WorkoutSummary

    Notes
    -----
    Each step is held at the middle of its target, second by second; the load is that of a recording (`power_load`,
    `pace_load`, `hr_load_score`), by the quantity of most targets. A step without a target in it has the level of
    its intensity, else of recovery in a rest and of aerobic work elsewhere; a rest of a swim is at the wall. Time:
    a step by distance takes the middle of its speed target, else the athlete's usual speed; without either the time
    is unknown. Distance: known if each step but the rests has a distance or a speed.

    *Worked example*: an hour at 100 % with a critical power of 250 W: 100 points, 3600 s in threshold.

    Examples
    --------
    >>> from coachboard.workout_text.parsing import parse_workout
    >>> rider = DayValues(critical_power_w=250, w_prime_j=20_000)
    >>> summary = summarize_workout(parse_workout("- 1h 100%", Sport.CYCLING, rider).structure, Sport.CYCLING, rider)
    >>> summary.seconds, round(summary.load), [zone.zone for zone in summary.zones if zone.seconds]
    (3600.0, 100, ['threshold'])
    >>> summary.profile[0][:4], summary.unit, summary.lowest_w_balance_j
    ((0.0, 3600.0, 250, 250), 'W', 20000.0)
    """
    day = values or DayValues()
    steps, lengths = _timed(structure, sport, day, free_duration_s)
    has_time = _is_timed(steps, lengths, day)
    quantity = _quantity_of(unroll(structure, _HUNDREDS))
    unit, targets = _drawn_targets(structure, steps, quantity)
    series = _series(steps, lengths, sport, quantity, day) if has_time and quantity else None
    return WorkoutSummary(
        seconds=float(sum(lengths)) if has_time else None,
        metres=_metres(steps, lengths),
        load=None if series is None or quantity is None else _load(series, sport, quantity, day),
        zones=()
        if series is None or quantity is None
        else _zone_seconds(series, quantity, day, _MODELS.get(quantity, pace_bands)),
        feasibility=_feasibility(steps, free_duration_s, day) if has_time else None,
        quantity=quantity,
        unit=unit,
        profile=_profile(steps, lengths, targets),
    )


def planned_load(
    structure: Sequence[StructureElement],
    sport: Sport,
    values: DayValues,
    *,
    free_duration_s: float | None = None,
) -> float | None:
    """The load of `summarize_workout` alone, for lists of many workouts. [points].

    Examples
    --------
    >>> from coachboard.workout_text.parsing import parse_workout
    >>> rider = DayValues(critical_power_w=250)
    >>> planned_load(parse_workout("- 1h 100%", Sport.CYCLING, rider).structure, Sport.CYCLING, rider)
    100.0
    """
    steps, lengths = _timed(structure, sport, values, free_duration_s)
    quantity = _quantity_of(unroll(structure, _HUNDREDS))
    if quantity is None or not _is_timed(steps, lengths, values):
        return None
    series = _series(steps, lengths, sport, quantity, values)
    return None if series is None else _load(series, sport, quantity, values)


def _timed(
    structure: Sequence[StructureElement], sport: Sport, day: DayValues, free_duration_s: float | None
) -> tuple[list[FlatStep], list[float]]:
    """The steps with their lengths."""
    steps = unroll(structure, day.references)
    speed = day.usual_speed_mps or DEFAULT_SPEED_MPS.get(str(sport), DEFAULT_SPEED_MPS["running"])
    return steps, [step_duration_s(step, free_duration_s=free_duration_s, speed_mps=speed) for step in steps]


def _is_timed(steps: Sequence[FlatStep], lengths: Sequence[float], day: DayValues) -> bool:
    return all(_has_time(step, day) for step in steps) and 0 < sum(lengths) <= LONGEST_WORKOUT_S


_HUNDREDS = References(100.0, 100.0, 100.0)
"""With these values a target in percent alone has its percent as its value."""


def _has_time(step: FlatStep, day: DayValues) -> bool:
    if step.distance_m is None or day.usual_speed_mps:
        return True
    return bool(step.speed_mps and step.speed_mps.middle)


def _quantity_of(steps: Sequence[FlatStep]) -> ZonesType | None:
    """The quantity of most targets; power before speed before heart rate."""
    counts = {
        quantity: sum(_target(step, quantity) is not None for step in steps)
        for quantity in (ZonesType.POWER, ZonesType.SPEED, ZonesType.HEART_RATE)
    }
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else None


def _target(step: FlatStep, quantity: ZonesType | None) -> Target | None:
    targets = {
        ZonesType.POWER: step.power_w,
        ZonesType.SPEED: step.speed_mps,
        ZonesType.HEART_RATE: step.heart_rate_bpm,
    }
    target = targets[quantity] if quantity else None
    return None if target is None or target.middle is None else target


def _drawn_targets(
    structure: Sequence[StructureElement], steps: Sequence[FlatStep], quantity: ZonesType | None
) -> tuple[str, list[Target | None]]:
    """The targets of one unit: percent where the athlete's value is unknown and the text has percent."""
    absolute = [_target(step, quantity) for step in steps]
    percent = [_target(step, quantity) for step in unroll(structure, _HUNDREDS)]
    without_value = [
        None if own_target else target for own_target, target in zip(absolute, percent, strict=True)
    ]
    if quantity is None or not any(without_value):
        return _UNITS[quantity] if quantity else "", absolute
    return "%", without_value


def _profile(
    steps: Sequence[FlatStep], lengths: Sequence[float], targets: Sequence[Target | None]
) -> tuple[ProfileRow, ...]:
    rows: list[ProfileRow] = []
    start = 0.0
    for step, length, target in zip(steps, lengths, targets, strict=True):
        low, high = (target.low, target.high) if target else (None, None)
        ends = (high if low is None else low, low if high is None else high)
        rows.append(ProfileRow(start, start + length, *ends, step.intensity, step.label))
        start += length
    return tuple(rows)


def _metres(steps: Sequence[FlatStep], lengths: Sequence[float]) -> float | None:
    total = 0.0
    for step, length in zip(steps, lengths, strict=True):
        speed = step.speed_mps.middle if step.speed_mps else None
        if step.distance_m is not None:
            total += step.distance_m
        elif speed and not step.is_free:
            total += speed * length
        elif not is_pause(step):
            return None
    return total or None


def _series(
    steps: Sequence[FlatStep], lengths: Sequence[float], sport: Sport, quantity: ZonesType, day: DayValues
) -> Floats | None:
    """The planned value of each second; None without the athlete's value, in W, m/s or bpm."""
    reference = day.hundred_percent(quantity)
    if not reference:
        return None
    levels = []
    for step in steps:
        target = _target(step, quantity)
        if target is not None and target.middle is not None:
            levels.append(target.middle)
        else:
            levels.append(_assumed_pct(step, sport, quantity) / 100 * reference)
    seconds = [max(round(length), 1) for length in lengths]
    return np.repeat(np.asarray(levels, np.float64), seconds)


def _assumed_pct(step: FlatStep, sport: Sport, quantity: ZonesType) -> float:
    if quantity is ZonesType.HEART_RATE:
        return UNTARGETED_HEART_RATE_PCT
    if is_pause(step) and sport is Sport.SWIMMING:
        return 0.0
    return LEVEL_PCT[step.intensity or ("recovery" if is_pause(step) else "aerobic")]


def _load(series: Floats, sport: Sport, quantity: ZonesType, day: DayValues) -> float | None:
    load = float("nan")
    if quantity is ZonesType.POWER and day.critical_power_w:
        load = power_load(series, 1.0, day.critical_power_w)
    elif quantity is ZonesType.SPEED and day.critical_speed_mps and sport in SPEED_EXPONENTS:
        load = pace_load(series, 1.0, day.critical_speed_mps, exponent=SPEED_EXPONENTS[sport])
    elif quantity is ZonesType.HEART_RATE:
        rest, most = day.resting_heart_rate_bpm, day.max_heart_rate_bpm
        if rest and most and most > rest:
            load = hr_load_score(series, 1.0, rest_bpm=rest, max_bpm=most, gender=day.gender)
    return None if isnan(load) else load


def _zone_seconds(
    series: Floats, quantity: ZonesType, day: DayValues, model: bands.BandModel
) -> tuple[ZoneSeconds, ...]:
    reference = day.hundred_percent(quantity)
    assert reference is not None
    times = bands.time_by_model(series, 1.0, reference=reference, model=model)
    return tuple(ZoneSeconds(zone=str(name), seconds=seconds) for name, seconds in times.items())


def _feasibility(steps: Sequence[FlatStep], free_s: float | None, day: DayValues) -> Feasibility | None:
    if not day.critical_power_w or not day.w_prime_j:
        return None
    return feasibility(
        steps, critical_power_w=day.critical_power_w, w_prime_j=day.w_prime_j, free_duration_s=free_s
    )
