"""Sensors that not everybody owns, and what a wrist or a barometer adds."""

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, between, lag, smooth, to_seconds
from coachboard_demo.chance import chance, wander
from coachboard_demo.session import Session
from coachboard_demo.trace import Trace


def breathing(session: Session, trace: Trace) -> dict[str, Floats]:
    """Breaths, their depth and the air a minute: depth first, then rate (Nicolo and Sacchetti 2019)."""
    demand = lag(np.minimum(trace.effort, 1.4), 40 / CELL_S, before=0.1)
    noise = chance("breathing", session.seed).standard_normal(len(trace))
    rate = 13 + 22 * demand + 9 * np.maximum(demand - 0.85, 0) * 3 + 1.3 * noise
    depth = (0.65 + 1.9 * np.minimum(demand, 0.95) ** 0.8) * (session.body.mass_kg / 70) ** 0.7
    # Told anew every five seconds or so, as by the recorded straps.
    rate_s, depth_s = np.repeat(np.maximum(rate, 8), CELL_S), np.repeat(depth + 0.04 * noise[::-1], CELL_S)
    return {
        "breathingRate": np.round(rate_s, 1),
        "tidalVolume": np.round(depth_s, 2),
        "minuteVentilation": np.round(rate_s * depth_s, 1),
    }


def barometer_m(rng: np.random.Generator, speed_mps: Floats) -> Floats:
    """What a barometer adds to the height: the gusts of who is quick, within a minute, the weather within half an hour."""
    cells = len(speed_mps)
    gusts = smooth(wander(rng, cells * CELL_S, _GUST_S), _GUST_S) * (_GUSTS_M * (1.5 * _GUST_S) ** 0.5)
    gusts *= between(to_seconds(smooth(speed_mps, _GUST_S)) * (1 / _QUICK_MPS), _CALM, 1)
    weather = wander(rng, cells, _WEATHER_CELLS) * (_WEATHER_M * _WEATHER_CELLS**0.5)
    return np.asarray(gusts + to_seconds(weather) + _UNSURE_M * rng.standard_normal(cells * CELL_S))


# Chosen so that one step of three is none and steps deviate by 0.12 m on level ground, as in the recorded repetitions.
_UNSURE_M, _GUST_S, _GUSTS_M = 0.06, 12, 0.35
# The grade of the recorded hike wanders by 1 % on the level, as that of runs does: who is slow makes less wind.
_QUICK_MPS, _CALM = 3.0, 0.25
_WEATHER_CELLS, _WEATHER_M = 240, 0.8


# Steps of the recordings' heart rate from one second to the next: deviation 0.5 to 0.7 bpm with a strap, 1.1 to 2.5
# in the pool, in the gym and at moments of runs with a watch alone, whose median step is none.
_TREMBLE_S, _TREMBLE_BPM = 4, 1.6
_UNSURE_S, _UNSURE_FROM, _UNSURE_SHARE, _SURE_SHARE = 20, 1.5, 1.7, 0.3
_FOUND_S, _SHARE_UNTIL_FOUND = (40.0, 150.0), 1 / 24
_OFF_BPM = 5.0, 12.0


def at_the_wrist(session: Session, beats: Floats) -> Floats:
    """What light through the skin makes of a pulse: off until it is found, and trembling."""
    rng = chance("wrist", session.seed)
    tremble = wander(rng, len(beats), _TREMBLE_S) * (_TREMBLE_BPM * _TREMBLE_S**0.5)
    if not session.kind.is_bare:
        # In steady motion the watch is sure of itself, but for moments.
        unsure = np.abs(wander(rng, len(beats), _UNSURE_S)) * _UNSURE_S**0.5 > _UNSURE_FROM
        tremble = tremble * np.where(unsure, _UNSURE_SHARE, _SURE_SHARE)
    found_s = min(rng.uniform(*_FOUND_S), len(beats) * _SHARE_UNTIL_FOUND)
    off = rng.uniform(*_OFF_BPM) * rng.choice([-1.0, -1.0, 1.0])
    until = np.clip((found_s - np.arange(len(beats))) / (0.3 * found_s), 0, 1)
    errors = tremble + off * until
    # What the summary calls the mean and the maximum is none of these errors.
    return between(beats + errors - errors.mean(), session.body.hr_rest, float(beats.max()))


def running_dynamics(session: Session, trace: Trace) -> dict[str, Floats]:
    """Contact (ms), step length (mm) and bounce (mm) by speed; ranges of the recordings with a foot pod."""
    assert trace.speed_mps is not None
    assert trace.cadence is not None
    noise = chance("dynamics", session.seed).standard_normal((3, len(trace) * CELL_S))
    speed, cadence = to_seconds(trace.speed_mps), np.repeat(trace.cadence, CELL_S)
    runs = (cadence > 0) & (speed > 1.2)
    step = 1000 * speed / np.maximum(cadence * 2 / 60, 0.5)
    contact = 340 - 28 * speed + 3.5 * noise[0]
    bounce = 96 - 5 * np.abs(speed - 3.4) + 1.8 * noise[2]
    return {
        "groundContactTime": np.where(runs, np.rint(contact), np.nan),
        "stepLength": np.where(runs, np.rint(step * (1 + 0.01 * noise[1])), np.nan),
        "verticalOscillation": np.where(runs, np.round(bounce, 1), np.nan),
    }
