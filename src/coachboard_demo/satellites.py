"""What satellites make of somebody who stops: now and then a leap."""

import math

from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.chance import ripples, stretch
from coachboard_demo.session import Session
from coachboard_demo.trace import Trace

# The recorded hike has six leaps an hour of 1.5 to 3 times its usual speed, where it stops and where it goes on.
_LEAPS, _ON_GOING, _LEAST_LEAP, _LEAPS_FALL, _FASTEST_LEAP_MPS = 0.28, 0.18, 1.5, 0.5, 6.5
_ANY = 37.0  # many times a noise, less whole numbers: anything between 0 and 1


def leap(batch: Batch, trace: Trace) -> None:
    """Where somebody gets going again, satellites may find the place anew and take it for a leap."""
    assert trace.speed_mps is not None
    assert trace.distance_m is not None
    usual = batch.last(trace.distance_m) / (batch.sizes * CELL_S)
    for session, here, mps in zip(batch.sessions, batch.slices(), usual.tolist(), strict=True):
        if session.stops or session.pauses:
            _leap_once(session, trace.speed_mps[here], mps)


def _leap_once(session: Session, speed_mps: Floats, usual_mps: float) -> None:
    spots = (*session.stops, *((cell, 0) for cell, _ in session.pauses))
    whims = (stretch(ripples(), session.seed * 53 + 37, len(spots)) * _ANY % 1).tolist()
    for (cell, count), whim in zip(spots, whims, strict=True):
        at = cell + count if whim < _ON_GOING else cell - 1
        if whim < _LEAPS and 0 < at < len(speed_mps):
            mps = usual_mps * (_LEAST_LEAP - _LEAPS_FALL * math.log(1 - whim / _LEAPS))
            speed_mps[at] = min(mps, _FASTEST_LEAP_MPS)
