"""A season of load with the planned weeks, as data for charts and pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.analytics.season.load import SETTLED, LoadModel, LoadStart


@dataclass(frozen=True, slots=True, eq=False)
class Future:
    """The past year, continued with a share of the planned load."""

    name: str
    frame: pd.DataFrame  # FITNESS, FATIGUE, FORM


@dataclass(frozen=True, slots=True, eq=False)
class Season:
    """A year of load and the planned weeks; arrays have one value per day of `days`."""

    days: Sequence[date]
    today_at: int
    volume: NDArray[np.float64]
    planned: NDArray[np.float64]  # estimated, of open plans
    actual: pd.DataFrame  # FITNESS, FATIGUE, FORM up to today, from sessions only
    futures: Sequence[Future]  # each with the same past; today's open plan counts in them
    model: LoadModel
    events: Sequence[tuple[date, str]]
    start: LoadStart = SETTLED  # the first day of the averages; the four weeks from it are not judged

    @property
    def plan_end_at(self) -> int:
        """The last day with planned load; today without one."""
        planned = np.flatnonzero(self.planned)
        return int(planned[-1]) if len(planned) else self.today_at

    @property
    def settling(self) -> Sequence[date]:
        """The days that are shown and not judged."""
        return self.days[max(self.start.first_at, 0) : max(self.start.settled_at, 0)]
