"""How hard a heart finds what legs and arms do: no two repetitions alike, and never nothing where somebody steers."""

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.batch import Batch
from coachboard_demo.cells import Floats, between
from coachboard_demo.chance import ripples
from coachboard_demo.practice import Mover
from coachboard_demo.trace import Trace

# Recorded repetitions of one power end at 160, 170, 175 and 178 beats, at 179, 183 and 185, at 162, 171, 173 and 176:
# each a little above the one before, the first well below the rest; the walks between five of them at 109 to 122. From
# threshold on a heart has little room left: there it takes more of the effort to make a difference.
_DIFFER = {"active": 0.01, "maximum": 0.08, "intra-recovery": 0.11, "rest": 0.14}
_HARD_DIFFER, _HARD_FROM = 0.046, 0.98
# On a track they end at 199, 198, 177, 188 and 187, and one of the five has two humps.
_RUN_DIFFER, _HUMPS, _HUMPS_LONG = 0.095, 0.12, 1.3
_WORK = frozenset({"active", "maximum"})
_WARMS = {"active": 1.0, "maximum": 0.3}  # strides before repetitions are no repetitions
_FRESH, _HARD_FRESH, _FRESH_FOR = (
    0.05,
    0.17,
    1.3,
)  # felt that much less at first; repetitions until it wears off
_APART = 5  # cells of the stock, which remembers three
_FURTHEST = 2.0


def felt(batch: Batch, trace: Trace, braced: Floats | None) -> Floats:
    """Relative efforts as the heart answers them."""
    found, least = trace.effort, batch.kind.least_effort
    if least:
        found = np.maximum(found, least * trace.moving)
    hard = np.array([part.label == "active" and part.effort > _HARD_FROM for part in batch.done])
    is_run = batch.kind.mover is Mover.FEET and not batch.kind.is_driven
    differ = np.where(
        hard, _RUN_DIFFER if is_run else _HARD_DIFFER, [_DIFFER.get(part.label, 0.0) for part in batch.done]
    )
    if differ.any():
        stock = batch.drawn(ripples(), 37, 8, counts=_APART * batch.workouts.sizes)
        drawn = between(stock[::_APART], -_FURTHEST, _FURTHEST) * differ - _fresh(batch, hard)
        found = found * batch.parts.each(1 + drawn)
        if is_run and hard.any():
            at = np.flatnonzero(batch.parts.each(hard))
            part = batch.parts.of[at]
            gone = batch.parts.gone[at] / batch.parts.sizes[part]
            found[at] *= 1 + _HUMPS * stock[_APART // 2 :: _APART][part] * np.sin(
                2 * np.pi * _HUMPS_LONG * gone
            )
    return found if braced is None else np.maximum(found, braced)


def _fresh(batch: Batch, hard: NDArray[np.bool_]) -> Floats:
    """The share by which each part is felt less: the first repetitions are, and each that follows less so."""
    work = np.array([part.label in _WORK for part in batch.done], np.float64)
    counted = np.array([_WARMS.get(part.label, 0.0) for part in batch.done])
    before = batch.workouts.summed(counted) - counted
    return np.asarray(work * np.where(hard, _HARD_FRESH, _FRESH) * np.exp(before / -_FRESH_FOR))
