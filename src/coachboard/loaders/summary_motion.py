"""Distance and mean speed of a session's summary, and its recording with the summary's figures."""

from dataclasses import replace
from math import isnan, nan
from typing import NamedTuple

from coachboard.execution.sessions import moving_s, recorded_streams
from coachboard.formulas.plausible import plausible_value
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.selection import adjusted_speed_mps, moving_speed_mps
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.wire.activities import Activity
from coachboard.wire.streams import ActivityStreams

COVERED_SHARE = 0.05
"""A recording with a larger difference in distance (else in time) holds a part of the session; a choice of this project."""


class Motion(NamedTuple):
    """Distance and mean speed; None if unknown."""

    distance_m: float | None
    speed_mps: float | None
    derived: str = ""  # "distance" or "speed" if derived


def motion_of(activity: Activity) -> Motion:
    """Speed is distance over moving time, as for every part of a session; derives the missing value."""
    distance, speed = activity.distance, activity.average_speed
    times = (activity.moving_duration, activity.effective_duration, activity.total_duration)
    seconds = next((time for time in times if time is not None and time > 0), None)
    if seconds is not None and distance is None and speed:
        return Motion(speed * seconds, speed, "distance")
    if seconds is not None and speed is None and distance:
        return Motion(distance, distance / seconds, "speed")
    if distance and activity.moving_duration:
        # Devices average speed over moving time, timer time or elapsed time.
        return Motion(distance, distance / activity.moving_duration)
    return Motion(distance, speed)


def recorded_session(streams: ActivityStreams, activity: Activity) -> SessionStreams:
    """The recording of a session; for the whole of it the panels and selections show the figures of the summary.

    The same averages computed from the recording differ in the last digit: a run had 4:47 /km in the headline and
    4:48 /km above its panel.
    """
    recorded = recorded_streams(streams, activity)
    return replace(recorded, whole=_figures(activity, recorded)) if is_whole(recorded, activity) else recorded


def is_whole(recorded: SessionStreams, activity: Activity) -> bool:
    """Whether the recording holds the whole session, by its distance, else by its time."""
    of_both = [
        (activity.distance, nan if "distance" in recorded.derived else recorded.covered_m),
        (activity.total_duration or activity.effective_duration, recorded.end_s),
    ]
    return next(
        (abs(done / summed - 1) <= COVERED_SHARE for summed, done in of_both if summed and not isnan(done)),
        True,
    )


def _figures(activity: Activity, recorded: SessionStreams) -> dict[str, float]:
    """Named as the columns of the streams and the fields of `SelectionSummary`; none of a dead power meter."""
    motion, has_power = motion_of(activity), "power" not in recorded.unused
    figures = {
        "active_s": moving_s(activity),
        "distance_m": motion.distance_m,
        "speed": motion.speed_mps,
        ADJUSTED_SPEED: _adjusted_mps(recorded, motion.speed_mps),
        "power": activity.average_power,
        "normalized_power_w": activity.normalized_power if has_power else None,
        "work_kj": activity.work if has_power else None,
        "heart_rate": plausible_value("average_heart_rate", activity.average_heart_rate),
        "gain_m": activity.elevation_gain,
        "loss_m": activity.elevation_loss,
    }
    return {name: float(value) for name, value in figures.items() if value is not None and not isnan(value)}


def _adjusted_mps(recorded: SessionStreams, speed_mps: float | None) -> float | None:
    """The speed of the summary, adjusted as that of the recording."""
    recorded_mps = moving_speed_mps(recorded, slice(None))
    if speed_mps is None or not recorded_mps > 0:
        return None
    return speed_mps * adjusted_speed_mps(recorded, slice(None)) / recorded_mps
