"""A session computed on the grid of cells: effort, power, where on the route, how fast, how the heart follows.

Summary and streams both start from this, so that what the summary says is what the streams show.
"""

import numpy as np

from coachboard.service.demo import heart, motion
from coachboard.service.demo.cells import CELL_S, Floats, lag
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.felt import felt
from coachboard.service.demo.pool import by_cell, effort_at_rest, lengths_of
from coachboard.service.demo.practice import Mover
from coachboard.service.demo.rhythm import cadence_of
from coachboard.service.demo.session import Session
from coachboard.service.demo.standing import moving_of, rest_in_pauses
from coachboard.service.demo.trace import Trace
from coachboard.service.demo.travel import travel

_POD_S, _POD_SPREAD = 3.0, 0.018


def simulate(session: Session) -> Trace:
    """Compute a session; the same session gives the same trace."""
    if session.kind.mover is Mover.LENGTHS:
        return _swim(session)
    sizes = np.array([part.duration_s for part in session.done]) // CELL_S
    efforts = np.array([part.effort for part in session.done]) * session.kind.effort_share
    target = efforts.repeat(sizes)
    moving, braced = moving_of(session, len(target))
    trace = Trace(starts=sizes.cumsum() - sizes, sizes=sizes, moving=moving, effort=target, heart_rate=target)
    noise = stretch(ripples(), session.seed, len(target))
    if session.kind.mover is Mover.NOTHING:
        trace.effort = np.maximum(target * np.exp(session.kind.ripple * noise), 0)
    else:
        travel(session, trace, noise)
    trace.heart_rate = rest_in_pauses(session, _heart_rate(session, felt(session, trace, braced), noise))
    trace.cadence = cadence_of(session, trace)
    _add_power(session, trace)
    return trace


def _heart_rate(session: Session, effort: Floats, noise: Floats) -> Floats:
    return heart.heart_rate(
        effort * session.kind.heart_share,
        hr_max=session.body.hr_max,
        hr_rest=session.body.hr_rest,
        temperature_c=session.weather.temperature_c,
        ripple=noise,
        slow_share=session.kind.heart_slow_share,
    )


def _swim(session: Session) -> Trace:
    lengths = lengths_of(session)
    spans = lengths.end_s - lengths.start_s
    swimming = by_cell(lengths, np.ones(len(spans)), at_rest=0.0)
    speed = by_cell(lengths, session.pool_m / spans, at_rest=0.0)
    effort = by_cell(lengths, lengths.effort, at_rest=effort_at_rest(session, lengths))
    return Trace(
        starts=np.zeros(1, np.int64),
        sizes=np.array([len(effort)]),
        moving=swimming,
        effort=effort,
        heart_rate=_heart_rate(session, effort, stretch(ripples(), session.seed, len(effort))),
        cadence=by_cell(lengths, lengths.strokes * 60 / spans, at_rest=0.0),
        speed_mps=speed,
        distance_m=np.cumsum(speed) * CELL_S,
    )


def _add_power(session: Session, trace: Trace) -> None:
    kind, body = session.kind, session.body
    if not kind.has_power or kind.mover is Mover.NOTHING:
        return
    if kind.mover is Mover.FEET:
        # A foot pod knows the effort, not what satellites make of the speed.
        level = lag(trace.effort, _POD_S / CELL_S) * (body.speed_mps * kind.speed_share)
        uneven = 1 + _POD_SPREAD * stretch(ripples(), session.seed * 29 + 4, len(trace))
        trace.power_w = motion.running_power(level * uneven, body.mass_kg) * trace.moving
        if trace.cadence is not None:  # a foot pod that counts no step tells no power
            trace.power_w = trace.power_w * (trace.cadence > 0)
    else:
        trace.power_w = trace.effort * body.power_w
