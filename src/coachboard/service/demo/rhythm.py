"""How fast legs turn and arms pull: asked for, or as effort and slope have it."""

import numpy as np

from coachboard.models.enums import Sport
from coachboard.service.demo.cells import Floats, between
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.session import Session
from coachboard.service.demo.trace import Trace

_WALKS_BELOW, _WALKING_RPM = 0.5, 57.0
_SLOWEST_RPM = 25.0
_LOST_RPM_A_PCT = 1.6  # of grade, on wheels
_COASTS_BELOW = 0.08  # relative effort


def cadence_of(session: Session, trace: Trace) -> Floats | None:
    """Turns, strides or strokes a minute by cells, 0 where there are none; None where nothing turns."""
    kind = session.kind
    if kind.cadence_rpm is None:
        return None
    rate = _free(session, trace, kind.cadence_rpm + session.body.cadence_shift_rpm)
    if any(part.cadence_rpm for part in session.done):
        asked = np.array([part.cadence_rpm for part in session.done]).repeat(trace.sizes)
        rate = np.where(asked > 0, asked, rate)
    # Gears come in steps, feet keep their rhythm.
    spread = 0.04 + 0.45 * min(kind.ripple, 0.2) if kind.mover is Mover.WHEELS else 0.008 + 0.1 * kind.ripple
    rate = rate * (1 + spread * stretch(ripples(), session.seed * 5 + 3, len(trace)))
    turning = trace.effort > _COASTS_BELOW if kind.mover is Mover.WHEELS else trace.moving > 0
    return np.asarray(np.maximum(rate, _SLOWEST_RPM) * turning)


def _free(session: Session, trace: Trace, base_rpm: float) -> Floats:
    """As it comes when nobody asks: quicker with effort, slower uphill, a walk where it is too easy to run."""
    kind = session.kind
    share = 0.05 if kind.mover is Mover.FEET else 0.1
    free: Floats = base_rpm * (1 - 0.7 * share) + base_rpm * share * trace.effort
    if kind.mover is Mover.WHEELS and trace.grade_pct is not None:
        free = free - _LOST_RPM_A_PCT * between(trace.grade_pct, 0, 9)
    if kind.sport is Sport.RUNNING:
        walks = trace.effort < _WALKS_BELOW
        if trace.grade_pct is not None:
            walks |= trace.grade_pct > kind.walks_above_pct
        free = np.where(walks, _WALKING_RPM, free)
    return free
