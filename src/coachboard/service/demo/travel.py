"""How an effort becomes a way: which hill when, how fast, how far.

Solved over distance, where hills and corners stand still: what is not known yet is only which part of the
workout falls where, and two passes settle that. The route is then drawn as much larger or smaller as it takes
to come home in time.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard.service.demo import motion
from coachboard.service.demo.cells import CELL_S, Floats, Ints, between, lag, smooth
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.pacing import Pace, feasible, pace_of, paced
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.routes import Route, Shape, route
from coachboard.service.demo.session import Session
from coachboard.service.demo.trace import Trace

_BIKE_KG = 9.0
_PASSES = 2
_LEGS_S = {
    Mover.WHEELS: 10.0,
    Mover.FEET: 3.0,
    Mover.STROKES: 10.0,
}  # runners start and stop within five seconds
_SLOWEST_MPS = {Mover.WHEELS: 1.6, Mover.FEET: 0.5, Mover.STROKES: 0.3}
_PUSHED = 3.0  # times as uneven
_ROLLS_ON = 0.25  # of the planned effort: nobody lets it roll until it stands
_WIND_FELT = 0.55  # m/s lost a m/s of head wind at a steady power
_SPEED_NOISE = 0.35
# Walking up what could just be run costs a quarter of the speed; the recorded trail run: 1.45 against 1.95 m/s, and
# some 12 heart beats fewer.
_WALKED_SHARE, _FASTEST_WALK_MPS, _WALKED_EFFORT = 0.75, 1.7, 0.97
_WALKS_SPREAD_PCT, _WALK_POINTS, _TIRED_OF_POINTS = 3.2, 2, 12  # of grade; of the way
_SWELL = 1.0  # of the unevenness, in speed that is evened
_STARTS_S = 12.0
# The recorded hike has six leaps an hour of 1.5 to 3 times its usual speed, where it stops and where it goes on.
_LEAPS, _ON_GOING, _LEAST_LEAP, _LEAPS_FALL, _FASTEST_LEAP_MPS = 0.4, 0.26, 1.5, 0.5, 6.5
_ANY = 37.0  # many times a noise, less whole numbers: anything between 0 and 1
_SETTLED_SHARE = 0.4  # of the inertia: a runner is at a new pace within some steps


def travel(session: Session, trace: Trace, noise: Floats) -> None:
    """Turn the planned efforts of the trace into real ones, with speed and place."""
    way = (
        route(session.place, session.shape, session.route_m, session.route, steeper=session.kind.steeper)
        if session.shape
        else None
    )
    pace = pace_of(session, trace, noise)
    if way is None or session.shape is Shape.TRACK:
        _on_the_level(pace, way)
    else:
        _over_ground(pace, way)
    if session.kind.satellites and (session.stops or session.pauses):
        _leap(session, trace)


def _leap(session: Session, trace: Trace) -> None:
    """Where somebody gets going again, satellites may find the place anew and take it for a leap."""
    assert trace.speed_mps is not None
    assert trace.distance_m is not None
    usual = float(trace.distance_m[-1]) / (len(trace) * CELL_S)
    spots = (*session.stops, *((cell, 0) for cell, _ in session.pauses))
    whims = (stretch(ripples(), session.seed * 53 + 37, len(spots)) * _ANY % 1).tolist()
    for (cell, count), whim in zip(spots, whims, strict=True):
        at = cell + count if whim < _ON_GOING else cell - 1
        if whim < _LEAPS and 0 < at < len(trace):
            leap = usual * (_LEAST_LEAP - _LEAPS_FALL * math.log(1 - whim / _LEAPS))
            trace.speed_mps[at] = min(leap, _FASTEST_LEAP_MPS)


def _on_the_level(pace: Pace, way: Route | None) -> None:
    """No hill and no corner: speed is the effort's."""
    session, trace = pace.session, pace.trace
    trace.effort = feasible(session, paced(pace, trace.effort, None))
    # A flywheel answers at once, and so does what it tells.
    legs_s = min(_LEGS_S[session.kind.mover], session.kind.inertia_s)
    speed = _table(session).on_the_flat(lag(trace.effort, legs_s / CELL_S) * _unit(session))
    trace.speed_mps = lag(speed * _rough(session, len(speed)), session.kind.inertia_s / CELL_S) * trace.moving
    trace.distance_m = trace.speed_mps.cumsum() * CELL_S
    if way is not None:
        trace.ways, trace.along_m = (way,), trace.distance_m
        trace.altitude_m = np.full(len(trace), way.altitude_m[0])


def _over_ground(pace: Pace, way: Route) -> None:
    """The hill decides the pace and the pace when the next hill comes."""
    session, trace, target = pace.session, pace.trace, pace.trace.effort
    clock = trace.moving.cumsum()
    clock *= CELL_S  # seconds of moving at the end of each cell
    moved_s = float(clock[-1])
    unit = _unit(session)
    mean = round(float(target.sum()) / len(target), 1) * round(unit, -1 if unit > 1 else 0)
    once_s = _profile(way, _table(session), mean, session.kind.follows_grade)
    rounds = max(1, round(moved_s / float(once_s[-1])))
    ground = _ground(way, rounds)
    passing_s = _again(once_s, rounds)
    if session.kind.keeps_time:
        _by_the_clock(
            pace, way, ground, np.interp(clock * (passing_s[-1] / moved_s), passing_s, ground.points_m)
        )
        return
    walks = _walked(session, ground)
    footing = _footing(pace, ground, walks, target)
    for at in range(_PASSES):
        along = np.interp(clock * (passing_s[-1] / moved_s), passing_s, ground.points_m)
        effort = paced(pace, target, way.near(way.grade_pct, along))
        # What W' allows matters for the last pass alone.
        trace.effort = effort if at < _PASSES - 1 else feasible(session, effort)
        passing_s = _passing(trace, footing, passing_s * (moved_s / passing_s[-1]))
    scale = moved_s / float(passing_s[-1])
    trace.scales = (scale,)
    trace.along_m = np.interp(clock / scale, passing_s, ground.points_m)
    trace.distance_m = trace.along_m * scale
    trace.speed_mps = np.empty(len(trace))
    trace.speed_mps[0] = trace.distance_m[0]
    np.subtract(trace.distance_m[1:], trace.distance_m[:-1], out=trace.speed_mps[1:])
    trace.speed_mps *= 1 / CELL_S
    if session.kind.evened_s:
        _even(session, trace)
    trace.ways, trace.altitude_m = (way,), way.at(way.altitude_m, trace.along_m)
    trace.grade_pct = way.near(way.grade_pct, trace.along_m)
    if walks is not None:
        trace.walks = walks.take((trace.along_m * (1 / ground.points_m[1])).astype(np.int64), mode="clip")
        trace.effort = np.where(trace.walks, _WALKED_EFFORT * trace.effort, trace.effort)


def _even(session: Session, trace: Trace) -> None:
    """Speed that swells and fades: who is slow takes half a minute from one point of the way to the next."""
    assert trace.speed_mps is not None
    assert trace.distance_m is not None
    width = round(session.kind.evened_s / CELL_S)
    speed = smooth(smooth(trace.speed_mps, width), width)
    swell = smooth(stretch(ripples(), session.seed * 13 + 1, len(trace)), max(1, width // 2))
    speed *= np.maximum(1 + _SWELL * session.kind.ripple * swell, 0.5)
    speed *= lag(trace.moving, _STARTS_S / CELL_S, before=0.0) * trace.moving
    trace.speed_mps = speed * (trace.distance_m[-1] / (speed.sum() * CELL_S))
    trace.distance_m = trace.speed_mps.cumsum() * CELL_S
    trace.along_m = trace.distance_m / trace.scales[0]


def _again(once_s: Floats, rounds: int) -> Floats:
    """The times of several rounds, one after another."""
    if rounds == 1:
        return once_s
    starts = once_s[-1] * np.arange(rounds)
    return np.append((once_s[:-1] + starts[:, None]).ravel(), once_s[-1] * rounds)


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """The points of the rounds that are gone, one after another."""

    points_m: Floats
    grade_rows: Ints  # of the grades in the tables of speeds
    east: Floats  # direction of travel, a vector of length 1
    north: Floats
    grade_pct: Floats
    corner_mps: Floats


@lru_cache(maxsize=256)
def _ground(way: Route, rounds: int) -> _Ground:
    def again(values: Floats) -> Floats:
        return np.append(np.tile(values[:-1], rounds), values[-1])

    count = (len(way.grade_pct) - 1) * rounds
    heading, grade = again(way.heading), again(way.grade_pct)
    return _Ground(
        points_m=np.arange(count + 1, dtype=np.float64) * (way.length_m / (len(way.grade_pct) - 1)),
        grade_rows=motion.rows_of(grade),
        grade_pct=grade,
        east=np.cos(heading),
        north=np.sin(heading),
        corner_mps=again(way.corner_mps),
    )


def _by_the_clock(pace: Pace, way: Route, ground: _Ground, along: Floats) -> None:
    """The same where the clock tells when to go and when to walk, and hills are answered alone with the pace."""
    session, trace, target = pace.session, pace.trace, pace.trace.effort
    kind, table, rough = session.kind, _table(session), _rough(session, len(trace))
    whole_m, corner_mps = float(ground.points_m[-1]), ground.corner_mps * kind.sideways_mps2**0.5
    for _ in range(_PASSES):
        at = (along * (1 / ground.points_m[1])).astype(np.int64)
        trace.effort = paced(pace, target, ground.grade_pct[at])
        legs = lag(trace.effort, _LEGS_S[kind.mover] / CELL_S)
        speed = np.minimum(table.at(ground.grade_rows[at], legs) * rough, corner_mps[at])
        speed = lag(np.maximum(speed, _SLOWEST_MPS[kind.mover]), _SETTLED_SHARE * kind.inertia_s / CELL_S)
        trace.speed_mps = speed * trace.moving
        trace.distance_m = trace.speed_mps.cumsum() * CELL_S
        scale = float(trace.distance_m[-1]) / whole_m
        along = trace.distance_m * (1 / scale)
    trace.ways, trace.scales, trace.along_m = (way,), (scale,), along
    trace.altitude_m = way.at(way.altitude_m, along)
    trace.grade_pct = way.near(way.grade_pct, along)


def _walked(session: Session, ground: _Ground) -> NDArray[np.bool_] | None:
    """The stretches that a runner walks: the steeper the more of them, some tens of seconds each."""
    half_pct = session.kind.walks_from_pct
    if half_pct is None:
        return None
    whims = stretch(ripples(), session.seed * 11 + 7, len(ground.grade_pct))
    whim = smooth(whims, _WALK_POINTS) - smooth(whims, _TIRED_OF_POINTS)
    # Nobody who runs at all walks the whole of a long climb.
    return np.asarray(np.minimum(ground.grade_pct, half_pct + 1) + _WALKS_SPREAD_PCT * whim > half_pct)


@dataclass(frozen=True, slots=True, eq=False)
class _Footing:
    """What of the speed at each point does not depend on when it is passed."""

    session: Session
    ground: _Ground
    walks: NDArray[np.bool_] | None
    behind_mps: Floats | None  # the wind in the back
    rough: Floats
    corner_mps: Floats
    slowest_mps: Floats | float
    rolls_on: Floats | None  # the effort that a rider lets the bike roll with
    passed: Ints | None  # the cell of each five seconds of moving, where there were standstills


def _footing(pace: Pace, ground: _Ground, walks: NDArray[np.bool_] | None, target: Floats) -> _Footing:
    session = pace.session
    kind, behind = session.kind, None
    is_ride = kind.mover is Mover.WHEELS
    if is_ride and session.weather.wind_mps:
        wind, to = _WIND_FELT * session.weather.wind_mps, session.weather.wind_to
        behind = ground.east * (wind * math.cos(to)) + ground.north * (wind * math.sin(to))
    rough = _rough(session, len(ground.corner_mps))
    return _Footing(
        session,
        ground,
        walks,
        behind,
        rough,
        corner_mps=ground.corner_mps * kind.sideways_mps2**0.5,
        # Who pushes a bike, or rides no faster than that, goes the less evenly.
        slowest_mps=_SLOWEST_MPS[kind.mover] * (rough * _PUSHED - (_PUSHED - 1)),
        rolls_on=_ROLLS_ON * target if is_ride else None,
        passed=_passed(pace.trace.moving),
    )


def _passed(moving: Floats) -> Ints | None:
    clock = moving.cumsum()
    if clock[-1] == len(moving):
        return None
    return np.asarray(clock.searchsorted(np.arange(math.ceil(clock[-1])), "right"))


def _passing(trace: Trace, footing: _Footing, at_s: Floats) -> Floats:
    """Seconds of moving until each point of the ground, for the efforts of the times it was passed at."""
    session, ground = footing.session, footing.ground
    kind = session.kind
    speed = _table(session).at(ground.grade_rows, _felt(trace, footing, at_s) * _unit(session))
    if footing.walks is not None:
        speed = np.where(footing.walks, np.minimum(speed * _WALKED_SHARE, _FASTEST_WALK_MPS), speed)
    if footing.behind_mps is not None:
        speed += footing.behind_mps * np.minimum(speed * (1 / 8), 1)
    speed *= footing.rough
    speed = np.maximum(np.minimum(speed, footing.corner_mps), footing.slowest_mps)
    spacing = ground.points_m[1]
    speed = smooth(speed, max(1, round(kind.inertia_s * 6 / spacing)))
    passed = np.zeros(len(speed))
    np.cumsum(spacing / speed[:-1], out=passed[1:])
    return passed


def _felt(trace: Trace, footing: _Footing, at_s: Floats) -> Floats:
    """The effort that moves the body after so many seconds of moving: legs answer late."""
    effort = lag(trace.effort, _LEGS_S[footing.session.kind.mover] / CELL_S)
    if footing.rolls_on is not None:
        effort = np.maximum(effort, footing.rolls_on)
    if footing.passed is not None:
        effort = effort[footing.passed]
    return np.asarray(effort.take((at_s * (1 / CELL_S)).astype(np.int64), mode="clip"))


def _rough(session: Session, count: int) -> Floats:
    other = stretch(ripples(), session.seed * 3 + 5, count)
    return 1 + max(_SPEED_NOISE * min(session.kind.ripple, 0.12), session.kind.satellites) * other


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
    uphill = kind.uphill if kind.mover is Mover.FEET else 0.0
    return motion.feet(threshold, uphill, kind.top_mps)


@lru_cache(maxsize=512)
def _profile(way: Route, table: motion.Table, effort: float, follows_grade: float) -> Floats:
    """Seconds from the start to each point of the route at one effort."""
    grade = way.grade_pct
    uneven = effort * np.exp(follows_grade * between(grade, -4.0, 7.0))
    speed = np.maximum(table.speed(uneven, grade), 0.5)
    spacing = way.length_m / (len(grade) - 1)
    passed = np.zeros(len(speed))
    np.cumsum(spacing / speed[:-1], out=passed[1:])
    return passed
