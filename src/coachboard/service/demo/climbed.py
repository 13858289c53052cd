"""The climbs of a ride: where the route has them, when they were ridden and how."""

from functools import lru_cache
from typing import Any

import numpy as np

from coachboard.analytics.climbs import LEAST_SCORE, find_climbs
from coachboard.models.activities import Climb
from coachboard.service.demo.built import built
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


def climb_of(session: Session, trace: Trace, span: tuple[int, int], row: dict[str, Any]) -> Climb:
    assert trace.grade_pct is not None
    assert trace.altitude_m is not None
    height = trace.altitude_m[span[0] : span[1]]
    grade = trace.grade_pct[span[0] : span[1]]
    kilo, power, peak = session.body.mass_kg, row["average_power"], row["max_power"]
    values = {name: value for name, value in row.items() if name not in _LAPS_ALONE} | {
        "average_grade": round(float(height[-1] - height[0]) / max(row["distance"], 1.0) * 100, 2),
        "max_grade": round(float(grade.max()) / trace.scale, 2),
        "average_power_per_kilo": None if power is None else round(power / kilo, 2),
        "max_power_per_kilo": None if peak is None else round(peak / kilo, 2),
        "min_altitude": round(float(height.min()), 1),
        "max_altitude": round(float(height.max()), 1),
    }
    return built(Climb, **values)


_LAPS_ALONE = frozenset({"average_torque", "max_torque", "average_altitude", "elevation_loss"})
