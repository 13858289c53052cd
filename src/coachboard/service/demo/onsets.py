"""How a stretch of a workout begins, is got through and is left: quick off the mark, fading, then let go.

Read off the recorded repetitions: runners and rowers start too fast for some ten seconds, who lets go lets go of more
than was asked for, and nobody holds a recovery as evenly as the work.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard.service.demo.cells import CELL_S, Floats, between
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.session import Session
from coachboard.service.demo.trace import Trace

_A_JUMP = 0.2  # of relative effort; less than that is no new beginning
_SETTLES_S = 11.0  # the recorded rowing starts 26 % over what is held, half of it gone after eight seconds
_LETS_GO, _DIFFER = 0.55, 0.6  # of the jump down; by that share of it from one time to the next
_LEAST, _MOST = 0.2, 1.5
_HARD_FROM = 0.85
_FADES = 0.09  # from the first to the last of a repetition on foot; the recorded ones lose 0 to 13 %
_FADES_DIFFER = 2.0
_WARMS_UP = 0.14  # faster at the end of a warm-up than at its beginning
_RECOVERIES = frozenset({"intra-recovery", "rest"})


def recoveries(session: Session, trace: Trace) -> NDArray[np.bool_] | None:
    """The cells between two efforts; None where there are none."""
    easy = [part.label in _RECOVERIES for part in session.done]
    return np.array(easy).repeat(trace.sizes) if any(easy) else None


def shape_of(session: Session, trace: Trace) -> Floats | None:
    """Factors on the planned effort of each cell; None where nothing begins anew."""
    kind, planned = session.kind, trace.effort[trace.starts]
    jumps = planned[1:] - planned[:-1]
    if kind.is_driven or not np.count_nonzero(np.abs(jumps) > _A_JUMP):
        return None
    differ = 1 + _DIFFER * stretch(ripples(), session.seed * 19 + 3, 2 * len(planned))
    first = np.zeros(len(planned))
    first[1:] = np.where(jumps > 0, kind.kick, _LETS_GO) * jumps * (np.abs(jumps) > _A_JUMP)
    first *= between(differ[::2], 0.2, 1.8) / np.maximum(planned, _LEAST)
    shares = np.array([-_WARMS_UP if part.label == "warm up" else 0.0 for part in session.done])
    if kind.mover is Mover.FEET:
        shares += _FADES * between(_FADES_DIFFER * differ[1::2] - 1, -0.3, 1.5) * (planned >= _HARD_FROM)
    return _factors(trace, first, shares)


def _factors(trace: Trace, first: Floats, shares: Floats) -> Floats:
    """What is added at first and wears off, and what is lost evenly from the first to the last cell of a stretch."""
    sizes = trace.sizes
    gone = np.arange(len(trace)) - trace.starts.repeat(sizes)
    factors = first.repeat(sizes) * _worn_off(int(sizes.max()))[gone]
    factors = between(factors + 1, _LEAST, _MOST)
    factors *= (1 + shares / 2).repeat(sizes) - (shares / sizes).repeat(sizes) * gone
    return factors


@lru_cache(maxsize=64)
def _worn_off(cells: int) -> Floats:
    return np.exp(np.arange(cells) * (-CELL_S / _SETTLES_S))
