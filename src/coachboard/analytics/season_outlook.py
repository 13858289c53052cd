"""A season of load with the planned weeks after it: what charts and pages hand on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.analytics.load import SETTLED, LoadModel, LoadStart


@dataclass(frozen=True, slots=True, eq=False)
class Future:
    """The year as done, carried on with a share of what is planned."""

    name: str
    frame: pd.DataFrame  # FITNESS, FATIGUE, FORM


@dataclass(frozen=True, slots=True, eq=False)
class Season:
    """A year of load and the planned weeks after it; arrays have one value a day of `days`."""

    days: Sequence[date]
    today_at: int
    volume: NDArray[np.float64]
    planned: NDArray[np.float64]  # estimated, of plans that are still ahead
    actual: pd.DataFrame  # FITNESS, FATIGUE, FORM up to today, from what was done alone
    futures: Sequence[Future]  # each holds the same past; an open plan of today counts in them
    model: LoadModel
    own_share: float  # of the last six weeks, NaN where nothing was planned
    events: Sequence[tuple[date, str]]
    start: LoadStart = SETTLED  # the first day that the means know; four weeks from it are not judged

    @property
    def settling(self) -> Sequence[date]:
        """The days that are shown and not judged."""
        return self.days[max(self.start.first_at, 0) : max(self.start.settled_at, 0)]
