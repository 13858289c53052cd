"""Time within a session: its pauses, how long each record lasts, how long the athlete moved."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.clock_grid import (
    clock_seconds,
    held,
    longest_hold_s,
    per_second,
    sample_durations_s,
    to_clock_grid,
    usual_step_s,
)
from coachboard.service.importers.recording import Floats, Leg, TimeSpan
from coachboard.wire.enums import Sport, SubSport

MOVING_MPS = 0.5
"""Slower than this is standing; devices' own automatic pause works between 0.3 and 0.8 m/s."""
_COVERED_SHARE = 0.9
_LONGEST_LAST_S = 1.5


@dataclass(frozen=True, slots=True)
class Durations:
    """The three durations of an activity, in seconds."""

    moving_s: float | None
    effective_s: float
    total_s: float


def record_durations_s(leg: Leg) -> Floats:
    """How long each record lasts, stops left out: by the rule that pages use on the same streams."""
    return sample_durations_s(_elapsed(leg))


def _elapsed(leg: Leg) -> Floats:
    return leg.times_s - leg.times_s[:1]


def durations(leg: Leg) -> Durations:
    """The device's own figures first; effective is elapsed less pauses."""
    figures = leg.figures
    total = figures.get("total_duration") or _elapsed_s(leg)
    paused = sum(pause.length_s for pause in leg.pauses)
    effective = figures.get("effective_duration") or max(total - paused, 0.0)
    moving = figures.get("moving_duration")
    if moving is None:
        moving = _moving_s(leg, effective)
    return Durations(moving, effective, total)


def _elapsed_s(leg: Leg) -> float:
    return max([records_end_s(leg), *(lap.span.end_s for lap in leg.laps)]) - leg.started_s


def records_end_s(leg: Leg) -> float:
    """The end of the last record; that of a device that writes every second lasts one second too."""
    return leg.last_s + min(usual_step_s(leg.times_s), _LONGEST_LAST_S) if len(leg.times_s) else leg.started_s


def _moving_s(leg: Leg, effective_s: float) -> float | None:
    if leg.sport is Sport.SWIMMING and leg.lengths:
        return min(sum(length.span.length_s for length in leg.lengths if length.is_active), effective_s)
    speed = leg.columns.get("speed")
    if speed is None or leg.sub_sport is SubSport.INDOOR_CYCLING or not np.nanmax(speed) > MOVING_MPS:
        return effective_s or None
    steps = record_durations_s(leg)
    if steps.sum() < _COVERED_SHARE * effective_s:
        return None  # the rest of the records is lost (o24 of the recordings)
    # A missing speed is not standing: tunnels would shorten the session.
    return float(min(np.sum(steps[~(speed < MOVING_MPS)]), effective_s))


def is_moving(leg: Leg) -> NDArray[np.bool_]:
    """Whether the athlete moved at each record: during pool lengths, else by speed; throughout without either."""
    if leg.sport is Sport.SWIMMING and leg.lengths:
        return _is_swimming(leg)
    speed = leg.columns.get("speed")
    if speed is None or not np.nan_to_num(speed).any():
        return np.ones(len(leg.times_s), np.bool_)
    moving: NDArray[np.bool_] = ~(speed < MOVING_MPS)
    return moving


def _is_swimming(leg: Leg) -> NDArray[np.bool_]:
    # The wall: a pool watch writes a speed once a length, so that a rest has none.
    swimming = np.zeros(len(leg.times_s), np.bool_)
    for length, span in zip(leg.lengths, end_at_next_start([swum.span for swum in leg.lengths]), strict=True):
        if length.is_active:
            swimming[places_within(leg.times_s, span)] = True
    return swimming


def places_within(times_s: Floats, span: TimeSpan) -> slice:
    """The records of a span; a record lasts until the next."""
    # Half a second of grace: starts are whole seconds, lengths end between them.
    start, stop = np.searchsorted(times_s, [span.start_s - 0.5, span.end_s - 0.5], side="left")
    return slice(int(start), int(stop))


def drop_repeated_times(leg: Leg) -> Leg:
    """The leg with one record a moment, the last known value of each column.

    TCX files repeat the point between two laps (o26 of the recordings), and FIT files may split a moment into two
    records (o24): both would count the moment twice, or leave its speed without a duration.
    """
    is_first = np.diff(leg.times_s, prepend=-np.inf) > 0
    if is_first.all():
        return leg
    first, places = np.flatnonzero(is_first), np.arange(len(leg.times_s))

    def merged(values: Floats) -> Floats:
        latest = np.maximum.reduceat(np.where(np.isfinite(values), places, -1), first)
        return np.where(latest >= first, values[latest], np.nan)

    columns = {name: merged(values) for name, values in leg.columns.items()}
    return replace(leg, times_s=leg.times_s[first], columns=columns)


def on_clock_grid(leg: Leg, values: Floats) -> Floats:
    """A column of one value a second from the first record to the end of the last, stops and losses as 0."""
    return to_clock_grid(_elapsed(leg), np.nan_to_num(held(values, _elapsed(leg))), fill=0.0)


def grid_places(leg: Leg) -> NDArray[np.int64]:
    """Where on the clock grid each record lies."""
    return clock_seconds(_elapsed(leg))


def held_column(leg: Leg, name: str) -> Floats | None:
    """A column in which a short loss of the sensor is filled."""
    values = leg.columns.get(name)
    return None if values is None else held(values, _elapsed(leg))


def even_places(leg: Leg) -> NDArray[np.int64]:
    """The record of each recorded second, stops left out: rolling means and laps need that."""
    places = np.arange(len(leg.times_s), dtype=np.float64)
    return per_second(places, record_durations_s(leg)).astype(np.int64)


def end_at_next_start(spans: Sequence[TimeSpan]) -> list[TimeSpan]:
    """The spans, each ended where the next begins.

    A device's elapsed time of a lap may include the pause before it (o15 of the recordings): the lap would reach
    into the next one and count its distance too.
    """
    starts = np.unique([span.start_s for span in spans])
    following = [*starts[1:].tolist(), np.inf]
    ends = dict(zip(starts.tolist(), following, strict=True)) if len(starts) else {}
    return [replace(span, end_s=min(span.end_s, ends[span.start_s])) for span in spans]


def gaps_as_pauses(times_s: Floats) -> tuple[TimeSpan, ...]:
    """The stops of a file that knows no timer."""
    places = np.flatnonzero(np.diff(times_s) > longest_hold_s(times_s))
    return tuple(TimeSpan(float(times_s[place]), float(times_s[place + 1])) for place in places)
