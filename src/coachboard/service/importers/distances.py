"""The distance of a leg's records: counted from the start of the leg, else from the positions."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coachboard.service.importers.errors import BrokenRecording
from coachboard.service.importers.recording import Floats, Leg
from coachboard.wire.stream_columns import BY_WIRE_NAME

_EARTH_RADIUS_M = 6_371_008.8
_SMOOTHED_POINTS = 5
_WRONG_M = 50.0
"""A recorded distance that is further from the truth is read in another way, if that comes twice as near."""
_RESET_M = 20.0


def way_m(latitude: Floats, longitude: Floats) -> float:
    """The length of a way along all its known positions. [m]."""
    return float(_steps_m(latitude, longitude).sum())


def _steps_m(latitude: Floats, longitude: Floats) -> Floats:
    """Great-circle distance from the last known position to each point, 0 where the position is missing."""
    has_position = np.isfinite(latitude) & np.isfinite(longitude)
    lat, long = np.radians(latitude[has_position]), np.radians(longitude[has_position])
    half = np.sin(np.diff(lat) / 2) ** 2 + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(long) / 2) ** 2
    steps = np.zeros(len(latitude))
    steps[np.flatnonzero(has_position)[1:]] = 2 * _EARTH_RADIUS_M * np.arcsin(np.sqrt(half))
    return steps


def with_distance(
    columns: dict[str, Floats], times_s: Floats, breaks: NDArray[np.int64]
) -> dict[str, Floats]:
    """Add distance and speed, computed from the positions without breaks, where the file has no distance."""
    if not {"positionLat", "positionLong"} <= columns.keys() or "distance" in columns:
        return columns
    latitude, longitude = columns["positionLat"], columns["positionLong"]
    has_position = np.isfinite(latitude) & np.isfinite(longitude)
    if not has_position.any():
        return columns
    steps = _steps_m(latitude, longitude)
    # The first position after a break: the first point of a part may have a time only.
    after_break = [
        place + int(np.argmax(has_position[place:]))
        for place in breaks.tolist()
        if has_position[place:].any()
    ]
    steps[np.array(after_break, np.int64)] = 0
    reached = np.cumsum(steps)
    longest = BY_WIRE_NAME["distance"].plausible
    if longest is not None and reached[-1] > longest.high:
        # Climbs are sought in steps of 20 m: a way of millions of kilometres would fill the memory.
        raise BrokenRecording(
            f"is not plausible (its positions are {reached[-1] / 1000:,.0f} km apart in total)"
        )
    distance = np.interp(times_s, times_s[has_position], reached[has_position])
    added = {"distance": np.round(distance, 2)}
    if "speed" not in columns and len(distance) > _SMOOTHED_POINTS:
        added["speed"] = _speed_mps(times_s, distance)
    return {**columns, **added}


def _speed_mps(times_s: Floats, distance_m: Floats) -> Floats:
    """Speed over five points: the position of one is known to a few metres only."""
    reach = _SMOOTHED_POINTS // 2
    places = np.arange(len(times_s))
    low, high = np.maximum(places - reach, 0), np.minimum(places + reach, len(times_s) - 1)
    elapsed = times_s[high] - times_s[low]
    metres = distance_m[high] - distance_m[low]
    speed: Floats = np.divide(metres, elapsed, out=np.zeros(len(metres)), where=elapsed > 0)
    return np.round(speed, 3)


def with_own_distance(leg: Leg) -> Leg:
    """The leg with a recorded distance that counts from its start.

    Files also count it from the previous point, from the start of each lap, or from the start of the whole race. The
    reading whose total agrees with the positions, else with the device's own figure, else with the speed is right.
    """
    recorded = leg.columns.get("distance", np.empty(0))
    is_recorded = np.isfinite(recorded)
    total_m = _total_m(leg)
    if is_recorded.sum() < 2 or not total_m:
        return leg
    values, times_s = recorded[is_recorded], leg.times_s[is_recorded]

    def error_m(reading: Floats) -> float:
        return abs(float(reading.max()) - total_m)

    best = min(_readings(values, times_s, leg.started_s), key=error_m)
    if error_m(values) <= _WRONG_M or error_m(best) > error_m(values) / 2:
        return leg
    distance = np.full(len(recorded), np.nan)
    distance[is_recorded] = np.round(best, 2)
    if not is_recorded[0]:
        distance[0] = 0.0
    figures = dict(leg.figures)
    figure_m = figures.get("distance")
    if figure_m is not None and abs(figure_m - values.max()) < abs(figure_m - best.max()):
        del figures["distance"]  # the race's, too
    return replace(leg, columns={**leg.columns, "distance": distance}, figures=figures)


def _readings(values: Floats, times_s: Floats, started_s: float) -> tuple[Floats, ...]:
    """The distance from the previous point, from the last reset, and from a start before the leg's, each as its own."""
    before, after = values[:-1], values[1:]
    at_resets = np.where((after < before / 2) & (before - after > _RESET_M), before, 0)
    elapsed_s = float(times_s[-1] - times_s[0])
    pace_mps = (values[-1] - values[0]) / elapsed_s if elapsed_s else 0.0
    before_leg = values[0] - pace_mps * max(times_s[0] - started_s, 0.0)
    return np.cumsum(values), values + np.concatenate([[0.0], np.cumsum(at_resets)]), values - before_leg


def _total_m(leg: Leg) -> float:
    """The way of the positions, else the device's distance, else the way that the speed makes; 0 if none is known."""
    columns = leg.columns
    is_placed = {"positionLat", "positionLong"} <= columns.keys()
    way = way_m(columns["positionLat"], columns["positionLong"]) if is_placed else 0.0
    speed = np.nan_to_num(columns.get("speed", np.zeros(len(leg.times_s))))
    from_speed = float(np.sum(speed[:-1] * np.diff(leg.times_s)))
    return way or leg.figures.get("distance") or from_speed
