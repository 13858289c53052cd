"""The summaries of sessions, from the same trace that their streams are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from coachboard.models.activities import Activity
from coachboard.models.enums import RaceType, Sport, SubSport, TrainingStimulus
from coachboard_demo import thermometer
from coachboard_demo.batch import Batch
from coachboard_demo.built import Part, built
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.chance import detail_peaks, seconds_of
from coachboard_demo.device_laps import provider_laps_of
from coachboard_demo.pool import lengths_of, rows_of
from coachboard_demo.practice import Mover
from coachboard_demo.routes import climbed_m
from coachboard_demo.sections import sections_of
from coachboard_demo.session import Session
from coachboard_demo.strokes import by_strokes, is_told_by_strokes
from coachboard_demo.trace import Trace
from coachboard_demo.training_load import Scores, normalized_power, scores_of, stimulus_of

Columns = dict[str, Sequence[Any]]
"""A value of each session, by the names of the activity's fields."""

_KCAL_PER_KJ = 1.04  # gross efficiency 23 % cancels the 4.184 kJ of a kcal
_KCAL_PER_KG_KM = 1.03  # running (di Prampero 1986)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What people and the service add to what the device measured."""

    id: str
    utc_offset_min: int
    name: str | None = None
    description: str | None = None
    group_id: str | None = None
    race_type: RaceType | None = None
    stimulus: TrainingStimulus | None = None
    rpe: int | None = None
    feeling: int | None = None
    summary: str | None = None
    sport: Sport | None = None
    sub_sport: SubSport | None = None


def activities_of(batch: Batch, trace: Trace, told: Sequence[Told]) -> list[Activity]:
    """The activities as the service lists them."""
    kind, scores, sections = batch.kind, scores_of(batch, trace), sections_of(batch, trace)
    columns: Columns = {
        "id": [each.id for each in told],
        "group_id": [each.group_id for each in told],
        "name": [each.name for each in told],
        "description": [each.description for each in told],
        "sport": [each.sport or kind.sport for each in told],
        "sub_sport": [each.sub_sport or kind.sub_sport for each in told],
        **_times(batch, trace, told),
        "training_stimulus": _stimuli(batch, trace, told),
        "race_type": [each.race_type for each in told],
        **_ground(batch, trace),
        **_speed(batch, trace),
        **_cadence(batch, trace),
        **_temperature(batch),
        **_heart(batch, trace),
        **_power(batch, trace, scores),
        "volume": scores.volume,
        "intensity": scores.intensity,
        "calories": _whole(_calories(batch, trace)),
        "rpe": [each.rpe for each in told],
        "feeling": [each.feeling for each in told],
        "summary": [each.summary for each in told],
        "laps": sections.laps,
        "climbs": sections.climbs,
        "lengths": _lengths(batch, trace),
        "provider_laps": provider_laps_of(batch, trace),
    }
    names = list(columns)
    return [
        built(Activity, **dict(zip(names, row, strict=True))) for row in zip(*columns.values(), strict=True)
    ]


def _lengths(batch: Batch, trace: Trace) -> list[tuple[Part, ...]]:
    if batch.kind.mover is not Mover.LENGTHS:
        return [()] * len(batch.sessions)
    return [
        rows_of(
            session, lengths_of(session), trace.heart_rate[here] if "heart rate" in batch.sensors else None
        )
        for session, here in zip(batch.sessions, batch.slices(), strict=True)
    ]


def _stimuli(batch: Batch, trace: Trace, told: Sequence[Told]) -> list[TrainingStimulus | None]:
    return [
        each.stimulus or stimulus_of(session, trace.effort[here])
        for each, session, here in zip(told, batch.sessions, batch.slices(), strict=True)
    ]


def _times(batch: Batch, trace: Trace, told: Sequence[Told]) -> Columns:
    started = [datetime.fromtimestamp(session.started_s, UTC) for session in batch.sessions]
    offsets = [each.utc_offset_min for each in told]
    recorded_s = batch.sizes * CELL_S
    paused_s = np.array([sum(gap for _, gap in session.pauses) for session in batch.sessions])
    return {
        "started_at": started,
        "utc_offset": offsets,
        "started_at_local": [
            (start + timedelta(minutes=offset)).replace(tzinfo=None)
            for start, offset in zip(started, offsets, strict=True)
        ],
        "moving_duration": _whole(batch.sums(trace.moving) * CELL_S),
        "effective_duration": recorded_s.tolist(),
        "total_duration": (recorded_s + paused_s).tolist(),
    }


def _whole(values: Floats) -> list[int]:
    return list(np.rint(values).astype(np.int64).tolist())


def _missing(batch: Batch, *names: str) -> Columns:
    return dict.fromkeys(names, [None] * len(batch.sessions))


def _ground(batch: Batch, trace: Trace) -> Columns:
    found = _missing(batch, "distance", "start_latitude", "start_longitude")
    if trace.distance_m is not None:
        found["distance"] = batch.last(trace.distance_m).round(1).tolist()
    if trace.ways:
        found["start_latitude"] = [round(session.place.latitude, 5) for session in batch.sessions]
        found["start_longitude"] = [round(session.place.longitude, 5) for session in batch.sessions]
    return found | _heights(batch, trace)


def _heights(batch: Batch, trace: Trace) -> Columns:
    found = _missing(
        batch, "elevation_loss", "elevation_gain", "min_elevation", "average_elevation", "max_elevation"
    )
    if trace.along_m is None or trace.altitude_m is None or not batch.kind.has_altitude:
        return found
    up, down = climbed_m(trace.ways, np.arange(len(trace.ways)), batch.last(trace.along_m))
    return found | {
        "elevation_loss": _whole(down),
        "elevation_gain": _whole(up),
        "min_elevation": batch.lowest(trace.altitude_m).round(1).tolist(),
        "average_elevation": batch.means(trace.altitude_m).round(1).tolist(),
        "max_elevation": batch.highest(trace.altitude_m).round(1).tolist(),
    }


def _speed(batch: Batch, trace: Trace) -> Columns:
    if trace.speed_mps is None or trace.distance_m is None:
        return _missing(batch, "average_speed", "max_speed")
    fastest = trace.speed_mps
    if batch.kind.mover is not Mover.LENGTHS:
        fastest = fastest * (1 + batch.kind.jitter * batch.drawn(detail_peaks(), 1, 1))
    moving_s = np.maximum(batch.sums(trace.moving) * CELL_S, 1.0)
    return {
        "average_speed": (batch.last(trace.distance_m) / moving_s).round(3).tolist(),
        "max_speed": batch.highest(fastest).round(3).tolist(),
    }


def _cadence(batch: Batch, trace: Trace) -> Columns:
    names = ("average_cadence", "max_cadence", "average_running_cadence", "max_running_cadence")
    found = _missing(batch, *names)
    if trace.cadence is None or "cadence" not in batch.sensors:
        return found
    # What stands still turns 0 times, and counts for no mean.
    turned, highest = batch.sums(trace.cadence), batch.highest(trace.cadence)
    means = turned / np.maximum(batch.sums((trace.cadence > 0).astype(np.float64)), 1)
    mean, peak = names[2:] if batch.kind.sport is Sport.RUNNING else names[:2]
    found[mean] = [value or None for value in means.round(1).tolist()]
    found[peak] = [value or None for value in _whole(highest)]
    return found


def _temperature(batch: Batch) -> Columns:
    names = ("min_temperature", "average_temperature", "max_temperature")
    if "temperature" not in batch.sensors:
        return _missing(batch, *names)
    spans = [
        thermometer.span_c(session, cells)
        for session, cells in zip(batch.sessions, batch.sizes.tolist(), strict=True)
    ]
    return dict(zip(names, zip(*spans, strict=True), strict=True))


def _heart(batch: Batch, trace: Trace) -> Columns:
    if "heart rate" not in batch.sensors:
        return _missing(batch, "average_heart_rate", "max_heart_rate")
    return {
        "average_heart_rate": batch.means(trace.heart_rate).round(1).tolist(),
        "max_heart_rate": _whole(batch.highest(trace.heart_rate)),
    }


def _power(batch: Batch, trace: Trace, scores: Scores) -> Columns:
    if trace.power_w is None or "power" not in batch.sensors:
        return _missing(batch, "average_power", "normalized_power", "max_power", "work")
    normalized_w = scores.normalized_power_w
    if normalized_w is None:
        normalized_w = normalized_power(batch, trace.power_w)
    return {
        "average_power": batch.means(trace.power_w).round(1).tolist(),
        "normalized_power": normalized_w.round(1).tolist(),
        "max_power": [round(watts) for watts in _peaks_w(batch, trace.power_w, trace.power_detail)],
        "work": (batch.sums(trace.power_w) * (CELL_S / 1000)).round(1).tolist(),
    }


def _peaks_w(batch: Batch, power_w: Floats, detail: Floats | float) -> list[float]:
    """The hardest second of each session, without making the seconds; a spike of the sensor is one of them."""
    if is_told_by_strokes(batch.sessions[0]):
        return [
            _hardest_pull_w(session, power_w[here])
            for session, here in zip(batch.sessions, batch.slices(), strict=True)
        ]
    peaks = power_w * (1 + detail * batch.drawn(detail_peaks(), 1))
    return [
        max([highest, *(spike_w(session, fault.cell) for fault in session.faults if fault.kind == "spike")])
        for session, highest in zip(batch.sessions, batch.highest(peaks).tolist(), strict=True)
    ]


def _hardest_pull_w(session: Session, power_w: Floats) -> float:
    inside = seconds_of(session.kind.detail, session.seed, len(power_w))
    return float(by_strokes((power_w[:, None] * inside).ravel()).max())


def spike_w(session: Session, cell: int) -> float:
    """What a power meter says for one second when its magnet bounces."""
    return float(1500 + (session.seed + cell * 37) % 600)


def _calories(batch: Batch, trace: Trace) -> Floats:
    bodies = [session.body for session in batch.sessions]
    mass_kg = np.array([body.mass_kg for body in bodies])
    if batch.is_ride and trace.power_w is not None:
        return np.asarray(batch.sums(trace.power_w) * (CELL_S / 1000 * _KCAL_PER_KJ))
    if batch.kind.sport is Sport.RUNNING and trace.distance_m is not None:
        return np.asarray(batch.last(trace.distance_m) / 1000 * mass_kg * _KCAL_PER_KG_KM)
    # Others by the heart: 4 METs at rest's end of the reserve to 13 at its top.
    rest = np.array([body.hr_rest for body in bodies])
    reserve = (batch.means(trace.heart_rate) - rest) / (np.array([body.hr_max for body in bodies]) - rest)
    return np.asarray((1.5 + 11 * reserve) * mass_kg * batch.sizes * (CELL_S / 3600))
