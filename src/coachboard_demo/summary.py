"""Volume and intensity of a session, by the definitions that imported recordings get too."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np

from coachboard.formulas.session import session_load
from coachboard.wire.activities import Activity
from coachboard.wire.enums import RaceType, Sport, SubSport, TrainingStimulus
from coachboard_demo.grid import CELL_S, Floats, mean
from coachboard_demo.laps import peaks_of, provider_laps_of, sections_of
from coachboard_demo.pool import lengths_of, rows_of
from coachboard_demo.practice import Mover
from coachboard_demo.rows import built
from coachboard_demo.session import SimulatedSession
from coachboard_demo.simulation import SessionTrace, simulate

_SWIM_EXPONENT, _EXPONENT = 3.0, 2.0


def scores_of(
    session: SimulatedSession, trace: SessionTrace, normalized_w: float | None
) -> tuple[float, float]:
    """Volume and intensity by power on rides with a meter, by pace on foot and in water, else by heart rate."""
    body, effort_pct = session.body, trace.effort * 100
    intensity = partial(session_load.intensity_score, dt_s=CELL_S)
    if session.is_ride and normalized_w is not None:
        volume = len(trace) * CELL_S * (normalized_w / body.power_w) ** 2 / 36
        return round(volume, 1), round(intensity(power_pct=effort_pct), 1)
    if session.kind.mover in {Mover.FEET, Mover.LENGTHS, Mover.STROKES}:
        exponent = _SWIM_EXPONENT if session.kind.sport is Sport.SWIMMING else _EXPONENT
        volume = session_load.pace_load(trace.effort, CELL_S, 1.0, exponent=exponent)
        return round(volume, 1), round(intensity(speed_pct=effort_pct), 1)
    beats = trace.heart_rate
    volume = session_load.hr_load_score(beats, CELL_S, rest_bpm=body.hr_rest, max_bpm=body.hr_max)
    return round(volume, 1), round(intensity(heart_rate_pct=beats * (100 / body.hr_max)), 1)


def normalized_power(power_w: Floats) -> float:
    """As `power.normalized_power`, on cells; the seconds inside a cell hardly change a mean over 30 s."""
    width = min(session_load.INTENSITY_WINDOW_S // CELL_S, len(power_w))
    sums = np.append(0.0, power_w.cumsum())
    return float(mean(((sums[width:] - sums[:-width]) / width) ** 4) ** 0.25)


KCAL_PER_KJ = 1.04  # gross efficiency 23 % cancels the 4.184 kJ of a kcal
_KCAL_PER_KG_KM = 1.03  # running (di Prampero 1986)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """The fields that people and the service add to the data of the device."""

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


@dataclass(frozen=True, slots=True)
class Recorded:
    """An activity and the session that its streams are made from."""

    activity: Activity
    session: SimulatedSession | None


def record(session: SimulatedSession, caption: Caption) -> Recorded:
    """Do a session and sum it up as the service lists it."""
    trace = simulate(session)
    kind = session.kind
    power = _power(session, trace)
    volume, intensity = scores_of(session, trace, power.get("normalized_power"))
    laps, climbs = sections_of(session, trace)
    is_pool = kind.mover is Mover.LENGTHS
    beats = trace.heart_rate if "heart rate" in session.sensors else None
    activity = built(
        Activity,
        id=caption.id,
        group_id=caption.group_id,
        name=caption.name,
        description=caption.description,
        sport=caption.sport or kind.sport,
        sub_sport=caption.sub_sport or kind.sub_sport,
        **_times(session, trace, caption),
        training_stimulus=caption.stimulus,
        race_type=caption.race_type,
        **_distance_and_speed(session, trace),
        **_cadence(session, trace),
        **_temperature(session, trace),
        average_heart_rate=None if beats is None else round(mean(beats), 1),
        max_heart_rate=None if beats is None else round(float(beats.max())),
        **power,
        volume=volume,
        intensity=intensity,
        calories=round(_calories(session, trace)),
        rpe=caption.rpe,
        feeling=caption.feeling,
        summary=caption.summary,
        laps=laps,
        climbs=climbs,
        lengths=rows_of(session, lengths_of(session), beats) if is_pool else (),
        provider_laps=provider_laps_of(session, trace),
    )
    return Recorded(activity, session)


def _times(session: SimulatedSession, trace: SessionTrace, caption: Caption) -> dict[str, Any]:
    started = datetime.fromtimestamp(session.started_s, UTC)
    recorded_s = len(trace) * CELL_S
    return {
        "started_at": started,
        "utc_offset": caption.utc_offset_min,
        "started_at_local": (started + timedelta(minutes=caption.utc_offset_min)).replace(tzinfo=None),
        "moving_duration": _moving_s(trace),
        "effective_duration": recorded_s,
        "total_duration": recorded_s + sum(gap for _, gap in session.pauses),
    }


def _moving_s(trace: SessionTrace) -> int:
    return round(float(trace.moving.sum()) * CELL_S)


def _distance_and_speed(session: SimulatedSession, trace: SessionTrace) -> dict[str, Any]:
    """Distance, speed, start and altitude."""
    found: dict[str, Any] = {}
    if trace.distance_m is not None and trace.speed_mps is not None:
        metres = float(trace.distance_m[-1])
        jitter = 0.0 if session.kind.mover is Mover.LENGTHS else session.kind.jitter
        found["distance"] = round(metres, 1)
        found["average_speed"] = round(metres / max(_moving_s(trace), 1), 3)
        found["max_speed"] = round(float(peaks_of(trace.speed_mps, jitter, session.seed + 1).max()), 3)
    if trace.way is not None:
        found["start_latitude"] = round(session.place.latitude, 5)
        found["start_longitude"] = round(session.place.longitude, 5)
    height, up, down = trace.altitude_m, trace.up_m, trace.down_m
    if height is not None and up is not None and down is not None:
        found |= {
            "elevation_gain": round(float(up[-1])),
            "elevation_loss": round(float(down[-1])),
            "min_elevation": round(float(height.min()), 1),
            "average_elevation": round(mean(height), 1),
            "max_elevation": round(float(height.max()), 1),
        }
    return found


def _cadence(session: SimulatedSession, trace: SessionTrace) -> dict[str, float]:
    if trace.cadence is None or "cadence" not in session.sensors or not trace.cadence.any():
        return {}
    turns = trace.cadence[trace.cadence > 0]
    name = "running_cadence" if session.kind.sport is Sport.RUNNING else "cadence"
    return {f"average_{name}": round(mean(turns), 1), f"max_{name}": round(float(turns.max()))}


def _temperature(session: SimulatedSession, trace: SessionTrace) -> dict[str, float]:
    if "temperature" not in session.sensors:
        return {}
    air = trace.air_c
    return {
        "min_temperature": float(air.min()),
        "average_temperature": round(mean(air), 1),
        "max_temperature": float(air.max()),
    }


def _power(session: SimulatedSession, trace: SessionTrace) -> dict[str, float]:
    power = trace.power_w
    if power is None or "power" not in session.sensors:
        return {}
    return {
        "average_power": round(mean(power), 1),
        "normalized_power": round(normalized_power(power), 1),
        "max_power": round(float(peaks_of(power, session.kind.detail, session.seed).max())),
        "work": round(float(power.sum()) * CELL_S / 1000, 1),
    }


def _calories(session: SimulatedSession, trace: SessionTrace) -> float:
    body = session.body
    if session.is_ride and trace.power_w is not None:
        return float(trace.power_w.sum()) * CELL_S / 1000 * KCAL_PER_KJ
    if session.kind.sport is Sport.RUNNING and trace.distance_m is not None:
        return float(trace.distance_m[-1]) / 1000 * body.mass_kg * _KCAL_PER_KG_KM
    # Others by the heart: 1.5 METs at rest to 12.5 at the maximum.
    reserve = (mean(trace.heart_rate) - body.hr_rest) / (body.hr_max - body.hr_rest)
    return (1.5 + 11 * reserve) * body.mass_kg * len(trace) * CELL_S / 3600
