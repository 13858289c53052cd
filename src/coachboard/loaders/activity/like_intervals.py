"""Similar intervals in other sessions: laps of the same intensity and a similar duration, from lap lists."""

from collections.abc import Iterable
from datetime import date
from math import isnan, nan

import pandas as pd

from coachboard.analytics.plausible import known
from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.loaders.matching import local_day
from coachboard.models.activities import Activity, Lap
from coachboard.models.enums import LapCharacteristic, Sport, TrainingStimulus

DURATION_SHARE = 0.2
"""Largest difference in duration, as a share of the selected lap."""

COLUMNS = (
    "day",
    "session",
    "activity_id",
    "from_index",
    "duration_s",
    "average_power_w",
    "average_heart_rate_bpm",
    "average_cadence",
    "average_speed_mps",
    "work_before_kj",
)


def like_intervals(lap: Lap, sessions: Iterable[Activity], *, sport: Sport | None) -> pd.DataFrame:
    """A row per similar lap, oldest first, with the columns `COLUMNS`; reads no streams."""
    rows = [
        _row(other, session)
        for session in sessions
        if session.sport == sport and local_day(session) is not None
        for other in session.laps
        if is_like(lap, other)
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.sort_values(["day", "activity_id", "from_index"], ignore_index=True)


def power_vs_mean_w(power_w: float | None, others_w: Iterable[float]) -> float:
    """Power of a lap minus the mean power of the similar laps in other sessions. [W].

    Notes
    -----
    Similar: the same sport and intensity, a pause or none, and a duration within 20 %. Each lap counts once, whatever its
    duration.

    *Missing data*: laps without power, and the other laps of the same session; NaN if no similar lap has power.

    *Worked example*: 262 W in this lap, 250 and 254 W in two other sessions: 262 − (250 + 254) / 2 = 10 W.

    Examples
    --------
    >>> power_vs_mean_w(262, [250.0, 254.0, nan])
    10.0
    """
    known_w = [watts for watts in others_w if not isnan(watts)]
    return power_w - sum(known_w) / len(known_w) if power_w is not None and known_w else nan


def races_between(sessions: Iterable[Activity], first: date, last: date) -> tuple[Circumstance, ...]:
    """The race days, oldest first, as the service marks the sessions; the legs of a race are one."""
    names: dict[date, str] = {}
    for session in sessions:
        day = local_day(session)
        is_race = session.race_type is not None or session.training_stimulus is TrainingStimulus.RACE
        if is_race and day is not None and first <= day <= last:
            names.setdefault(day, session.name or "Race")
    return tuple(Circumstance(day, day, "race", names[day]) for day in sorted(names))


def is_like(lap: Lap, other: Lap) -> bool:
    """Whether two laps match in intensity, in being a pause, and in duration within a fifth."""
    return (
        other.intensity == lap.intensity
        and _is_pause(other) == _is_pause(lap)
        and abs(other.duration - lap.duration) <= DURATION_SHARE * lap.duration
    )


def lap_at(
    activity: Activity, from_s: float, to_s: float, *, spans: Iterable[tuple[float, float]]
) -> Lap | None:
    """The classified lap that the selection covers, within two seconds at each end."""
    for lap, (start, end) in zip(activity.laps, spans, strict=True):
        if abs(start - from_s) <= 2 and abs(end - to_s) <= 2:
            return lap
    return None


def _is_pause(lap: Lap) -> bool:
    return lap.characteristic is LapCharacteristic.INTRA_RECOVERY


def _row(lap: Lap, session: Activity) -> tuple[object, ...]:
    return (
        local_day(session),
        session.name or "",
        session.id,
        lap.started_at_index,
        float(lap.duration),
        _number(lap.average_power),
        known("average_heart_rate", lap.average_heart_rate),
        _number(lap.average_cadence),
        _number(lap.average_speed),
        _number(lap.work_before),
    )


def _number(value: float | None) -> float:
    return nan if value is None else float(value)
