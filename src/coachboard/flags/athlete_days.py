"""The days of an athlete that the flag rules read, and the questions that several rules ask of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan, nan
from statistics import median

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.adherence import HARD_STIMULI, WEEK_D, Adherence, Done, Match, Planned
from coachboard.formulas.plausible import or_zero
from coachboard.formulas.recovery.illness import Absence, MedicalNote, absences
from coachboard.plurals import duration_hm
from coachboard.wire.enums import NoteType, Sport, TrainingStimulus

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
    matches: Sequence[Match] = field(default=())  # plans and sessions from 42 days ago on, with future plans
    notes: Sequence[tuple[date, NoteType]] = field(default=())
    medical: Sequence[MedicalNote] = field(default=())  # oldest first
    feelings: Sequence[tuple[date, float]] = field(default=())  # rated sessions, oldest first
    events: Sequence[tuple[date, str]] = field(default=())  # days and names of past and future events
    # Days of a medical, availability or rest day note, of an illness or an injury.
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


def days_at_end(holds: NDArray[np.bool_]) -> int:
    """The number of consecutive days, ending today, on which the condition holds."""
    recent = holds[-LOOK_BACK_D:][::-1]
    return int(len(recent) if recent.all() else np.argmin(recent))


def last_known(values: NDArray[np.float64], today: date) -> date | None:
    """The day of the newest value; the values end today."""
    recorded = np.flatnonzero(~np.isnan(values))
    return today - timedelta(days=int(len(values) - 1 - recorded[-1])) if len(recorded) else None


def last_session(athlete: AthleteDays) -> date | None:
    """The newest day with a session."""
    return last_known(np.where(athlete.sessions_a_day > 0, 1.0, np.nan), athlete.today)


def training_days(athlete: AthleteDays) -> int:
    """Days from the first session on."""
    trained = np.flatnonzero(athlete.sessions_a_day > 0)
    return int(len(athlete.sessions_a_day) - trained[0]) if len(trained) else 0


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


def next_event(athlete: AthleteDays) -> tuple[date, str] | None:
    """The nearest event of the next seven days, without today; a workout planned as a race is none."""
    soon = (event for event in athlete.events if 0 < (event[0] - athlete.today).days <= WEEK_D)
    return min(soon, default=None)


def plans_until(athlete: AthleteDays, day: date) -> list[Planned]:
    """The open plans before that day."""
    ahead = (match.planned for match in athlete.matches if match.adherence is Adherence.AHEAD)
    plans = {plan.id: plan for plan in ahead if plan is not None and plan.day < day}
    return list(plans.values())


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


def absences_of(athlete: AthleteDays) -> tuple[Absence, ...]:
    """The athlete's illnesses and injuries, oldest first."""
    trained = {
        athlete.today - timedelta(days=int(n)) for n in np.flatnonzero(athlete.sessions_a_day[::-1] > 0)
    }
    return absences(
        athlete.medical, trained, today=athlete.today, hard={done.day for done in hard_sessions(athlete)}
    )


def hard_sessions(athlete: AthleteDays) -> list[Done]:
    """The hard sessions that were done."""
    return [m.done for m in athlete.matches if m.done is not None and m.done.stimulus in HARD_STIMULI]


def open_plans_soon(athlete: AthleteDays) -> list[Planned]:
    """The open plans of today and tomorrow."""
    soon = (athlete.today, athlete.today + timedelta(days=1))
    plans = (match.planned for match in athlete.matches if match.adherence is Adherence.AHEAD)
    return [plan for plan in plans if plan is not None and plan.day in soon]


def next_hard_session(athlete: AthleteDays) -> Planned | None:
    """The first open hard plan of today or tomorrow."""
    return next(filter(is_taxing, open_plans_soon(athlete)), None)


TAXING = HARD_STIMULI - {TrainingStimulus.NEUROMUSCULAR}
"""Strides and short sprints with full rests are no session to move after a poor night: an easy run with strides put a
beginner next to an athlete who is ill."""
LONG_H = 3.0
"""A plan without a stimulus of this length is a long session: seven hours of today gave way to tomorrow's intervals.
Coachboard's own. [h]"""
LONG_TEMPO_H, TEMPO_LOAD = 1.5, 90.0
"""Tempo of this length or load is a hard session: 144 min of climbs went on after three poor nights. Coachboard's own."""


def is_taxing(session: Planned | Done) -> bool:
    """Whether a session is hard enough to move after a poor night."""
    if session.stimulus is TrainingStimulus.TEMPO:
        return session.duration_s >= LONG_TEMPO_H * 3600 or session.volume >= TEMPO_LOAD
    return session.stimulus in TAXING if session.stimulus else session.duration_s >= LONG_H * 3600


def today_or_tomorrow(day: date, today: date) -> str:
    """The word for the day of a plan of `open_plans_soon`."""
    return "today" if day == today else "tomorrow"


def session_words(session: Planned | Done) -> str:
    """The type of a session, or its length without a type."""
    if not session.stimulus:
        return f"{duration_hm(session.duration_s)} session"
    stimulus = TrainingStimulus(str(session.stimulus))
    return "VO2max" if stimulus is TrainingStimulus.VO2MAX else stimulus.name.lower().replace("_", " ")


USUAL_D = 28
"""The last week may differ from the usual: the four weeks before it are the usual time. [days]"""


def usual_day_s(athlete: AthleteDays) -> float:
    """Time done per day in the four weeks before the last seven days. [s]."""
    done_s = {
        match.done.id: or_zero(match.done.duration_s)
        for match in athlete.matches
        if match.done is not None and 7 < (athlete.today - match.done.day).days <= 7 + USUAL_D
    }
    return sum(done_s.values()) / USUAL_D


def planned_s(match: Match, speeds: Mapping[Sport | None, float]) -> float:
    """Planned time; for a plan by distance, its distance at the speed of its session. [s]."""
    plan, done = match.planned, match.done
    if plan is None:
        return nan
    if not isnan(plan.duration_s):
        return plan.duration_s
    own = done.distance_m / done.duration_s if done is not None and done.duration_s > 0 else nan
    speed = own if own > 0 else speeds.get(plan.sport, nan)
    return plan.distance_m / speed if speed > 0 else nan


def speeds_of(matches: Sequence[Match]) -> dict[Sport | None, float]:
    """The athlete's median speed in each sport. [m/s]."""
    speeds: dict[Sport | None, list[float]] = defaultdict(list)
    for match in matches:
        if match.done is not None and match.done.distance_m > 0 and match.done.duration_s > 0:
            speeds[match.done.sport].append(match.done.distance_m / match.done.duration_s)
    return {sport: median(values) for sport, values in speeds.items()}
