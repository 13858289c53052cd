"""The parts of a session, laps, climbs, lengths, device laps: where each lies in time and a table of each kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.analytics import elevation, zones
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.session_streams import SessionStreams
from coachboard.models.activities import Climb, Lap, Length
from coachboard.models.enums import LapIntensity

Floats = NDArray[np.float64]


class Part(StrEnum):
    """The kinds of parts, named as the address names them."""

    LAPS = "classified"
    CLIMBS = "climbs"
    LENGTHS = "lengths"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Stretch:
    """One part along elapsed time."""

    number: int
    from_s: float
    to_s: float
    label: str
    intensity: LapIntensity | None


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of one kind: their stretches and, row for row, a table in the service's units."""

    kind: Part
    stretches: tuple[Stretch, ...]
    table: pd.DataFrame


def parts_of(data: ActivityData, kind: Part) -> Parts:
    """All parts of a kind, in order; empty where the session has none."""
    makers = {
        Part.LAPS: _laps,
        Part.CLIMBS: _climbs,
        Part.LENGTHS: _lengths,
        Part.DEVICE: _device_laps,
    }
    return makers[kind](data)


def kinds_of(data: ActivityData) -> list[Part]:
    """The kinds that this session has parts of."""
    activity = data.activity
    found = {
        Part.LAPS: activity.laps,
        Part.CLIMBS: activity.climbs,
        Part.LENGTHS: activity.lengths,
        Part.DEVICE: activity.provider_laps,
    }
    return [kind for kind, rows in found.items() if rows]


def _laps(data: ActivityData) -> Parts:
    laps = data.activity.laps
    spans = _indexed_spans(data, laps)
    table = pd.DataFrame(
        {
            "number": range(1, len(laps) + 1),
            "intensity": [str(lap.intensity) for lap in laps],
            "characteristic": [lap.characteristic and str(lap.characteristic) for lap in laps],
            "start_s": [start for start, _ in spans],
            "duration_s": [float(lap.duration) for lap in laps],
            "distance_m": _numbers(laps, "distance"),
            "average_power_w": _numbers(laps, "average_power"),
            "power_per_kg": _numbers(laps, "average_power") / (data.capacities.weight_kg or nan),
            "max_power_w": _numbers(laps, "max_power"),
            "average_heart_rate_bpm": _numbers(laps, "average_heart_rate"),
            "max_heart_rate_bpm": _numbers(laps, "max_heart_rate"),
            "average_cadence": _numbers(laps, "average_cadence"),
            "average_speed_mps": _numbers(laps, "average_speed"),
            "elevation_gain_m": _numbers(laps, "elevation_gain"),
            "average_torque_nm": _numbers(laps, "average_torque"),
            "average_temperature_c": _numbers(laps, "average_temperature"),
            "work_before_kj": _numbers(laps, "work_before"),
        }
    )
    names = [_lap_name(lap) for lap in laps]
    return Parts(Part.LAPS, _stretches(spans, names, [lap.intensity for lap in laps]), table)


def _climbs(data: ActivityData) -> Parts:
    climbs = data.activity.climbs
    spans = _indexed_spans(data, climbs)
    gains, durations = _numbers(climbs, "elevation_gain"), _numbers(climbs, "duration")
    table = pd.DataFrame(
        {
            "number": range(1, len(climbs) + 1),
            "start_s": [start for start, _ in spans],
            "duration_s": durations,
            "distance_m": _numbers(climbs, "distance"),
            "elevation_gain_m": gains,
            "average_grade_pct": _numbers(climbs, "average_grade"),
            "max_grade_pct": _numbers(climbs, "max_grade"),
            "vam_m_per_h": gains / np.where(durations > 0, durations, nan) * 3600,
            "average_power_w": _numbers(climbs, "average_power"),
            "power_per_kg": _climb_power_per_kg(climbs, data.capacities.weight_kg),
            "average_heart_rate_bpm": _numbers(climbs, "average_heart_rate"),
            "average_cadence": _numbers(climbs, "average_cadence"),
            "average_speed_mps": _numbers(climbs, "average_speed"),
            "max_altitude_m": _numbers(climbs, "max_altitude"),
            "average_temperature_c": _numbers(climbs, "average_temperature"),
            "work_before_kj": _numbers(climbs, "work_before"),
        }
    )
    names = [f"{climb.distance / 1000:.1f} km at {climb.average_grade:.1f} %" for climb in climbs]
    return Parts(Part.CLIMBS, _stretches(spans, names, [None] * len(climbs)), table)


def _lengths(data: ActivityData) -> Parts:
    lengths = data.activity.lengths
    spans = _indexed_spans(data, lengths)
    durations, strokes = _numbers(lengths, "duration"), _numbers(lengths, "stroke_count")
    table = pd.DataFrame(
        {
            "number": range(1, len(lengths) + 1),
            "stroke": [length.stroke_type and str(length.stroke_type) for length in lengths],
            "start_s": [start for start, _ in spans],
            "duration_s": durations,
            "average_speed_mps": _numbers(lengths, "average_speed"),
            "stroke_count": strokes,
            "swolf": durations + strokes,
            "average_cadence": _numbers(lengths, "average_cadence"),
            "average_heart_rate_bpm": _numbers(lengths, "average_heart_rate"),
            "max_heart_rate_bpm": _numbers(lengths, "max_heart_rate"),
        }
    )
    names = [f"{length.stroke_type or 'no stroke'}" for length in lengths]
    return Parts(Part.LENGTHS, _stretches(spans, names, [None] * len(lengths)), table)


def pool_length_m(lengths: Sequence[Length]) -> float:
    """The pool's length as the lengths themselves have it: the middle of speed times duration, NaN if unknown.

    spec: not shown: a length has no distance, so this is inferred (docs/assumptions.md).
    """
    ways = _numbers(lengths, "average_speed") * _numbers(lengths, "duration")
    known = ways[np.isfinite(ways) & (ways > 0)]
    return float(np.median(known)) if len(known) else nan


def strokes_of(parts: Parts) -> pd.DataFrame:
    """The lengths summed up by stroke: how many, mean time, strokes and SWOLF."""
    table = parts.table.assign(stroke=parts.table["stroke"].fillna("no stroke"))
    grouped = table.groupby("stroke", sort=False)
    return pd.DataFrame(
        {
            "lengths": grouped.size(),
            "duration_s": grouped["duration_s"].mean(),
            "average_speed_mps": grouped["average_speed_mps"].mean(),
            "stroke_count": grouped["stroke_count"].mean(),
            "swolf": grouped["swolf"].mean(),
        }
    ).reset_index()


def _device_laps(data: ActivityData) -> Parts:
    laps = data.activity.provider_laps
    spans = [(_since_start(data, lap.started_at), _since_start(data, lap.ended_at)) for lap in laps]
    measured = [_measured(data.streams, span) for span in spans]
    table = pd.DataFrame(
        {
            "number": range(1, len(laps) + 1),
            "label": [lap.intensity for lap in laps],
            "trigger": [lap.lap_trigger for lap in laps],
            "start_s": [start for start, _ in spans],
            "duration_s": [end - start for start, end in spans],
            **{name: [row[name] for row in measured] for name in _MEASURES},
        }
    )
    names = [f"{lap.intensity or lap.lap_trigger or 'lap'}" for lap in laps]
    intensities = [_intensity(row, data) for row in measured]
    return Parts(Part.DEVICE, _stretches(spans, names, intensities), table)


_MEASURES = (
    "distance_m",
    "average_power_w",
    "average_heart_rate_bpm",
    "max_heart_rate_bpm",
    "average_cadence",
    "average_speed_mps",
    "elevation_gain_m",
)


def _measured(streams: SessionStreams | None, span: tuple[float, float]) -> dict[str, float]:
    # The interface gives a device lap its two moments only; its numbers are ours, from the streams.
    if streams is None:
        return dict.fromkeys(_MEASURES, nan)
    window = streams.between(*span)
    distance = streams.distance_m
    distance_m = float(np.ptp(distance[window])) if distance is not None and _any(window) else nan
    moving_s = float(streams.dt_s[window][streams.is_moving[window]].sum()) if _any(window) else 0.0
    altitude = streams.get("altitude")
    return {
        "distance_m": distance_m,
        "average_power_w": _average(streams, "power", window),
        "average_heart_rate_bpm": _average(streams, "heart_rate", window),
        "max_heart_rate_bpm": _highest(streams, "heart_rate", window),
        "average_cadence": _average(streams, "cadence", window),
        "average_speed_mps": distance_m / moving_s if moving_s > 0 else nan,
        "elevation_gain_m": elevation.gain_loss(altitude[window])[0] if altitude is not None else nan,
    }


def _any(window: slice) -> bool:
    return bool(window.stop > window.start)


def _average(streams: SessionStreams, name: str, window: slice) -> float:
    values = streams.get(name)
    if values is None:
        return nan
    is_known = np.isfinite(values[window])
    weights = streams.dt_s[window][is_known]
    return float(np.average(values[window][is_known], weights=weights)) if weights.sum() > 0 else nan


def _highest(streams: SessionStreams, name: str, window: slice) -> float:
    values = streams.get(name)
    if values is None or not np.isfinite(values[window]).any():
        return nan
    return float(np.nanmax(values[window]))


def _intensity(row: dict[str, float], data: ActivityData) -> LapIntensity | None:
    critical_power_w = data.capacities.critical_power_w
    power_w = row["average_power_w"]
    if critical_power_w is None or np.isnan(power_w):
        return None
    return zones.intensity_of(100 * power_w / critical_power_w)


def _indexed_spans(
    data: ActivityData, rows: Sequence[Lap] | Sequence[Climb] | Sequence[Length]
) -> list[tuple[float, float]]:
    """From the streams where there are any, as selections are measured on them; else from the moments."""
    streams = data.streams
    if streams is None or not len(streams):
        return [(_since_start(data, row.started_at), _since_start(data, row.ended_at)) for row in rows]
    last = len(streams) - 1
    at = streams.elapsed_s
    return [
        (float(at[min(row.started_at_index, last)]), float(at[min(row.ended_at_index, last)])) for row in rows
    ]


def _since_start(data: ActivityData, moment: datetime) -> float:
    streams = data.streams
    if streams is not None and streams.started_at is not None:
        naive = np.datetime64(moment.replace(tzinfo=None), "ms")
        since = float((naive - streams.started_at) / np.timedelta64(1, "s"))
    elif data.activity.started_at is not None:
        since = (moment - data.activity.started_at).total_seconds()
    else:
        since = 0.0
    return max(since, 0.0)


def _stretches(
    spans: list[tuple[float, float]], names: list[str], intensities: list[LapIntensity | None]
) -> tuple[Stretch, ...]:
    rows = zip(spans, names, intensities, strict=True)
    return tuple(
        Stretch(number, start, end, name, intensity)
        for number, ((start, end), name, intensity) in enumerate(rows, start=1)
    )


def _lap_name(lap: Lap) -> str:
    trait = f", {lap.characteristic}" if lap.characteristic else ""
    return f"{lap.intensity}{trait}"


def _climb_power_per_kg(climbs: Sequence[Climb], weight_kg: float | None) -> Floats:
    sent = _numbers(climbs, "average_power_per_kilo")
    return np.where(np.isnan(sent), _numbers(climbs, "average_power") / (weight_kg or nan), sent)


def _numbers(rows: Sequence[object], name: str) -> Floats:
    values = [getattr(row, name) for row in rows]
    return np.array([nan if value is None else float(value) for value in values], np.float64)
