"""The climbs of a ride: where the route has them, when they were ridden and how."""

from functools import lru_cache
from typing import Any

import numpy as np

from coachboard.analytics.climbs import LEAST_SCORE, find_climbs
from coachboard.models.activities import Climb
from coachboard.service.demo.built import Part, parts
from coachboard.service.demo.routes import Route
from coachboard.service.demo.session import Session
from coachboard.service.demo.trace import Trace

_SHORTEST_M = 450.0  # a route shorter than this is a track
_FEWEST_CELLS = 6


@lru_cache(maxsize=256)
def _climbs_on(way: Route) -> tuple[tuple[float, float], ...]:
    """Where on the route the climbs are, from metre to metre."""
    # Every hundred metres: hills are smooth, and the search is the slowest part of a new route.
    height = way.altitude_m[::4]
    if float(np.ptp(height)) < LEAST_SCORE / 100:
        return ()
    points = np.arange(len(height)) * (4 * way.length_m / (len(way.altitude_m) - 1))
    return tuple((float(points[c.start]), float(points[c.end])) for c in find_climbs(points, height))


def climb_spans(trace: Trace) -> list[tuple[int, int]]:
    """The route's climbs as they were ridden, in cells, round after round."""
    way, along = trace.way, trace.along_m
    if way is None or along is None or way.length_m < _SHORTEST_M:
        return []
    rounds = max(1, round(float(along[-1]) / way.length_m))
    marks = [
        (first + at * way.length_m, last + at * way.length_m)
        for at in range(rounds)
        for first, last in _climbs_on(way)
    ]
    bounds = np.searchsorted(along, np.array(marks).ravel()).tolist() if marks else []
    spans = [(start, min(end + 1, len(trace))) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    return [(start, end) for start, end in spans if end - start > _FEWEST_CELLS]


def climbs_of(
    session: Session, trace: Trace, spans: list[tuple[int, int]], columns: dict[str, list[Any]]
) -> tuple[Part, ...]:
    """The climbs with what was measured on them."""
    if not spans:
        return ()
    measured = {name: values for name, values in columns.items() if name not in _LAPS_ALONE}
    kilo = session.body.mass_kg
    for name in ("average_power", "max_power"):
        measured[f"{name}_per_kilo"] = [
            None if watts is None else round(watts / kilo, 2) for watts in columns[name]
        ]
    return parts(Climb, measured | _shape(trace, spans, columns["distance"]))


def _shape(trace: Trace, spans: list[tuple[int, int]], distances: list[float]) -> dict[str, list[float]]:
    """How steep and how high each climb is."""
    assert trace.grade_pct is not None
    assert trace.altitude_m is not None
    heights = [trace.altitude_m[start:end] for start, end in spans]
    return {
        "average_grade": [
            round(float(height[-1] - height[0]) / max(distance, 1.0) * 100, 2)
            for height, distance in zip(heights, distances, strict=True)
        ],
        "max_grade": [
            round(float(trace.grade_pct[start:end].max()) / trace.scale, 2) for start, end in spans
        ],
        "min_altitude": [round(float(height.min()), 1) for height in heights],
        "max_altitude": [round(float(height.max()), 1) for height in heights],
    }


_LAPS_ALONE = frozenset({"average_torque", "max_torque", "average_altitude", "elevation_loss"})
