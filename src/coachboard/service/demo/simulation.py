"""A session computed on the grid of cells: effort, power, where on the route, how fast, how the heart follows.

Summary and streams both start from this, so that what the summary says is what the streams show.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard.service.demo import anaerobic, heart, motion
from coachboard.service.demo.cells import CELL_S, Floats, Ints, cells_of, lag
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.pool import by_cell, lengths_of
from coachboard.service.demo.session import Session
from coachboard.service.demo.terrain import Route, Shape, route

_STEEP_DESCENT_PCT = -3.8
_BIKE_KG = 9.0
_PASSES = 2
_HARDEST_W = 1450.0
_WIND_FELT = 0.55  # m/s lost a m/s of head wind at a steady power
_SPEED_NOISE = 0.35


@dataclass(slots=True)
class Trace:
    """A session by cells; a quantity that the practice does not have is None."""

    starts: Ints  # first cell of each planned stretch
    sizes: Ints
    moving: Floats  # 1 where moving, 0 where standing still with the device running
    effort: Floats
    heart_rate: Floats
    cadence: Floats | None = None
    power_w: Floats | None = None
    speed_mps: Floats | None = None
    distance_m: Floats | None = None  # at the end of each cell
    way: Route | None = None
    along_m: Floats | None = None  # on the route, at the end of each cell
    altitude_m: Floats | None = None
    scale: float = 1.0  # of the route as drawn for this session

    def __len__(self) -> int:
        return len(self.effort)


@dataclass(slots=True)
class _Move:
    speed: Floats
    effort: Floats
    power: Floats | None
    along: Floats


def simulate(session: Session) -> Trace:
    """Compute a session; the same session gives the same trace."""
    if session.kind.mover is Mover.LENGTHS:
        return _swim(session)
    sizes = np.array([cells_of(part.duration_s) for part in session.done])
    starts = sizes.cumsum() - sizes
    target = np.repeat([part.effort for part in session.done], sizes)
    noise = stretch(ripples(), session.seed, len(target))
    moving = _moving(session, len(target))
    trace = Trace(starts=starts, sizes=sizes, moving=moving, effort=target, heart_rate=target)
    if session.kind.mover is Mover.NOTHING:
        trace.effort = np.maximum(target * np.exp(session.kind.ripple * noise), 0)
    else:
        _travel(session, trace, noise)
    trace.heart_rate = _heart_rate(session, trace.effort, noise)
    trace.cadence = _cadence(session, trace, sizes)
    return trace


def _heart_rate(session: Session, effort: Floats, noise: Floats) -> Floats:
    return heart.heart_rate(
        effort,
        hr_max=session.body.hr_max,
        hr_rest=session.body.hr_rest,
        temperature_c=session.weather.temperature_c,
        ripple=noise,
    )


def _swim(session: Session) -> Trace:
    lengths = lengths_of(session)
    spans = lengths.end_s - lengths.start_s
    swimming = by_cell(lengths, np.ones(len(spans)), at_rest=0.0)
    speed = by_cell(lengths, session.pool_m / spans, at_rest=0.0)
    effort = by_cell(lengths, lengths.effort, at_rest=0.12)
    return Trace(
        starts=np.zeros(1, np.int64),
        sizes=np.array([len(effort)]),
        moving=swimming,
        effort=effort,
        heart_rate=_heart_rate(session, effort, stretch(ripples(), session.seed, len(effort))),
        cadence=by_cell(lengths, lengths.strokes * 60 / spans, at_rest=0.0),
        speed_mps=speed,
        distance_m=np.cumsum(speed) * CELL_S,
    )


def _between(values: Floats, low: float, high: float) -> Floats:
    # np.clip takes three times as long on arrays of this size.
    return np.minimum(np.maximum(values, low), high)


def _moving(session: Session, cells: int) -> Floats:
    moving = np.ones(cells)
    for cell, count in session.stops:
        moving[cell : cell + count] = 0.0
    return moving


def _travel(session: Session, trace: Trace, noise: Floats) -> None:
    """Fill in effort, power, speed and place, which hang on each other: the hill decides the pace and so the place."""
    target = trace.effort
    way = route(session.place, session.shape, session.route_m, session.route) if session.shape else None
    along = _first_guess(session, way, target)
    move = _moved(session, trace, way, (target, noise, along))
    for _ in range(_PASSES - 1 if way else 0):
        move = _moved(session, trace, way, (target, noise, move.along))
    trace.effort, trace.power_w, trace.speed_mps = move.effort, move.power, move.speed
    trace.distance_m = np.cumsum(move.speed) * CELL_S
    if way is not None:
        trace.way, trace.along_m = way, move.along
        trace.altitude_m = way.at(way.altitude_m, move.along)
        trace.scale = float(trace.distance_m[-1] / max(move.along[-1], 1.0))


def _moved(session: Session, trace: Trace, way: Route | None, given: tuple[Floats, Floats, Floats]) -> _Move:
    target, noise, along = given
    grade = way.near(way.grade_pct, along) if way else np.zeros(len(target))
    relative = _paced(session, trace, target, noise, grade)
    power: Floats | None = None
    table = _table(session)
    if session.kind.mover is Mover.WHEELS:
        power = anaerobic.held_within(
            np.minimum(relative * session.body.power_w, _HARDEST_W),
            critical_power_w=session.body.power_w,
            w_prime_j=session.body.w_prime_j,
        )
        relative = power / session.body.power_w
        speed = table.speed(lag(power, 2.0), grade)
    else:
        speed = table.speed(relative, grade)
    speed = _felt(session, way, along, speed) * trace.moving
    if session.kind.mover is Mover.FEET and session.kind.has_power:
        power = motion.running_power(speed, grade, session.body.mass_kg)
    elif session.kind.mover is Mover.STROKES and session.kind.has_power:
        power = relative * session.body.power_w
    return _Move(speed, relative, power, _along(way, np.cumsum(speed) * CELL_S))


def _paced(session: Session, trace: Trace, target: Floats, noise: Floats, grade: Floats) -> Floats:
    """Relative effort cell by cell: uneven, answering hills, with coasting, and each stretch's mean as planned."""
    kind = session.kind
    wander = kind.ripple * noise + kind.follows_grade * _between(grade, -4.0, 7.0)
    relative = target * np.exp(_between(wander, -1.2, 0.9)) * trace.moving
    if kind.coasting:
        other = stretch(ripples(), session.seed * 7 + 11, len(target))
        relative[other > _threshold(kind.coasting)] = 0.0
        if kind.shape is not None:
            relative[grade < _STEEP_DESCENT_PCT] *= 0.12
    planned, done = target[trace.starts], np.add.reduceat(relative, trace.starts) / trace.sizes
    ratio = _between(planned / np.maximum(done, 1e-6), 0.75, 1.4)
    return relative * np.repeat(ratio, trace.sizes)


@lru_cache(maxsize=64)
def _threshold(share: float) -> float:
    """What the noise exceeds for that share of the time."""
    return float(np.quantile(ripples(), 1 - share))


def _table(session: Session) -> motion.Table:
    kind, body = session.kind, session.body
    if kind.mover is Mover.WHEELS:
        # Masses in steps of 2 kg and areas by body size: a table is shared by a season's rides.
        mass = 2 * round((body.mass_kg + _BIKE_KG) / 2)
        return motion.wheels(mass, round(kind.drag_area_m2 * (body.mass_kg / 72) ** 0.5, 2), kind.rolling, kind.top_mps)
    threshold = round(body.speed_mps * kind.speed_share, 2)
    return motion.feet(threshold, kind.uphill if kind.mover is Mover.FEET else 0.0, kind.top_mps)


def _felt(session: Session, way: Route | None, along: Floats, speed: Floats) -> Floats:
    """Speed after wind, corners and inertia."""
    kind = session.kind
    if way is not None and session.shape is not Shape.TRACK:
        if kind.mover is Mover.WHEELS:
            head = np.cos(way.near(way.heading, along) - session.weather.wind_to)
            speed = speed + _WIND_FELT * session.weather.wind_mps * head * np.minimum(speed / 8, 1)
        corner = way.near(way.corner_mps, along) * kind.sideways_mps2**0.5
        speed = np.minimum(np.maximum(speed, 0.3), np.maximum(corner, 2.5))
    other = stretch(ripples(), session.seed * 3 + 5, len(speed))
    rough = 1 + _SPEED_NOISE * min(kind.ripple, 0.12) * other
    return np.asarray(lag(speed * rough, kind.inertia_s / CELL_S, before=float(speed[0]) * 0.6))


def _first_guess(session: Session, way: Route | None, target: Floats) -> Floats:
    """Where on the route each cell would be at the session's mean effort."""
    if way is None:
        return np.zeros(len(target))
    unit = session.body.power_w if session.kind.mover is Mover.WHEELS else 1.0
    mean = round(float(target.mean()), 1) * unit
    passing_s = _profile(way, _table(session), round(mean, 1), session.kind.follows_grade)
    rounds = _rounds(session, len(target) * CELL_S / passing_s[-1])
    clock = np.linspace(0, rounds * passing_s[-1], len(target))
    points = np.arange(len(passing_s)) * (way.length_m / (len(passing_s) - 1))
    whole = np.floor_divide(clock, passing_s[-1])
    return whole * way.length_m + np.interp(clock - whole * passing_s[-1], passing_s, points)


@lru_cache(maxsize=4096)
def _profile(way: Route, table: motion.Table, effort: float, follows_grade: float) -> Floats:
    """Seconds from the start to each point of the route at one effort."""
    grade = way.grade_pct
    uneven = effort * np.exp(follows_grade * _between(grade, -4.0, 7.0))
    speed = np.maximum(table.speed(uneven, grade), 0.5)
    spacing = way.length_m / (len(grade) - 1)
    return np.append(0.0, np.cumsum(spacing / speed[:-1]))


def _rounds(session: Session, fraction: float) -> float:
    """How often the route is gone round: whole rounds, as people come home; on a track as often as it takes."""
    return fraction if session.shape is Shape.TRACK else float(max(1, round(fraction)))


def _along(way: Route | None, distance_m: Floats) -> Floats:
    if way is None:
        return distance_m
    if way.length_m < 450:
        return distance_m
    rounds = max(1, round(float(distance_m[-1]) / way.length_m))
    return distance_m * (rounds * way.length_m / max(float(distance_m[-1]), 1.0))


def _cadence(session: Session, trace: Trace, sizes: Ints) -> Floats | None:
    kind = session.kind
    if kind.cadence_rpm is None:
        return None
    base = kind.cadence_rpm + session.body.cadence_shift_rpm
    asked = np.repeat([part.cadence_rpm for part in session.done], sizes)
    slow = stretch(ripples(), session.seed * 5 + 3, len(trace))
    spread = 0.05 if kind.mover is Mover.WHEELS else 0.012
    free = base * (1 + (0.1 if kind.mover is not Mover.FEET else 0.05) * (trace.effort - 0.7))
    if trace.way is not None and trace.along_m is not None and kind.mover is Mover.WHEELS:
        free = free - 1.6 * _between(trace.way.near(trace.way.grade_pct, trace.along_m), 0, 9)
    rate = np.where(asked > 0, asked, free) * (1 + spread * slow)
    turning = trace.effort > 0.08 if kind.mover is Mover.WHEELS else trace.moving > 0
    return np.maximum(rate, 25.0) * turning
