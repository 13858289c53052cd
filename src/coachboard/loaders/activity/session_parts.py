"""The parts of a session (laps, climbs, lengths, device laps): their spans and a table of each kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.analytics.session import zones
from coachboard.loaders.activity import pool_lengths
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.part_measures import (
    MEASURES,
    heart_rates_of,
    highest,
    measures_of,
    numbers_of,
)
from coachboard.loaders.activity.part_spans import device_spans, indexed_spans
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.memo import once
from coachboard.models.activities import Climb, Lap
from coachboard.models.enums import LapIntensity

Floats = NDArray[np.float64]


class Part(StrEnum):
    """The kinds of parts; the values are used in the URL."""

    LAPS = "classified"
    CLIMBS = "climbs"
    LENGTHS = "lengths"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class PartSpan:
    """A part in elapsed time."""

    number: int
    from_s: float
    to_s: float
    label: str
    intensity: LapIntensity | None


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of one kind: spans, and a table with the same rows in the service's units."""

    kind: Part
    stretches: tuple[PartSpan, ...]
    table: pd.DataFrame


@once
def parts_of(data: ActivityData, kind: Part) -> Parts:
    """All parts of a kind in order; empty without any."""
    makers = {
        Part.LAPS: _laps,
        Part.CLIMBS: _climbs,
        Part.LENGTHS: _lengths,
        Part.DEVICE: _device_laps,
    }
    return makers[kind](data)


def counts_of(data: ActivityData) -> dict[Part, int]:
    """The number of parts of each kind; omits kinds without parts."""
    activity = data.activity
    found = {
        Part.LAPS: activity.laps,
        Part.CLIMBS: activity.climbs,
        Part.LENGTHS: pool_lengths.swum(activity),
        Part.DEVICE: activity.provider_laps,
    }
    return {kind: len(rows) for kind, rows in found.items() if rows}


def _laps(data: ActivityData) -> Parts:
    laps = data.activity.laps
    spans = indexed_spans(data.activity, data.streams, laps)
    table = pd.DataFrame(
        {
            "number": range(1, len(laps) + 1),
            "intensity": [str(lap.intensity) for lap in laps],
            "characteristic": [lap.characteristic and str(lap.characteristic) for lap in laps],
            "start_s": [start for start, _ in spans],
            "duration_s": [float(lap.duration) for lap in laps],
            "distance_m": numbers_of(laps, "distance"),
            "average_power_w": numbers_of(laps, "average_power"),
            "power_per_kg": numbers_of(laps, "average_power") / (data.capacities.weight_kg or nan),
            "max_power_w": _measured(
                data, numbers_of(laps, "max_power"), spans, partial(highest, name="power")
            ),
            "average_heart_rate_bpm": heart_rates_of(laps, "average_heart_rate"),
            "max_heart_rate_bpm": _measured(
                data, heart_rates_of(laps, "max_heart_rate"), spans, partial(highest, name="heart_rate")
            ),
            "average_cadence": _measured(
                data, numbers_of(laps, "average_cadence"), spans, partial(_mean, name="cadence")
            ),
            "average_speed_mps": _measured(
                data, numbers_of(laps, "average_speed"), spans, partial(_mean, name="speed")
            ),
            "elevation_gain_m": numbers_of(laps, "elevation_gain"),
            "average_torque_nm": numbers_of(laps, "average_torque"),
            "average_temperature_c": numbers_of(laps, "average_temperature"),
            "work_before_kj": numbers_of(laps, "work_before"),
        }
    )
    names = [_lap_name(lap) for lap in laps]
    return Parts(Part.LAPS, _stretches(spans, names, [lap.intensity for lap in laps]), table)


def _measured(
    data: ActivityData,
    sent: Floats,
    spans: Sequence[tuple[float, float]],
    measure: Callable[..., float],
) -> Floats:
    """The figure of each part as in a selection over it; without streams the service's value.

    The interface does not say over which time a service averages, nor whether stops count.
    """
    streams = data.streams
    if streams is None:
        return sent
    found = np.array([measure(streams, window=streams.between(*span)) for span in spans], np.float64)
    return np.where(np.isnan(found), sent, found)


def _mean(streams: SessionStreams, *, name: str, window: slice) -> float:
    return streams.mean(name, window)


def _climbs(data: ActivityData) -> Parts:
    climbs = data.activity.climbs
    spans = indexed_spans(data.activity, data.streams, climbs)
    gains, durations = numbers_of(climbs, "elevation_gain"), numbers_of(climbs, "duration")
    taken_s = np.where(durations > 0, durations, nan)
    table = pd.DataFrame(
        {
            "number": range(1, len(climbs) + 1),
            "start_s": [start for start, _ in spans],
            "duration_s": durations,
            "distance_m": numbers_of(climbs, "distance"),
            "elevation_gain_m": gains,
            "average_grade_pct": numbers_of(climbs, "average_grade"),
            "max_grade_pct": numbers_of(climbs, "max_grade"),
            "vam_m_per_h": gains / taken_s * 3600,
            "average_power_w": numbers_of(climbs, "average_power"),
            "power_per_kg": _climb_power_per_kg(climbs, data.capacities.weight_kg),
            "average_heart_rate_bpm": heart_rates_of(climbs, "average_heart_rate"),
            "average_cadence": _measured(
                data, numbers_of(climbs, "average_cadence"), spans, partial(_mean, name="cadence")
            ),
            "average_speed_mps": numbers_of(climbs, "distance") / taken_s,
            "max_altitude_m": numbers_of(climbs, "max_altitude"),
            "average_temperature_c": numbers_of(climbs, "average_temperature"),
            "work_before_kj": numbers_of(climbs, "work_before"),
        }
    )
    names = [f"{climb.distance / 1000:.1f} km at {climb.average_grade:.1f} %" for climb in climbs]
    return Parts(Part.CLIMBS, _stretches(spans, names, [None] * len(climbs)), table)


def _lengths(data: ActivityData) -> Parts:
    swum = pool_lengths.swum(data.activity)
    spans = indexed_spans(data.activity, data.streams, swum)
    names = [f"{length.stroke_type or 'no stroke'}" for length in swum]
    stretches = _stretches(spans, names, [None] * len(swum))
    return Parts(Part.LENGTHS, stretches, pool_lengths.table_of(data.activity, spans))


def _device_laps(data: ActivityData) -> Parts:
    laps = data.activity.provider_laps
    spans = device_spans(data.activity, data.streams)
    measured = [measures_of(data.streams, span) for span in spans]
    table = pd.DataFrame(
        {
            "number": range(1, len(laps) + 1),
            "label": [lap.intensity for lap in laps],
            "trigger": [lap.lap_trigger for lap in laps],
            "start_s": [start for start, _ in spans],
            "duration_s": [end - start for start, end in spans],
            **{name: [row[name] for row in measured] for name in MEASURES},
        }
    )
    names = [f"{lap.intensity or lap.lap_trigger or 'lap'}" for lap in laps]
    intensities = [_intensity(row, data) for row in measured]
    return Parts(Part.DEVICE, _stretches(spans, names, intensities), table)


def _intensity(row: dict[str, float], data: ActivityData) -> LapIntensity | None:
    critical_power_w = data.capacities.critical_power_w
    power_w = row["average_power_w"]
    if critical_power_w is None or np.isnan(power_w):
        return None
    return zones.intensity_of(100 * power_w / critical_power_w)


def _stretches(
    spans: list[tuple[float, float]], names: list[str], intensities: list[LapIntensity | None]
) -> tuple[PartSpan, ...]:
    rows = zip(spans, names, intensities, strict=True)
    return tuple(
        PartSpan(number, start, end, name, intensity)
        for number, ((start, end), name, intensity) in enumerate(rows, start=1)
    )


def _lap_name(lap: Lap) -> str:
    trait = f", {lap.characteristic}" if lap.characteristic else ""
    return f"{lap.intensity}{trait}"


def _climb_power_per_kg(climbs: Sequence[Climb], weight_kg: float | None) -> Floats:
    sent = numbers_of(climbs, "average_power_per_kilo")
    return np.where(np.isnan(sent), numbers_of(climbs, "average_power") / (weight_kg or nan), sent)
