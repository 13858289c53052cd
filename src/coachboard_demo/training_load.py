"""Volume, intensity and stimulus of sessions, by the definitions that read recordings get too."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard.analytics import session_load
from coachboard.analytics.zones import time_in_bands
from coachboard.models.enums import Sport, TrainingStimulus
from coachboard_demo.athlete import Athlete
from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.prescription import timed
from coachboard_demo.session import Session
from coachboard_demo.trace import Trace
from coachboard_demo.workouts import Workout

_WINDOW_CELLS = session_load.INTENSITY_WINDOW_S // CELL_S  # as long as those of normalized power
_SWIM_EXPONENT = 3.0
_UNEVEN = 1.3
"""Volume of rides on roads against that of their even efforts: normalized power squared; read off the squad's rides."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the service makes of sessions, a value of each."""

    volume: list[float]
    intensity: list[float]
    normalized_power_w: Floats | None = None  # where they are by power


def scores_of(batch: Batch, trace: Trace) -> Scores:
    """By power where there is a meter, by pace on foot and in water, else by heart rate."""
    if _is_by_power(batch.sessions[0]):
        assert trace.power_w is not None
        return _by_power(batch, trace.power_w)
    if _is_by_pace(batch.sessions[0]):
        return _by_pace(batch, trace.effort)
    return _by_heart(batch, trace.heart_rate)


def stimulus_of(session: Session, effort: Floats) -> TrainingStimulus | None:
    """The dominant stimulus, where nobody planned one."""
    if not (_is_by_power(session) or _is_by_pace(session)):
        return None
    mean = float(effort.mean()) * 100 if session.is_ride else None
    return session_load.stimulus(time_in_bands(effort, CELL_S, 1.0), average_pct=mean)


def _is_by_power(session: Session) -> bool:
    return session.is_ride and session.kind.has_power and "power" in session.sensors


def _is_by_pace(session: Session) -> bool:
    return session.kind.mover in {Mover.FEET, Mover.LENGTHS, Mover.STROKES}


def normalized_power(batch: Batch, power_w: Floats) -> Floats:
    """As `analytics.power.normalized_power` on cells; seconds inside a cell hardly change a 30 s mean."""
    squared = batch.rolled(power_w, _WINDOW_CELLS)
    squared *= squared
    return np.asarray(batch.means_rolled(squared * squared, _WINDOW_CELLS) ** 0.25)


def _by_power(batch: Batch, power_w: Floats) -> Scores:
    critical_w = batch.each(batch.body("power_w"))
    normalized_w = normalized_power(batch, power_w)
    volume = [
        round(cells * CELL_S * (watts / session.body.power_w) ** 2 / 36, 1)
        for session, cells, watts in zip(
            batch.sessions, batch.sizes.tolist(), normalized_w.tolist(), strict=True
        )
    ]
    intensity = _intensities(batch, power_w * (100 / critical_w), session_load.POWER_POINTS)
    return Scores(volume, intensity, normalized_w)


def _by_pace(batch: Batch, effort: Floats) -> Scores:
    exponent = _SWIM_EXPONENT if batch.kind.sport is Sport.SWIMMING else 2.0
    volume = [
        round(session_load.pace_load(effort[here], CELL_S, 1.0, exponent=exponent), 1)
        for here in batch.slices()
    ]
    return Scores(volume, _intensities(batch, effort * 100, session_load.SPEED_POINTS))


def _by_heart(batch: Batch, heart_rate: Floats) -> Scores:
    volume = [
        round(
            session_load.hr_load_score(
                heart_rate[here], CELL_S, rest_bpm=session.body.hr_rest, max_bpm=session.body.hr_max
            ),
            1,
        )
        for session, here in zip(batch.sessions, batch.slices(), strict=True)
    ]
    pct = heart_rate * (100 / batch.each(batch.body("hr_max")))
    return Scores(volume, _intensities(batch, pct, session_load.HEART_RATE_POINTS))


def _intensities(batch: Batch, pct: Floats, table: session_load.Points) -> list[float]:
    """As `analytics.session_load.intensity_score`, of several sessions."""
    points, weights = session_load.points_and_weights(batch.rolled(pct, _WINDOW_CELLS), table)
    worked = batch.means_rolled(weights, _WINDOW_CELLS)
    scores = batch.means_rolled(points * weights, _WINDOW_CELLS) / np.maximum(worked, 1e-9)
    return list(np.minimum(scores, 100.0).round(1).tolist())


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
    parts = timed(workout, swim_mps if swims else run_mps)
    uneven = _UNEVEN if kind.mover is Mover.WHEELS and kind.shape is not None else 1.0
    efforts = [((step.low + step.high) / 2 * kind.effort_share, seconds) for step, seconds in parts]
    return uneven * float(sum(effort**exponent * seconds for effort, seconds in efforts)) / 36
