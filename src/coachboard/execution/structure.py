"""Unroll a planned workout to steps with targets in W, bpm and m/s."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coachboard.formulas.session.zones import SPEED_BANDS, intensity_of
from coachboard.wire.enums import LapIntensity, StepLabel
from coachboard.wire.prescriptions import (
    DistanceLength,
    DurationLength,
    StructureElement,
    StructureIntensity,
    StructureRepetition,
    StructureStep,
)

MOST_STEPS = 2_000
"""Most steps: a plan that nests repeats into millions of steps is a mistake."""

DEFAULT_FREE_S = 600.0
"""Default length of a step with an open end. [s]"""

DEFAULT_SPEED_MPS = {"cycling": 8.0, "running": 3.0, "swimming": 1.1}
"""Speed for the duration of a step by distance, without a target or an average speed. [m/s]"""


@dataclass(frozen=True, slots=True)
class References:
    """The 100 % values of percentages; None if unknown."""

    critical_power_w: float | None = None
    max_heart_rate_bpm: float | None = None
    critical_speed_mps: float | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A target range, open at one end or closed; `low` and `high` in W, bpm or m/s."""

    low: float | None
    high: float | None

    @property
    def middle(self) -> float | None:
        """The middle of the range, or its only end."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return sum(ends) / len(ends) if ends else None


@dataclass(frozen=True, slots=True)
class FlatStep:
    """A step in order: position, repeats from the outermost in, length and targets."""

    index: int
    repeats: tuple[tuple[int, int], ...]  # (which, of how many), both from 1
    label: StepLabel
    intensity: LapIntensity | None
    zone: str | None
    duration_s: float | None
    distance_m: float | None
    power_w: Target | None
    heart_rate_bpm: Target | None
    speed_mps: Target | None
    cadence_rpm: Target | None

    @property
    def is_free(self) -> bool:
        """Whether the athlete decides when the step ends."""
        return self.duration_s is None and self.distance_m is None


def unroll(
    structure: Sequence[StructureElement] | None, references: References | None = None
) -> list[FlatStep]:
    """Workout steps in order, repeats expanded.

    Parameters
    ----------
    structure : sequence of StructureStep or StructureRepetition, or None
        Nested to any depth; None for an unstructured workout.
    references : References, optional
        The athlete's values, for targets given in percent alone.

    Returns
    -------
    list of FlatStep
        At most `MOST_STEPS`; empty for None.

    Notes
    -----
    A target in absolute units is used as it is, a target in percent needs its reference; without its reference it
    stays open. Intensity: the service's own, else the band of the middle of the power target, else of the speed
    target.
    """
    thresholds = references or References()
    steps: list[FlatStep] = []
    for step, repeats in _walk(structure or (), ()):
        if len(steps) == MOST_STEPS:
            break
        steps.append(_flat_step(len(steps), step, repeats, thresholds))
    return steps


def step_duration_s(
    step: FlatStep, *, free_duration_s: float | None = None, speed_mps: float | None = None
) -> float:
    """How long one step is expected to take.

    Parameters
    ----------
    step : FlatStep
        A step with its targets resolved.
    free_duration_s : float, optional
        Assumed for a step of open end; 600 s where not given. [s]
    speed_mps : float, optional
        For a step given by distance without a speed target. [m/s]

    Returns
    -------
    float
        0 or more. [s]
    """
    if step.duration_s is not None:
        return step.duration_s
    if step.distance_m is None:
        return DEFAULT_FREE_S if free_duration_s is None else free_duration_s
    target = step.speed_mps.middle if step.speed_mps else None
    speed = target or speed_mps or DEFAULT_SPEED_MPS["running"]
    return step.distance_m / speed


def estimated_duration_s(
    structure: Sequence[StructureElement] | None,
    *,
    free_duration_s: float | None = None,
    references: References | None = None,
    speed_mps: float | None = None,
) -> float:
    """How long a workout is expected to take.

    Parameters
    ----------
    structure : sequence of StructureStep or StructureRepetition, or None
        Nested to any depth.
    free_duration_s : float, optional
        Assumed for each step of open end (the prescription's `freeDuration`); 600 s where not given. [s]
    references : References, optional
        As in `unroll`.
    speed_mps : float, optional
        For steps given by distance without a speed target. [m/s]

    Returns
    -------
    float
        NaN for an unstructured workout. [s]
    """
    if structure is None:
        return math.nan
    steps = unroll(structure, references)
    return sum(step_duration_s(step, free_duration_s=free_duration_s, speed_mps=speed_mps) for step in steps)


def _walk(
    elements: Sequence[StructureElement], repeats: tuple[tuple[int, int], ...]
) -> Iterator[tuple[StructureStep, tuple[tuple[int, int], ...]]]:
    for element in elements:
        if isinstance(element, StructureRepetition):
            # A repetition without steps would loop as often as it says.
            if not _has_step(element):
                continue
            for turn in range(1, element.n_repetitions + 1):
                yield from _walk(element.steps, (*repeats, (turn, element.n_repetitions)))
        else:
            yield element, repeats


def _has_step(element: StructureElement) -> bool:
    if isinstance(element, StructureStep):
        return True
    return element.n_repetitions > 0 and any(_has_step(inner) for inner in element.steps)


def _flat_step(
    index: int, step: StructureStep, repeats: tuple[tuple[int, int], ...], references: References
) -> FlatStep:
    wish, length = step.intensity, step.length
    power = _power(wish, references.critical_power_w)
    speed = _target(
        (wish.min_speed, wish.max_speed),
        (wish.min_speed_threshold_percentage, wish.max_speed_threshold_percentage),
        references.critical_speed_mps,
    )
    return FlatStep(
        index=index,
        repeats=repeats,
        label=step.label,
        intensity=wish.service_intensity or _band(power, speed, references),
        zone=wish.zone,
        duration_s=float(length.duration) if isinstance(length, DurationLength) else None,
        distance_m=float(length.distance) if isinstance(length, DistanceLength) else None,
        power_w=power,
        heart_rate_bpm=_target(
            (wish.min_heart_rate, wish.max_heart_rate),
            (wish.min_max_heart_rate_percentage, wish.max_max_heart_rate_percentage),
            references.max_heart_rate_bpm,
        ),
        speed_mps=speed,
        cadence_rpm=_target((wish.min_cadence, wish.max_cadence), (None, None), None),
    )


def _power(wish: StructureIntensity, critical_power_w: float | None) -> Target | None:
    return _target(
        (wish.min_power, wish.max_power),
        (wish.min_power_threshold_percentage, wish.max_power_threshold_percentage),
        critical_power_w,
    )


def _target(
    absolute: tuple[float | None, float | None],
    percent: tuple[float | None, float | None],
    reference: float | None,
) -> Target | None:
    if absolute != (None, None):
        return Target(*absolute)
    if reference is None or percent == (None, None):
        return None
    low, high = (None if part is None else part / 100 * reference for part in percent)
    return Target(low, high)


def _band(power: Target | None, speed: Target | None, references: References) -> LapIntensity | None:
    if power and power.middle is not None and references.critical_power_w:
        return intensity_of(power.middle / references.critical_power_w * 100)
    if speed and speed.middle is not None and references.critical_speed_mps:
        pct = speed.middle / references.critical_speed_mps * 100
        return LapIntensity(
            max((b for b in SPEED_BANDS.bands if b.low <= pct), key=lambda band: band.low).name
        )
    return None
