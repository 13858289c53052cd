"""What the rules of `flag_rules.RULES` are given and what they give back; each topic's readings are a module.

`recovery_readings`, `load_readings`, `plan_readings`, `contact_readings`: nothing is decided twice in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.adherence import Match
from coachboard.models.enums import NoteType

LOOK_BACK_D = 28
"""How far back a standing flag is followed."""


@dataclass(frozen=True, slots=True, eq=False)
class AthleteDays:
    """What is known of an athlete's last days; arrays have one value a day and end today."""

    today: date
    daily_load: NDArray[np.float64]
    sessions_a_day: NDArray[np.float64]
    hrv_ms: NDArray[np.float64]
    resting_hr_bpm: NDArray[np.float64]
    asleep_h: NDArray[np.float64]  # the main sleep of each day
    nap_h: NDArray[np.float64]  # naps of each day, NaN without
    matches: Sequence[Match] = field(default=())  # plans and sessions from 28 days ago to what lies ahead
    notes: Sequence[tuple[date, NoteType]] = field(default=())
    medical_titles: Mapping[date, str] = field(default_factory=dict)  # titles of medical notes
    feelings: Sequence[tuple[date, float]] = field(default=())  # rated sessions, oldest first

    @property
    def asleep_24h_h(self) -> NDArray[np.float64]:
        """The main sleep and the naps of each day; NaN without a main sleep. [h]."""
        return self.asleep_h + np.nan_to_num(self.nap_h)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a rule found; NaN where it has no such number."""

    is_raised: bool
    value: float = nan
    low: float = nan
    high: float = nan
    days_standing: int = 0
    as_of: date | None = None
    shortage: str = ""
    detail: str = ""


def short(shortage: str, as_of: date | None = None) -> Reading:
    """No result: not enough data."""
    return Reading(is_raised=False, shortage=shortage, as_of=as_of)


def days_at_end(holds: NDArray[np.bool_]) -> int:
    """For how many days up to today a condition has held without a break."""
    recent = holds[-LOOK_BACK_D:][::-1]
    return int(len(recent) if recent.all() else np.argmin(recent))


def last_known(values: NDArray[np.float64], today: date) -> date | None:
    """The day of the newest value, of values that end today."""
    known = np.flatnonzero(~np.isnan(values))
    return today - timedelta(days=int(len(values) - 1 - known[-1])) if len(known) else None


def last_session(athlete: AthleteDays) -> date | None:
    """The newest day with a session."""
    return last_known(np.where(athlete.sessions_a_day > 0, 1.0, np.nan), athlete.today)
