"""The summary of a session, from the same trace that its streams are made of."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from coachboard.models.activities import Activity
from coachboard.models.enums import RaceType, Sport, SubSport, TrainingStimulus
from coachboard.service.demo import thermometer
from coachboard.service.demo.built import Part, built
from coachboard.service.demo.cells import CELL_S, Floats
from coachboard.service.demo.chance import peaks_of, seconds_of
from coachboard.service.demo.device_laps import provider_laps_of
from coachboard.service.demo.pool import lengths_of, rows_of
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.sections import sections_of
from coachboard.service.demo.session import Session
from coachboard.service.demo.strokes import by_strokes, is_told_by_strokes
from coachboard.service.demo.trace import Trace
from coachboard.service.demo.training_load import Scores, normalized_power, scores_of, stimulus_of

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


def activity_of(session: Session, trace: Trace, told: Told) -> Activity:
    """The activity as the service lists it."""
    scores = scores_of(session, trace)
    sections = sections_of(session, trace)
    return built(
        Activity,
        id=told.id,
        group_id=told.group_id,
        name=told.name,
        description=told.description,
        sport=told.sport or session.kind.sport,
        sub_sport=told.sub_sport or session.kind.sub_sport,
        **_times(session, trace, told.utc_offset_min),
        training_stimulus=told.stimulus or stimulus_of(session, trace),
        race_type=told.race_type,
        **_ground(session, trace),
        **_speed(session, trace),
        **_cadence(session, trace),
        **_temperature(session, len(trace)),
        average_heart_rate=round(float(trace.heart_rate.mean()), 1) if _owns(session, "heart rate") else None,
        max_heart_rate=round(float(trace.heart_rate.max())) if _owns(session, "heart rate") else None,
        **_power(session, trace, scores),
        **_scores(scores),
        calories=round(_calories(session, trace)),
        rpe=told.rpe,
        feeling=told.feeling,
        summary=told.summary,
        laps=sections.laps,
        climbs=sections.climbs,
        lengths=_lengths(session, trace),
        provider_laps=provider_laps_of(session, trace),
    )


def _lengths(session: Session, trace: Trace) -> tuple[Part, ...]:
    if session.kind.mover is not Mover.LENGTHS:
        return ()
    return rows_of(session, lengths_of(session), trace.heart_rate if _owns(session, "heart rate") else None)


def _owns(session: Session, sensor: str) -> bool:
    return sensor in session.sensors


def _times(session: Session, trace: Trace, offset_min: int) -> dict[str, Any]:
    started = datetime.fromtimestamp(session.started_s, UTC)
    recorded = len(trace) * CELL_S
    still = float((1 - trace.moving).sum()) * CELL_S
    return {
        "started_at": started,
        "utc_offset": offset_min,
        "started_at_local": (started + timedelta(minutes=offset_min)).replace(tzinfo=None),
        "moving_duration": round(recorded - still),
        "effective_duration": recorded,
        "total_duration": recorded + sum(gap for _, gap in session.pauses),
    }


def _ground(session: Session, trace: Trace) -> dict[str, Any]:
    has_place = trace.way is not None
    return {
        "distance": None if trace.distance_m is None else round(float(trace.distance_m[-1]), 1),
        "start_latitude": round(session.place.latitude, 5) if has_place else None,
        "start_longitude": round(session.place.longitude, 5) if has_place else None,
        **_heights(session, trace),
    }


def _heights(session: Session, trace: Trace) -> dict[str, Any]:
    if (
        trace.way is None
        or trace.along_m is None
        or trace.altitude_m is None
        or not session.kind.has_altitude
    ):
        names = ("elevation_loss", "elevation_gain", "min_elevation", "average_elevation", "max_elevation")
        return dict.fromkeys(names)
    height = trace.altitude_m
    end = trace.along_m[-1:]
    return {
        "elevation_loss": round(float(trace.way.total(trace.way.loss_m, end)[0])),
        "elevation_gain": round(float(trace.way.total(trace.way.gain_m, end)[0])),
        "min_elevation": round(float(height.min()), 1),
        "average_elevation": round(float(height.mean()), 1),
        "max_elevation": round(float(height.max()), 1),
    }


def _speed(session: Session, trace: Trace) -> dict[str, Any]:
    if trace.speed_mps is None or trace.distance_m is None:
        return {"average_speed": None, "max_speed": None}
    jitter = 0.0 if session.kind.mover is Mover.LENGTHS else session.kind.jitter
    fastest = trace.speed_mps * peaks_of(jitter, session.seed + 1, len(trace))
    moving_s = max(float(trace.moving.sum()) * CELL_S, 1.0)
    return {
        "average_speed": round(float(trace.distance_m[-1]) / moving_s, 3),
        "max_speed": round(float(fastest.max()), 3),
    }


def _cadence(session: Session, trace: Trace) -> dict[str, Any]:
    names = ("average_cadence", "max_cadence", "average_running_cadence", "max_running_cadence")
    found: dict[str, Any] = dict.fromkeys(names)
    if trace.cadence is None or not _owns(session, "cadence") or not trace.cadence.any():
        return found
    turning = trace.cadence[trace.cadence > 0]
    values = round(float(turning.mean()), 1), round(float(turning.max()))
    return found | dict(
        zip(names[2:] if session.kind.sport is Sport.RUNNING else names[:2], values, strict=True)
    )


def _temperature(session: Session, cells: int) -> dict[str, Any]:
    names = ("min_temperature", "average_temperature", "max_temperature")
    if not _owns(session, "temperature"):
        return dict.fromkeys(names)
    return dict(zip(names, thermometer.span_c(session, cells), strict=True))


def _power(session: Session, trace: Trace, scores: Scores) -> dict[str, Any]:
    if trace.power_w is None or not _owns(session, "power"):
        return dict.fromkeys(("average_power", "normalized_power", "max_power", "work"))
    normalized_w = scores.normalized_power_w
    return {
        "average_power": round(float(trace.power_w.mean()), 1),
        "normalized_power": round(
            normalized_power(trace.power_w) if normalized_w is None else normalized_w, 1
        ),
        "max_power": round(peak_power(session, trace.power_w)),
        "work": round(float(trace.power_w.sum()) * CELL_S / 1000, 1),
    }


def peak_power(session: Session, power_w: Floats) -> float:
    """The hardest second, without making the seconds; a spike of the sensor is one of them."""
    if is_told_by_strokes(session):
        inside = seconds_of(session.kind.detail, session.seed, len(power_w))
        return float(by_strokes((power_w[:, None] * inside).ravel()).max())
    highest = float((power_w * peaks_of(session.kind.detail, session.seed, len(power_w))).max())
    spikes = [spike_w(session, fault.cell) for fault in session.faults if fault.kind == "spike"]
    return max([highest, *spikes])


def spike_w(session: Session, cell: int) -> float:
    """What a power meter says for one second when its magnet bounces."""
    return float(1500 + (session.seed + cell * 37) % 600)


def _scores(scores: Scores) -> dict[str, Any]:
    return {"volume": scores.volume, "intensity": scores.intensity}


def _calories(session: Session, trace: Trace) -> float:
    if session.is_ride and trace.power_w is not None:
        return float(trace.power_w.sum()) * CELL_S / 1000 * _KCAL_PER_KJ
    if session.kind.sport is Sport.RUNNING and trace.distance_m is not None:
        return float(trace.distance_m[-1]) / 1000 * session.body.mass_kg * _KCAL_PER_KG_KM
    # Others by the heart: 4 METs at rest's end of the reserve to 13 at its top.
    reserve = float(np.mean(trace.heart_rate - session.body.hr_rest)) / (
        session.body.hr_max - session.body.hr_rest
    )
    return (1.5 + 11 * reserve) * session.body.mass_kg * len(trace) * CELL_S / 3600
