"""Volume, intensity and stimulus of a session, from the best that was recorded and is known of the athlete.

In this order: power and critical power; speed (of runs adjusted for the grade) and critical speed; heart rate
with resting and maximum; the athlete's own rating; for rides with none of these, power estimated from speed, altitude
and weight. A signal counts where it covers half of the session: a sum over less would report the rest as idle.
`session_load` holds the definitions. The stimulus is the dominant one by time in bands of power or speed;
heart rate has no published bands, so none.
"""

from typing import Any

import numpy as np

from coachboard.formulas.session import session_load, zones
from coachboard.formulas.session.distance import distance_along_m
from coachboard.formulas.session.estimated_power import estimated_power, is_estimated
from coachboard.formulas.session.grade import grade_adjusted_speed
from coachboard.formulas.session.information import LEAST_SHARE, information
from coachboard.formulas.session.summary_load import SPEED_EXPONENTS
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.record_times import Durations, even_places, held_column
from coachboard.service.importers.recording import Floats, Leg
from coachboard.service.importers.segment_figures import figure
from coachboard.service.importers.streams import grade_of, has_plausible_altitude
from coachboard.wire.enums import LapIntensity, Sport, TrainingStimulus

_DENSE_SHARE = 0.9
_SIGNALS = (("power", "average_power"), ("heartRate", "average_heart_rate"))
_UNKNOWN: dict[str, Any] = {"volume": None, "intensity": None, "training_stimulus": None}


def load_of(leg: Leg, athlete: AthleteValues, took: Durations) -> dict[str, Any]:
    """The fields `volume`, `intensity` and `training_stimulus`; null where nothing supports them."""
    places = even_places(leg)
    for score in (_by_power, _by_speed, _by_heart_rate):
        scores = score(leg, athlete, places, took.effective_s)
        if scores is not None:
            return scores
    rpe = _rpe(leg)
    if rpe is None:
        return {**_UNKNOWN, "volume": _estimated_volume(leg, athlete, places, took.effective_s)}
    return _fields(session_load.rpe_load(rpe, took.effective_s), session_load.intensity_score(rpe=rpe))


def _rpe(leg: Leg) -> float | None:
    rpe = leg.figures.get("rpe")
    return rpe if rpe and 1 <= rpe <= 10 else None


def _fields(volume: float, intensity: float, stimulus: TrainingStimulus | None = None) -> dict[str, Any]:
    return {"volume": figure(volume, 1), "intensity": figure(intensity, 1), "training_stimulus": stimulus}


def _covers(name: str, values: Floats, session_s: float) -> bool:
    """Whether a column of one value a second covers half of the session."""
    seconds = np.ones(len(values))
    return information(name, values, seconds, np.ones(len(values), np.bool_)).covers(session_s)


def _by_power(leg: Leg, athlete: AthleteValues, places: Any, session_s: float) -> dict[str, Any] | None:
    power, threshold = held_column(leg, "power"), athlete.critical_power_w
    if power is None or threshold is None:
        return None
    power = power[places]
    if not _covers("power", power, session_s):
        return None
    return _fields(
        session_load.power_load(power, 1.0, threshold),
        session_load.intensity_score(power_pct=power / threshold * 100),
        session_load.stimulus(
            zones.time_in_bands(power, 1.0, threshold), average_pct=float(np.nanmean(power)) / threshold * 100
        ),
    )


def _by_speed(leg: Leg, athlete: AthleteValues, places: Any, session_s: float) -> dict[str, Any] | None:
    threshold = athlete.critical_speed_mps
    exponent = SPEED_EXPONENTS.get(leg.sport) if leg.sport else None
    speed = _swim_speed(leg) if leg.sport is Sport.SWIMMING else leg.columns.get("speed")
    if threshold is None or exponent is None or speed is None:
        return None
    speed = _level_speed(leg, speed)[places]
    if not _covers("speed", speed, session_s):
        return None
    bands = zones.time_by_model(speed, 1.0, reference=threshold, model=zones.SPEED_BANDS)
    return _fields(
        session_load.pace_load(speed, 1.0, threshold, exponent=exponent),
        session_load.intensity_score(speed_pct=speed / threshold * 100),
        session_load.stimulus({LapIntensity(name): seconds for name, seconds in bands.items()}),
    )


def _swim_speed(leg: Leg) -> Floats | None:
    """Distance over time where the device writes no speed every few seconds: in the pool, and between two fixes."""
    speed = held_column(leg, "speed")
    distance = distance_along_m(leg.columns.get("distance"), leg.times_s)
    if distance is None or (
        speed is not None and not leg.lengths and np.isfinite(speed).mean() > _DENSE_SHARE
    ):
        return speed
    seconds = np.diff(leg.times_s, append=leg.times_s[-1] + 1)
    return np.divide(np.diff(distance, append=distance[-1]), seconds)


def _level_speed(leg: Leg, speed: Floats) -> Floats:
    grade = grade_of(leg) if leg.sport is Sport.RUNNING else None
    if grade is None:
        return speed
    return grade_adjusted_speed(speed, np.nan_to_num(grade))


def _by_heart_rate(leg: Leg, athlete: AthleteValues, places: Any, session_s: float) -> dict[str, Any] | None:
    rate, rest, most = (
        leg.columns.get("heartRate"),
        athlete.resting_heart_rate_bpm,
        athlete.max_heart_rate_bpm,
    )
    if rate is None or rest is None or most is None or most <= rest:
        return None
    rate = rate[places]
    if not _covers("heart_rate", rate, session_s):
        return None
    volume = session_load.hr_load_score(rate, 1.0, rest_bpm=rest, max_bpm=most, gender=athlete.gender)
    return _fields(volume, session_load.intensity_score(heart_rate_pct=rate / most * 100))


def _estimated_volume(leg: Leg, athlete: AthleteValues, places: Any, session_s: float) -> float | None:
    """The load of a ride from estimated power, alone: intensity and stimulus would pass for measured ones."""
    threshold, weight = athlete.critical_power_w, athlete.weight_kg
    speed, altitude = held_column(leg, "speed"), held_column(leg, "altitude")
    signals = (*(_recorded(leg, *names) for names in _SIGNALS), _rpe(leg))
    is_estimable = is_estimated(leg.sport, leg.sub_sport, *signals)
    if not is_estimable or threshold is None or weight is None or speed is None or altitude is None:
        return None
    # Apps without a sensor write one altitude throughout: the climbs would be missing from the load.
    if not has_plausible_altitude(leg) or not np.nanmax(altitude) > np.nanmin(altitude):
        return None
    power = estimated_power(speed[places], altitude[places], weight)
    if np.isfinite(power).sum() < LEAST_SHARE * session_s:
        return None
    return figure(session_load.power_load(power, 1.0, threshold), 1)


def _recorded(leg: Leg, column: str, name: str) -> float | None:
    """Something else than None exactly where the activity will have that average."""
    return 0.0 if column in leg.columns else leg.figures.get(name)
