"""The offset of local time from UTC: from the file where that is sane, else from the place where the session began."""

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


def local_offset_min(own_min: int | None, place: tuple[float, float] | None, moment_s: float) -> int | None:
    """The file's own offset, or that of the place (latitude, longitude) if the file has none or a usual wrong one.

    Some devices repeat UTC as their local time; others write the offset of the place's winter all year.
    """
    if place is None:
        return own_min
    here = offset_at_min(*place, moment_s)
    if here is None or own_min not in {None, 0, _winter_offset_min(place, moment_s)}:
        return own_min
    return here


def offset_at_min(latitude: float, longitude: float, moment_s: float) -> int | None:
    """The offset that was kept at a place at a moment, summer time included."""
    zone = _zone(latitude, longitude)
    offset = datetime.fromtimestamp(moment_s, UTC).astimezone(zone).utcoffset() if zone else None
    return None if offset is None else round(offset.total_seconds() / 60)


def _winter_offset_min(place: tuple[float, float], moment_s: float) -> int | None:
    """The lower of the place's offsets in January and July of the year, on either hemisphere."""
    year = datetime.fromtimestamp(moment_s, UTC).year
    offsets = (offset_at_min(*place, datetime(year, month, 15, tzinfo=UTC).timestamp()) for month in (1, 7))
    return min((offset for offset in offsets if offset is not None), default=None)


def _zone(latitude: float, longitude: float) -> ZoneInfo | None:
    try:
        name = _finder().timezone_at(lat=latitude, lng=longitude)
        return ZoneInfo(name) if name else None
    except (ValueError, ZoneInfoNotFoundError):
        return None  # no place on earth, or a zone that this machine does not know


@cache
def _finder() -> TimezoneFinder:
    # Opening the map of zones takes 50 ms.
    return TimezoneFinder()
