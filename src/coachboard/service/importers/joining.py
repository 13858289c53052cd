"""Two halves of a session, recorded in two files, as one leg."""

from dataclasses import replace

import numpy as np

from coachboard.service.importers.errors import BrokenRecording
from coachboard.service.importers.recording import Floats, Leg, TimeSpan

_SUMS = ("effective_duration", "moving_duration", "distance", "calories", "work")
_HIGHEST = ("max_speed", "max_heart_rate", "max_cadence", "max_temperature")


def joined(legs: list[Leg]) -> Leg:
    """The legs in order of time as one; the time between two is a pause. Raises `BrokenRecording` if two overlap."""
    first, *others = sorted(legs, key=lambda leg: leg.started_s)
    for leg in others:
        first = _joined(first, leg)
    return first


def _joined(one: Leg, other: Leg) -> Leg:
    end_s = _end_s(one)
    if other.started_s < end_s - 1:
        raise BrokenRecording("the two recordings overlap in time")
    between = (TimeSpan(end_s, other.started_s),) if other.started_s > end_s else ()
    return replace(
        one,
        times_s=np.concatenate([one.times_s, other.times_s]),
        columns=_columns(one, other),
        pauses=(*one.pauses, *between, *other.pauses),
        laps=(*one.laps, *other.laps),
        lengths=(*one.lengths, *other.lengths),
        figures=_figures(one, other),
    )


def _end_s(leg: Leg) -> float:
    return max(leg.last_s, leg.started_s + leg.figures.get("total_duration", 0.0))


def _columns(one: Leg, other: Leg) -> dict[str, Floats]:
    names = dict.fromkeys([*one.columns, *other.columns])
    return {
        name: np.concatenate([_column(one, name), _from(_reached_m(one), name, _column(other, name))])
        for name in names
    }


def _column(leg: Leg, name: str) -> Floats:
    return leg.columns.get(name, np.full(len(leg.times_s), np.nan))


def _from(reached_m: float, name: str, values: Floats) -> Floats:
    return values + reached_m if name == "distance" else values


def _reached_m(leg: Leg) -> float:
    distance = _column(leg, "distance")
    return float(np.nanmax(distance)) if np.isfinite(distance).any() else 0.0


def _figures(one: Leg, other: Leg) -> dict[str, float]:
    """Sums and maxima of both devices' figures; averages are computed from the records."""
    both = one.figures.keys() & other.figures.keys()
    figures = {name: one.figures[name] + other.figures[name] for name in _SUMS if name in both}
    figures |= {name: max(one.figures[name], other.figures[name]) for name in _HIGHEST if name in both}
    figures["total_duration"] = _end_s(other) - one.started_s
    kept = ("start_latitude", "start_longitude", "rpe", "feeling")
    return figures | {name: one.figures[name] for name in kept if name in one.figures}
