"""How an effort is spent from moment to moment: uneven, answering hills, with coasting, within what W' allows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard_demo import anaerobic
from coachboard_demo.batch import Batch
from coachboard_demo.cells import Floats, between
from coachboard_demo.chance import exceeded_for, flurries, ripples
from coachboard_demo.liveliness import minutes_of, on_ground
from coachboard_demo.onsets import recoveries, shape_of
from coachboard_demo.practice import Mover
from coachboard_demo.trace import Trace

_STEEP_DESCENT_PCT, _COASTS_BELOW_PCT = -2.4, 0.8
_EACH_HILL = 0.3
_ANY = 37.0  # many times a noise, less whole numbers: anything between 0 and 1
# Most get going again gently. The power that a thousandth of a recorded ride's seconds exceed is 2.2 to 3.6 times the
# median, and a hundredth 1.3 to 1.8 (3 in town); and once or twice an hour somebody sprints out of nowhere.
_FEW, _LONE = 4, 0.002
# Below 3 % recorded riders turn the cranks for 15 to 46 % of the time, some seconds out of each bend: a twentieth of
# those seconds at 1.6 times the ride's median power and a hundredth at 2.4.
_TURNS_DOWNHILL, _LETS_ROLL, _DOWNHILL, _BENDS, _BENDS_SURGE = 0.4, 0.2, (0.3, 1.0), 14, 0.6
_HELD_FROM, _HELD_SHARE = 0.85, 0.35
_HARDEST_W = 1450.0
_FELT_PCT = -4.0, 6.0  # grades beyond are answered like these
# Of the recorded rides' stretches of five minutes half have 0 to 5 % without pedalling, a twentieth 12 to 58 %.
_BUSY, _STRETCH_CELLS, _COASTS_AT_MOST = 0.3, 36, 0.42


@dataclass(frozen=True, slots=True)
class Pace:
    """What of the pacing of some sessions does not depend on where the hills are met."""

    batch: Batch
    trace: Trace  # with the planned effort of each cell
    ease: Floats | float  # 1 where the road decides, less where the effort is held
    wander: Floats
    shape: Floats | None  # how stretches begin and end
    coasts: Floats | None  # share of each cell in which the rider lets roll, if the road allows
    whims: Floats | None  # what decides where nothing does


def pace_of(batch: Batch, trace: Trace, noise: Floats) -> Pace:
    """Read the plan: who works at threshold holds it over crests too, who rides easily lets the road decide."""
    kind, target = batch.kind, trace.effort
    is_held = target >= _HELD_FROM
    ease = np.where(is_held, _HELD_SHARE, 1.0) if is_held.any() else 1.0
    shape, coasts, whims = shape_of(batch, trace), None, None
    if kind.coasting:
        whims = batch.drawn(flurries(), 7, 11)
        rolls = (whims * ease > exceeded_for(min(kind.coasting / _BUSY, _COASTS_AT_MOST))) & _busy(batch)
        change = rolls[1:] != rolls[:-1]
        change[batch.starts[1:] - 1] = False  # from one session to the next
        changes = np.flatnonzero(change) + 1
        begins, ends = changes[rolls[changes]], changes[~rolls[changes]]
        coasts = rolls.astype(np.float64)
        coasts[begins] = whims[begins] * _ANY % 1
        shape = np.ones(len(target)) if shape is None else shape
        shape[ends] *= 1 + kind.surges * (whims[ends] * _ANY % 1) ** _FEW
        lone = np.flatnonzero(whims < -exceeded_for(_LONE))
        shape[lone] *= 1 + kind.surges * (whims[lone] * _ANY % 1) ** 2
    return Pace(batch, trace, ease, _wander(batch, noise), shape, coasts, whims)


def _busy(batch: Batch) -> NDArray[np.bool_]:
    """Where the road asks for it: villages, junctions and bends come in a row, and then for miles there is none."""
    return batch.drawn_for(_STRETCH_CELLS, ripples(), 43, 29) > exceeded_for(_BUSY)


def _wander(batch: Batch, noise: Floats) -> Floats:
    """Unevenness, of which recoveries have more than work on an even road."""
    kind = batch.kind
    uneven = noise if kind.shape is None else noise * minutes_of(batch)
    if kind.recovers <= kind.ripple or (easy := recoveries(batch)) is None:
        return uneven * kind.ripple
    return uneven * np.where(easy, kind.recovers, kind.ripple)


def paced(pace: Pace, target: Floats, grade_pct: Floats | None) -> Floats:
    """Relative effort cell by cell; each stretch's mean is about what was planned."""
    kind, trace, parts = pace.batch.kind, pace.trace, pace.batch.parts
    wander = pace.wander
    if grade_pct is not None and kind.follows_grade:
        hills = kind.follows_grade * between(grade_pct, *_FELT_PCT)
        if kind.mover is Mover.WHEELS:
            wander = (wander * on_ground(grade_pct) + hills) * pace.ease
        else:  # no runner holds a power over hills, not at threshold either
            wander = wander * pace.ease + hills
    else:
        wander = wander * pace.ease
    relative = target * np.exp(between(wander, -1.2, 0.9)) * trace.moving
    if pace.shape is not None:
        relative *= pace.shape
    if pace.coasts is not None:
        _coast(pace, target, relative, grade_pct)
    planned, done = parts.first(target), parts.means(relative)
    ratio = between(planned / np.maximum(done, 1e-6), 0.85, 1.15)
    if grade_pct is not None:
        # Who goes easily does what was planned over the whole way, not on each hill of it.
        whole = pace.batch.sums(target) / np.maximum(pace.batch.sums(relative), 1e-6)
        whole = pace.batch.workouts.each(between(whole, 0.85, 1.15))
        ratio = np.where(planned < _HELD_FROM, whole * (ratio / whole) ** _EACH_HILL, ratio)
    return np.asarray(relative * parts.each(ratio))


def _coast(pace: Pace, target: Floats, relative: Floats, grade_pct: Floats | None) -> None:
    assert pace.coasts is not None
    assert pace.whims is not None
    if grade_pct is None:
        relative *= 1 - pace.coasts
        return
    relative *= 1 - pace.coasts * (grade_pct < _COASTS_BELOW_PCT)
    rolls = np.flatnonzero((grade_pct < _STEEP_DESCENT_PCT) & (target < _HELD_FROM))
    whims = pace.whims[rolls]
    hard = whims * _ANY % 1
    turned = np.flatnonzero((whims > exceeded_for(_TURNS_DOWNHILL)) & (hard > _LETS_ROLL))
    hard = hard[turned]
    least, more = _DOWNHILL
    kicks = np.zeros(len(rolls))
    kicks[turned] = least + more * hard + _BENDS_SURGE * pace.batch.kind.surges * hard**_BENDS
    relative[rolls] = target[rolls] * kicks


def feasible(batch: Batch, relative: Floats) -> Floats:
    """Efforts of rides cut to what W' and legs can give; on foot and in water workouts stay within it."""
    if batch.kind.mover is not Mover.WHEELS:
        return relative
    critical = batch.each(batch.body("power_w"))
    power_w = np.minimum(relative * critical, _HARDEST_W)
    w_prime_j, spread = batch.body("w_prime_j"), batch.kind.detail
    missing = anaerobic.deficit(
        power_w,
        critical_power_w=critical,
        w_prime_j=batch.each(w_prime_j),
        spread=spread,
        rows=batch,
    )
    is_enough = batch.highest(missing) <= anaerobic.SPENT_AT_MOST * w_prime_j
    for session, here, is_spared in zip(batch.sessions, batch.slices(), is_enough.tolist(), strict=True):
        if not is_spared:
            power_w[here] = anaerobic.held_within(
                power_w[here],
                critical_power_w=session.body.power_w,
                w_prime_j=session.body.w_prime_j,
                spread=spread,
            )
    return power_w / critical
