"""Normal ranges of the nights, and what the rules about nights share."""

from datetime import date
from math import isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from coachboard.flags.athlete_days import last_known
from coachboard.formulas.recovery.baseline import MINIMUM_DAYS, WINDOW_D

HRV_WIDTH_SD = 0.5
RESTING_HR_WIDTH_SD = 0.5
SLEEP_WIDTH_SD = 1.0
"""Half width of the normal range of sleep, the same on every page."""
NORMAL_RANGE = (
    f"{WINDOW_D}-day mean ± {HRV_WIDTH_SD:g} SD (HRV, resting heart rate) or ± {SLEEP_WIDTH_SD:g} SD (sleep)"
)
"""The definition for the reader, next to each list of normal ranges."""
HRV_UNCERTAINTY_MS = 1.0
"""Errors of wearables over several nights, Coachboard's own: a value closer to the edge of the normal range is no flag."""
RESTING_HR_UNCERTAINTY_BPM = 1.0
SLEEP_UNCERTAINTY_H = 0.25
RECENT_NIGHT_D = 2
"""An older night does not describe this morning."""


Side = Literal["within", "below", "above", "at the edge of"]


def side_of_normal(value: float, low: float, high: float, error: float) -> Side:
    """Where a mean is, by one rule for all pages: outside the range by less than the error it is at its edge."""
    if value < low:
        return "below" if value <= low - error else "at the edge of"
    if value > high:
        return "above" if value >= high + error else "at the edge of"
    return "within"


def night_shortage(values: NDArray[np.float64], line: NDArray[np.float64], today: date) -> str:
    """Why nights allow no judgement: too few of 60, or none of the last two days; empty if they do."""
    nights = int((~np.isnan(values[-61:-1])).sum())
    if nights < MINIMUM_DAYS:
        return f"needs {MINIMUM_DAYS} nights, has {nights}"
    return recent_shortage(values, line, today)


def recent_shortage(values: NDArray[np.float64], line: NDArray[np.float64], today: date) -> str:
    """Why the last nights allow no judgement; empty if they do.

    It names the age of the newest night, because the page shows the mean of the nights of a week next to it.
    """
    newest = last_known(values, today)
    if newest is None:
        return "no night"
    if (days := (today - newest).days) > RECENT_NIGHT_D:
        return f"newest night {days} days ago"
    return "too few of the last nights" if isnan(line[-1]) else ""


def lowest(values: NDArray[np.float64], days: int) -> NDArray[np.float64]:
    """The lowest valid value of so many days up to each; NaN without any."""
    padded = np.concatenate([np.full(days - 1, np.inf), np.where(np.isnan(values), np.inf, values)])
    lowest = np.lib.stride_tricks.sliding_window_view(padded, days).min(axis=1)
    return np.where(np.isinf(lowest), nan, lowest)


def deviations(distance: float, deviation: float) -> float:
    """A distance in standard deviations; NaN without any variation."""
    return float(distance / deviation) if deviation > 0 else nan
