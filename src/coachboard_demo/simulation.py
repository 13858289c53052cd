"""Sessions computed on the grid of cells: effort, power, where on the route, how fast, how the heart follows.

Summary and streams both start from this, so that what the summary says is what the streams show.
"""

import numpy as np

from coachboard_demo import heart, motion
from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.chance import ripples
from coachboard_demo.felt import felt
from coachboard_demo.liveliness import of_seconds, on_ground
from coachboard_demo.pool import by_cell, lengths_of
from coachboard_demo.practice import Mover
from coachboard_demo.rhythm import cadence_of
from coachboard_demo.session import Session
from coachboard_demo.standing import moving_of, rest_in_pauses
from coachboard_demo.trace import Trace
from coachboard_demo.travel import travel

_POD_S, _POD_SPREAD = 3.0, 0.018


def simulate(session: Session) -> Trace:
    """Compute a session; the same session gives the same trace."""
    return simulate_all(Batch(session))


def simulate_all(batch: Batch) -> Trace:
    """Compute sessions, each as if it were alone."""
    kind = batch.kind
    if kind.mover is Mover.LENGTHS:
        return _swim(batch)
    target = batch.parts.each(np.array([part.effort for part in batch.done]) * kind.effort_share)
    moving, braced = moving_of(batch)
    trace = Trace(
        starts=batch.parts.starts, sizes=batch.parts.sizes, moving=moving, effort=target, heart_rate=target
    )
    noise = batch.drawn(ripples(), 1)
    if kind.mover is Mover.NOTHING:
        trace.effort = np.maximum(target * np.exp(kind.ripple * noise), 0)
    else:
        travel(batch, trace, noise)
    if kind.mover is Mover.WHEELS and trace.grade_pct is not None:
        trace.lively = on_ground(trace.grade_pct)
    trace.heart_rate = rest_in_pauses(batch, _heart_rate(batch, felt(batch, trace, braced), noise))
    trace.cadence = cadence_of(batch, trace)
    _add_power(batch, trace)
    return trace


def _heart_rate(batch: Batch, effort: Floats, noise: Floats) -> Floats:
    hearts = heart.Hearts(
        batch.body("hr_max"),
        batch.body("hr_rest"),
        np.array([session.weather.temperature_c for session in batch.sessions]),
        batch.kind.heart_slow_share,
    )
    return heart.heart_rate(effort * batch.kind.heart_share, noise, hearts, batch)


def _swim(batch: Batch) -> Trace:
    swum = [by_cell(session, lengths_of(session)) for session in batch.sessions]
    swimming, speed, effort, cadence = np.concatenate(swum, axis=1)
    return Trace(
        starts=batch.starts,
        sizes=batch.sizes,
        moving=swimming,
        effort=effort,
        heart_rate=_heart_rate(batch, effort, batch.drawn(ripples(), 1)),
        cadence=cadence,
        speed_mps=speed,
        distance_m=batch.summed(speed) * CELL_S,
    )


def _add_power(batch: Batch, trace: Trace) -> None:
    kind = batch.kind
    if not kind.has_power or kind.mover is Mover.NOTHING:
        return
    if kind.mover is Mover.FEET:
        # A foot pod knows the effort, not what satellites make of the speed.
        level = batch.lagged(trace.effort, _POD_S / CELL_S)
        level *= batch.each(batch.body("speed_mps") * kind.speed_share)
        uneven = 1 + _POD_SPREAD * batch.drawn(ripples(), 29, 4)
        trace.power_w = motion.running_power(level * uneven, batch.each(batch.body("mass_kg"))) * trace.moving
        if trace.cadence is not None:  # a foot pod that counts no step tells no power
            trace.power_w = trace.power_w * (trace.cadence > 0)
    else:
        trace.power_w = trace.effort * batch.each(batch.body("power_w"))
    trace.power_detail = of_seconds(batch, trace)
