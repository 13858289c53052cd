"""How a stretch of a workout begins, is got through and is left: quick off the mark, fading, then let go.

Read off the recorded repetitions: runners and rowers start too fast for some ten seconds, who lets go lets go of more
than was asked for, and nobody holds a recovery as evenly as the work.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard.service.demo.cells import CELL_S, Floats, between
from coachboard.service.demo.chance import dice, lots, ripples, stretch
from coachboard.service.demo.easy_parts import belt_set, between_efforts, put, warmed_up
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.session import Session
from coachboard.service.demo.trace import Trace

_A_JUMP = 0.2  # of relative effort; less than that is no new beginning
_SETTLES_S = 11.0  # the recorded rowing starts 26 % over what is held, half of it gone after eight seconds
_LETS_GO, _DIFFER = 0.55, 0.6  # of the jump down; by that share of it from one time to the next
_LEAST, _MOST = 0.2, 1.5
_HARD_FROM = 0.85
_FADES = 0.09  # from the first to the last of a repetition on foot; the recorded ones lose 0 to 13 %
_TOPS_TILT = 0.13  # of the recorded trainer repetitions one falls by 8 % and two rise by 10 and 17 %
# The recorded sprints of 12 s: from 110 W over 290, 630 and 950 to 370 W.
_SPRINT, _SPRINTS_CELLS, _SPRINTS_PEAK, _SPRINTS_SLOPE, _PEAKS_AT = 1.4, 6, 1.35, 1.2, 0.65
_LATEST, _ANY = 0.55, 37.0  # of a cell; many times a noise, less whole numbers: anything between 0 and 1
_FADES_DIFFER = 2.0
_RECOVERIES = frozenset({"intra-recovery", "rest"})
_SHAPED = _RECOVERIES | {"warm up"}


def recoveries(session: Session, trace: Trace) -> NDArray[np.bool_] | None:
    """The cells between two efforts; None where there are none."""
    easy = [part.label in _RECOVERIES for part in session.done]
    return np.array(easy).repeat(trace.sizes) if any(easy) else None


def shape_of(session: Session, trace: Trace) -> Floats | None:
    """Factors on the planned effort of each cell; None where nothing begins anew."""
    kind, planned = session.kind, trace.effort[trace.starts]
    jumps = planned[1:] - planned[:-1]
    if not np.count_nonzero(np.abs(jumps) > _A_JUMP * (not kind.is_driven)):
        return None
    if kind.is_driven:
        factors = np.ones(len(trace))
    else:
        differ = 1 + _DIFFER * stretch(ripples(), session.seed * 19 + 3, 2 * len(planned))
        first = np.zeros(len(planned))
        first[1:] = np.where(jumps > 0, kind.kick, _LETS_GO) * jumps * (np.abs(jumps) > _A_JUMP)
        first *= between(differ[::2], 0.2, 1.8) / np.maximum(planned, _LEAST)
        first[[part.label in _RECOVERIES for part in session.done]] = 0.0
        factors = _factors(trace, first, _lost(kind.mover, planned, differ[1::2]))
    _go_easily(session, trace, factors)
    if not kind.is_driven:
        _begin_late(trace, factors, planned, differ[::2])
        _sprint(trace, factors, planned)
    return np.asarray(factors)


def _lost(mover: Mover, planned: Floats, differ: Floats) -> Floats:
    """The share of each stretch's effort that is lost from its first to its last cell."""
    if mover is Mover.FEET:
        return np.asarray(_FADES * between(_FADES_DIFFER * differ - 1, -0.3, 1.5) * (planned >= _HARD_FROM))
    if mover is Mover.WHEELS:
        return np.asarray(_TOPS_TILT * (differ - 1) * (planned >= _HARD_FROM))
    return np.zeros(len(planned))


def _go_easily(session: Session, trace: Trace, factors: Floats) -> None:
    """Warm-ups and recoveries are no plateaus either."""
    kind = session.kind
    if not _SHAPED.intersection([part.label for part in session.done]):
        return
    rng = dice("easy parts", session.seed)
    usual, then, *_ = lots("habit", session.seed)
    habit = usual, then
    for part, start, size in zip(session.done, trace.starts.tolist(), trace.sizes.tolist(), strict=True):
        here = slice(start, start + size)
        if part.label == "warm up":
            put(warmed_up(size, rng), factors[here], trace.moving[here])
        elif part.label in _RECOVERIES:
            levels = between_efforts(kind.mover, part.effort, cells=size, habit=habit, rng=rng)
            put(levels, factors[here], trace.moving[here])
        elif kind.is_driven and part.effort >= _HARD_FROM:
            put(belt_set(rng), factors[here], trace.moving[here])


def _sprint(trace: Trace, factors: Floats, planned: Floats) -> None:
    """A sprint is wound up, has a peak and fades."""
    for at in np.flatnonzero(planned > _SPRINT).tolist():
        start, size = int(trace.starts[at]), int(trace.sizes[at])
        if size <= _SPRINTS_CELLS:
            gone = (np.arange(size) + 0.5) / size
            factors[start : start + size] = _SPRINTS_PEAK - _SPRINTS_SLOPE * np.abs(gone - _PEAKS_AT)


def _factors(trace: Trace, first: Floats, shares: Floats) -> Floats:
    """What is added at first and wears off, and what is lost evenly from the first to the last cell of a stretch."""
    sizes = trace.sizes
    gone = np.arange(len(trace)) - trace.starts.repeat(sizes)
    factors = first.repeat(sizes) * _worn_off(int(sizes.max()))[gone]
    factors = between(factors + 1, _LEAST, _MOST)
    factors *= (1 + shares / 2).repeat(sizes) - (shares / sizes).repeat(sizes) * gone
    return np.asarray(factors)


def _begin_late(trace: Trace, factors: Floats, planned: Floats, differ: Floats) -> None:
    """The first cell of a stretch is partly still the one before: nobody changes on the second that was asked for."""
    late = _LATEST * (differ[1:] * _ANY % 1)
    before = planned[:-1] * factors[trace.starts[1:] - 1]
    factors[trace.starts[1:]] *= 1 + late * (before / np.maximum(planned[1:], _LEAST) - 1)


@lru_cache(maxsize=64)
def _worn_off(cells: int) -> Floats:
    return np.asarray(np.exp(np.arange(cells) * (-CELL_S / _SETTLES_S)))
