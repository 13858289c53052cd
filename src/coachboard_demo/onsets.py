"""How a stretch of a workout begins, is got through and is left: quick off the mark, fading, then let go.

Read off the recorded repetitions: runners and rowers start too fast for some ten seconds, who lets go lets go of more
than was asked for, and nobody holds a recovery as evenly as the work.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats, Ints, between
from coachboard_demo.chance import dice, lots, ripples
from coachboard_demo.easy_parts import belt_set, between_efforts, readied, shared_out, warmed_up
from coachboard_demo.practice import Mover
from coachboard_demo.routes import Shape
from coachboard_demo.rows import Rows
from coachboard_demo.session import Session
from coachboard_demo.trace import Trace

_A_JUMP = 0.2  # of relative effort; less than that is no new beginning
_SETTLES_S = 11.0  # the recorded rowing starts 26 % over what is held, half of it gone after eight seconds
_LETS_GO, _DIFFER = 0.55, 0.6  # of the jump down; by that share of it from one time to the next
_LEAST, _MOST = 0.2, 1.5
_HARD_FROM = 0.85
_FADES = 0.09  # from the first to the last of a repetition on foot; the recorded ones lose 0 to 13 %
_TOPS_TILT = 0.13  # of the recorded trainer repetitions one falls by 8 % and two rise by 10 and 17 %
# The recorded sprints of 12 s: from 110 W over 290, 630 and 950 to 370 W.
_SPRINT, _SPRINTS_CELLS, _SPRINTS_PEAK, _SPRINTS_SLOPE = 1.4, 6, 1.35, 1.2
# The recorded two of one session peak at 951 and 801 W.
_SPRINTS_DIFFER, _PEAKS_AT = (0.72, 1.14), (0.75, 0.55)
_LATEST, _ANY = 0.55, 37.0  # of a cell; many times a noise, less whole numbers: anything between 0 and 1
_FADES_DIFFER, _GAINS_AT_MOST = 2.0, -0.45
# The middle third of the five recorded on a track is up to 5 % faster and up to 5 % slower than the mean of the others.
_BOWS = 0.42
_RECOVERIES = frozenset({"intra-recovery", "rest"})
_SHAPED = _RECOVERIES | {"warm up"}


def recoveries(batch: Batch) -> NDArray[np.bool_] | None:
    """The cells between two efforts; None where there are none."""
    easy = _are_recoveries(batch)
    return batch.parts.each(easy) if easy.any() else None


def _are_recoveries(batch: Batch) -> NDArray[np.bool_]:
    return np.array([part.label in _RECOVERIES for part in batch.done])


def shape_of(batch: Batch, trace: Trace) -> Floats | None:
    """Factors on the planned effort of each cell; None where nothing begins anew."""
    kind, parts, workouts = batch.kind, batch.parts, batch.workouts
    planned = parts.first(trace.effort)
    jumps = np.diff(planned, prepend=planned[:1])
    jumps[workouts.starts] = 0.0
    are_jumps = np.abs(jumps) > _A_JUMP * (not kind.is_driven)
    is_shaped = workouts.highest(are_jumps)  # whose plan has something that begins anew
    if not is_shaped.any():
        return None
    shaped = workouts.each(is_shaped)
    if kind.is_driven:
        factors = np.ones(len(batch))
    else:
        differ = 1 + _DIFFER * batch.drawn(ripples(), 19, 3, counts=2 * workouts.sizes)
        first = np.where(jumps > 0, kind.kick, _LETS_GO) * jumps * are_jumps
        first *= between(differ[::2], 0.2, 1.8) / np.maximum(planned, _LEAST)
        first[_are_recoveries(batch)] = 0.0
        bows = _BOWS * (kind.mover is Mover.FEET) * (2 * (differ[1::2] * _ANY % 1) - 1)
        bows = bows * (planned >= _HARD_FROM) * shaped
        factors = _factors(parts, first, _lost(kind.mover, planned, differ[1::2]) * shaped, bows)
    _go_easily(batch, trace, factors, is_shaped)
    if not kind.is_driven:
        begins = shaped.copy()
        begins[workouts.starts] = False
        _begin_late(parts, factors, planned, late=differ[::2], at=np.flatnonzero(begins))
        _sprint(parts, factors, planned * shaped, whims=differ[1::2] * _ANY % 1)
    return np.asarray(factors)


def _lost(mover: Mover, planned: Floats, differ: Floats) -> Floats:
    """The share of each stretch's effort that is lost from its first to its last cell."""
    if mover is Mover.FEET:
        return np.asarray(
            _FADES * between(_FADES_DIFFER * differ - 1, _GAINS_AT_MOST, 1.5) * (planned >= _HARD_FROM)
        )
    if mover is Mover.WHEELS:
        return np.asarray(_TOPS_TILT * (differ - 1) * (planned >= _HARD_FROM))
    return np.zeros(len(planned))


def _go_easily(batch: Batch, trace: Trace, factors: Floats, is_shaped: NDArray[np.bool_]) -> None:
    """Warm-ups and recoveries are no plateaus either; at no level at all nobody moves."""
    found: list[tuple[int, float]] = []
    for session, cells, has_changes in zip(
        batch.sessions, batch.sizes.tolist(), is_shaped.tolist(), strict=True
    ):
        if has_changes and _SHAPED.intersection([part.label for part in session.done]):
            found += _levels_of(session)
        else:
            found.append((cells, 1.0))
    counts, of_each = zip(*found, strict=True)
    levels = np.repeat(of_each, counts)
    stands = levels <= 0
    trace.moving[stands] = 0.0
    factors *= np.where(stands, 1.0, levels)


def _levels_of(session: Session) -> Iterator[tuple[int, float]]:
    kind, rng = session.kind, dice("easy parts", session.seed)
    usual, then, *_ = lots("habit", session.seed)
    for part in session.done:
        cells = part.duration_s // CELL_S
        if part.label == "warm up":
            is_track = kind.shape is Shape.TRACK
            yield from shared_out(readied(cells, rng) if is_track else warmed_up(cells, rng), cells)
        elif part.label in _RECOVERIES:
            levels = between_efforts(kind.mover, part.effort, cells=cells, habit=(usual, then), rng=rng)
            yield from shared_out(levels, cells)
        elif kind.is_driven and part.effort >= _HARD_FROM:
            yield from shared_out(belt_set(rng), cells)
        else:
            yield cells, 1.0


def _sprint(parts: Rows, factors: Floats, planned: Floats, *, whims: Floats) -> None:
    """A sprint is wound up, has a peak and fades; no two are as hard, and the peak comes sooner or later."""
    for at in np.flatnonzero(planned > _SPRINT).tolist():
        start, size = int(parts.starts[at]), int(parts.sizes[at])
        if size <= _SPRINTS_CELLS:
            gone = (np.arange(size) + 0.5) / size
            hard, peaks_at = (low + (high - low) * whims[at] for low, high in (_SPRINTS_DIFFER, _PEAKS_AT))
            factors[start : start + size] = hard * (_SPRINTS_PEAK - _SPRINTS_SLOPE * np.abs(gone - peaks_at))


def _factors(parts: Rows, first: Floats, shares: Floats, bows: Floats) -> Floats:
    """What is added at first and wears off, and what is lost evenly from the first to the last cell of a stretch.

    A stretch with a bow is begun too fast or too slowly, and ended with what is left; its mean stays as it was.
    """
    factors = parts.each(first) * np.exp(parts.gone * (-CELL_S / _SETTLES_S))
    factors = between(factors + 1, _LEAST, _MOST)
    gone = parts.gone / parts.each(parts.sizes.astype(np.float64))
    factors *= parts.each(1 + shares / 2 + bows / 6) - gone * (
        parts.each(shares + bows) - parts.each(bows) * gone
    )
    return np.asarray(factors)


def _begin_late(parts: Rows, factors: Floats, planned: Floats, *, late: Floats, at: Ints) -> None:
    """The first cell of a stretch is partly still the one before: nobody changes on the second that was asked for."""
    cells = parts.starts[at]
    before = planned[at - 1] * factors[cells - 1]
    factors[cells] *= 1 + _LATEST * (late[at] * _ANY % 1) * (before / np.maximum(planned[at], _LEAST) - 1)
