"""A leg's records as streams of the interface, with grade and W' balance computed where they were not recorded."""

import math

import numpy as np

from coachboard.formulas.session.distance import distance_along_m
from coachboard.formulas.session.grade import grade_pct
from coachboard.formulas.session.w_balance import w_balance
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.plausible import without_dead_sensors
from coachboard.service.importers.record_times import grid_places, on_clock_grid
from coachboard.service.importers.recording import Floats, Leg
from coachboard.wire.enums import Sport
from coachboard.wire.stream_columns import BY_WIRE_NAME
from coachboard.wire.streams import ActivityStreams

_STEEPEST = 0.5
"""Metres up and down for each metre of way, over a whole session: more is a faulty altitude (o09: 3)."""
_NO_SLOPE = frozenset({Sport.SWIMMING, Sport.ROWING, Sport.SAILING, Sport.KAYAKING})


def streams_of(leg: Leg, athlete: AthleteValues) -> ActivityStreams | None:
    """The streams of a leg; none where no record was kept."""
    if not len(leg.times_s):
        return None
    columns = dict(leg.columns)
    grade = grade_of(leg)
    if grade is not None:
        columns["grade"] = grade
    balance = _w_prime_balance(without_dead_sensors(leg), athlete)
    if balance is not None:
        columns.setdefault("wPrimeBalance", balance)
    stamps = np.rint(leg.times_s * 1000).astype(np.int64).astype("datetime64[ms]")
    return ActivityStreams({name: _rounded(name, values) for name, values in columns.items()}, stamps)


def has_plausible_altitude(leg: Leg) -> bool:
    """Whether grade and climbs can use the altitude: recorded, of a sport on slopes, and at most `_STEEPEST`."""
    altitude, distance = leg.columns.get("altitude"), leg.columns.get("distance")
    if altitude is None or leg.sport in _NO_SLOPE:
        return False
    recorded_m = altitude[np.isfinite(altitude)]
    metres = float(np.nanmax(distance)) if distance is not None else math.nan
    if not metres > 0:
        return distance is None
    return float(np.abs(np.diff(recorded_m)).sum()) <= max(_STEEPEST * metres, 50.0)


def grade_of(leg: Leg) -> Floats | None:
    """The grade in percent as recorded, else from altitude and distance."""
    if "grade" in leg.columns:
        return leg.columns["grade"]
    distance = distance_along_m(leg.columns.get("distance"), leg.times_s)
    if distance is None or not has_plausible_altitude(leg) or not distance[-1] > 0:
        return None
    grade = grade_pct(distance, leg.columns["altitude"])
    return grade if np.isfinite(grade).any() else None


def _w_prime_balance(leg: Leg, athlete: AthleteValues) -> Floats | None:
    power = leg.columns.get("power")
    if power is None or athlete.critical_power_w is None or athlete.w_prime_j is None:
        return None
    on_grid = w_balance(
        on_clock_grid(leg, power),
        critical_power_w=athlete.critical_power_w,
        w_prime_j=athlete.w_prime_j,
    )
    return on_grid[grid_places(leg)]


def _rounded(name: str, values: Floats) -> Floats:
    # Binary remainders would double the bytes sent.
    return np.round(values, BY_WIRE_NAME[name].stored_digits)
