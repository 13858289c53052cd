"""Values that no athlete, sensor or place on earth has, and columns without information: left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from coachboard.analytics.clock_grid import LONGEST_GRID_S
from coachboard.analytics.information import information
from coachboard.service.importers.columns import MOST_DISTANCE_M
from coachboard.service.importers.recording import Floats, Leg, Recording
from coachboard.service.importers.spans import is_moving, record_durations_s


@dataclass(frozen=True, slots=True)
class _Range:
    """What a quantity may be, both ends included."""

    name: str
    low: float
    high: float
    unit: str

    def __str__(self) -> str:
        return f"{self.low:,.0f} to {self.high:,.0f} {self.unit}".replace("-", "\N{MINUS SIGN}")

    def holds(self, values: Floats) -> np.ndarray:
        return (values >= self.low) & (values <= self.high)


_HEART_RATE = _Range("heart rate", 0, 250, "bpm")
_CADENCE = _Range("cadence", 0, 250, "rpm")
_TEMPERATURE = _Range("temperature", -60, 80, "°C")
_SPEED = _Range("speed", 0, 60, "m/s")  # 216 km/h
_DISTANCE = _Range("distance", 0, MOST_DISTANCE_M, "m")
_DURATION = _Range("duration", 0, LONGEST_GRID_S, "s")

_COLUMNS: Mapping[str, _Range] = MappingProxyType(
    {
        "heartRate": _HEART_RATE,
        "cadence": _CADENCE,  # on foot strides, half of the steps
        "temperature": _TEMPERATURE,
        "speed": _SPEED,
        "distance": _DISTANCE,
        # From below the Dead Sea with a barometer that was not set to above Everest.
        "altitude": _Range("altitude", -500, 10_000, "m"),
    }
)
_FIGURES: Mapping[str, _Range] = MappingProxyType(
    {
        **dict.fromkeys(("total_duration", "effective_duration", "moving_duration"), _DURATION),
        "distance": _DISTANCE,
        **dict.fromkeys(("average_speed", "max_speed"), _SPEED),
        **dict.fromkeys(("average_heart_rate", "max_heart_rate"), _HEART_RATE),
        **dict.fromkeys(("average_cadence", "max_cadence"), _CADENCE),
        **dict.fromkeys(("min_temperature", "average_temperature", "max_temperature"), _TEMPERATURE),
    }
)


def without_the_impossible(recording: Recording) -> Recording:
    """The recording without such samples, figures and laps; each kind adds a sentence to its problems."""
    problems = list(recording.problems)
    legs = tuple(_plausible(leg, problems) for leg in recording.legs)
    return replace(recording, legs=legs, problems=tuple(problems))


def _plausible(leg: Leg, problems: list[str]) -> Leg:
    columns = dict(_columns(leg, problems))
    figures = dict(_figures(leg, problems))
    laps = tuple(lap for lap in leg.laps if lap.span.length_s <= _DURATION.high)
    if len(laps) < len(leg.laps):
        problems.append(_sentence(len(leg.laps) - len(laps), len(leg.laps), "lap durations", _DURATION))
    return replace(leg, columns=columns, figures=figures, laps=laps)


def _columns(leg: Leg, problems: list[str]) -> Iterator[tuple[str, Floats]]:
    for name, values in leg.columns.items():
        allowed = _COLUMNS.get(name)
        known = np.isfinite(values)
        kept = known if allowed is None else known & allowed.holds(values)
        lost = int(known.sum() - kept.sum())
        if allowed is None or not lost:
            yield name, values
            continue
        problems.append(_sentence(lost, int(known.sum()), f"values of {allowed.name}", allowed))
        if kept.any():
            yield name, np.where(kept, values, np.nan)


def _figures(leg: Leg, problems: list[str]) -> Iterator[tuple[str, float]]:
    for name, value in leg.figures.items():
        allowed = _FIGURES.get(name)
        if allowed is None or allowed.low <= value <= allowed.high:
            yield name, value
        else:
            title = name.replace("_", " ")
            problems.append(f"the device's {title} is outside {allowed} and was ignored")


def _sentence(count: int, total: int, what: str, allowed: _Range) -> str:
    return f"{count:,} of {total:,} {what} are outside {allowed} and were ignored"


_SENSORS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "power": ("power", ("average_power", "max_power", "normalized_power", "work")),
        "heartRate": ("heart_rate", ("average_heart_rate", "max_heart_rate")),
        "speed": ("speed", ("average_speed", "max_speed")),
        "cadence": ("cadence", ("average_cadence", "max_cadence")),
        "distance": ("distance", ("distance",)),
    }
)
"""Columns that may carry no information: their names in the analytics, and the device's figures of them."""


def without_dead_sensors(leg: Leg) -> Leg:
    """The leg without columns that carry no information, and without the device's figures of them.

    Zeros of a dead power meter would give the session a load of 0, a stuck heart rate a wrong one. Devices also
    write 0 as the distance and speed of a session in the gym, which has no such column at all.
    """
    durations_s, moving = record_durations_s(leg), is_moving(leg)
    columns, figures = dict(leg.columns), dict(leg.figures)
    for name, (inside, own_figures) in _SENSORS.items():
        values = leg.columns.get(name)
        found = None if values is None else information(inside, values, durations_s, moving)
        if found is not None and found.is_sensor:
            continue
        columns.pop(name, None)
        is_stuck = found is not None and found.stuck_at > 0
        for figure in own_figures:
            # A device may know a distance that its records do not have.
            if is_stuck or not figures.get(figure):
                figures.pop(figure, None)
    return replace(leg, columns=columns, figures=figures)
