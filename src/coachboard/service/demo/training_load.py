"""Volume, intensity and stimulus of a session, by the definitions that read recordings get too."""

from dataclasses import dataclass
from functools import lru_cache

from coachboard.analytics import session_load
from coachboard.analytics.power import rolling_mean, stress_score
from coachboard.analytics.zones import time_in_bands
from coachboard.models.enums import Sport, TrainingStimulus
from coachboard.service.demo.athlete import Athlete
from coachboard.service.demo.cells import CELL_S, Floats
from coachboard.service.demo.practice import PRACTICES, Mover
from coachboard.service.demo.prescription import timed
from coachboard.service.demo.session import Session
from coachboard.service.demo.trace import Trace
from coachboard.service.demo.workouts import Workout

_NP_CELLS = 30 // CELL_S
_SWIM_EXPONENT = 3.0
_UNEVEN = 1.3
"""Volume of rides on roads against that of their even efforts: normalized power squared; read off the squad's rides."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the service makes of a session."""

    volume: float
    intensity: float
    normalized_power_w: float | None = None  # where they are by power


def scores_of(session: Session, trace: Trace) -> Scores:
    """By power where there is a meter, by pace on foot and in water, else by heart rate."""
    if _is_by_power(session, trace):
        assert trace.power_w is not None
        return _by_power(session, trace.power_w)
    if _is_by_pace(session):
        return _by_pace(session, trace.effort)
    return _by_heart(session, trace)


def stimulus_of(session: Session, trace: Trace) -> TrainingStimulus | None:
    """The dominant stimulus, where nobody planned one."""
    if not (_is_by_power(session, trace) or _is_by_pace(session)):
        return None
    mean = float(trace.effort.mean()) * 100 if session.is_ride else None
    return session_load.stimulus(time_in_bands(trace.effort, CELL_S, 1.0), average_pct=mean)


def _is_by_power(session: Session, trace: Trace) -> bool:
    return session.is_ride and trace.power_w is not None and "power" in session.sensors


def _is_by_pace(session: Session) -> bool:
    return session.kind.mover in {Mover.FEET, Mover.LENGTHS, Mover.STROKES}


def normalized_power(power_w: Floats) -> float:
    """As `analytics.power.normalized_power` on cells; seconds inside a cell hardly change a 30 s mean."""
    if len(power_w) < _NP_CELLS:
        return float(power_w.mean())
    rolled = rolling_mean(power_w, _NP_CELLS)
    squared = rolled * rolled
    return float(((squared * squared).sum() / len(squared)) ** 0.25)


def _by_power(session: Session, power_w: Floats) -> Scores:
    critical = session.body.power_w
    normalized_w = normalized_power(power_w)
    volume = stress_score(len(power_w) * CELL_S, normalized_w, critical)
    intensity = session_load.intensity_score(power_pct=power_w * (100 / critical), dt_s=CELL_S)
    return Scores(round(volume, 1), round(intensity, 1), normalized_w)


def _by_pace(session: Session, effort: Floats) -> Scores:
    exponent = _SWIM_EXPONENT if session.kind.sport is Sport.SWIMMING else 2.0
    volume = session_load.pace_load(effort, CELL_S, 1.0, exponent=exponent)
    return _rounded(volume, session_load.intensity_score(speed_pct=effort * 100, dt_s=CELL_S))


def _by_heart(session: Session, trace: Trace) -> Scores:
    body = session.body
    volume = session_load.hr_load_score(trace.heart_rate, CELL_S, rest_bpm=body.hr_rest, max_bpm=body.hr_max)
    pct = trace.heart_rate * (100 / body.hr_max)
    return _rounded(volume, session_load.intensity_score(heart_rate_pct=pct, dt_s=CELL_S))


def _rounded(volume: float, intensity: float) -> Scores:
    return Scores(round(volume, 1), round(intensity, 1))


def load_of(workout: Workout, practice: str, athlete: Athlete) -> float:
    """About the volume that the whole workout brings, without doing it: what the body's answer is reckoned with.

    An athlete's form on a day thus hangs on the plan and on what became of it, and not on each earlier session's
    seconds: the last year can be made without the years before it.
    """
    return _load_of(workout, workout.practice or practice, athlete.run_mps, athlete.swim_mps)


@lru_cache(maxsize=8192)
def _load_of(workout: Workout, practice: str, run_mps: float, swim_mps: float) -> float:
    kind = PRACTICES[practice]
    swims = kind.sport is Sport.SWIMMING
    exponent = _SWIM_EXPONENT if swims else 2.0
    parts = timed(workout.parts, swim_mps if swims else run_mps)
    uneven = _UNEVEN if kind.mover is Mover.WHEELS and kind.shape is not None else 1.0
    efforts = [((step.low + step.high) / 2 * kind.effort_share, seconds) for step, seconds in parts]
    return uneven * float(sum(effort**exponent * seconds for effort, seconds in efforts)) / 36
