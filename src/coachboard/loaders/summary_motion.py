"""Distance and mean speed of a session's summary; the missing one of the two is derived from the other."""

from typing import NamedTuple

from coachboard.models.activities import Activity


class Motion(NamedTuple):
    """Distance and mean speed; None where unknown."""

    distance_m: float | None
    speed_mps: float | None
    derived: str = ""  # "distance" or "speed" where computed here


def motion_of(activity: Activity) -> Motion:
    """The summary's own values, or distance = speed times moving time."""
    distance, speed = activity.distance, activity.average_speed
    times = (activity.moving_duration, activity.effective_duration, activity.total_duration)
    seconds = next((time for time in times if time is not None and time > 0), None)
    if seconds is not None and distance is None and speed:
        return Motion(speed * seconds, speed, "distance")
    if seconds is not None and speed is None and distance:
        return Motion(distance, distance / seconds, "speed")
    return Motion(distance, speed)
