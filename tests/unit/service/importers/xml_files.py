"""Small TCX and GPX files as text."""

from collections.abc import Callable, Iterable

GPX = '<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:t="urn:tpx">{}</gpx>'
TCX = (
    '<?xml version="1.0"?><TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"'
    ' xmlns:x="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Activities>{}</Activities>'
    "</TrainingCenterDatabase>"
)


def clock(second: int, *, day: int = 4, zone: str = "Z") -> str:
    return f"2026-05-{day:02d}T{6 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}{zone}"


def gpx_points(seconds: Iterable[int], extra: Callable[[int], str] = lambda place: "", **when: object) -> str:
    """Points that go north by 1e-4 degrees (11.12 m) a second."""
    return "".join(
        f'<trkpt lat="{46 + 1e-4 * second:.6f}" lon="8"><time>{clock(second, **when)}</time>{extra(second)}</trkpt>'
        for second in seconds
    )


def gpx(*tracks: str) -> bytes:
    return GPX.format("".join(f"<trk>{track}</trk>" for track in tracks)).encode()


def segment(points: str) -> str:
    return f"<trkseg>{points}</trkseg>"


def tcx_points(seconds: Iterable[int], extra: Callable[[int], str] = lambda second: "") -> str:
    return "".join(
        f"<Trackpoint><Time>{clock(second)}</Time>{extra(second)}</Trackpoint>" for second in seconds
    )


def tcx_lap(start: int, seconds: float, points: str = "", more: str = "") -> str:
    return (
        f'<Lap StartTime="{clock(start)}"><TotalTimeSeconds>{seconds}</TotalTimeSeconds>{more}'
        f"<Track>{points}</Track></Lap>"
    )


def tcx(*laps: str, sport: str = "Biking", more: str = "") -> bytes:
    return TCX.format(f'<Activity Sport="{sport}">{"".join(laps)}{more}</Activity>').encode()
