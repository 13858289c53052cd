"""How lively power and legs are: steady uphill, on and off downhill, and in some minutes more than in others.

Recorded on hills: within half a minute power lies 5 % off its mean on climbs, 17 % on level roads and 38 % on descents,
and from one second to the next it changes by 4, 10 and 17 %.
"""

from functools import cache

import numpy as np

from coachboard_demo.batch import Batch
from coachboard_demo.cells import Floats, between
from coachboard_demo.chance import ripples
from coachboard_demo.trace import Trace

# Nothing comes between a rider and a climb. The seconds are as lively again downhill, out of bends and over crests.
_CALMER_A_PCT, _ON_GROUND = 0.13, (0.4, 1.7)
# Of the recorded level rides one lies 5 % off its mean within half a minute and another one 20 %.
_MINUTES_CELLS, _MINUTES_DIFFER, _MINUTES = 36, 0.5, (0.45, 2.2)


def minutes_of(batch: Batch) -> Floats:
    """Factors on the unevenness of each cell: some minutes are ridden or run like clockwork, others are not."""
    return batch.drawn_for(_MINUTES_CELLS, _factors(), 53, 37)


@cache
def _factors() -> Floats:
    return between(np.exp(_MINUTES_DIFFER * ripples()), *_MINUTES)


def on_ground(grade_pct: Floats) -> Floats:
    """The same by the grade."""
    return between(1 - _CALMER_A_PCT * grade_pct, *_ON_GROUND)


def of_seconds(batch: Batch, trace: Trace) -> Floats | float:
    """How far the seconds of each cell deviate from its mean."""
    detail = batch.kind.detail
    return detail if trace.lively is None else detail * trace.lively
