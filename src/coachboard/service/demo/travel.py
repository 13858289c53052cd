"""How an effort becomes a way: which hill when, how fast, how far.

Solved over distance, where hills and corners stand still: what is not known yet is only which part of the
workout falls where, and two passes settle that. The route is then drawn as much larger or smaller as it takes
to come home in time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard.service.demo import motion
from coachboard.service.demo.batch import Batch
from coachboard.service.demo.cells import CELL_S, Floats, Ints, between, smooth
from coachboard.service.demo.chance import ripples
from coachboard.service.demo.ground import Ground
from coachboard.service.demo.pacing import Pace, feasible, pace_of, paced
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.routes import Route, Shape, route
from coachboard.service.demo.rows import Rows
from coachboard.service.demo.satellites import leap
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
_PUSHED, _PUSHED_AT_LEAST = 3.0, 0.4  # times as uneven
_ROLLS_ON = 0.25  # of the planned effort: nobody lets it roll until it stands
_WIND_FELT = 0.55  # m/s lost a m/s of head wind at a steady power
_SPEED_NOISE = 0.35
# Walking up what could just be run costs a quarter of the speed; the recorded trail run: 1.45 against 1.95 m/s, and
# some 12 heart beats fewer.
_WALKED_SHARE, _FASTEST_WALK_MPS, _WALKED_EFFORT = 0.75, 1.7, 0.97
_WALKS_SPREAD_PCT, _WALK_POINTS, _TIRED_OF_POINTS = 3.2, 2, 12  # of grade; of the way
_SWELL = 1.0  # of the unevenness, in speed that is evened
_STARTS_S = 12.0
_SETTLED_SHARE = 0.4  # of the inertia: a runner is at a new pace within some steps


def travel(batch: Batch, trace: Trace, noise: Floats) -> None:
    """Turn the planned efforts of the trace into real ones, with speed and place."""
    shape, steeper = batch.sessions[0].shape, batch.kind.steeper
    ways = tuple(
        route(session.place, session.shape, session.route_m, session.route, steeper=steeper)
        for session in batch.sessions
        if session.shape
    )
    pace = pace_of(batch, trace, noise)
    if shape is None or shape is Shape.TRACK:
        _on_the_level(pace, ways)
    else:
        _over_ground(pace, ways)
    if batch.kind.satellites:
        leap(batch, trace)


def _on_the_level(pace: Pace, ways: tuple[Route, ...]) -> None:
    """No hill and no corner: speed is the effort's."""
    batch, trace = pace.batch, pace.trace
    trace.effort = feasible(batch, paced(pace, trace.effort, None))
    # A flywheel answers at once, and so does what it tells.
    legs_s = min(_LEGS_S[batch.kind.mover], batch.kind.inertia_s)
    legs = batch.lagged(trace.effort, legs_s / CELL_S) * batch.each(_units(batch))
    speed = motion.speeds(_tables(batch), batch, legs, grades=motion.LEVEL)
    speed *= _rough(batch, batch.sizes)
    trace.speed_mps = batch.lagged(speed, batch.kind.inertia_s / CELL_S) * trace.moving
    trace.distance_m = batch.summed(trace.speed_mps) * CELL_S
    if ways:
        trace.ways, trace.along_m, trace.scales = ways, trace.distance_m, (1.0,) * len(ways)
        trace.altitude_m = batch.each(np.array([way.altitude_m[0] for way in ways]))


def _over_ground(pace: Pace, ways: tuple[Route, ...]) -> None:
    """The hill decides the pace and the pace when the next hill comes."""
    batch, trace, target = pace.batch, pace.trace, pace.trace.effort
    clock = batch.summed(trace.moving)
    clock *= CELL_S  # seconds of moving at the end of each cell
    moved_s = batch.last(clock)
    once_s = [_profile(*each) for each in _first_guesses(batch, ways, target)]
    rounds = [
        max(1, round(moved / float(once[-1]))) for moved, once in zip(moved_s.tolist(), once_s, strict=True)
    ]
    ground = Ground(batch, ways, rounds)
    passing_s = np.concatenate([_again(once, count) for once, count in zip(once_s, rounds, strict=True)])
    trace.ways = ways
    if batch.kind.keeps_time:
        along = ground.along_m(clock * batch.each(ground.last(passing_s) / moved_s), passing_s)
        _by_the_clock(pace, ground, along)
        return
    walks = _walked(batch, ground)
    footing = _footing(pace, ground, walks, target)
    for at in range(_PASSES):
        along = ground.along_m(clock * batch.each(ground.last(passing_s) / moved_s), passing_s)
        effort = paced(pace, target, ground.grade_pct[ground.places(along)])
        # What W' allows matters for the last pass alone.
        trace.effort = effort if at < _PASSES - 1 else feasible(batch, effort)
        passing_s = _passing(trace, footing, passing_s * ground.each(moved_s / ground.last(passing_s)))
    scales = moved_s / ground.last(passing_s)
    trace.scales = tuple(scales.tolist())
    trace.along_m = ground.along_m(clock / batch.each(scales), passing_s)
    trace.distance_m = trace.along_m * batch.each(scales)
    trace.speed_mps = np.diff(trace.distance_m, prepend=0.0)
    trace.speed_mps[batch.starts] = batch.first(trace.distance_m)
    trace.speed_mps *= 1 / CELL_S
    if batch.kind.evened_s:
        _even(batch, trace)
    _note_the_ground(trace, ground)
    if walks is not None:
        trace.walks = walks[ground.places(trace.along_m)]
        trace.effort = np.where(trace.walks, _WALKED_EFFORT * trace.effort, trace.effort)


def _first_guesses(
    batch: Batch, ways: tuple[Route, ...], target: Floats
) -> Iterator[tuple[Route, motion.Table, float, float]]:
    """What each way is gone at if the effort is its mean throughout: in steps, so that days share them."""
    efforts = batch.means(target).tolist()
    for way, table, effort, unit in zip(ways, _tables(batch), efforts, _units(batch).tolist(), strict=True):
        yield way, table, round(effort, 1) * round(unit, -1 if unit > 1 else 0), batch.kind.follows_grade


def _note_the_ground(trace: Trace, ground: Ground) -> None:
    assert trace.along_m is not None
    trace.altitude_m = ground.altitude_m(trace.along_m)
    trace.grade_pct = ground.grade_pct[ground.places(trace.along_m)]


def _even(batch: Batch, trace: Trace) -> None:
    """Speed that swells and fades: who is slow takes half a minute from one point of the way to the next."""
    assert trace.speed_mps is not None
    assert trace.distance_m is not None
    width = round(batch.kind.evened_s / CELL_S)
    speed = batch.smoothed(batch.smoothed(trace.speed_mps, width), width)
    swell = batch.smoothed(batch.drawn(ripples(), 13, 1), max(1, width // 2))
    speed *= np.maximum(1 + _SWELL * batch.kind.ripple * swell, 0.5)
    speed *= (
        batch.lagged(trace.moving, _STARTS_S / CELL_S, before=np.zeros(len(batch.sessions))) * trace.moving
    )
    speed *= batch.each(batch.last(trace.distance_m) / (batch.sums(speed) * CELL_S))
    trace.speed_mps = speed
    trace.distance_m = batch.summed(speed) * CELL_S
    trace.along_m = trace.distance_m / batch.each(np.array(trace.scales))


def _again(once_s: Floats, rounds: int) -> Floats:
    """The times of several rounds, one after another."""
    if rounds == 1:
        return once_s
    starts = once_s[-1] * np.arange(rounds)
    return np.append((once_s[:-1] + starts[:, None]).ravel(), once_s[-1] * rounds)


def _by_the_clock(pace: Pace, ground: Ground, along: Floats) -> None:
    """The same where the clock tells when to go and when to walk, and hills are answered alone with the pace."""
    batch, trace, target = pace.batch, pace.trace, pace.trace.effort
    kind, tables, rough = batch.kind, _tables(batch), _rough(batch, batch.sizes)
    corner_mps = ground.all("corner_mps") * kind.sideways_mps2**0.5
    for _ in range(_PASSES):
        at = ground.places(along)
        trace.effort = paced(pace, target, ground.grade_pct[at])
        legs = batch.lagged(trace.effort, _LEGS_S[kind.mover] / CELL_S)
        speed = motion.speeds(tables, batch, legs, grades=ground.grade_rows[at]) * rough
        speed = between(speed, _SLOWEST_MPS[kind.mover], corner_mps[at])
        trace.speed_mps = batch.lagged(speed, _SETTLED_SHARE * kind.inertia_s / CELL_S) * trace.moving
        trace.distance_m = batch.summed(trace.speed_mps) * CELL_S
        scales = batch.last(trace.distance_m) / ground.whole_m
        along = trace.distance_m * batch.each(1 / scales)
    trace.scales, trace.along_m = tuple(scales.tolist()), along
    _note_the_ground(trace, ground)


def _walked(batch: Batch, ground: Ground) -> NDArray[np.bool_] | None:
    """The stretches that a runner walks: the steeper the more of them, some tens of seconds each."""
    half_pct = batch.kind.walks_from_pct
    if half_pct is None:
        return None
    whims = batch.drawn(ripples(), 11, 7, counts=ground.sizes)
    whim = ground.smoothed(whims, _WALK_POINTS) - ground.smoothed(whims, _TIRED_OF_POINTS)
    # Nobody who runs at all walks the whole of a long climb.
    return np.asarray(np.minimum(ground.grade_pct, half_pct + 1) + _WALKS_SPREAD_PCT * whim > half_pct)


@dataclass(frozen=True, slots=True, eq=False)
class _Footing:
    """What of the speed at each point does not depend on when it is passed."""

    batch: Batch
    ground: Ground
    tables: list[motion.Table]
    units: Floats
    walks: NDArray[np.bool_] | None
    behind_mps: Floats | None  # the wind in the back
    rough: Floats
    corner_mps: Floats
    slowest_mps: Floats
    rolls_on: Floats | None  # the effort that a rider lets the bike roll with
    passed: Ints  # the cell of each five seconds of moving
    slots: Rows  # those of each session


def _footing(pace: Pace, ground: Ground, walks: NDArray[np.bool_] | None, target: Floats) -> _Footing:
    batch, kind = pace.batch, pace.batch.kind
    is_ride = kind.mover is Mover.WHEELS
    rough = _rough(batch, ground.sizes)
    passed = _passed(batch, pace.trace.moving)
    return _Footing(
        batch,
        ground,
        _tables(batch),
        _units(batch),
        walks,
        _behind_mps(batch, ground) if is_ride else None,
        rough,
        corner_mps=np.minimum(ground.all("corner_mps") * kind.sideways_mps2**0.5, kind.top_mps),
        # Who pushes a bike, or rides no faster than that, goes the less evenly.
        slowest_mps=_SLOWEST_MPS[kind.mover] * np.maximum(rough * _PUSHED - (_PUSHED - 1), _PUSHED_AT_LEAST),
        rolls_on=_ROLLS_ON * target if is_ride else None,
        passed=passed,
        slots=Rows(np.bincount(batch.of[passed], minlength=len(batch.sessions))),
    )


def _behind_mps(batch: Batch, ground: Ground) -> Floats:
    weathers = [session.weather for session in batch.sessions]
    wind_mps = _WIND_FELT * np.array([weather.wind_mps for weather in weathers])
    to = np.array([weather.wind_to for weather in weathers])
    behind: Floats = ground.all("east") * ground.each(wind_mps * np.cos(to))
    behind += ground.all("north") * ground.each(wind_mps * np.sin(to))
    return behind


def _passed(batch: Batch, moving: Floats) -> Ints:
    """The cell in which each five seconds of moving begin."""
    begun = np.ceil(batch.summed(moving)).astype(np.int64)
    counts = np.diff(begun, prepend=0)
    counts[batch.starts] = begun[batch.starts]
    return np.arange(len(batch)).repeat(counts)


def _passing(trace: Trace, footing: _Footing, at_s: Floats) -> Floats:
    """Seconds of moving until each point of the ground, for the efforts of the times it was passed at."""
    ground, kind = footing.ground, footing.batch.kind
    effort = _felt(trace, footing, at_s) * ground.each(footing.units)
    speed = motion.speeds(footing.tables, ground, effort, grades=ground.grade_rows)
    if footing.walks is not None:
        speed = np.where(footing.walks, np.minimum(speed * _WALKED_SHARE, _FASTEST_WALK_MPS), speed)
    if footing.behind_mps is not None:
        speed += footing.behind_mps * np.minimum(speed * (1 / 8), 1)
    speed *= footing.rough
    speed = np.maximum(np.minimum(speed, footing.corner_mps), footing.slowest_mps)
    passed = np.zeros(len(speed))
    for spacing, here in zip(ground.spacing_m.tolist(), ground.slices(), strict=True):
        even = smooth(speed[here], max(1, round(kind.inertia_s * 6 / spacing)))
        np.cumsum(spacing / even[:-1], out=passed[here][1:])
    return passed


def _felt(trace: Trace, footing: _Footing, at_s: Floats) -> Floats:
    """The effort that moves the body after so many seconds of moving: legs answer late."""
    batch, ground, slots = footing.batch, footing.ground, footing.slots
    effort = batch.lagged(trace.effort, _LEGS_S[batch.kind.mover] / CELL_S)
    if footing.rolls_on is not None:
        effort = np.maximum(effort, footing.rolls_on)
    slot = np.minimum((at_s * (1 / CELL_S)).astype(np.int64), ground.each(slots.sizes - 1))
    return np.asarray(effort[footing.passed][slot + ground.each(slots.starts)])


def _rough(batch: Batch, counts: Ints) -> Floats:
    kind = batch.kind
    other = batch.drawn(ripples(), 3, 5, counts=counts)
    if kind.rough:
        return np.asarray(np.exp(kind.rough * other))
    return np.asarray(1 + max(_SPEED_NOISE * min(kind.ripple, 0.12), kind.satellites) * other)


def _units(batch: Batch) -> Floats:
    """What an effort of 1 is in the table of speeds."""
    return batch.body("power_w") if batch.kind.mover is Mover.WHEELS else np.ones(len(batch.sessions))


def _tables(batch: Batch) -> list[motion.Table]:
    return [_table(session) for session in batch.sessions]


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
