"""A session by cells, or several end to end: what was computed, before anything is rounded or written down."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coachboard.service.demo.cells import Floats, Ints
from coachboard.service.demo.routes import Route


@dataclass(slots=True)
class Trace:
    """Sessions of one practice by cells; a quantity that the practice does not have is None."""

    starts: Ints  # first cell of each planned stretch
    sizes: Ints
    moving: Floats  # 1 where moving, 0 where standing still with the device running
    effort: Floats
    heart_rate: Floats
    cadence: Floats | None = None
    power_w: Floats | None = None
    speed_mps: Floats | None = None
    distance_m: Floats | None = None  # at the end of each cell
    ways: tuple[Route, ...] = ()  # of each session, where there are any
    along_m: Floats | None = None  # on the route, at the end of each cell
    grade_pct: Floats | None = None
    altitude_m: Floats | None = None
    walks: NDArray[np.bool_] | None = None  # where a runner walks
    scales: tuple[float, ...] = (1.0,)  # of each route as drawn for its session

    def __len__(self) -> int:
        return len(self.effort)


def end_to_end(traces: Sequence[Trace]) -> Trace:
    """The sessions of several traces in one."""
    if len(traces) == 1:
        return traces[0]
    firsts = np.array([0, *(len(trace) for trace in traces[:-1])]).cumsum()
    joined: dict[str, Any] = {}
    for field in fields(Trace):
        values = [getattr(trace, field.name) for trace in traces]
        if isinstance(values[0], tuple):
            joined[field.name] = sum(values, ())
        elif values[0] is not None:
            joined[field.name] = np.concatenate(values)
    joined["starts"] += firsts.repeat([len(trace.starts) for trace in traces])
    return Trace(**joined)
