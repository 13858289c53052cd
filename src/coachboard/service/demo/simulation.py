"""A session computed on the grid of cells: effort, power, where on the route, how fast, how the heart follows.

Summary and streams both start from this, so that what the summary says is what the streams show.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard.models.enums import Sport
from coachboard.service.demo import anaerobic, heart, motion
from coachboard.service.demo.cells import CELL_S, Floats, Ints, lag, smooth
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.pool import by_cell, lengths_of
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.session import Session
from coachboard.service.demo.terrain import Route, Shape, route

_STEEP_DESCENT_PCT, _COASTS_BELOW_PCT = -3.8, 0.8
_HELD_FROM, _HELD_SHARE = 0.85, 0.35
_BIKE_KG = 9.0
_PASSES = 2
_HARDEST_W = 1450.0
_LEGS_S = 10.0
_WALKS_BELOW, _WALKING_RPM = 0.5, 57.0
_SLOWEST_MPS = {Mover.WHEELS: 1.6, Mover.FEET: 0.5, Mover.STROKES: 0.3}
_ZERO = np.zeros(1)
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


def simulate(session: Session) -> Trace:
    """Compute a session; the same session gives the same trace."""
    if session.kind.mover is Mover.LENGTHS:
        return _swim(session)
    sizes = np.array([part.duration_s for part in session.done]) // CELL_S
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
    """Fill in effort, power, speed and place."""
    way = route(session.place, session.shape, session.route_m, session.route) if session.shape else None
    if way is None or session.shape is Shape.TRACK:
        _on_the_level(session, trace, noise, way)
    else:
        _over_ground(session, trace, noise, way)
    _add_power(session, trace)


def _on_the_level(session: Session, trace: Trace, noise: Floats, way: Route | None) -> None:
    """No hill and no corner: speed is the effort's."""
    level = np.zeros(len(trace))
    trace.effort = _feasible(session, _paced(session, trace, trace.effort, noise, level))
    speed = _speed(session, lag(trace.effort, _LEGS_S / CELL_S), level)
    trace.speed_mps = lag(speed * _rough(session, len(speed)), session.kind.inertia_s / CELL_S) * trace.moving
    trace.distance_m = trace.speed_mps.cumsum() * CELL_S
    if way is not None:
        trace.way, trace.along_m = way, trace.distance_m
        trace.altitude_m = np.full(len(trace), way.altitude_m[0])


def _over_ground(session: Session, trace: Trace, noise: Floats, way: Route) -> None:
    """The hill decides the pace and the pace when the next hill comes.

    Solved over distance, where hills and corners stand still: what is not known yet is only which part of the
    workout falls where, and two passes settle that. The route is then drawn as much larger or smaller as it takes
    to come home in time.
    """
    target = trace.effort
    clock = trace.moving.cumsum() * CELL_S  # seconds of moving at the end of each cell
    mean = round(float(target.mean()), 1) * round(_unit(session), -1 if _unit(session) > 1 else 0)
    passing_s = _profile(way, _table(session), mean, session.kind.follows_grade)
    rounds = max(1, round(float(clock[-1]) / float(passing_s[-1])))
    ground = _ground(way, rounds)
    passing_s = np.concatenate(
        [passing_s[:-1] + at * passing_s[-1] for at in range(rounds)] + [passing_s[-1:] * rounds]
    )
    for at in range(_PASSES):
        along = np.interp(clock * (passing_s[-1] / clock[-1]), passing_s, ground.points_m)
        paced = _paced(session, trace, target, noise, way.near(way.grade_pct, along))
        # What W' allows matters for the last pass alone.
        trace.effort = paced if at < _PASSES - 1 else _feasible(session, paced)
        passing_s = _passing(session, trace, ground, passing_s * (clock[-1] / passing_s[-1]))
    trace.scale = float(clock[-1] / passing_s[-1])
    trace.along_m = np.interp(clock / trace.scale, passing_s, ground.points_m)
    trace.way, trace.altitude_m = way, way.at(way.altitude_m, trace.along_m)
    trace.distance_m = trace.along_m * trace.scale
    trace.speed_mps = np.diff(trace.distance_m, prepend=0.0) / CELL_S


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """The points of the rounds that are gone, one after another."""

    points_m: Floats
    grade_pct: Floats
    heading: Floats
    corner_mps: Floats


@lru_cache(maxsize=256)
def _ground(way: Route, rounds: int) -> _Ground:
    def again(values: Floats) -> Floats:
        return np.append(np.tile(values[:-1], rounds), values[-1])

    count = (len(way.grade_pct) - 1) * rounds
    points = np.arange(count + 1, dtype=np.float64) * (way.length_m / (len(way.grade_pct) - 1))
    return _Ground(points, again(way.grade_pct), again(way.heading), again(way.corner_mps))


def _passing(session: Session, trace: Trace, ground: _Ground, at_s: Floats) -> Floats:
    """Seconds of moving until each point of the ground, for the efforts of the times it was passed at."""
    kind = session.kind
    felt = lag(trace.effort, _LEGS_S / CELL_S)
    cell = np.interp(at_s, trace.moving.cumsum() * CELL_S, felt)
    speed = _speed(session, cell, ground.grade_pct)
    if kind.mover is Mover.WHEELS:
        behind = np.cos(ground.heading - session.weather.wind_to) * session.weather.wind_mps
        speed = speed + _WIND_FELT * behind * np.minimum(speed / 8, 1)
    speed = np.minimum(speed * _rough(session, len(speed)), ground.corner_mps * kind.sideways_mps2**0.5)
    speed = np.maximum(speed, _SLOWEST_MPS[kind.mover])
    spacing = ground.points_m[1]
    speed = smooth(speed, max(1, round(kind.inertia_s * 6 / spacing)))
    return np.concatenate((_ZERO, (spacing / speed[:-1]).cumsum()))


def _rough(session: Session, count: int) -> Floats:
    other = stretch(ripples(), session.seed * 3 + 5, count)
    return 1 + _SPEED_NOISE * min(session.kind.ripple, 0.12) * other


def _feasible(session: Session, relative: Floats) -> Floats:
    """Efforts of a ride cut to what W' and legs can give; on foot and in water workouts stay within it."""
    if session.kind.mover is not Mover.WHEELS:
        return relative
    critical = session.body.power_w
    power = np.minimum(relative * critical, _HARDEST_W)
    return (
        anaerobic.held_within(
            power,
            critical_power_w=critical,
            w_prime_j=session.body.w_prime_j,
            spread=session.kind.detail,
        )
        / critical
    )


def _add_power(session: Session, trace: Trace) -> None:
    kind, body = session.kind, session.body
    if not kind.has_power:
        return
    if kind.mover is Mover.FEET and trace.speed_mps is not None:
        grade = np.zeros(len(trace))
        if trace.way is not None and trace.along_m is not None:
            grade = trace.way.near(trace.way.grade_pct, trace.along_m)
        trace.power_w = motion.running_power(trace.speed_mps, grade, body.mass_kg)
    else:
        trace.power_w = trace.effort * body.power_w


def _paced(session: Session, trace: Trace, target: Floats, noise: Floats, grade: Floats) -> Floats:
    """Relative effort cell by cell: uneven, answering hills, with coasting, and each stretch's mean as planned."""
    kind = session.kind
    # Who works at threshold holds it over crests too; who rides easily lets the road decide.
    ease = np.where(target < _HELD_FROM, 1.0, _HELD_SHARE)
    wander = kind.ripple * noise + kind.follows_grade * _between(grade, -4.0, 7.0)
    relative = target * np.exp(_between(wander * ease, -1.2, 0.9)) * trace.moving
    if kind.coasting:
        other = stretch(ripples(), session.seed * 7 + 11, len(target))
        relative[(other * ease > _threshold(kind.coasting)) & (grade < _COASTS_BELOW_PCT)] = 0.0
        if kind.shape is not None:
            relative[(grade < _STEEP_DESCENT_PCT) & (target < _HELD_FROM)] *= 0.25
    planned, done = target[trace.starts], np.add.reduceat(relative, trace.starts) / trace.sizes
    ratio = _between(planned / np.maximum(done, 1e-6), 0.85, 1.15)
    return relative * np.repeat(ratio, trace.sizes)


@lru_cache(maxsize=64)
def _threshold(share: float) -> float:
    """What the noise exceeds for that share of the time."""
    return float(np.quantile(ripples(), 1 - share))


def _speed(session: Session, effort: Floats, grade_pct: Floats) -> Floats:
    return _table(session).speed(effort * _unit(session), grade_pct)


def _unit(session: Session) -> float:
    """What an effort of 1 is in the table of speeds."""
    return session.body.power_w if session.kind.mover is Mover.WHEELS else 1.0


def _table(session: Session) -> motion.Table:
    kind, body = session.kind, session.body
    if kind.mover is Mover.WHEELS:
        # Masses in steps of 2 kg and areas by body size: a table is shared by a season's rides.
        mass = 2 * round((body.mass_kg + _BIKE_KG) / 2)
        area = round(kind.drag_area_m2 * (body.mass_kg / 72) ** 0.5, 2)
        return motion.wheels(mass, area, kind.rolling, kind.top_mps)
    threshold = round(body.speed_mps * kind.speed_share, 2)
    return motion.feet(threshold, kind.uphill if kind.mover is Mover.FEET else 0.0, kind.top_mps)


@lru_cache(maxsize=512)
def _profile(way: Route, table: motion.Table, effort: float, follows_grade: float) -> Floats:
    """Seconds from the start to each point of the route at one effort."""
    grade = way.grade_pct
    uneven = effort * np.exp(follows_grade * _between(grade, -4.0, 7.0))
    speed = np.maximum(table.speed(uneven, grade), 0.5)
    spacing = way.length_m / (len(grade) - 1)
    return np.concatenate((_ZERO, (spacing / speed[:-1]).cumsum()))


def _cadence(session: Session, trace: Trace, sizes: Ints) -> Floats | None:
    kind = session.kind
    if kind.cadence_rpm is None:
        return None
    base = kind.cadence_rpm + session.body.cadence_shift_rpm
    asked = np.repeat([part.cadence_rpm for part in session.done], sizes)
    slow = stretch(ripples(), session.seed * 5 + 3, len(trace))
    spread = 0.012 + (0.2 * min(kind.ripple, 0.16) if kind.mover is Mover.WHEELS else 0)
    free = base * (1 + (0.1 if kind.mover is not Mover.FEET else 0.05) * (trace.effort - 0.7))
    if trace.way is not None and trace.along_m is not None and kind.mover is Mover.WHEELS:
        free = free - 1.6 * _between(trace.way.near(trace.way.grade_pct, trace.along_m), 0, 9)
    if kind.mover is Mover.FEET and kind.sport is Sport.RUNNING:
        free = np.where(trace.effort < _WALKS_BELOW, _WALKING_RPM, free)
    rate = np.where(asked > 0, asked, free) * (1 + spread * slow)
    turning = trace.effort > 0.08 if kind.mover is Mover.WHEELS else trace.moving > 0
    return np.maximum(rate, 25.0) * turning
