"""GPX files: tracks of segments of points; distance and speed come from the positions where they are missing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from coachboard.service.importers import sports
from coachboard.service.importers.distances import with_distance
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.points import Points, TrackPoint, columns_of, read_point
from coachboard.service.importers.recording import NEXT_SESSION_S, Leg, Recording
from coachboard.service.importers.xml_tree import child_text, children, number, read_tree, without_times

_Segment = tuple[Any, list[TrackPoint]]
"""The track of a segment, and its points."""


def read_gpx(data: bytes, limits: ImportLimits) -> Recording:
    """Read a GPX file; raises a `RecordingError` where there is nothing to be had."""
    root, problems = read_tree(data, limits)
    segments = [
        (segment.getparent(), _points(segment, part)) for part, segment in enumerate(root.iter("{*}trkseg"))
    ]
    untimed = sum(point.time is None for _, points in segments for point in points)
    timed = [
        (track, kept)
        for track, points in segments
        if (kept := [point for point in points if point.time is not None])
    ]
    if not timed:
        texts = (time.text for point in root.iter("{*}trkpt") for time in children(point, "time"))
        raise without_times(texts, "contains no track point with a time")
    if untimed:
        total = untimed + sum(len(points) for _, points in timed)
        problems = (*problems, f"{untimed} of {total} points have no usable time and were ignored")
    read = [_leg(session) for session in _sessions(sorted(timed, key=_begin_s))]
    own = tuple(problem for _, points in read for problem in points.problems)
    return Recording(
        legs=tuple(leg for leg, _ in read),
        utc_offset_min=read[0][1].utc_offset_min,
        problems=(*problems, *own),
    )


def _points(segment: Any, part: int) -> list[TrackPoint]:
    return [_point(element, part) for element in segment.iter("{*}trkpt")]


def _point(element: Any, part: int) -> TrackPoint:
    point = read_point(element, "time", part)
    latitude, longitude = number(element.get("lat")), number(element.get("lon"))
    if latitude is None or longitude is None:
        return point
    return replace(point, values={**point.values, "positionLat": latitude, "positionLong": longitude})


def _begin_s(segment: _Segment) -> float:
    return min(_moments_s(segment))


def _moments_s(segment: _Segment) -> list[float]:
    return [point.time.timestamp() for point in segment[1] if point.time is not None]


def _sessions(segments: Iterable[_Segment]) -> list[list[_Segment]]:
    """Segments in order of time by session: an export of several days is no single ride."""
    sessions: list[list[_Segment]] = []
    end_s = float("-inf")
    for segment in segments:
        if _begin_s(segment) - end_s > NEXT_SESSION_S:
            sessions.append([])
        sessions[-1].append(segment)
        end_s = max(end_s, *_moments_s(segment))
    return sessions


def _leg(segments: Sequence[_Segment]) -> tuple[Leg, Points]:
    points = columns_of([point for _, own in segments for point in own])
    track = segments[0][0]
    sport, sub_sport = sports.gpx_sport(child_text(track, "type"))
    leg = Leg(
        started_s=float(points.times_s[0]),
        times_s=points.times_s,
        columns=with_distance(points.columns, points.times_s, points.breaks),
        sport=sport,
        sub_sport=sports.played(sub_sport, track.getroottree().getroot().get("creator")),
        name=child_text(track, "name"),
        description=child_text(track, "desc"),
        pauses=points.pauses,
    )
    return leg, points
