"""Volume of each day of a range, with load averages that start before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.formulas.days import daily_sum, day_row
from coachboard.formulas.season.load import CLASSIC, LoadModel, LoadStart, fitness_fatigue_form, own_start


@dataclass(frozen=True, slots=True, eq=False)
class DailyLoad:
    """Volume of each day of the range with fitness, fatigue and form."""

    days: list[date]
    volume: NDArray[np.float64]
    volume_before: NDArray[np.float64]  # of the days before the range, for weeks that begin there
    frame: pd.DataFrame  # FITNESS, FATIGUE, FORM
    model: LoadModel
    settling: tuple[int, int] = (0, 0)  # indices of the days that are not judged, the second exclusive


def daily_load(
    dated_volumes: Sequence[tuple[date, float | None]] | None, *, first: date, start: date, end: date
) -> DailyLoad:
    """Load by local day, with weighted means calculated from `first` on.

    Parameters
    ----------
    dated_volumes : sequence of (date, float or None), or None
        Local day and volume of each session, in any order. [score] None where the sessions are not known: a day
        without any is a day of rest, one of which nothing is known is NaN.
    first : date
        From where the means run; half a year before `start` forgets how they were seeded.
    start, end : date
        First and last day of the result.

    Returns
    -------
    DailyLoad
        Arrays of one value a day from `start` to `end`.

    Examples
    --------
    >>> monday = date(2026, 3, 2)
    >>> daily_load([(monday, 40.0), (monday, None)], first=monday, start=monday, end=monday).volume.tolist()
    [40.0]
    """
    sessions = dated_volumes or ()
    volume = daily_sum([day for day, _ in sessions], [v for _, v in sessions], start=first, end=end)
    starts = own_start(volume)
    frame = fitness_fatigue_form(volume, CLASSIC, start=starts)
    if dated_volumes is None:
        volume, frame = np.full_like(volume, np.nan), frame * np.nan
    warm_up_d = (start - first).days
    return DailyLoad(
        day_row(start, end),
        volume[warm_up_d:],
        volume[:warm_up_d],
        frame.iloc[warm_up_d:].reset_index(drop=True),
        CLASSIC,
        settling=_settling(starts, warm_up_d, len(volume)),
    )


def _settling(start: LoadStart, warm_up_d: int, days: int) -> tuple[int, int]:
    """The settling days as indices in the range, the second exclusive; (0, 0) without any."""
    first, last = max(start.first_at - warm_up_d, 0), min(start.settled_at, days) - warm_up_d
    return (first, last) if last > first else (0, 0)
