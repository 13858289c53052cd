"""The streams of a session, second by second, made from its recipe when they are first asked for."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.grade import grade_pct
from coachboard.analytics.w_balance import w_balance
from coachboard.models.enums import Sport
from coachboard.models.streams import ActivityStreams
from coachboard_demo import sensors
from coachboard_demo.batch import Batch
from coachboard_demo.broken import break_some
from coachboard_demo.cells import CELL_S, Floats, between, smooth, to_seconds
from coachboard_demo.chance import chance, ripples, seconds_of, wander
from coachboard_demo.changes import changes_of
from coachboard_demo.pool import at_the_wall, writes_by_length
from coachboard_demo.practice import Mover
from coachboard_demo.rhythm import in_spells
from coachboard_demo.routes import Shape, latitudes, longitudes
from coachboard_demo.sections import torque_nm
from coachboard_demo.session import Session
from coachboard_demo.simulation import simulate
from coachboard_demo.standing import ragged
from coachboard_demo.strokes import by_strokes, counted, from_nothing, is_told_by_strokes
from coachboard_demo.thermal import heat
from coachboard_demo.thermometer import told_c
from coachboard_demo.trace import Trace

_HUMPS_M, _HUMP_M = 0.3, 9.0  # smaller than the hills of the model: bridges, kerbs, the crown of the road
Columns = dict[str, Floats]
_OF_STROKES = frozenset({"speed", "power", "cadence"})
_UNSURE, _ONE_LEG_PCT = 0.5, (0.0, 100.0)


def make_streams(recipe: bytes) -> ActivityStreams:
    """Make the streams; the same recipe gives the same bytes."""
    session = Session.from_bytes(recipe)
    trace = simulate(session)
    columns: Columns = {}
    for makes in _MAKERS:
        columns |= makes(session, trace)
    if "altitude" in columns:  # as the service reckons it for every recording
        columns["grade"] = np.round(grade_pct(columns["distance"], columns["altitude"]), 1)
    if is_told_by_strokes(session):
        for name in columns.keys() & _OF_STROKES:
            from_nothing(session, trace.starts, columns[name])
    if writes_by_length(session):
        columns |= at_the_wall(session, columns)
    words = break_some(session, columns)
    return ActivityStreams(columns, _timestamps(session, len(trace) * CELL_S), words)


def _timestamps(session: Session, count: int) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    clock = np.arange(count, dtype=np.int64) + session.started_s
    for cell, gap_s in session.pauses:
        clock[cell * CELL_S :] += gap_s
    return (clock * 1000).astype("datetime64[ms]")


def seconds_of_power(session: Session, trace: Trace) -> Floats:
    """Power second by second: each cell's mean, uneven inside."""
    assert trace.power_w is not None
    detail = np.broadcast_to(trace.power_detail, len(trace))[:, None]
    rows = trace.power_w[:, None] * seconds_of(detail, session.seed, len(trace))
    if not is_told_by_strokes(session):
        changes, seconds = changes_of(trace.power_w)
        rows[changes] = seconds
    power = rows.ravel()
    return np.maximum(np.rint(by_strokes(power) if is_told_by_strokes(session) else power), 0)


def _power(session: Session, trace: Trace) -> Columns:
    if trace.power_w is None or "power" not in session.sensors:
        return {}
    power = seconds_of_power(session, trace)
    columns = {"power": power}
    if session.is_ride:
        body = session.body
        columns["wPrimeBalance"] = np.round(
            w_balance(power, critical_power_w=body.power_w, w_prime_j=body.w_prime_j)
        )
    columns["intensity"] = np.round(smooth(power, 30) / session.body.power_w * 100, 1)
    return columns


def _pedalling(session: Session, trace: Trace) -> Columns:
    """Torque, and how much of the power the left leg gives."""
    if trace.power_w is None or trace.cadence is None or not session.is_ride:
        return {}
    columns: Columns = {}
    rng = chance("pedalling", session.seed)
    if "torque" in session.sensors:
        columns["torque"] = np.round(
            np.repeat(torque_nm(trace), CELL_S) * (1 + 0.02 * rng.standard_normal(len(trace) * CELL_S)), 1
        )
    if "balance" in session.sensors:
        own = 50 + (session.body.cadence_shift_rpm % 1 - 0.5) * 4
        # Whole percents, the less sure the less is pressed: recorded steps have a median of 1 and a hundredth of 14.
        sway = (0.7 + _UNSURE / np.maximum(np.repeat(trace.effort, CELL_S), 0.1)) * rng.standard_normal(
            len(trace) * CELL_S
        )
        balance = between(np.rint(own + sway - 1.5 * (np.repeat(trace.effort, CELL_S) - 0.7)), *_ONE_LEG_PCT)
        balance[np.repeat(trace.power_w, CELL_S) < 10] = np.nan
        columns["leftRightBalance"] = balance
    return columns


def _heart(session: Session, trace: Trace) -> Columns:
    if "heart rate" not in session.sensors:
        return {}
    beats = ragged(session, trace, to_seconds(trace.heart_rate))
    if session.kind.is_bare or "wrist" in session.sensors:
        beats = sensors.at_the_wrist(session, beats)
    # Nothing goes beyond the maximum that the summary tells, and nothing stays at it: what would is as far below.
    highest = trace.heart_rate.max()
    columns = {"heartRate": np.rint(highest - np.abs(highest - beats))}
    if "breathing" in session.sensors:
        columns |= sensors.breathing(session, trace)
    return columns


def _rhythm(session: Session, trace: Trace) -> Columns:
    if trace.cadence is None or "cadence" not in session.sensors:
        return {}
    noise = chance("cadence", session.seed).standard_normal(len(trace) * CELL_S)
    fine = np.repeat(trace.cadence, CELL_S)
    # A watch tells what it counted over some seconds; a length's strokes are told by the length.
    spread = _SECONDS_DIFFER_RPM.get(session.kind.mover, 0.0)
    if session.kind.walks_from_pct is not None:
        spread = _ON_ROCKS_RPM
    if session.kind.sport is Sport.RUNNING:
        fine = fine * ~_missed_steps(session, fine)
    _begin_and_end(session, fine)
    columns = {"cadence": np.rint(np.where(fine > 0, np.maximum(fine + spread * noise, 1), 0))}
    if session.kind.shape is Shape.LAKE:
        columns = {"cadence": counted(session, columns["cadence"])}
    if "dynamics" in session.sensors and session.kind.sport is Sport.RUNNING:
        columns |= sensors.running_dynamics(session, trace)
    return columns


# One step in four of the recorded runs' strides is not none; on the trail every second one, deviating by 1.4.
_SECONDS_DIFFER_RPM, _ON_ROCKS_RPM = {Mover.WHEELS: 1.0, Mover.FEET: 0.25}, 0.7
_HALF_TURNED, _DOUBLED_S, _OF_DOUBLED = 0.55, 3, 0.2


def _begin_and_end(session: Session, rate: Floats) -> None:
    """Cranks begin and end with part of a turn; a pod that has lost the step counts both feet for some seconds."""
    turns = rate > 0
    first = np.flatnonzero(turns[1:] & ~turns[:-1]) + 1
    if session.kind.mover is Mover.WHEELS:
        rate[first] *= _HALF_TURNED
        rate[np.flatnonzero(turns[:-1] & ~turns[1:])] *= _HALF_TURNED
    elif session.kind.uncounted:
        highest = float(rate.max())
        rng = chance("doubled", session.seed)
        doubled = first[rng.random(len(first)) < _OF_DOUBLED]
        shares, lasts = rng.random(len(doubled)) ** 2, rng.integers(1, _DOUBLED_S + 1, len(doubled))
        for second in range(_DOUBLED_S):
            at = np.minimum(doubled + second, len(rate) - 1)
            rate[at] += (highest - rate[at]) * shares * (lasts > second)


_WALKS_BELOW_RPM, _MISSED_S, _MISSED = 70.0, 3, 1.4


def _missed_steps(session: Session, rate: Floats) -> NDArray[np.bool_]:
    """Moments of walking in which a runner's watch counts nothing: every tenth second of the recorded recoveries."""
    whim = wander(chance("missed", session.seed), len(rate), _MISSED_S) * _MISSED_S**0.5
    missed = (rate < _WALKS_BELOW_RPM) & (whim > _MISSED)
    if session.kind.walks_from_pct is not None:
        missed &= np.repeat(in_spells(Batch(session)), CELL_S)
    return np.asarray(missed)


def _motion(session: Session, trace: Trace) -> Columns:
    if trace.speed_mps is None or trace.distance_m is None:
        return {}
    if session.kind.mover is Mover.LENGTHS:
        speed = np.repeat(trace.speed_mps, CELL_S)
    elif is_told_by_strokes(session):
        inside = seconds_of(session.kind.jitter, session.seed + 1, len(trace))
        speed = by_strokes((trace.speed_mps[:, None] * inside).ravel())
    else:
        inside = seconds_of(session.kind.jitter, session.seed + 1, len(trace)).ravel()
        speed = np.maximum(_within_neighbours(trace.speed_mps) * inside, 0) * np.repeat(
            trace.moving > 0, CELL_S
        )
    if session.kind.satellites:
        speed = speed[_told_late(session, len(speed))]
    # The distance of each cell is the summary's; inside a cell it follows the speed.
    distance = np.cumsum(speed)
    distance *= trace.distance_m[-1] / max(float(distance[-1]), 1e-9)
    return {"speed": np.round(speed, 3), "distance": np.round(distance, 2)}


_SAME = 0.33


def _told_late(session: Session, count: int) -> NDArray[np.intp]:
    """Which second's value a watch shows: one step of three in the recorded runs changes nothing."""
    seconds = np.arange(count)
    late = chance("late", session.seed).random(count) < _SAME
    late[::CELL_S] = False  # each cell begins with its own
    return seconds - late


def _within_neighbours(cells: Floats) -> Floats:
    """Seconds that keep their cell's mean where they can, and never overshoot where a wheel is stopped or let go."""
    around = np.concatenate((cells[:1], cells, cells[-1:]))
    three = around[:-2], cells, around[2:]
    lowest, highest = np.minimum.reduce(three), np.maximum.reduce(three)
    return between(to_seconds(cells), np.repeat(lowest, CELL_S), np.repeat(highest, CELL_S))


def _place(session: Session, trace: Trace) -> Columns:
    if trace.along_m is None or trace.speed_mps is None:
        return {}
    (way,), (scale,) = trace.ways, trace.scales
    ends = np.arange(1, len(trace) + 1) * CELL_S
    along = np.interp(
        np.arange(1, len(trace) * CELL_S + 1), np.append(0, ends), np.append(0.0, trace.along_m)
    )
    rng = chance("place", session.seed)
    drift = wander(rng, len(along), 45) * session.kind.off_line_m
    north, east = drift / 111_320, drift[::-1] / 75_000
    columns = {
        "positionLat": np.round(latitudes(session.place, way, along, scale) + north, 6),
        "positionLong": np.round(longitudes(session.place, way, along, scale) + east, 6),
    }
    if session.kind.has_altitude:
        height = way.at(way.altitude_m, along) + sensors.barometer_m(rng, trace.speed_mps)
        height += _HUMPS_M * np.interp(along, np.arange(len(ripples())) * _HUMP_M, ripples())
        columns["altitude"] = np.round(height * 5) / 5
    return columns


def _warmth(session: Session, trace: Trace) -> Columns:
    weather = session.weather
    air = np.asarray(weather.temperature_c + weather.rise_c * np.linspace(0, 1, len(trace)), np.float64)
    columns: Columns = {}
    if "temperature" in session.sensors:
        columns["temperature"] = np.repeat(told_c(session, len(trace)), CELL_S)
    found = heat(trace.effort, air, session.body.mass_kg)
    if "core" in session.sensors:
        columns["coreTemperature"] = np.round(to_seconds(found.core_c), 2)
        columns["skinTemperature"] = np.round(to_seconds(found.skin_c), 2)
        columns["heatStrainIndex"] = np.abs(np.round(to_seconds(found.strain), 1))
    if "sweat" in session.sensors:
        columns["fluidLoss"] = np.round(to_seconds(found.fluid_ml))
        columns["sodiumLoss"] = np.round(to_seconds(found.sodium_mg))
    return columns


_MAKERS: tuple[Callable[[Session, Trace], Columns], ...] = (
    _power, _pedalling, _heart, _rhythm, _motion, _place, _warmth,
)  # fmt: skip
