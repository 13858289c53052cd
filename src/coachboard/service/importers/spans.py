"""Time within a session: which stretches were pauses, what each record stands for, how long was moved."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.clock_grid import to_clock_grid
from coachboard.models.enums import Sport, SubSport
from coachboard.service.importers.recording import Floats, Leg, Span

MOVING_MPS = 0.5
"""Slower than this is standing; devices' own automatic pause works between 0.3 and 0.8 m/s."""
EVERY_SECOND_S = 1.5
"""Up to this usual step a device writes every second, and a hole is a lost record, not a longer one."""
_COVERED_SHARE = 0.9
LONGEST_HOLD_S = 10.0
"""How long a record of a device that writes on change only stays valid."""


@dataclass(frozen=True, slots=True)
class Durations:
    """The three durations of an activity, in seconds."""

    moving_s: float | None
    effective_s: float
    total_s: float


def usual_step_s(leg: Leg) -> float:
    """The usual time between two records."""
    steps = np.diff(leg.times_s)
    steps = steps[steps > 0]
    return float(np.median(steps)) if len(steps) else 1.0


def record_durations_s(leg: Leg) -> Floats:
    """The time each record stands for, pauses and long holes left out."""
    if not len(leg.times_s):
        return np.empty(0)
    if usual_step_s(leg) <= EVERY_SECOND_S:
        return np.ones(len(leg.times_s))
    steps = np.diff(leg.times_s, append=leg.times_s[-1] + usual_step_s(leg))
    return np.minimum(steps, max(LONGEST_HOLD_S, 3 * usual_step_s(leg)))


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
    # One second for the last record: a device that writes every second recorded that one too.
    last = leg.last_s + min(usual_step_s(leg), EVERY_SECOND_S) if len(leg.times_s) else leg.started_s
    return max([last, *(lap.span.end_s for lap in leg.laps)]) - leg.started_s


def _moving_s(leg: Leg, effective_s: float) -> float | None:
    if leg.sport is Sport.SWIMMING and leg.lengths:
        return min(sum(length.span.length_s for length in leg.lengths if length.is_active), effective_s)
    speed = leg.columns.get("speed")
    if speed is None or leg.sub_sport is SubSport.INDOOR_CYCLING or not np.nanmax(speed) > MOVING_MPS:
        return effective_s or None
    steps = np.maximum(np.diff(leg.times_s, append=leg.last_s + 1) - _paused_s(leg), 0)
    if steps.sum() < _COVERED_SHARE * effective_s:
        return None  # the rest of the records is lost (o24 of the recordings)
    # A missing speed is not standing: tunnels would shorten the session.
    return float(min(np.sum(steps[~(speed < MOVING_MPS)]), effective_s))


def is_moving(leg: Leg) -> NDArray[np.bool_]:
    """Whether the athlete moved at each record; throughout where no speed was measured."""
    speed = leg.columns.get("speed")
    if speed is None or not np.nan_to_num(speed).any():
        return np.ones(len(leg.times_s), np.bool_)
    moving: NDArray[np.bool_] = ~(speed < MOVING_MPS)
    return moving


def _paused_s(leg: Leg) -> Floats:
    """Seconds of pause that fall between each record and the next."""
    edges = np.append(leg.times_s, np.inf)
    paused = np.zeros(len(leg.times_s))
    for pause in leg.pauses:
        overlap = np.minimum(edges[1:], pause.end_s) - np.maximum(edges[:-1], pause.start_s)
        paused += np.maximum(overlap, 0)
    return paused


def on_clock_grid(leg: Leg, values: Floats, *, fill: float) -> Floats:
    """A column on one sample a second from the first record to the last, holes filled with `fill`."""
    hold_s = 0.0 if usual_step_s(leg) <= EVERY_SECOND_S else LONGEST_HOLD_S
    return to_clock_grid(leg.times_s - leg.times_s[0], values, fill=fill, hold_s=hold_s)


def grid_places(leg: Leg) -> NDArray[np.int64]:
    """Where on the clock grid each record lies."""
    seconds: NDArray[np.int64] = np.rint(leg.times_s - leg.times_s[0]).astype(np.int64)
    first = int(seconds[0])
    return seconds - first


def even_places(leg: Leg) -> NDArray[np.int64]:
    """The record that stands for each recorded second, holes taken out: rolling means and laps need that."""
    places: NDArray[np.int64] = np.arange(len(leg.times_s), dtype=np.int64)
    if not len(places) or usual_step_s(leg) <= EVERY_SECOND_S:
        return places
    on_grid = to_clock_grid(leg.times_s - leg.times_s[0], places, hold_s=LONGEST_HOLD_S)
    held: NDArray[np.int64] = on_grid[np.isfinite(on_grid)].astype(np.int64)
    return held


def gaps_as_pauses(times_s: Floats, *, longest_s: float) -> tuple[Span, ...]:
    """Holes of a file that knows no timer, read as pauses."""
    places = np.flatnonzero(np.diff(times_s) > longest_s)
    return tuple(Span(float(times_s[place]), float(times_s[place + 1])) for place in places)
