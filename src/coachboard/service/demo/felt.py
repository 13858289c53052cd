"""How hard a heart finds what legs and arms do: no two repetitions alike, and never nothing where somebody steers."""

import numpy as np

from coachboard.service.demo.cells import Floats, between
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.session import Done, Session
from coachboard.service.demo.trace import Trace

# Five recorded repetitions of one speed end at 199, 198, 176, 188 and 180 beats, three of one power at 179, 183 and 185,
# four others at 162, 171, 173 and 176; the walks between them at 109 to 122. From threshold on a heart has little room
# left: there it takes more of the effort to make a difference.
_DIFFER = {"active": 0.045, "maximum": 0.1, "intra-recovery": 0.16, "rest": 0.2}
_HARD_DIFFER, _HARD_FROM = 0.11, 0.98
_FIRST, _FIRST_PARTS = 0.8, 3.0  # the first are felt less, by that many deviations
_APART = 5  # cells of the stock, which remembers three
_FURTHEST = 2.0


def felt(session: Session, trace: Trace, braced: Floats | None) -> Floats:
    """Relative efforts as the heart answers them."""
    found, least = trace.effort, session.kind.least_effort
    if least:
        found = np.maximum(found, least * trace.moving)
    differ = [_differs(part) for part in session.done]
    if any(differ):
        drawn = stretch(ripples(), session.seed * 37 + 8, _APART * len(differ))[::_APART]
        drawn = between(drawn, -_FURTHEST, _FURTHEST) - _FIRST * np.exp(
            np.arange(len(differ)) / -_FIRST_PARTS
        )
        found = found * (1 + np.array(differ) * drawn).repeat(trace.sizes)
    return found if braced is None else np.maximum(found, braced)


def _differs(part: Done) -> float:
    is_hard = part.label == "active" and part.effort > _HARD_FROM
    return _HARD_DIFFER if is_hard else _DIFFER.get(part.label, 0.0)
