"""The streams of a session, second by second, made from its recipe when they are first requested."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.grade import grade_pct
from coachboard.formulas.session.w_balance import w_balance
from coachboard.wire.enums import Sport
from coachboard.wire.stream_columns import COLUMNS
from coachboard.wire.streams import ActivityStreams
from coachboard_demo.chance import chance, details, stretch
from coachboard_demo.grid import CELL_S, Floats, lag, smooth, to_seconds
from coachboard_demo.laps import torque_nm
from coachboard_demo.practice import Mover
from coachboard_demo.routes import METRES_PER_DEGREE
from coachboard_demo.session import SimulatedSession, clock_s
from coachboard_demo.simulation import SessionTrace, simulate

Columns = dict[str, Floats]
_TREMBLE_BPM = 0.4
_NOISE = 0.02  # of a usual value, for a column that only follows the effort
# Core temperature follows relative effort within half an hour (Saltin and Hermansen 1966).
_CORE_AT_REST_C, _CORE_PER_EFFORT_C, _CORE_S, _SKIN_S, _MILD_C = 36.9, 1.95, 1_500.0, 420.0, 18.0
_SODIUM_MG_PER_ML = 0.95  # Baker 2017 (Sports Med 47 Suppl 1)


def make_streams(recipe: bytes) -> ActivityStreams:
    """Make the streams; the same recipe gives the same bytes."""
    session = SimulatedSession.from_bytes(recipe)
    trace = simulate(session)
    columns: Columns = {}
    for makes in _MAKERS:
        columns |= makes(session, trace)
    if "altitude" in columns:
        columns["grade"] = np.round(grade_pct(columns["distance"], columns["altitude"]), 1)
    words = _break_some(session, columns)
    clock = clock_s(session, np.arange(len(trace) * CELL_S))
    return ActivityStreams(columns, (clock * 1000).astype("datetime64[ms]"), words)


def _seconds(cells: Floats, detail: float, seed: int) -> Floats:
    """Uneven seconds that keep the mean of each cell."""
    return np.asarray((cells[:, None] * (1 + detail * stretch(details(), seed, len(cells)))).ravel())


def _power(session: SimulatedSession, trace: SessionTrace) -> Columns:
    if trace.power_w is None or "power" not in session.sensors:
        return {}
    body = session.body
    power = np.rint(_seconds(trace.power_w, session.kind.detail, session.seed))
    columns = {"power": power, "intensity": np.round(smooth(power, 30) / body.power_w * 100, 1)}
    if session.is_ride:
        balance = w_balance(power, critical_power_w=body.power_w, w_prime_j=body.w_prime_j)
        columns["wPrimeBalance"] = np.round(balance)
    return columns


def _pedalling(session: SimulatedSession, trace: SessionTrace) -> Columns:
    """Torque, and the share of the power that the left leg gives."""
    if trace.power_w is None or trace.cadence is None or not session.is_ride:
        return {}
    columns: Columns = {}
    if "torque" in session.sensors:
        torque = torque_nm(trace.power_w, trace.cadence)
        columns["torque"] = np.round(_seconds(torque, session.kind.detail, session.seed), 1)
    if "balance" in session.sensors:
        noise = chance("balance", session.seed).standard_normal(len(trace) * CELL_S)
        left = 49 - 1.5 * (trace.effort - 0.7)
        balance = np.clip(np.rint(np.repeat(left, CELL_S) + 1.3 * noise), 0, 100)
        balance[np.repeat(trace.power_w, CELL_S) < 10] = np.nan
        columns["leftRightBalance"] = balance
    return columns


def _heart(session: SimulatedSession, trace: SessionTrace) -> Columns:
    if "heart rate" not in session.sensors:
        return {}
    noise = smooth(chance("heart", session.seed).standard_normal(len(trace) * CELL_S), 4) * 2
    beats = to_seconds(trace.heart_rate) + _TREMBLE_BPM * noise
    columns = {"heartRate": np.rint(np.clip(beats, session.body.hr_rest, trace.heart_rate.max()))}
    return columns | (_breathing(session, trace) if "breathing" in session.sensors else {})


def _breathing(session: SimulatedSession, trace: SessionTrace) -> Columns:
    """Breaths a minute, their depth and the air a minute: depth first, then rate (Nicolo and Sacchetti 2019)."""
    demand = lag(np.minimum(trace.effort, 1.4), 40 / CELL_S, before=0.1)
    noise = chance("breathing", session.seed).standard_normal(len(trace))
    rate = np.maximum(13 + 22 * demand + 27 * np.maximum(demand - 0.85, 0) + 1.3 * noise, 8)
    depth = (0.65 + 1.9 * np.minimum(demand, 0.95) ** 0.8) * (session.body.mass_kg / 70) ** 0.7
    columns = {
        "breathingRate": rate.round(1), "tidalVolume": depth.round(2), "minuteVentilation": (rate * depth).round(1),
    }  # fmt: skip
    return {name: np.repeat(values, CELL_S) for name, values in columns.items()}


def _rhythm(session: SimulatedSession, trace: SessionTrace) -> Columns:
    if trace.cadence is None or "cadence" not in session.sensors:
        return {}
    rate = np.repeat(trace.cadence, CELL_S)
    noise = chance("cadence", session.seed).standard_normal(len(rate))
    spread = 0.8 if session.kind.mover is Mover.WHEELS else 0.3
    columns = {
        "cadence": np.rint(np.where(rate > 0, np.clip(rate + spread * noise, 1, trace.cadence.max()), 0))
    }
    if "dynamics" in session.sensors and session.kind.sport is Sport.RUNNING:
        columns |= _running_dynamics(session, trace)
    return columns


def _running_dynamics(session: SimulatedSession, trace: SessionTrace) -> Columns:
    """Contact (ms), step length (mm) and bounce (mm) by speed."""
    assert trace.speed_mps is not None
    assert trace.cadence is not None
    noise = chance("dynamics", session.seed).standard_normal((3, len(trace) * CELL_S))
    speed, cadence = to_seconds(trace.speed_mps), np.repeat(trace.cadence, CELL_S)
    runs = (cadence > 0) & (speed > 1.2)
    step = 1000 * speed / np.maximum(cadence * 2 / 60, 0.5)
    columns = {
        "groundContactTime": np.rint(340 - 28 * speed + 3.5 * noise[0]),
        "stepLength": np.rint(step * (1 + 0.01 * noise[1])),
        "verticalOscillation": np.round(96 - 5 * np.abs(speed - 3.4) + 1.8 * noise[2], 1),
    }
    return {name: np.where(runs, values, np.nan) for name, values in columns.items()}


def _motion(session: SimulatedSession, trace: SessionTrace) -> Columns:
    """Speed, and a distance that ends at that of the summary."""
    if trace.speed_mps is None or trace.distance_m is None:
        return {}
    jitter = 0.0 if session.kind.mover is Mover.LENGTHS else session.kind.jitter
    speed = _seconds(trace.speed_mps, jitter, session.seed + 1)
    distance = speed.cumsum()
    distance *= trace.distance_m[-1] / max(float(distance[-1]), 1e-9)
    return {"speed": np.round(speed, 3), "distance": np.round(distance, 2)}


def _place(session: SimulatedSession, trace: SessionTrace) -> Columns:
    way = trace.way
    if trace.along_m is None or way is None:
        return {}
    place, scale = session.place, trace.scale
    ends = np.arange(len(trace) + 1) * CELL_S
    along = np.interp(np.arange(1, len(trace) * CELL_S + 1), ends, np.append(0.0, trace.along_m))
    east_degree_m = METRES_PER_DEGREE * np.cos(np.radians(place.latitude))
    north_m, east_m = way.at(way.north_m, along) * scale, way.at(way.east_m, along) * scale
    columns = {
        "positionLat": np.round(place.latitude + north_m / METRES_PER_DEGREE, 6),
        "positionLong": np.round(place.longitude + east_m / east_degree_m, 6),
    }
    if trace.altitude_m is not None:
        noise = smooth(chance("place", session.seed).standard_normal(len(along)), 20) * 0.8
        columns["altitude"] = np.round((way.at(way.altitude_m, along) + noise) * 5) / 5
    return columns


def _warmth(session: SimulatedSession, trace: SessionTrace) -> Columns:
    """Air, core and skin temperature, heat strain, and the water and salt that sweat takes."""
    air, mass_kg = trace.air_c, session.body.mass_kg
    columns: Columns = {}
    if "temperature" in session.sensors:
        columns["temperature"] = np.repeat(air, CELL_S)
    warm = np.maximum(air - _MILD_C, 0)
    if "core" in session.sensors:
        steady = _CORE_AT_REST_C + _CORE_PER_EFFORT_C * np.minimum(trace.effort, 1.15) + 0.035 * warm
        core = lag(steady, _CORE_S / CELL_S, before=37.0)
        skin = lag(30.5 + 0.19 * air - 0.9 * trace.effort, _SKIN_S / CELL_S, before=33.2)
        strain = np.clip((core - 37.4) * 2.4 + (skin - 33.0) * 0.6, 0, 10)
        columns["coreTemperature"] = np.round(to_seconds(core), 2)
        columns["skinTemperature"] = np.round(to_seconds(skin), 2)
        columns["heatStrainIndex"] = np.round(to_seconds(strain), 1) + 0.0
    if "sweat" in session.sensors:
        litres_an_hour = (0.1 + 0.85 * lag(trace.effort, 120.0, before=0.1) + 0.035 * warm) * (mass_kg / 70)
        fluid_ml = litres_an_hour.cumsum() * (CELL_S / 3.6)
        columns["fluidLoss"] = np.round(to_seconds(fluid_ml))
        columns["sodiumLoss"] = np.round(to_seconds(fluid_ml * _SODIUM_MG_PER_ML))
    return columns


def _by_effort(session: SimulatedSession, trace: SessionTrace) -> Columns:
    """The columns whose record states the values at rest and at threshold: two minutes behind the effort."""
    columns: Columns = {}
    for column in COLUMNS:
        if column.demo is not None and column.wire_name in session.sensors:
            demand = lag(np.minimum(trace.effort, 1.4), 120 / CELL_S, before=0.1)
            at_rest, at_threshold = column.demo
            noise = (
                chance(column.wire_name, session.seed).standard_normal(len(trace)) * _NOISE * column.example
            )
            values = at_rest + (at_threshold - at_rest) * demand + noise
            columns[column.wire_name] = np.repeat(values.round(column.digits), CELL_S)
    return columns


_MAKERS: tuple[Callable[[SimulatedSession, SessionTrace], Columns], ...] = (
    _power, _pedalling, _heart, _rhythm, _motion, _place, _warmth, _by_effort,
)  # fmt: skip


def _break_some(session: SimulatedSession, columns: Columns) -> dict[str, NDArray[np.intp]]:
    """Write what failing sensors write; returns where the word "NaN" is written instead of null."""
    words: dict[str, NDArray[np.intp]] = {}
    for fault in session.faults:
        span = slice(fault.cell * CELL_S, (fault.cell + fault.cells) * CELL_S)
        if fault.column in columns:
            columns[fault.column][span] = float(fault.word)
            if fault.word == "NaN":
                words[fault.column] = np.arange(span.start, span.stop)
    return words
