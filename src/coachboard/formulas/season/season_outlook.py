"""A season of load with the planned weeks, as data for charts and pages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.formulas.frames import FITNESS, FORM
from coachboard.formulas.season.load import SETTLED, LoadModel, LoadStart
from coachboard.formulas.season.phases import Phase


@dataclass(frozen=True, slots=True, eq=False)
class Future:
    """The past year, continued with a share of the planned load."""

    name: str
    frame: pd.DataFrame  # FITNESS, FATIGUE, FORM
    is_rest: bool = False  # no plan is done: an edge of the band, not a line


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
    start: LoadStart = SETTLED  # the first day of the averages; the six weeks from it are not judged
    phases: Sequence[Phase] = ()

    @property
    def plan_end_at(self) -> int:
        """The last day with planned load; today without one."""
        planned = np.flatnonzero(self.planned)
        return int(planned[-1]) if len(planned) else self.today_at

    @property
    def lines_end_at(self) -> int:
        """The last day of the futures' lines: the morning after the plan. A longer line falls like a taper that nobody planned.

        Without a plan all days, which show detraining.
        """
        has_plan = bool(self.planned[self.today_at :].any())
        return min(self.plan_end_at + 1, len(self.days) - 1) if has_plan else len(self.days) - 1

    @property
    def bands(self) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Lowest and highest value of all futures from today on; none without a planned load or a future at rest."""
        if not self.planned[self.today_at :].any() or not any(future.is_rest for future in self.futures):
            return {}
        return {
            column: (rows.min(axis=0), rows.max(axis=0))
            for column in (FITNESS, FORM)
            if len(
                rows := np.array(
                    [future.frame[column].to_numpy()[self.today_at :] for future in self.futures]
                )
            )
        }

    def phases_from(self, from_at: int) -> list[Phase]:
        """The phases of the days from a position on, the first one cut there."""
        first = self.days[from_at]
        return [replace(phase, first=max(phase.first, first)) for phase in self.phases if phase.last >= first]

    @property
    def settling(self) -> Sequence[date]:
        """The days that are shown and not judged."""
        return self.days[max(self.start.first_at, 0) : max(self.start.settled_at, 0)]


@dataclass(frozen=True, slots=True)
class RaceDay:
    """Fitness and form on the morning of the next race, by future."""

    day: date
    name: str
    fitness: dict[str, float]
    form: dict[str, float]
    plan_ends_days_before: int  # 0 or less: the plan reaches the race


def race_day(season: Season) -> RaceDay | None:
    """Fitness and form on the morning of the next race, as planned, with less of the plan, and at rest.

    Parameters
    ----------
    season : Season
        A year of load and the planned weeks with their futures.

    Returns
    -------
    RaceDay or None
        None without a race after today in the planned weeks, or without a planned load before it.

    Notes
    -----
    The load model continued with a share of the planned load: all, 80 %, the athlete's share of the last six weeks, and
    none. Not a prediction of performance: the model knows load alone.

    *Worked example*: fitness 60 and no training for 10 days before the race: 60 · e^(−10/42) = 47 at rest.

    *Missing data*: no race in the planned weeks, or no planned load before it.

    References
    ----------
    Banister et al. (1975); Morton et al. (1990), doi:10.1152/jappl.1990.69.3.1171.

    Examples
    --------
    >>> from datetime import timedelta
    >>> from coachboard.formulas.season.load import CLASSIC, fitness_fatigue_form
    >>> rest, planned = np.zeros(11), np.array([0.0] * 9 + [50.0, 0.0])
    >>> frame = fitness_fatigue_form(rest, start=LoadStart(0, 60.0))
    >>> days = [date(2026, 3, 1) + timedelta(days=n) for n in range(11)]
    >>> futures = [Future("at rest", frame, is_rest=True)]
    >>> found = race_day(Season(days, 0, rest, planned, frame, futures, CLASSIC, [(days[10], "Race")]))
    >>> round(found.fitness["at rest"])
    47
    """
    ahead = sorted(
        (day, name) for day, name in season.events if season.days[season.today_at] < day <= season.days[-1]
    )
    if not ahead:
        return None
    day, name = ahead[0]
    race_at = (day - season.days[0]).days
    if not season.planned[season.today_at : race_at].any():
        return None
    last_planned_at = int(np.flatnonzero(season.planned[:race_at])[-1])
    return RaceDay(
        day,
        name,
        {future.name: float(future.frame[FITNESS].iloc[race_at]) for future in season.futures},
        {future.name: float(future.frame[FORM].iloc[race_at]) for future in season.futures},
        race_at - last_planned_at,
    )
