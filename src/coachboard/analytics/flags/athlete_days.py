"""The days of an athlete that the rules in `flag_rules.RULES` read, and the reading of a rule; each topic has a module.

`recovery_readings`, `load_readings`, `plan_readings`, `event_readings`, `contact_readings`: each condition is evaluated once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.planning.adherence import Adherence, Match
from coachboard.analytics.planning.illness import MedicalNote
from coachboard.models.enums import NoteType, TrainingStimulus

LONG_EVENT_H, EVENT_REST_D = 3.0, 7
"""After an event of this length, low HRV and missed plans are expected for so many days: a coach passed over a triathlete four
days after an Ironman. Coachboard's own."""
LOOK_BACK_D = 28
"""Days before today to search for the start of an active flag."""


@dataclass(frozen=True, slots=True, eq=False)
class AthleteDays:
    """An athlete's last days; arrays have one value per day and end today."""

    today: date
    daily_load: NDArray[np.float64]
    sessions_a_day: NDArray[np.float64]
    hrv_ms: NDArray[np.float64]
    resting_hr_bpm: NDArray[np.float64]
    asleep_h: NDArray[np.float64]  # the main sleep of each day
    nap_h: NDArray[np.float64]  # naps of each day, NaN without
    matches: Sequence[Match] = field(default=())  # plans and sessions from 28 days ago on, with future plans
    notes: Sequence[tuple[date, NoteType]] = field(default=())
    medical: Sequence[MedicalNote] = field(default=())  # oldest first
    feelings: Sequence[tuple[date, float]] = field(default=())  # rated sessions, oldest first
    events: Sequence[tuple[date, str]] = field(default=())  # days and names of past and future events
    # Days of a medical or availability note, of an illness or an injury.
    excused: frozenset[date] = frozenset()
    away: Sequence[tuple[date, date]] = ()  # first and last day of the absences whose length a note states
    unread: frozenset[str] = frozenset()  # "sessions", "plans": some could not be read, so none may be absent

    @property
    def event_days(self) -> frozenset[date]:
        """The days of past and future events."""
        return frozenset(day for day, _ in self.events)

    @property
    def asleep_24h_h(self) -> NDArray[np.float64]:
        """The main sleep and the naps of each day; NaN without a main sleep. [h]."""
        return self.asleep_h + np.nan_to_num(self.nap_h)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a rule; NaN if a number does not apply."""

    is_raised: bool
    value: float = nan
    low: float = nan
    high: float = nan
    limit: float = nan  # the value from which the rule raises the flag for this athlete
    far: float = nan  # see `how_far`
    deviations: float = nan  # distance from the athlete's mean towards poor, in the athlete's SDs
    days_standing: int = 0
    urgency: float = 1.0  # factor of the severity
    as_of: date | None = None
    shortage: str = ""
    detail: str = ""
    due: date | None = None  # the day of the planned session that the flag is about


def short(shortage: str, as_of: date | None = None) -> Reading:
    """The reading of a rule that has too little data to judge."""
    return Reading(is_raised=False, shortage=shortage, as_of=as_of)


def how_far(value: float, limit: float, *, normal: float) -> float:
    """Distance of a value from normal, where the limit of the flag is 1.

    Parameters
    ----------
    value, limit, normal : float
        In one unit; normal is the athlete's mean or the same number for all athletes.

    Returns
    -------
    float
        Below 1 between normal and limit; NaN if a number is unknown or the limit is normal itself.

    Examples
    --------
    >>> how_far(50.0, 56.0, normal=62.0), how_far(57.0, 55.0, normal=50.0)
    (2.0, 1.4)
    """
    return (value - normal) / (limit - normal) if limit != normal else nan


def days_at_end(holds: NDArray[np.bool_]) -> int:
    """The number of consecutive days, ending today, on which the condition holds."""
    recent = holds[-LOOK_BACK_D:][::-1]
    return int(len(recent) if recent.all() else np.argmin(recent))


def events_ahead(athlete: AthleteDays) -> list[tuple[date, str]]:
    """Days and names of the events and of workouts planned as a race from today on, nearest first."""
    races = [
        (match.planned.day, match.planned.title or "the race")
        for match in athlete.matches
        if match.planned is not None
        and match.adherence is Adherence.AHEAD
        and match.planned.stimulus is TrainingStimulus.RACE
    ]
    # An event and the workout of its day are one race.
    races = [race for race in races if race[0] not in athlete.event_days]
    return sorted(event for event in (*athlete.events, *races) if event[0] >= athlete.today)


def rests_after_event(athlete: AthleteDays) -> bool:
    """Whether the athlete had an event of `LONG_EVENT_H` or longer in the last `EVENT_REST_D` days."""
    raced_s: dict[date, dict[str, float]] = {}
    for match in athlete.matches:
        if match.done is not None and match.done.day in athlete.event_days:
            raced_s.setdefault(match.done.day, {})[match.done.id] = match.done.duration_s
    return any(
        0 <= (athlete.today - day).days <= EVENT_REST_D
        and np.nansum([*parts.values()]) >= LONG_EVENT_H * 3600
        for day, parts in raced_s.items()
    )


def last_known(values: NDArray[np.float64], today: date) -> date | None:
    """The day of the newest value; the values end today."""
    known = np.flatnonzero(~np.isnan(values))
    return today - timedelta(days=int(len(values) - 1 - known[-1])) if len(known) else None


def last_session(athlete: AthleteDays) -> date | None:
    """The newest day with a session."""
    return last_known(np.where(athlete.sessions_a_day > 0, 1.0, np.nan), athlete.today)
