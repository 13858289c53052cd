"""How fast legs turn and arms pull: asked for, or as effort and slope have it."""

import numpy as np
from numpy.typing import NDArray

from coachboard.models.enums import Sport
from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats, between
from coachboard_demo.chance import exceeded_for, flurries, ripples
from coachboard_demo.practice import Mover, Practice
from coachboard_demo.routes import Shape
from coachboard_demo.rows import Rows
from coachboard_demo.trace import Trace

_WALKS_BELOW, _WALKING_RPM, _STANDS_BELOW = 0.5, 57.0, 0.15
_WALKS_DOWN_BELOW = 0.36  # downhill an easy effort still runs
_SLOWEST_RPM, _SLOWEST_STROKES_RPM = 25.0, 15.0
# Of critical power: easy rowing, and how much more a race is. The first strokes of a piece are quicker than the rest.
_EASY, _TO_RACING, _FIRST_STROKES, _FIRST_S = 0.4, 0.75, 0.4, 15.0
_ROWED_SPREAD, _ARMS_STEADY_CELLS = 0.024, 3
_STRIDES_SPREAD = 0.005
# On the recorded trainer 79 turns at 150 W, steady to 2, then 93 at 490 W and 68 at 70 W.
_FLYWHEEL_SPREAD, _FLYWHEEL_SHARE = 0.022, 0.17
_START, _STARTED_S = 0.15, 90.0  # the recorded swims begin with 34 and 36 strokes and settle at 28 and 31
_GEARS = 0.05  # from one stretch to the next
_FLYWHEEL_TURNS_ON = (
    0.8  # of the rate: where a recorded rider lets go, power drops to 13 W and cadence from 86 to 64
)
# Recorded: 79 strides at 3.0 m/s and 85 at 4.6; walking 47 steps at 0.9 m/s and 56 at 1.6.
_EASY_RUN, _STRIDES_A_MPS, _STEPS_A_MPS, _WALKING_MPS = 0.75, 3.5, 13.0, 1.5
# On the recorded trail 80 strides a minute up and 85 to 95 down, each minute's deviating by 2.
_STRIDES_A_PCT, _FELT_PCT, _ON_ROCKS_SPREAD = 0.33, (-10.0, 10.0), 0.02
# The recorded hike is gone at 52 steps on the level and downhill, 48 up 8 % and 44 up more than 12 %.
_STEPS_A_PCT, _STEEP_PCT = 0.35, 15.0
_WALKED_SPREAD, _SEEN_SOONER = 0.03, 3.0
# The recorded trail run has nine tenths of its missed steps in three climbs of eight, the hike in a third of its time.
_SPELLS, _SPELL_CELLS, _IN_SPELLS, _MISSED_AT_MOST = 0.3, 48, 0.9, 0.6
# Recorded: 70 to 80 for 4 s at a time in 5 % of a hike, 110 in 1.5 % of repetitions with walks between them.
_TIMES_A_SPELL, _TWICE_WALKING, _TWICE_RUNNING, _TWICE_SPREAD = 6, 1.42, 1.25, 0.03
_ANY = 37.0  # many times a noise, less whole numbers: anything between 0 and 1
_ROWERS_DIFFER = 0.25  # by that share of what cyclists do
# On wheels, by the square of the grade: the recorded climbs are turned at 95, where they are steep at 50 to 65.
_LOST_RPM, _STEEPEST_PCT = 0.3, 11.0
_COASTS_BELOW = 0.08  # relative effort


def cadence_of(batch: Batch, trace: Trace) -> Floats | None:
    """Turns, strides or strokes a minute by cells, 0 where there are none; None where nothing turns."""
    kind = batch.kind
    if kind.cadence_rpm is None:
        return None
    shift_rpm = batch.body("cadence_shift_rpm") * (_ROWERS_DIFFER if kind.lifts_rpm else 1)
    rate = _free(batch, trace, batch.each(kind.cadence_rpm + shift_rpm))
    if any(part.cadence_rpm for part in batch.done):
        asked = batch.parts.each(np.array([part.cadence_rpm for part in batch.done]))
        rate = np.where(asked > 0, asked, rate)
    spread = _spread_of(kind, trace)
    if kind.mover is Mover.WHEELS and kind.shape is None:
        gears = 1 + _GEARS * batch.drawn(ripples(), 31, 2, counts=batch.workouts.sizes)
        rate = rate * batch.parts.each(gears)
        rate = np.where(trace.effort > _COASTS_BELOW, rate, _FLYWHEEL_TURNS_ON * rate)
    if kind.mover is Mover.FEET and kind.uncounted:
        is_walk = _walks(trace) if kind.sport is Sport.RUNNING else np.True_
        spread = np.where(
            is_walk, _WALKED_SPREAD, spread if kind.walks_from_pct is None else _ON_ROCKS_SPREAD
        )
    uneven = batch.drawn(ripples(), 5, 3)
    if kind.mover is Mover.STROKES:
        uneven = batch.smoothed(uneven, _ARMS_STEADY_CELLS)
    if kind.shape is Shape.LAKE:
        rate = rate * (1 + _START * np.exp(batch.gone * (-CELL_S / _STARTED_S)))
    rate = rate * (1 + spread * uneven)
    _count_too_many(batch, trace, rate)
    slowest = _SLOWEST_STROKES_RPM if kind.mover is Mover.STROKES else _SLOWEST_RPM
    return np.asarray(np.maximum(rate, slowest) * _turning(batch, trace))


def _spread_of(kind: Practice, trace: Trace) -> Floats | float:
    """How far the rate of each cell strays: feet keep their rhythm, gears come in steps, the more so downhill."""
    if kind.lifts_rpm:
        return _ROWED_SPREAD
    if kind.mover is not Mover.WHEELS:
        return _STRIDES_SPREAD + 0.1 * kind.ripple
    if kind.shape is None:
        return _FLYWHEEL_SPREAD
    usual = 0.03 + 0.4 * min(kind.ripple, 0.2)
    return usual if trace.lively is None else usual * trace.lively


def _turning(batch: Batch, trace: Trace) -> NDArray[np.bool_]:
    """Where anything turns: wheels roll on and rowers rest without it, feet stand still."""
    kind, turning = batch.kind, trace.moving > 0
    is_flywheel = kind.mover is Mover.WHEELS and kind.shape is None
    if kind.mover in {Mover.WHEELS, Mover.STROKES} and not is_flywheel:
        turning &= trace.effort > _COASTS_BELOW
    if kind.sport is Sport.RUNNING:
        turning &= trace.effort > _STANDS_BELOW
    if kind.uncounted:
        turning &= ~_uncounted(batch, trace)
    return np.asarray(turning)


def _uncounted(batch: Batch, trace: Trace) -> NDArray[np.bool_]:
    """Where a watch counts no step of somebody who walks: hands on poles and rocks, a look at the map."""
    assert trace.speed_mps is not None
    other = batch.drawn(flurries(), 17, 9)
    is_run = batch.kind.sport is Sport.RUNNING
    usual = _WALKING_MPS if is_run else batch.each(_mean_mps(batch, trace.speed_mps))
    # Slow steps are missed sooner than quick ones.
    missed = other > _sought(batch) + _SEEN_SOONER * (trace.speed_mps / usual - 0.9)
    return np.asarray(missed & _walks(trace) if is_run else missed)


def _count_too_many(batch: Batch, trace: Trace, rate: Floats) -> None:
    """Tell more steps than were made, for some seconds of walking: the same hands count twice."""
    kind = batch.kind
    if not kind.uncounted or kind.cadence_rpm is None:
        return
    blocks = Rows(batch.sizes // _SPELL_CELLS + 1)
    spells = np.flatnonzero(_spells(batch, blocks))
    times = np.bincount(blocks.of[spells], minlength=len(batch.sessions)) * _TIMES_A_SPELL
    other = batch.drawn(ripples(), 23, 5, counts=times)
    starts = batch.starts[blocks.of[spells]] + blocks.gone[spells] * _SPELL_CELLS
    at = starts.repeat(_TIMES_A_SPELL) + (other * _ANY % 1 * _SPELL_CELLS).astype(np.int64)
    at = np.minimum(at, (batch.ends - 1).repeat(times))
    is_run = kind.sport is Sport.RUNNING
    told = kind.cadence_rpm * (_TWICE_RUNNING if is_run else _TWICE_WALKING) * (1 + _TWICE_SPREAD * other)
    if is_run:
        planned = batch.workouts.lowest(np.array([part.effort for part in batch.done]))
        walks = (trace.effort[at] < _WALKS_BELOW) & (planned <= _WALKS_BELOW).repeat(times)
        at, told = at[walks], told[walks]
    rate[at] = told


def _sought(batch: Batch) -> Floats:
    """What the noise must exceed for a step to be missed: hands are on poles for some minutes, then in the air."""
    share = batch.kind.uncounted
    inside = exceeded_for(min(share * _IN_SPELLS / _SPELLS, _MISSED_AT_MOST))
    outside = exceeded_for(share * (1 - _IN_SPELLS) / (1 - _SPELLS))
    return np.where(in_spells(batch), inside, outside)


def in_spells(batch: Batch) -> NDArray[np.bool_]:
    """The minutes in which steps are missed."""
    blocks = Rows(batch.sizes // _SPELL_CELLS + 1)
    return np.asarray(_spells(batch, blocks)[batch.each(blocks.starts) + batch.gone // _SPELL_CELLS])


def _spells(batch: Batch, blocks: Rows) -> NDArray[np.bool_]:
    return batch.drawn(ripples(), 47, 31, counts=blocks.sizes) > exceeded_for(_SPELLS)


def _mean_mps(batch: Batch, speed: Floats) -> Floats:
    """The mean of what is not standing still."""
    return np.asarray(batch.sums(speed) / np.maximum(batch.sums((speed != 0).astype(np.float64)), 1))


def _walks(trace: Trace) -> NDArray[np.bool_]:
    """Where a runner walks: what is too easy to run, what is too steep."""
    if trace.walks is None:
        return np.asarray(trace.effort < _WALKS_BELOW)
    return np.asarray((trace.effort < _WALKS_DOWN_BELOW) | trace.walks)


def _free(batch: Batch, trace: Trace, base_rpm: Floats) -> Floats:
    """As it comes when nobody asks: quicker with effort, slower uphill, a walk where it is too easy to run."""
    kind = batch.kind
    if kind.lifts_rpm:
        return np.asarray(base_rpm + kind.lifts_rpm * _pressure(batch, trace.effort))
    if kind.mover is Mover.FEET and kind.uncounted:
        return _on_foot(batch, trace, base_rpm)
    share = 0.05 if kind.mover is Mover.FEET else 0.1 if kind.shape is not None else _FLYWHEEL_SHARE
    free: Floats = base_rpm * (1 - 0.7 * share + share * trace.effort)
    if kind.mover is Mover.WHEELS and trace.grade_pct is not None:
        steep = between(trace.grade_pct, 0, _STEEPEST_PCT)
        free = free - _LOST_RPM * steep * steep
    return free


def _on_foot(batch: Batch, trace: Trace, base_rpm: Floats) -> Floats:
    """Steps follow the speed that is gone: a little when running, much when walking."""
    assert trace.speed_mps is not None
    speed, kind = trace.speed_mps, batch.kind
    if kind.sport is not Sport.RUNNING:
        usual = batch.each(_mean_mps(batch, speed))
        steps = base_rpm + _STEPS_A_MPS * (speed - usual)
        if trace.grade_pct is not None:
            steps -= _STEPS_A_PCT * between(trace.grade_pct, 0, _STEEP_PCT)
        return np.asarray(steps)
    usual = batch.each(_EASY_RUN * batch.body("speed_mps") * kind.speed_share)
    running = base_rpm + _STRIDES_A_MPS * (speed - usual)
    if trace.walks is not None:
        assert trace.grade_pct is not None
        running -= _STRIDES_A_PCT * between(trace.grade_pct, *_FELT_PCT)
    return np.where(_walks(trace), _WALKING_RPM + _STEPS_A_MPS * (speed - _WALKING_MPS), running)


def _pressure(batch: Batch, effort: Floats) -> Floats:
    """How far a rower lifts the rate: little until it gets hard, and for a few strokes more than that."""
    hard = between((effort - _EASY) * (1 / _TO_RACING), 0, 1.1)
    quick = hard - batch.lagged(hard, _FIRST_S / CELL_S)
    return np.asarray(hard**2.5 + _FIRST_STROKES * np.maximum(quick, 0))
