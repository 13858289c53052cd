"""Correlation of a night with the day after it, with the number of pairs and the interval.

A module of its own: views compute nothing, and the other loaders of Trends read no pairs of a night and a day.
"""

from dataclasses import dataclass, field

import numpy as np

from coachboard.analytics.recovery.baseline import deviations_from_normal
from coachboard.analytics.recovery.hrv import ln_hrv
from coachboard.analytics.season.relation import Relation, relation
from coachboard.loaders.matching import local_day
from coachboard.loaders.trends.page_data import TrendsData


@dataclass(frozen=True, slots=True, eq=False)
class NamedRelation:
    """A correlation with the names and values of its two quantities."""

    night: str
    day: str
    found: Relation
    night_values: np.ndarray = field(repr=False)
    day_values: np.ndarray = field(repr=False)


def night_and_day(data: TrendsData) -> tuple[NamedRelation, ...]:
    """Sleep and HRV of each night with load, feeling and RPE of the day after.

    A night has the date of the day it ends on, so the day after it is the same date.
    """
    nights = data.nights
    causes = {
        "sleep duration": nights.shown(nights.asleep_s) / 3600,
        "HRV vs 60-day mean": nights.shown(deviations_from_normal(ln_hrv(nights.hrv_ms), nights.hrv_normal)),
    }
    volume = np.where(data.load.volume > 0, data.load.volume, np.nan)
    answers = {
        "feel score": _of_sessions(data, "feeling"),
        "RPE": _of_sessions(data, "rpe"),
        "load": volume,
    }
    return tuple(
        NamedRelation(night, day, relation(cause, answer), cause, answer)
        for night, cause in causes.items()
        for day, answer in answers.items()
    )


def _of_sessions(data: TrendsData, name: str) -> np.ndarray:
    """The mean of the day's sessions, NaN on days without one."""
    first = data.start.toordinal()
    values: list[list[float]] = [[] for _ in data.load.days]
    for activity in data.activities:
        day, value = local_day(activity), getattr(activity, name)
        if day is not None and value is not None:
            values[day.toordinal() - first].append(float(value))
    return np.array([np.mean(found) if found else np.nan for found in values])
