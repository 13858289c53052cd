"""Figures of a device that its own records contradict: durations, speeds in km/h, steps as strides."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coachboard.service.importers.record_times import MOVING_MPS, record_durations_s, records_end_s
from coachboard.service.importers.recording import Floats, Leg
from coachboard.service.importers.sports import ON_FOOT
from coachboard.wire.enums import Sport
from coachboard.wire.stream_columns import BY_FIGURE

_KMH = 3.6
_TOLERANCE = 0.05
_SLACK_S = 10.0
"""Devices stop their timer up to 6 s before the last record (o18 of the recordings)."""
_MOST_STRIDES, _MOST_WALKED = 120.0, 90.0
"""Strides a minute: sprinters reach 130 for seconds, race walkers 105; a fast walk has 70."""
_WALK_MPS = 2.2


def settled(legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """The legs without such durations and speeds. Records between two legs are no part of the first."""
    starts = [leg.started_s for leg in legs[1:]]
    return tuple(
        _settled(leg, is_followed=after_s - leg.last_s < _SLACK_S)
        for leg, after_s in zip(legs, [*starts, np.inf], strict=False)
    )


def _settled(leg: Leg, *, is_followed: bool) -> Leg:
    leg = _unswapped(_speed_column_in_mps(leg))
    if (
        not is_followed and len(leg.times_s) and not leg.lengths
    ):  # the two clocks of a pool watch differ (o15)
        leg = _with_all_records(leg)
    return _speed_figures_in_mps(leg)


def _unswapped(leg: Leg) -> Leg:
    """Time without pauses cannot exceed elapsed time."""
    elapsed_s, timer_s = leg.figures.get("total_duration"), leg.figures.get("effective_duration")
    if not elapsed_s or not timer_s or timer_s <= elapsed_s:
        return leg
    if _recorded_s(leg) > (elapsed_s + timer_s) / 2:
        return _with_figures(leg, total_duration=max(timer_s, _span_s(leg)))
    return _with_figures(leg, total_duration=timer_s, effective_duration=elapsed_s)


def _with_all_records(leg: Leg) -> Leg:
    """The leg as long as its records, if they go on after the end of the session.

    If the athlete moved for longer than the timer ran, the device left a part of the session out of all its figures.
    """
    figures = leg.figures
    laps_s = max((lap.span.end_s - leg.started_s for lap in leg.laps), default=0.0)
    elapsed_s, span_s = figures.get("total_duration", laps_s), _span_s(leg)
    if not elapsed_s or span_s <= elapsed_s + _SLACK_S:
        return leg
    timer_s = figures.get("effective_duration", elapsed_s)
    if "total_duration" in figures:
        leg = _with_figures(leg, total_duration=span_s)
    if _moving_s(leg) <= timer_s * (1 + _TOLERANCE) + _SLACK_S:
        return leg
    whole = {name: value for name, value in figures.items() if not _is_in_records(leg, name)}
    return _with_figures(
        replace(leg, figures=whole), total_duration=span_s, effective_duration=_recorded_s(leg)
    )


def _is_in_records(leg: Leg, figure: str) -> bool:
    if figure == "distance":
        return _reached_m(leg) > leg.figures[figure]
    column = BY_FIGURE.get(figure)
    return figure == "moving_duration" or (column is not None and column.wire_name in leg.columns)


def _speed_column_in_mps(leg: Leg) -> Leg:
    speed, covered_m = leg.columns.get("speed"), _reached_m(leg)
    if speed is None or not covered_m:
        return leg
    is_known = np.isfinite(speed) & np.isfinite(leg.columns["distance"])
    sum_m = float(np.sum((speed * record_durations_s(leg))[is_known]))
    return replace(leg, columns={**leg.columns, "speed": speed / _KMH}) if _is_kmh(sum_m, covered_m) else leg


def _speed_figures_in_mps(leg: Leg) -> Leg:
    """An average or maximum in km/h gives way to that of the records; a maximum without records is converted."""
    figures = dict(leg.figures)
    average, highest = figures.get("average_speed"), figures.get("max_speed")
    recorded = leg.columns.get("speed")
    fastest = 0.0 if recorded is None else float(np.nanmax(recorded, initial=0.0))
    is_average_kmh = average is not None and _is_average_kmh(leg, average)
    if is_average_kmh:
        del figures["average_speed"]
    if highest and ((is_average_kmh and highest >= (average or 0.0)) or _is_kmh(highest, fastest)):
        del figures["max_speed"]
        if not fastest:
            figures["max_speed"] = highest / _KMH
    return replace(leg, figures=figures)


def _is_average_kmh(leg: Leg, average: float) -> bool:
    """Whether the average is 3.6 times the distance over the time; with long stops it may be so over all the time."""
    covered_m = leg.figures.get("distance") or _reached_m(leg)
    moving_s = _moving_s(leg)
    if moving_s and _is_near(average, covered_m / moving_s):
        return False
    spans = (leg.figures.get("effective_duration"), moving_s, leg.figures.get("moving_duration"))
    return any(_is_kmh(average, covered_m / span_s) for span_s in spans if span_s)


def _is_kmh(value: float, mps: float) -> bool:
    return _is_near(value, _KMH * mps)


def _is_near(value: float, right: float) -> bool:
    return abs(value - right) < _TOLERANCE * right


def _span_s(leg: Leg) -> float:
    return records_end_s(leg) - leg.started_s


def _reached_m(leg: Leg) -> float:
    distance = leg.columns.get("distance", np.empty(0))
    return float(np.nanmax(distance) - np.nanmin(distance)) if np.isfinite(distance).any() else 0.0


def _seconds(leg: Leg) -> Floats:
    """The duration of each record outside of the device's pauses."""
    seconds = record_durations_s(leg)
    for pause in leg.pauses:
        seconds[(leg.times_s >= pause.start_s) & (leg.times_s < pause.end_s)] = 0.0
    return seconds


def _recorded_s(leg: Leg) -> float:
    return float(_seconds(leg).sum())


def _moving_s(leg: Leg) -> float:
    """Recorded time that the athlete moved: by speed, else by distance, else all of it."""
    seconds = _seconds(leg)
    speed, distance = leg.columns.get("speed"), leg.columns.get("distance")
    if speed is None and distance is not None and np.isfinite(distance).sum() > 1:
        has_distance = np.isfinite(distance)
        reached = np.interp(leg.times_s, leg.times_s[has_distance], distance[has_distance])
        speed = np.diff(reached, append=reached[-1:]) / np.maximum(np.diff(leg.times_s, append=np.inf), 1e-3)
        speed[-1:] = speed[-2:-1]
    is_standing = np.zeros(len(seconds), np.bool_) if speed is None else speed < MOVING_MPS
    return float(seconds[~is_standing].sum())


def _with_figures(leg: Leg, **figures: float) -> Leg:
    return replace(leg, figures={**leg.figures, **figures})


def in_strides(leg: Leg) -> Leg:
    """The leg with strides a minute, if it is on foot and more than anyone takes: an app wrote steps.

    Records and figures each: a file may have steps in one of them only.
    """
    if leg.sport not in ON_FOOT:
        return leg
    most = _most_strides(leg)
    columns, figures = dict(leg.columns), dict(leg.figures)
    is_steps = _usual(columns.get("cadence")) > most
    if is_steps:
        columns["cadence"] = columns["cadence"] / 2
    average, highest = figures.get("average_cadence", 0.0), figures.get("max_cadence", 0.0)
    if average > most:
        figures["average_cadence"] = average / 2
    if highest > most and (is_steps or average > most):
        figures["max_cadence"] = highest / 2
    return replace(leg, columns=columns, figures=figures)


def _most_strides(leg: Leg) -> float:
    speed = _usual(leg.columns.get("speed")) or leg.figures.get("average_speed", 0.0)
    return _MOST_STRIDES if leg.sport is Sport.RUNNING or speed > _WALK_MPS else _MOST_WALKED


def _usual(values: Floats | None) -> float:
    """The median of the values above 0; 0 without one."""
    above = np.empty(0) if values is None else values[values > 0]
    return float(np.median(above)) if len(above) else 0.0
