"""The parts of a session (laps, climbs, lengths, device laps): their spans and a table of each kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.execution.pool_lengths import swum
from coachboard.execution.swim_sets import LEAST_REST_S
from coachboard.formulas.session import zones
from coachboard.formulas.session.climbs import MeasuredClimb, climbs_on_foot
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.part_measures import (
    MEASURES,
    device_spans,
    heart_rates_of,
    highest,
    indexed_spans,
    measures_of,
    normalized_powers_w,
    numbers_of,
)
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders import pool_lengths
from coachboard.loaders.memo import once
from coachboard.pages.activity.data import ActivityData
from coachboard.wire.activities import Climb, Lap
from coachboard.wire.enums import LapIntensity, Sport

Floats = NDArray[np.float64]


_SHORTEST_SWIM_M = 10.0


class Part(StrEnum):
    """The kinds of parts; the values are used in the URL."""

    LAPS = "classified"
    CLIMBS = "climbs"
    REPETITIONS = "repetitions"
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
        Part.REPETITIONS: swim_repetitions,
        Part.LENGTHS: _lengths,
        Part.DEVICE: _device_laps,
    }
    return makers[kind](data)


def counts_of(data: ActivityData) -> dict[Part, int]:
    """The number of parts of each kind, the most telling first; omits kinds without parts."""
    activity = data.activity
    rows_of = {
        Part.LAPS: activity.laps,
        Part.CLIMBS: activity.climbs,
        Part.REPETITIONS: swim_repetitions(data).stretches,
        Part.LENGTHS: swum(activity),
        Part.DEVICE: activity.provider_laps,
    }
    counts = {kind: len(rows) for kind, rows in rows_of.items() if rows}
    climbs = {Part.CLIMBS: len(found_climbs(data))} if found_climbs(data) else {}
    # A single device lap is the whole session.
    return climbs | counts if counts == {Part.DEVICE: 1} else counts | climbs


def _laps(data: ActivityData) -> Parts:
    laps = data.activity.laps
    spans = indexed_spans(data.activity, data.streams, laps)
    normalized_w = normalized_powers_w(data.streams, spans)
    table = pd.DataFrame(
        {
            "number": range(1, len(laps) + 1),
            "intensity": [str(lap.intensity) for lap in laps],
            "characteristic": [lap.characteristic and str(lap.characteristic) for lap in laps],
            "start_s": [start for start, _ in spans],
            "duration_s": [float(lap.duration) for lap in laps],
            "distance_m": numbers_of(laps, "distance"),
            "average_power_w": numbers_of(laps, "average_power"),
            "normalized_power_w": normalized_w,
            "intensity_factor": normalized_w / (data.capacities.critical_power_w or nan),
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
    figures = np.array([measure(streams, window=streams.between(*span)) for span in spans], np.float64)
    return np.where(np.isnan(figures), sent, figures)


def _mean(streams: SessionStreams, *, name: str, window: slice) -> float:
    return streams.mean(name, window)


@once
def found_climbs(data: ActivityData) -> list[MeasuredClimb]:
    """The climbs of a run or hike, which the interface does not have: it sends those of rides alone."""
    streams = data.streams
    if data.activity.climbs or streams is None or streams.get(ADJUSTED_SPEED) is None:
        return []
    distance_m = streams.distance_m
    return (
        []
        if distance_m is None
        else climbs_on_foot(distance_m, streams.columns["altitude"], streams.elapsed_s)
    )


def _found_climbs(streams: SessionStreams, climbs: Sequence[MeasuredClimb]) -> Parts:
    spans = [(float(streams.elapsed_s[climb.start]), float(streams.elapsed_s[climb.end])) for climb in climbs]
    measured = [measures_of(streams, span) for span in spans]
    table = pd.DataFrame(
        {
            "number": range(1, len(climbs) + 1),
            "start_s": [start for start, _ in spans],
            "duration_s": [climb.duration_s for climb in climbs],
            "distance_m": [climb.distance_m for climb in climbs],
            "elevation_gain_m": [climb.gain_m for climb in climbs],
            "average_grade_pct": [climb.average_grade_pct for climb in climbs],
            "max_grade_pct": [climb.max_grade_pct for climb in climbs],
            "vam_m_per_h": [climb.vam_m_per_h for climb in climbs],
            **{
                name: [row[name] for row in measured]
                for name in MEASURES
                if name not in {"distance_m", "elevation_gain_m"}
            },
            "normalized_power_w": normalized_powers_w(streams, spans),
        }
    )
    return Parts(Part.CLIMBS, _stretches(spans, _climb_names(table), [None] * len(climbs)), table)


def _climb_names(table: pd.DataFrame) -> list[str]:
    pairs = zip(table["distance_m"], table["average_grade_pct"], strict=True)
    return [f"{metres / 1000:.1f} km at {grade:.1f} %" for metres, grade in pairs]


def _climbs(data: ActivityData) -> Parts:
    if data.streams is not None and (measured_climbs := found_climbs(data)):
        return _found_climbs(data.streams, measured_climbs)
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
    return Parts(Part.CLIMBS, _stretches(spans, _climb_names(table), [None] * len(climbs)), table)


@once
def swim_repetitions(data: ActivityData) -> Parts:
    """The repetitions of a pool swim: by its lengths, else by its stops; empty for one long swim and in open water."""
    activity, streams = data.activity, data.streams
    if activity.lengths:
        spans = indexed_spans(activity, streams, swum(activity))
        parts, table = pool_lengths.repetitions_of(activity, spans)
    elif activity.sport == Sport.SWIMMING and streams is not None and streams.get("position_lat") is None:
        parts, table = _swum_between_stops(streams)
    else:
        parts, table = [], pd.DataFrame()
    if len(parts) < 2:
        return Parts(Part.REPETITIONS, (), table.iloc[:0])
    names = [pool_lengths.distance_words(activity, metres) or "repetition" for metres in table["distance_m"]]
    return Parts(Part.REPETITIONS, _stretches(parts, names, [None] * len(parts)), table)


def _swum_between_stops(streams: SessionStreams) -> tuple[list[tuple[float, float]], pd.DataFrame]:
    """Parts of a swim without lengths between stops of at least `LEAST_REST_S`, from 10 m on."""
    is_moving = np.concatenate([[False], streams.is_moving, [False]])
    edges = np.flatnonzero(np.diff(is_moving.astype(np.int8)))
    ends_s = np.append(streams.elapsed_s, streams.end_s)
    parts: list[tuple[float, float]] = []
    for start_s, end_s in ends_s[edges].reshape(-1, 2).tolist():
        if parts and start_s - parts[-1][1] < LEAST_REST_S:
            parts[-1] = parts[-1][0], end_s
        else:
            parts.append((start_s, end_s))
    parts = [span for span in parts if streams.distance_in(streams.between(*span)) >= _SHORTEST_SWIM_M]
    measured = [measures_of(streams, span) for span in parts]
    durations = np.array([end_s - start_s for start_s, end_s in parts])
    distances = np.array([row["distance_m"] for row in measured])
    rests = [later[0] - span[1] for span, later in pairwise(parts)]
    return parts, pd.DataFrame(
        {
            "number": range(1, len(parts) + 1),
            "start_s": [start_s for start_s, _ in parts],
            "distance_m": distances,
            "duration_s": durations,
            "average_speed_mps": distances / durations,
            "rest_after_s": [*rests, nan][: len(parts)],
            **{
                name: [row[name] for row in measured]
                for name in ("average_cadence", "average_heart_rate_bpm", "max_heart_rate_bpm")
            },
        }
    )


def _lengths(data: ActivityData) -> Parts:
    lengths = swum(data.activity)
    spans = indexed_spans(data.activity, data.streams, lengths)
    names = [f"{length.stroke_type or 'no stroke'}" for length in lengths]
    stretches = _stretches(spans, names, [None] * len(lengths))
    return Parts(Part.LENGTHS, stretches, pool_lengths.table_of(data.activity, spans))


def _device_laps(data: ActivityData) -> Parts:
    laps = data.activity.provider_laps
    spans = device_spans(data.activity, data.streams)
    measured = [measures_of(data.streams, span) for span in spans]
    normalized_w = normalized_powers_w(data.streams, spans)
    table = pd.DataFrame(
        {
            "number": range(1, len(laps) + 1),
            "label": [
                lap.intensity or ("rest" if _is_at_the_wall(data, row) else None)
                for lap, row in zip(laps, measured, strict=True)
            ],
            "trigger": [lap.lap_trigger for lap in laps],
            "start_s": [start for start, _ in spans],
            "duration_s": [end - start for start, end in spans],
            **{name: [row[name] for row in measured] for name in MEASURES},
            "normalized_power_w": normalized_w,
            "intensity_factor": normalized_w / (data.capacities.critical_power_w or nan),
        }
    )
    names = [f"{lap.intensity or lap.lap_trigger or 'lap'}" for lap in laps]
    intensities = [_intensity(row, data) for row in measured]
    return Parts(Part.DEVICE, _stretches(spans, names, intensities), table)


def _is_at_the_wall(data: ActivityData, row: dict[str, float]) -> bool:
    """A swimmer presses the lap button at the end of a repetition and again at the end of the rest."""
    return data.activity.sport == Sport.SWIMMING and row["distance_m"] == 0


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
