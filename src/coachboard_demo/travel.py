"""How an effort becomes a way: which hill when, how fast, how far.

Solved over distance, where hills and corners stand still: what is not known yet is only which part of the
workout falls where, and two passes settle that. The route is then drawn as much larger or smaller as it takes
to come home in time.
"""

import numpy as np

from coachboard_demo import motion
from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats, between
from coachboard_demo.chance import ripples
from coachboard_demo.ground import Ground
from coachboard_demo.liveliness import minutes_of
from coachboard_demo.pacing import Pace, feasible, pace_of, paced
from coachboard_demo.passing import footing_of, guessed_s, passing_s, walked
from coachboard_demo.practice import Mover
from coachboard_demo.routes import Route, Shape, route
from coachboard_demo.satellites import leap
from coachboard_demo.speeds import LEGS_S, SLOWEST_MPS, rough, tables_of, units_of
from coachboard_demo.trace import Trace

_PASSES = 2
_WALKED_EFFORT = 0.97  # the recorded trail run: some 12 heart beats fewer where it is walked
_SWELL = 1.0  # of the unevenness, in speed that is evened
_STEPPED = (
    1.5  # as much on feet: the recorded hike is 6 to 9 % off its minute's mean, the trail run 5 to 11 %
)
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
    legs_s = min(LEGS_S[batch.kind.mover], batch.kind.inertia_s)
    legs = batch.lagged(trace.effort, legs_s / CELL_S) * batch.each(units_of(batch))
    speed = motion.speeds(tables_of(batch), batch, legs, grades=motion.LEVEL)
    speed *= rough(batch, batch.sizes)
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
    ground, passed_s = guessed_s(batch, ways, target, moved_s)
    trace.ways = ways
    if batch.kind.keeps_time:
        along = ground.along_m(clock * batch.each(ground.last(passed_s) / moved_s), passed_s)
        _by_the_clock(pace, ground, along)
        return
    walks = walked(batch, ground)
    footing = footing_of(batch, ground, walks, trace)
    for at in range(_PASSES):
        along = ground.along_m(clock * batch.each(ground.last(passed_s) / moved_s), passed_s)
        effort = paced(pace, target, ground.grade_pct[ground.places(along)])
        # What W' allows matters for the last pass alone.
        trace.effort = effort if at < _PASSES - 1 else feasible(batch, effort)
        passed_s = passing_s(trace, footing, passed_s * ground.each(moved_s / ground.last(passed_s)))
    scales = moved_s / ground.last(passed_s)
    trace.scales = tuple(scales.tolist())
    trace.along_m = ground.along_m(clock / batch.each(scales), passed_s)
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
    if batch.kind.mover is Mover.FEET:
        swell *= _STEPPED * minutes_of(batch)
    speed *= np.maximum(1 + _SWELL * batch.kind.ripple * swell, 0.5)
    speed *= (
        batch.lagged(trace.moving, _STARTS_S / CELL_S, before=np.zeros(len(batch.sessions))) * trace.moving
    )
    speed *= batch.each(batch.last(trace.distance_m) / (batch.sums(speed) * CELL_S))
    trace.speed_mps = speed
    trace.distance_m = batch.summed(speed) * CELL_S
    trace.along_m = trace.distance_m / batch.each(np.array(trace.scales))


def _by_the_clock(pace: Pace, ground: Ground, along: Floats) -> None:
    """The same where the clock tells when to go and when to walk, and hills are answered alone with the pace."""
    batch, trace, target = pace.batch, pace.trace, pace.trace.effort
    kind, tables, uneven = batch.kind, tables_of(batch), rough(batch, batch.sizes)
    corner_mps = ground.all("corner_mps") * kind.sideways_mps2**0.5
    for _ in range(_PASSES):
        at = ground.places(along)
        trace.effort = paced(pace, target, ground.grade_pct[at])
        legs = batch.lagged(trace.effort, LEGS_S[kind.mover] / CELL_S)
        speed = motion.speeds(tables, batch, legs, grades=ground.grade_rows[at]) * uneven
        speed = between(speed, SLOWEST_MPS[kind.mover], corner_mps[at])
        trace.speed_mps = batch.lagged(speed, _SETTLED_SHARE * kind.inertia_s / CELL_S) * trace.moving
        trace.distance_m = batch.summed(trace.speed_mps) * CELL_S
        scales = batch.last(trace.distance_m) / ground.whole_m
        along = trace.distance_m * batch.each(1 / scales)
    trace.scales, trace.along_m = tuple(scales.tolist()), along
    _note_the_ground(trace, ground)
