"""A session on the grid of cells: effort, place, speed, power, cadence and heart rate.

Speed follows effort by air, slope and friction for wheels, and by the cost of transport for feet.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.grade import effort_ratio
from coachboard.formulas.session.w_balance import w_balance
from coachboard_demo import pool
from coachboard_demo.chance import ripples, stretch
from coachboard_demo.grid import CELL_S, Floats, Ints, block_means, lag, smooth
from coachboard_demo.practice import Mover
from coachboard_demo.routes import Course, Shape, route
from coachboard_demo.session import SimulatedSession

GRAVITY_MPS2 = 9.81
AIR_KG_M3 = 1.19
DRIVETRAIN_EFFICIENCY = 0.975
_BIKE_KG = 9.0
_STEEPEST_PCT, _PER_PCT = 22.0, 4  # rows of a table per percent of grade
_WATTS_A_COLUMN, _EFFORT_A_COLUMN, _SPEEDS = 5.0, 0.01, 500
_LEAST_COST = 0.72  # downhill, against the flat


@dataclass(frozen=True, slots=True, eq=False)
class SpeedTable:
    """Speeds over effort (columns) and grade (rows)."""

    speeds_mps: Floats
    per_column: float

    def speed(self, effort: Floats, grade_pct: Floats | float) -> Floats:
        """The steady speed of each effort, not below 0, on each grade."""
        rows, count = self.speeds_mps.shape
        column = np.minimum(effort * (1 / self.per_column) + 0.5, count - 1).astype(np.int64)
        row = np.minimum(np.maximum((grade_pct + _STEEPEST_PCT) * _PER_PCT + 0.5, 0), rows - 1)
        return np.asarray(self.speeds_mps.ravel()[np.asarray(row).astype(np.int64) * count + column])


def table_of(session: SimulatedSession) -> SpeedTable:
    """The speeds of the session's body: over watts on wheels, over relative effort otherwise."""
    kind, body = session.kind, session.body
    if kind.mover is Mover.WHEELS:
        # Masses in steps of 2 kg and areas by body size: the rides of a season share a table.
        mass = 2.0 * round((body.mass_kg + _BIKE_KG) / 2)
        area = round(kind.drag_area_m2 * (body.mass_kg / 72) ** 0.5, 2)
        return wheels(mass, area, kind.rolling, kind.top_mps)
    return feet(round(body.speed_mps * kind.speed_share, 2), kind.top_mps)


def _grades() -> Floats:
    return np.arange(-_STEEPEST_PCT, _STEEPEST_PCT + 1e-9, 1 / _PER_PCT)[:, None] / 100


@lru_cache(maxsize=48)
def wheels(mass_kg: float, drag_area_m2: float, rolling: float, top_mps: float) -> SpeedTable:
    """Watts to speed: P·η = v·(½ρ·CdA·v² + m·g·(Crr + slope)); Martin et al. 1998 (J Appl Biomech 14:276)."""
    watts = np.arange(0, 1500 + 1e-9, _WATTS_A_COLUMN) * DRIVETRAIN_EFFICIENCY
    speeds = np.linspace(0, top_mps, _SPEEDS)
    push = mass_kg * GRAVITY_MPS2 * (rolling + _grades())
    resistance_w = speeds * (0.5 * AIR_KG_M3 * drag_area_m2 * speeds**2 + push)
    # Below the speed of rolling downhill the resistance is negative: no effort is slower than that.
    rising = np.maximum.accumulate(resistance_w, axis=1)
    return SpeedTable(np.array([np.interp(watts, row, speeds) for row in rising]), _WATTS_A_COLUMN)


@lru_cache(maxsize=48)
def feet(threshold_mps: float, top_mps: float) -> SpeedTable:
    """Effort (1 = critical speed on the flat) to speed, by the cost of running on a slope."""
    effort = np.arange(0, 2 + 1e-9, _EFFORT_A_COLUMN)[None, :]
    cost = np.maximum(effort_ratio(_grades()), _LEAST_COST)
    return SpeedTable(np.minimum(threshold_mps * effort / cost, top_mps), _EFFORT_A_COLUMN)


_PASSES = 2
_SPEED_LAG_CELLS = 0.8  # 4 s: with 10 s a stride of 20 s was never at its speed
_SLOWEST_MPS = {Mover.WHEELS: 1.6, Mover.FEET: 0.5}
_FELT_PCT = 10.0  # a steeper grade is ridden like this one
_COASTS_BELOW_PCT = -1.5
_SPENT_AT_MOST = 0.9  # of W'
# Heart rate reserve against relative effort: a line (Lounana et al. 2007, Med Sci Sports Exerc 39:350).
_AT_REST, _PER_EFFORT, _MOST_FELT, _HIGHEST = 0.09, 0.81, 1.06, 0.985
_BEFORE, _LEAST_RESERVE = 0.25, 0.25
_LATE_S = 40.0
_DRIFT_AN_HOUR, _DRIFT_PER_DEGREE, _MILD_C, _DRIFT_AT_MOST = 0.016, 0.0016, 18.0, 0.1
_HEART_RIPPLE = 0.011
_WARMER_C = 1.5  # from start to end
RUNNING_WATTS_PER_MPS = 1.04
"""Watts per kilogram that a foot pod reports for each m/s on the flat."""


@dataclass(slots=True)
class SessionTrace:
    """A session by cells; a quantity that the practice does not have is None."""

    starts: Ints  # first cell of each stretch
    sizes: Ints
    moving: Floats  # 1 in motion, 0 without motion while the device runs
    effort: Floats
    heart_rate: Floats
    air_c: Floats
    cadence: Floats | None = None
    power_w: Floats | None = None
    speed_mps: Floats | None = None
    distance_m: Floats | None = None  # at the end of each cell
    way: Course | None = None
    along_m: Floats | None = None  # on the route, at the end of each cell
    scale: float = 1.0  # of the route, drawn so that the session ends where it began
    grade_pct: Floats | None = None
    altitude_m: Floats | None = None
    up_m: Floats | None = None  # climbed until the end of each cell
    down_m: Floats | None = None

    def __len__(self) -> int:
        return len(self.effort)


def simulate(session: SimulatedSession) -> SessionTrace:
    """Compute a session; the same session gives the same trace."""
    kind = session.kind
    if kind.mover is Mover.LENGTHS:
        return _swim(session)
    sizes = np.array([part.duration_s for part in session.done]) // CELL_S
    target = np.repeat([part.effort for part in session.done], sizes) * kind.effort_share
    noise = stretch(ripples(), session.seed, len(target))
    trace = SessionTrace(
        sizes.cumsum() - sizes,
        sizes,
        _moving(session, len(target)),
        target,
        target,
        _air_c(session, len(target)),
    )
    if kind.mover is Mover.NOTHING:
        trace.effort = target * np.exp(kind.ripple * noise)
    else:
        _travel(session, trace, noise)
        _add_power(session, trace)
        trace.cadence = _cadence(session, trace, noise)
    trace.heart_rate = _heart_rate(session, trace.effort, noise)
    return trace


def _swim(session: SimulatedSession) -> SessionTrace:
    moving, speed, effort, cadence = pool.by_cell(pool.lengths_of(session))
    noise = stretch(ripples(), session.seed, len(effort))
    return SessionTrace(
        np.zeros(1, np.int64), np.array([len(effort)]), moving, effort, _heart_rate(session, effort, noise), _air_c(session, len(effort)),
        cadence=cadence, speed_mps=speed, distance_m=speed.cumsum() * CELL_S,
    )  # fmt: skip


def _moving(session: SimulatedSession, cells: int) -> Floats:
    moving = np.ones(cells)
    for cell, lasts in session.stops:
        moving[cell : cell + lasts] = 0.0
    return moving


def _air_c(session: SimulatedSession, cells: int) -> Floats:
    """The temperature of each cell, in whole degrees as devices write it."""
    return np.asarray(np.rint(session.air_c + np.arange(cells) * (_WARMER_C / cells)))


def _travel(session: SimulatedSession, trace: SessionTrace, noise: Floats) -> None:
    """Efforts become speed and place."""
    kind = session.kind
    if kind.shape is not None:
        trace.way = route(session.place, kind.shape, session.route_m, steeper=kind.steeper)
    if trace.way is not None and kind.shape is Shape.LOOP:
        _over_hills(session, trace, trace.way, noise)
    else:
        _on_the_level(session, trace, noise)


def _on_the_level(session: SimulatedSession, trace: SessionTrace, noise: Floats) -> None:
    trace.effort = _paced(session, trace, trace.effort, noise, None)
    speed = table_of(session).speed(lag(trace.effort, _SPEED_LAG_CELLS) * _unit(session), 0.0)
    trace.speed_mps = speed * trace.moving
    trace.along_m = trace.distance_m = trace.speed_mps.cumsum() * CELL_S


def _over_hills(session: SimulatedSession, trace: SessionTrace, way: Course, noise: Floats) -> None:
    """Speed is solved over distance, where the hills lie; which part of the workout meets which hill takes two passes.

    The route is then drawn larger or smaller, so that the session ends where it began.
    """
    kind, table, unit, target = session.kind, table_of(session), _unit(session), trace.effort
    clock = trace.moving.cumsum() * CELL_S
    guessed_m = float(table.speed(target.mean(keepdims=True) * unit, 0.0)[0] * clock[-1])
    rounds = max(1, round(guessed_m / way.length_m))
    grade = np.tile(way.grade_pct[:-1], rounds)
    points_m = np.arange(len(grade) + 1) * way.spacing_m
    passed_s = np.linspace(0, clock[-1], len(points_m))
    for _ in range(_PASSES):
        effort = np.interp(passed_s[1:], clock, target) + _hills(session, grade)
        speed = smooth(np.maximum(table.speed(effort * unit, grade), _SLOWEST_MPS[kind.mover]), 3)
        passed_s = np.append(0.0, (way.spacing_m / speed).cumsum())
        passed_s *= clock[-1] / passed_s[-1]
    # Once more over time: the passes moved the speed of a repetition up to 40 s away from its effort and lap.
    grade = _grade_at(way, np.interp(clock, passed_s, points_m))
    speed = table.speed((target + _hills(session, grade)) * unit, grade)
    trace.speed_mps = smooth(np.maximum(speed, _SLOWEST_MPS[kind.mover]), 3) * trace.moving
    distance_m = trace.speed_mps.cumsum() * CELL_S
    along_m = distance_m * (points_m[-1] / distance_m[-1])
    trace.along_m, trace.distance_m = along_m, distance_m
    trace.scale = float(distance_m[-1] / points_m[-1])
    trace.grade_pct = _grade_at(way, along_m)
    trace.altitude_m = way.at(way.altitude_m, along_m)
    rises = np.diff(trace.altitude_m, prepend=trace.altitude_m[:1])
    trace.up_m, trace.down_m = np.maximum(rises, 0).cumsum(), np.maximum(-rises, 0).cumsum()
    trace.effort = _paced(session, trace, target, noise, trace.grade_pct)


def _grade_at(way: Course, along_m: Floats) -> Floats:
    return np.asarray(way.grade_pct.take((along_m / way.spacing_m).astype(np.int64), mode="wrap"))


def _unit(session: SimulatedSession) -> float:
    """The column of the table of speeds for an effort of 1: watts on wheels, else 1."""
    return session.body.power_w if session.kind.mover is Mover.WHEELS else 1.0


def _hills(session: SimulatedSession, grade_pct: Floats) -> Floats:
    felt_pct = np.minimum(np.maximum(grade_pct, -_FELT_PCT), _FELT_PCT)
    return np.asarray(session.kind.follows_grade * felt_pct)


def _paced(
    session: SimulatedSession, trace: SessionTrace, target: Floats, noise: Floats, grade_pct: Floats | None
) -> Floats:
    """Uneven effort: hills, noise, coasting; the mean of each stretch stays as planned."""
    kind = session.kind
    calm = np.where(target > 0.85, 0.5, 1.0)  # hard work is done evenly
    effort = target * np.exp(np.minimum(kind.ripple * calm * noise, 0.9)) * trace.moving
    if grade_pct is not None:
        effort *= np.maximum(1 + _hills(session, grade_pct) * calm, 0.1)
    if kind.coasting:
        effort[_coasts(session, target, grade_pct)] = 0.0
    planned = target[trace.starts]
    ratio = planned / np.maximum(block_means(effort, trace.starts, trace.sizes), 1e-6)
    return np.asarray(effort * np.repeat(np.minimum(np.maximum(ratio, 0.8), 1.25), trace.sizes))


def _coasts(session: SimulatedSession, target: Floats, grade_pct: Floats | None) -> NDArray[np.bool_]:
    whims = stretch(ripples(), session.seed * 53 + 37, len(target))
    rolls = 0.0 if grade_pct is None else np.where(grade_pct < _COASTS_BELOW_PCT, 1.0, 0.0)
    return np.asarray((whims + rolls > 2.2 - 6 * session.kind.coasting) & (target < 0.85))


def _add_power(session: SimulatedSession, trace: SessionTrace) -> None:
    kind, body = session.kind, session.body
    if not kind.has_power:
        return
    if kind.mover is Mover.FEET:
        level_mps = trace.effort * (body.speed_mps * kind.speed_share)
        trace.power_w = body.mass_kg * RUNNING_WATTS_PER_MPS * level_mps * trace.moving
    else:
        trace.power_w = _within_w_prime(trace.effort * body.power_w, body.power_w, body.w_prime_j)
        trace.effort = trace.power_w / body.power_w


def _within_w_prime(power_w: Floats, critical_w: float, w_prime_j: float) -> Floats:
    """The same power with the part above critical power shrunk until W' suffices."""
    if float(power_w.max()) <= critical_w:
        return power_w
    for _ in range(2):
        # Steps of a cell instead of a second: joules of a cell in the place of watts.
        left_j = w_balance(power_w * CELL_S, critical_power_w=critical_w * CELL_S, w_prime_j=w_prime_j)
        spent = 1 - float(left_j.min()) / w_prime_j
        if spent <= _SPENT_AT_MOST:
            break
        share = (_SPENT_AT_MOST - 0.03) / spent
        power_w = np.minimum(power_w, critical_w + (power_w - critical_w) * share)
    return power_w


def _cadence(session: SimulatedSession, trace: SessionTrace, noise: Floats) -> Floats | None:
    """Turns, strides or strokes a minute; 0 where there are none."""
    kind = session.kind
    if kind.cadence_rpm is None:
        return None
    above_easy = np.minimum(trace.effort, 1.4) * 2 - 1
    rate = kind.cadence_rpm + kind.cadence_gain_rpm * above_easy
    spread = 0.04 if kind.mover is Mover.WHEELS else 0.012
    if kind.mover is Mover.WHEELS and trace.grade_pct is not None:
        rate -= 0.3 * np.minimum(np.maximum(trace.grade_pct, 0), _FELT_PCT) ** 2
    asked = [part.cadence_rpm for part in session.done]
    if any(asked):
        by_cell = np.repeat(asked, trace.sizes)
        rate = np.where(by_cell > 0, by_cell, rate)
    rate *= 1 + spread * noise
    turns = (trace.moving > 0) & (trace.effort > 0.02)
    return np.maximum(rate, 15) * turns


def _heart_rate(session: SimulatedSession, effort: Floats, noise: Floats) -> Floats:
    """Beats a minute: a late answer to the effort, and a drift with time and heat."""
    body, felt = session.body, np.minimum(effort, _MOST_FELT)
    reserve = np.maximum(_AT_REST + _PER_EFFORT * felt, _LEAST_RESERVE)
    found = lag(reserve, _LATE_S / CELL_S, before=_BEFORE)
    warm = max(0.0, session.air_c - _MILD_C)
    an_hour = _DRIFT_AN_HOUR + _DRIFT_PER_DEGREE * warm
    found *= 1 + np.minimum(np.arange(len(found)) * (an_hour * CELL_S / 3600), _DRIFT_AT_MOST)
    found += _HEART_RIPPLE * noise
    return body.hr_rest + (body.hr_max - body.hr_rest) * np.minimum(found, _HIGHEST)
