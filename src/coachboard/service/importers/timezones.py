"""How far local time was from UTC: from the file where that is sane, else from where the session began."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from timezonefinder import TimezoneFinder

_STEP_MIN = 15
_LARGEST_MIN = 14 * 60


def sane_offset_min(offset_s: float) -> int | None:
    """A file's own offset in minutes, if any place on earth keeps such a time."""
    minutes = round(offset_s / 60)
    return minutes if abs(minutes) <= _LARGEST_MIN and minutes % _STEP_MIN == 0 else None


def offset_at_min(latitude: float, longitude: float, moment_s: float) -> int | None:
    """The offset that was kept at a place at a moment, summer time included."""
    try:
        name = _finder().timezone_at(lat=latitude, lng=longitude)
        zone = ZoneInfo(name) if name else None
    except (ValueError, ZoneInfoNotFoundError):
        return None  # no place on earth, or a zone that this machine does not know
    offset = datetime.fromtimestamp(moment_s, UTC).astimezone(zone).utcoffset() if zone else None
    return None if offset is None else round(offset.total_seconds() / 60)


@cache
def _finder() -> TimezoneFinder:
    # Opening the map of zones takes 50 ms; most files bring their own offset and never need it.
    return TimezoneFinder()
