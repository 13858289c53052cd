"""A session by cells, or several end to end: what was computed, before anything is rounded or written down."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.cells import Floats, Ints
from coachboard_demo.routes import Route


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
    power_detail: Floats | float = 0.0  # relative deviation of the seconds inside each cell
    lively: Floats | None = None  # factors on the unevenness of each cell, by the ground
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
