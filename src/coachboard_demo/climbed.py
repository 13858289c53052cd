"""The climbs of rides: where the routes have them, when they were ridden and how."""

from functools import lru_cache
from typing import Any

import numpy as np

from coachboard.analytics.climbs import LEAST_SCORE, find_climbs
from coachboard_demo.batch import Batch
from coachboard_demo.cells import Floats
from coachboard_demo.routes import Route
from coachboard_demo.spans import Spans
from coachboard_demo.trace import Trace

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


def climb_spans(batch: Batch, trace: Trace) -> list[list[tuple[int, int]]]:
    """The routes' climbs as each session had them, in cells of the batch, round after round."""
    if trace.along_m is None:
        return [[] for _ in batch.sessions]
    return [
        [(here.start + start, here.start + end) for start, end in _ridden(way, trace.along_m[here])]
        for way, here in zip(trace.ways, batch.slices(), strict=True)
    ]


def _ridden(way: Route, along_m: Floats) -> list[tuple[int, int]]:
    """The climbs of one session, in its own cells."""
    if way.length_m < _SHORTEST_M or not (climbs := _climbs_on(way)):
        return []
    rounds = max(1, round(float(along_m[-1]) / way.length_m))
    marks = [metres + at * way.length_m for at in range(rounds) for climb in climbs for metres in climb]
    bounds = along_m.searchsorted(marks).tolist()
    spans = [
        (start, min(end + 1, len(along_m))) for start, end in zip(bounds[::2], bounds[1::2], strict=True)
    ]
    return [(start, end) for start, end in spans if end - start > _FEWEST_CELLS]


def climb_columns(trace: Trace, spans: Spans, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """What is told of climbs, a value for each."""
    found = {name: values for name, values in columns.items() if name not in _LAPS_ALONE}
    kilos = [spans.batch.sessions[at].body.mass_kg for at in spans.of.tolist()]
    for name in ("average_power", "max_power"):
        found[f"{name}_per_kilo"] = [
            None if watts is None else round(watts / kilo, 2)
            for watts, kilo in zip(columns[name], kilos, strict=True)
        ]
    return found | (
        _shape(trace, spans, columns["distance"]) if len(spans) else {name: [] for name in _SHAPE}
    )


_SHAPE = ("average_grade", "max_grade", "min_altitude", "max_altitude")


def _shape(trace: Trace, spans: Spans, distances: list[float]) -> dict[str, list[float]]:
    """How steep and how high each climb is."""
    assert trace.grade_pct is not None
    assert trace.altitude_m is not None
    height = trace.altitude_m
    rise = height[spans.ends - 1] - height[spans.starts]
    scales = np.array(trace.scales)[spans.of]
    values = (
        (rise / np.maximum(distances, 1.0) * 100).round(2),
        (spans.highest(trace.grade_pct) / scales).round(2),
        spans.lowest(height).round(1),
        spans.highest(height).round(1),
    )
    return {name: found.tolist() for name, found in zip(_SHAPE, values, strict=True)}


_LAPS_ALONE = frozenset({"average_torque", "max_torque", "average_altitude", "elevation_loss"})
