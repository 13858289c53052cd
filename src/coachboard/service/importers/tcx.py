"""TCX files: activities of laps of tracks, and multisport sessions of such activities."""

from collections.abc import Iterator, Sequence
from typing import Any

from coachboard.service.importers import sports
from coachboard.service.importers.distances import with_distance
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.points import TrackPoint, columns_of, read_point
from coachboard.service.importers.recording import DeviceLap, Leg, Recording, TimeSpan
from coachboard.service.importers.xml_tree import (
    child_text,
    children,
    number,
    read_time,
    read_tree,
    without_times,
)

_TRIGGERS = {"sessionend": "session_end", "heartrate": "heart_rate"}
_WRONG_START_S = 60.0


def read_tcx(data: bytes, limits: ImportLimits) -> Recording:
    """Read a TCX file; raises a `RecordingError` where there is nothing to be had."""
    root, problems = read_tree(data, limits)
    activities = list(root.iter("{*}Activity"))
    read = [_leg(activity) for activity in activities]
    legs = tuple(leg for leg, _, _ in read if leg is not None)
    if not legs:
        starts = (lap.get("StartTime") for activity in activities for lap in children(activity, "Lap"))
        raise without_times(starts, "contains no activity with a lap")
    offsets = [offset for _, offset, _ in read if offset is not None]
    activity_problems = [problem for _, _, own in read for problem in own]
    return Recording(
        legs=tuple(sorted(legs, key=lambda leg: leg.started_s)),
        utc_offset_min=offsets[0] if offsets else None,
        is_multisport=len(legs) > 1 and next(root.iter("{*}MultiSportSession"), None) is not None,
        problems=(*problems, *activity_problems),
    )


def _leg(activity: Any) -> tuple[Leg | None, int | None, tuple[str, ...]]:
    laps = list(children(activity, "Lap"))
    own = _points_of_laps(laps)
    points = columns_of([point for lap_points in own for point in lap_points])
    device_laps = tuple(_device_laps(laps, own))
    if not device_laps and not len(points.times_s):
        return None, None, points.problems
    sport, sub_sport = sports.tcx_sport(activity.get("Sport"))
    starts = [lap.span.start_s for lap in device_laps] + points.times_s[:1].tolist()
    leg = Leg(
        started_s=min(starts),
        times_s=points.times_s,
        columns=with_distance(points.columns, points.times_s, points.breaks),
        sport=sport,
        sub_sport=sports.played(sub_sport, activity.findtext("{*}Creator/{*}Name")),
        description=child_text(activity, "Notes"),
        pauses=points.pauses,
        laps=device_laps,
        figures=_figures(laps),
    )
    return leg, points.utc_offset_min, points.problems


def _points_of_laps(laps: Sequence[Any]) -> list[list[TrackPoint]]:
    """The points of each lap. A further track within a lap begins after a pause; the first one goes on with the last lap."""
    part, read = 0, []
    for lap in laps:
        points, track = [], None
        for element in lap.iter("{*}Trackpoint"):
            parent = element.getparent()
            part += track is not None and parent is not track
            track = parent
            points.append(read_point(element, "Time", part))
        read.append(points)
    return read


def _device_laps(laps: Sequence[Any], points: Sequence[Sequence[TrackPoint]]) -> Iterator[DeviceLap]:
    for lap, own in zip(laps, points, strict=True):
        length = max(number(child_text(lap, "TotalTimeSeconds")) or 0.0, 0.0)
        start_s = _lap_start_s(lap, length, [point.time.timestamp() for point in own if point.time])
        if start_s is None:
            continue
        trigger = child_text(lap, "TriggerMethod")
        trigger = _TRIGGERS.get(trigger.lower(), trigger.lower()) if trigger else None
        intensity = child_text(lap, "Intensity")
        span = TimeSpan(start_s, start_s + length)
        yield DeviceLap(span, intensity.lower() if intensity else None, trigger)


def _lap_start_s(lap: Any, length_s: float, times_s: Sequence[float]) -> float | None:
    """The lap's own start; its first point where the lap would end before that, or begin after its last point."""
    start = read_time(lap.get("StartTime"))
    if start is None:
        return None
    start_s = start.timestamp()
    if not times_s:
        return start_s
    is_early = min(times_s) - start_s > max(length_s, _WRONG_START_S)
    return min(times_s) if is_early or start_s - max(times_s) > _WRONG_START_S else start_s


def _figures(laps: Sequence[Any]) -> dict[str, float]:
    """The device's figures: a lap's time is that of its timer, pauses left out."""
    totals = {
        "effective_duration": _values(laps, "TotalTimeSeconds"),
        "distance": _values(laps, "DistanceMeters"),
        "calories": _values(laps, "Calories"),
    }
    highest = {
        "max_speed": _values(laps, "MaximumSpeed"),
        "max_heart_rate": _values(laps, "MaximumHeartRateBpm", "Value"),
    }
    figures = {name: sum(values) for name, values in totals.items() if values}
    return figures | {name: max(values) for name, values in highest.items() if values}


def _values(laps: Sequence[Any], *path: str) -> list[float]:
    return [value for lap in laps if (value := number(child_text(lap, *path))) is not None]
