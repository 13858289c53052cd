"""What efforts are worth in speed: the tables of each body, how unevenly it goes, how late legs answer."""

import numpy as np

from coachboard_demo import motion
from coachboard_demo.batch import Batch
from coachboard_demo.cells import Floats, Ints
from coachboard_demo.chance import ripples
from coachboard_demo.practice import Mover
from coachboard_demo.session import Session

LEGS_S = {
    Mover.WHEELS: 10.0,
    Mover.FEET: 3.0,
    Mover.STROKES: 10.0,
}  # runners start and stop within five seconds
SLOWEST_MPS = {Mover.WHEELS: 1.6, Mover.FEET: 0.5, Mover.STROKES: 0.3}
_BIKE_KG = 9.0
_SPEED_NOISE = 0.35


def rough(batch: Batch, counts: Ints) -> Floats:
    """Factors on the speed of so many cells, or points of the way, of each session."""
    kind = batch.kind
    other = batch.drawn(ripples(), 3, 5, counts=counts)
    if kind.rough:
        return np.asarray(np.exp(kind.rough * other))
    return np.asarray(1 + max(_SPEED_NOISE * min(kind.ripple, 0.12), kind.satellites) * other)


def units_of(batch: Batch) -> Floats:
    """What an effort of 1 is in the table of speeds."""
    return batch.body("power_w") if batch.kind.mover is Mover.WHEELS else np.ones(len(batch.sessions))


def tables_of(batch: Batch) -> list[motion.Table]:
    """The speeds of each session's body."""
    return [_table(session) for session in batch.sessions]


def _table(session: Session) -> motion.Table:
    kind, body = session.kind, session.body
    if kind.mover is Mover.WHEELS:
        # Masses in steps of 2 kg and areas by body size: a table is shared by a season's rides.
        mass = 2 * round((body.mass_kg + _BIKE_KG) / 2)
        area = round(kind.drag_area_m2 * (body.mass_kg / 72) ** 0.5, 2)
        return motion.wheels(mass, area, kind.rolling, kind.top_mps)
    threshold = round(body.speed_mps * kind.speed_share, 2)
    uphill = kind.uphill if kind.mover is Mover.FEET else 0.0
    return motion.feet(threshold, uphill, kind.top_mps)
