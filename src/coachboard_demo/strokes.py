"""How strokes are told: a rowing machine tells the pull that is over until the next one is, a watch counts some first."""

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, Ints
from coachboard_demo.practice import Mover
from coachboard_demo.session import Session

_PULL_S = 3
"""Of four steps from one second to the next, three change nothing in the recorded power."""


def is_told_by_strokes(session: Session) -> bool:
    """Whether the device is such a machine."""
    return session.kind.mover is Mover.STROKES and session.shape is None


def by_strokes(values: Floats) -> Floats:
    """Values of each second, held until the next pull is told."""
    return values[np.arange(len(values)) // _PULL_S * _PULL_S]


def from_nothing(session: Session, starts: Ints, values: Floats) -> None:
    """Each piece begins anew: the recorded machine tells 0 for the second or two before it, whatever was rowed until then."""
    for cell, part in zip(starts.tolist(), session.done, strict=True):
        if cell and part.label in _PIECES:
            values[cell * CELL_S - 1 - (session.seed + cell) % 2 : cell * CELL_S] = 0.0


_PIECES = frozenset({"active", "maximum"})


_FIRST_COUNTED_S, _STARTS_DIFFER_S = (
    11,
    9,
)  # the recorded watch in a lake tells nothing for 15 s, then 34 at once


def counted(session: Session, rate: Floats) -> Floats:
    """A rate of strokes in a lake: none until enough of them were counted."""
    rate[: _FIRST_COUNTED_S + session.seed % _STARTS_DIFFER_S] = 0.0
    return rate
