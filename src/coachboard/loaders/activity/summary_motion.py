"""Distance and mean speed of a session's summary; one is derived from the other if missing."""

from typing import NamedTuple

from coachboard.models.activities import Activity


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
