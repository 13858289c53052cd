"""GPX files: tracks of segments of points; distance and speed come from the positions where they are missing."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from coachboard.catalogues.streams import BY_WIRE_NAME
from coachboard.service.importers import sports
from coachboard.service.importers.errors import BrokenRecording, ImportLimits
from coachboard.service.importers.points import Points, TrackPoint, columns_of, read_point
from coachboard.service.importers.record_times import gaps_as_pauses
from coachboard.service.importers.recording import Floats, Leg, Recording, TimeSpan
from coachboard.service.importers.xml_tree import child_text, children, number, read_tree, without_times

_NEXT_SESSION_S = 6 * 3600.0
"""A longer hole between tracks is the next session: an export of several days is no single ride."""
_EARTH_RADIUS_M = 6_371_008.8
_SMOOTHED_POINTS = 5


def read_gpx(data: bytes, limits: ImportLimits) -> Recording:
    """Read a GPX file; raises a `RecordingError` where there is nothing to be had."""
    root, problems = read_tree(data, limits)
    segments = [_segment(segment) for segment in root.iter("{*}trkseg")]
    untimed = sum(point.time is None for segment in segments for point in segment)
    timed = [kept for segment in segments if (kept := [point for point in segment if point.time is not None])]
    if not timed:
        texts = (time.text for point in root.iter("{*}trkpt") for time in children(point, "time"))
        raise without_times(texts, "contains no track point with a time")
    timed.sort(key=_begin_s)
    track = next((each for each in root.iter("{*}trk") if next(each.iter("{*}time"), None) is not None), None)
    if untimed:
        total = untimed + sum(map(len, timed))
        problems = (*problems, f"{untimed} of {total} points have no usable time and were ignored")
    read = [_leg(session, track) for session in _sessions(timed)]
    found = tuple(problem for _, points in read for problem in points.problems)
    return Recording(
        legs=tuple(leg for leg, _ in read),
        utc_offset_min=read[0][1].utc_offset_min,
        problems=(*problems, *found),
    )


def _begin_s(segment: list[TrackPoint]) -> float:
    return segment[0].time.timestamp() if segment[0].time else 0.0


def _segment(segment: Any) -> list[TrackPoint]:
    return [_point(element) for element in segment.iter("{*}trkpt")]


def _point(element: Any) -> TrackPoint:
    point = read_point(element, "time")
    latitude, longitude = number(element.get("lat")), number(element.get("lon"))
    if latitude is None or longitude is None:
        return point
    return replace(point, values={**point.values, "positionLat": latitude, "positionLong": longitude})


def _sessions(segments: Sequence[list[TrackPoint]]) -> list[list[list[TrackPoint]]]:
    sessions = [[segments[0]]]
    for earlier, later in pairwise(segments):
        if _hole_s(earlier, later) > _NEXT_SESSION_S:
            sessions.append([])
        sessions[-1].append(later)
    return sessions


def _hole_s(earlier: list[TrackPoint], later: list[TrackPoint]) -> float:
    end, start = earlier[-1].time, later[0].time
    return 0.0 if end is None or start is None else (start - end).total_seconds()


def _leg(segments: Sequence[list[TrackPoint]], track: Any) -> tuple[Leg, Points]:
    points = columns_of([point for segment in segments for point in segment])
    breaks = np.cumsum([len(segment) for segment in segments])[:-1]
    text = None if track is None else child_text(track, "type")
    sport, sub_sport = sports.gpx_sport(text)
    columns = _with_distance(points, breaks)
    leg = Leg(
        started_s=float(points.times_s[0]),
        times_s=points.times_s,
        columns=columns,
        sport=sport,
        sub_sport=sub_sport,
        name=None if track is None else child_text(track, "name"),
        description=None if track is None else child_text(track, "desc"),
        pauses=_pauses(points.times_s, breaks),
    )
    return leg, points


def _pauses(times_s: Floats, breaks: Any) -> tuple[TimeSpan, ...]:
    between = [TimeSpan(float(times_s[place - 1]), float(times_s[place])) for place in breaks.tolist()]
    holes = gaps_as_pauses(times_s)
    return tuple(
        sorted({span for span in (*between, *holes) if span.length_s > 0}, key=lambda span: span.start_s)
    )


def _with_distance(points: Points, breaks: Any) -> dict[str, Floats]:
    """Add distance and speed, computed from the positions without breaks: GPX carries neither."""
    columns = points.columns
    if "positionLat" not in columns or "distance" in columns:
        return columns
    steps = _steps_m(columns["positionLat"], columns["positionLong"])
    steps[breaks] = 0
    distance = np.cumsum(steps)
    longest = BY_WIRE_NAME["distance"].plausible
    if longest is not None and distance[-1] > longest.high:
        # Climbs are sought in steps of 20 m: a way of millions of kilometres would fill the memory.
        raise BrokenRecording(
            f"is not plausible (its positions are {distance[-1] / 1000:,.0f} km apart in total)"
        )
    columns = {**columns, "distance": np.round(distance, 2)}
    if "speed" not in columns and len(distance) > _SMOOTHED_POINTS:
        columns["speed"] = _speed_mps(points.times_s, distance)
    return columns


def _steps_m(latitude: Floats, longitude: Floats) -> Floats:
    """Great-circle distance from the last known position to each point, 0 where the position is missing."""
    known = np.isfinite(latitude) & np.isfinite(longitude)
    lat, long = np.radians(latitude[known]), np.radians(longitude[known])
    half = np.sin(np.diff(lat) / 2) ** 2 + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(long) / 2) ** 2
    steps = np.zeros(len(latitude))
    steps[np.flatnonzero(known)[1:]] = 2 * _EARTH_RADIUS_M * np.arcsin(np.sqrt(half))
    return steps


def _speed_mps(times_s: Floats, distance_m: Floats) -> Floats:
    """Speed over five points: the position of one is known to a few metres only."""
    reach = _SMOOTHED_POINTS // 2
    places = np.arange(len(times_s))
    low, high = np.maximum(places - reach, 0), np.minimum(places + reach, len(times_s) - 1)
    elapsed = times_s[high] - times_s[low]
    metres = distance_m[high] - distance_m[low]
    speed: Floats = np.divide(metres, elapsed, out=np.zeros(len(metres)), where=elapsed > 0)
    return np.round(speed, 3)
