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


def _joined(first: Leg, second: Leg) -> Leg:
    end_s = _end_s(first)
    if second.started_s < end_s - 1:
        raise BrokenRecording("the two recordings overlap in time")
    between = (TimeSpan(end_s, second.started_s),) if second.started_s > end_s else ()
    return replace(
        first,
        times_s=np.concatenate([first.times_s, second.times_s]),
        columns=_columns(first, second),
        pauses=(*first.pauses, *between, *second.pauses),
        laps=(*first.laps, *second.laps),
        lengths=(*first.lengths, *second.lengths),
        figures=_figures(first, second),
    )


def _end_s(leg: Leg) -> float:
    return max(leg.last_s, leg.started_s + leg.figures.get("total_duration", 0.0))


def _columns(first: Leg, second: Leg) -> dict[str, Floats]:
    names = dict.fromkeys([*first.columns, *second.columns])
    return {
        name: np.concatenate([_column(first, name), _from(_reached_m(first), name, _column(second, name))])
        for name in names
    }


def _column(leg: Leg, name: str) -> Floats:
    return leg.columns.get(name, np.full(len(leg.times_s), np.nan))


def _from(reached_m: float, name: str, values: Floats) -> Floats:
    return values + reached_m if name == "distance" else values


def _reached_m(leg: Leg) -> float:
    distance = _column(leg, "distance")
    return float(np.nanmax(distance)) if np.isfinite(distance).any() else 0.0


def _figures(first: Leg, second: Leg) -> dict[str, float]:
    """Sums and maxima of both devices' figures; averages are computed from the records."""
    both = first.figures.keys() & second.figures.keys()
    figures = {name: first.figures[name] + second.figures[name] for name in _SUMS if name in both}
    figures |= {name: max(first.figures[name], second.figures[name]) for name in _HIGHEST if name in both}
    figures["total_duration"] = _end_s(second) - first.started_s
    kept = ("start_latitude", "start_longitude", "rpe", "feeling")
    return figures | {name: first.figures[name] for name in kept if name in first.figures}
