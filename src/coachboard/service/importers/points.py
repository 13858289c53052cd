"""Points of TCX and GPX files to columns: names of their tags as one table, order of time, local offset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from coachboard.catalogues.streams import COLUMNS
from coachboard.service.importers.columns import clean, drop_null_island
from coachboard.service.importers.recording import Floats
from coachboard.service.importers.timezones import sane_offset_min
from coachboard.service.importers.xml_tree import local_name, number, read_time

TAGS: Mapping[str, str] = MappingProxyType(
    {column.wire_name.lower(): column.wire_name for column in COLUMNS if column.group}
    | {
        "ele": "altitude",
        "altitudemeters": "altitude",
        "distancemeters": "distance",
        "distance": "distance",
        "hr": "heartRate",
        "heartrate": "heartRate",
        "heartratebpm": "heartRate",
        "cad": "cadence",
        "cadence": "cadence",
        "runcadence": "cadence",
        "power": "power",
        "watts": "power",
        "powerinwatts": "power",
        "speed": "speed",
        "atemp": "temperature",
        "temp": "temperature",
        "temperature": "temperature",
        "latitudedegrees": "positionLat",
        "longitudedegrees": "positionLong",
    }
)
"""Tags of points and their extensions, in lower case without underscores; further sensors under their own name."""


@dataclass(frozen=True, slots=True)
class TrackPoint:
    """One point of a track with its time and all values that are known."""

    time: datetime | None
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points that have a time, in its order, as columns."""

    times_s: Floats
    columns: dict[str, Floats]
    utc_offset_min: int | None
    problems: tuple[str, ...]


def read_point(element: Any, time_tag: str) -> TrackPoint:
    """Read a point with everything below it; a value nested in `Value` counts for its parent."""
    values: dict[str, float] = {}
    moment: datetime | None = None
    for each in element.iterdescendants():
        name = local_name(each)
        if name == time_tag and moment is None:
            moment = read_time(each.text)
            continue
        if name == "Value":
            name = local_name(each.getparent())
        column = TAGS.get(name.lower().replace("_", ""))
        value = number(each.text) if column else None
        if column and value is not None:
            values.setdefault(column, value)
    return TrackPoint(moment, values)


def columns_of(points: Sequence[TrackPoint]) -> Points:
    """Points as columns; those without a time are left out and counted."""
    timed = [(point.time.timestamp(), point) for point in points if point.time is not None]
    problems = []
    if len(timed) < len(points):
        problems.append(
            f"{len(points) - len(timed)} of {len(points)} points have no usable time and were ignored"
        )
    if any(later[0] < earlier[0] for earlier, later in pairwise(timed)):
        problems.append("points out of order, sorted by time")
    timed.sort(key=lambda pair: pair[0])
    names = dict.fromkeys(name for _, point in timed for name in point.values)
    columns = {
        name: clean(name, np.array([point.values.get(name, np.nan) for _, point in timed], np.float64))
        for name in names
    }
    kept = {name: column for name, column in columns.items() if np.isfinite(column).any()}
    times = np.array([seconds for seconds, _ in timed], np.float64)
    return Points(times, drop_null_island(kept), _offset_min(timed), tuple(problems))


def _offset_min(timed: Sequence[tuple[float, TrackPoint]]) -> int | None:
    """The offset of times that carry one; "Z" says nothing about where the athlete was."""
    first = timed[0][1].time if timed else None
    offset = first.utcoffset() if first else None
    return sane_offset_min(offset.total_seconds()) if offset else None
