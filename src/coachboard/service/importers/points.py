"""Points of TCX and GPX files to columns: order of time, breaks, values that are none, local offset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.clock_grid import usual_step_s
from coachboard.service.importers.columns import clean, drop_null_island
from coachboard.service.importers.distances import way_m
from coachboard.service.importers.record_times import gaps_as_pauses
from coachboard.service.importers.recording import Floats, TimeSpan
from coachboard.service.importers.timezones import sane_offset_min
from coachboard.service.importers.xml_tree import local_name, number, read_time
from coachboard.wire.stream_columns import COLUMNS

_BY_TAG = {column.wire_name.lower(): column.wire_name for column in COLUMNS if column.group} | {
    tag: column.wire_name for column in COLUMNS for tag in column.tags
}
_PLACE = ("positionLat", "positionLong", "altitude")
_SHORTER = 0.9
"""A way in the order of the file that is shorter than this share of the way in order of time is the true one."""
_BREAK_STEPS = 1.5
_JUMP_M, _JUMP_MPS = 3.0, 1.0
"""An altitude of 0 beside one that is further away than a climber gets was not measured."""


@dataclass(frozen=True, slots=True)
class TrackPoint:
    """One point of a track with its time and all values that are known; `part` counts segments and tracks of the file."""

    time: datetime | None
    values: Mapping[str, float]
    part: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points that have a time, in its order, as columns; `breaks` are the places at which a part begins after a pause."""

    times_s: Floats
    columns: dict[str, Floats]
    breaks: NDArray[np.int64]
    utc_offset_min: int | None
    problems: tuple[str, ...]

    @property
    def pauses(self) -> tuple[TimeSpan, ...]:
        """The time between two parts, and holes within one."""
        between = {
            TimeSpan(float(self.times_s[place - 1]), float(self.times_s[place]))
            for place in self.breaks.tolist()
        }
        return tuple(sorted(between.union(gaps_as_pauses(self.times_s)), key=lambda span: span.start_s))


def read_point(element: Any, time_tag: str, part: int = 0) -> TrackPoint:
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
        column = _BY_TAG.get(name.lower().replace("_", ""))
        value = number(each.text) if column else None
        if column and value is not None:
            values.setdefault(column, value)
    return TrackPoint(moment, values, part)


def columns_of(points: Sequence[TrackPoint]) -> Points:
    """Points as columns; those without a time are left out and counted."""
    written = [point for point in points if point.time is not None]
    problems = []
    if len(written) < len(points):
        problems.append(
            f"{len(points) - len(written)} of {len(points)} points have no usable time and were ignored"
        )
    times_s = np.array([point.time.timestamp() for point in written if point.time], np.float64)
    if (np.diff(times_s) < 0).any():
        problems.append("points out of order, sorted by time")
    parts = np.array([point.part for point in written], np.int64)
    columns = _without_older_places(_columns(written), times_s, parts)
    order = np.argsort(times_s, kind="stable")
    times_s, parts = times_s[order], parts[order]
    columns = {name: values[order] for name, values in columns.items()}
    if "altitude" in columns:
        columns["altitude"] = _without_lost_zeros(columns["altitude"], times_s)
    is_break = (np.diff(parts) != 0) & (np.diff(times_s) > _BREAK_STEPS * usual_step_s(times_s))
    return Points(times_s, columns, np.flatnonzero(is_break) + 1, _offset_min(written), tuple(problems))


def _columns(points: Sequence[TrackPoint]) -> dict[str, Floats]:
    names = dict.fromkeys(name for point in points for name in point.values)
    columns = {
        name: clean(name, np.array([point.values.get(name, np.nan) for point in points], np.float64))
        for name in names
    }
    return drop_null_island({name: column for name, column in columns.items() if np.isfinite(column).any()})


def _without_older_places(columns: dict[str, Floats], times_s: Floats, parts: Any) -> dict[str, Floats]:
    """The columns without the places of points that are older than a point before them in their part.

    Apps write heart rates after a fix, with its place and earlier times. Where points are merely out of order, places
    differ and the way in order of time is not the longer one: all places stay.
    """
    if "positionLat" not in columns or "positionLong" not in columns:
        return columns
    is_repeated = np.ones(len(times_s), np.bool_)
    for name in ("positionLat", "positionLong"):
        is_repeated &= np.diff(columns[name], prepend=np.nan) == 0
    is_stale = np.zeros(len(times_s), np.bool_)
    for part in np.unique(parts):
        inside = np.flatnonzero(parts == part)
        by_time = inside[np.argsort(times_s[inside], kind="stable")]
        if (by_time != inside).any():
            is_older = times_s[inside] < np.maximum.accumulate(times_s[inside])
            is_shorter = _way(columns, inside) < _SHORTER * _way(columns, by_time)
            is_stale[inside] = is_older & (is_repeated[inside] | is_shorter)
    placed = {name: np.where(is_stale, np.nan, columns[name]) for name in _PLACE if name in columns}
    return {**columns, **placed}


def _way(columns: Mapping[str, Floats], places: Any) -> float:
    return way_m(columns["positionLat"][places], columns["positionLong"][places])


def _without_lost_zeros(altitude_m: Floats, times_s: Floats) -> Floats:
    """The altitude without zeros that a jump parts from each neighbour: the first fixes of some apps have no altitude."""
    recorded = np.flatnonzero(np.isfinite(altitude_m))
    values, moments_s = altitude_m[recorded], times_s[recorded]
    edges = np.flatnonzero(np.diff(values == 0)) + 1
    is_jump = np.abs(values[edges] - values[edges - 1]) > np.maximum(
        _JUMP_M, _JUMP_MPS * (moments_s[edges] - moments_s[edges - 1])
    )
    jumps = dict(zip(edges.tolist(), is_jump.tolist(), strict=True))
    lost = np.zeros(len(altitude_m), np.bool_)
    for first, after in pairwise([0, *edges.tolist(), len(recorded)]):
        sides = [jumps[edge] for edge in (first, after) if edge in jumps]
        lost[recorded[first:after]] = bool(sides) and all(sides) and values[first] == 0
    return np.where(lost, np.nan, altitude_m)


def _offset_min(timed: Sequence[TrackPoint]) -> int | None:
    """The offset of times that carry one; "Z" says nothing about where the athlete was."""
    first = timed[0].time if timed else None
    offset = first.utcoffset() if first else None
    return sane_offset_min(offset.total_seconds()) if offset else None
