"""The thermometer of a device: it comes out of a room or from a wrist and takes minutes to tell the air, seconds in water."""

from math import exp, log

import numpy as np

from coachboard.models.enums import Sport
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.chance import ripples, stretch
from coachboard_demo.session import Session
from coachboard_demo.spans import Spans

# Recordings: from 19 to 10 degrees within 20 minutes on a ride, 27 to 22 and 31 to 24 on runs, 23 to 18 within 40
# seconds in a lake; later on they flicker between two degrees.
_IN_AIR_S, _IN_WATER_S = 420.0, 25.0
_ROOM_C, _ROOMS_DIFFER, _WARMER_AT_LEAST_C = 20.0, 4, 1.5
_FLICKERS_C, _IN_WATER_C = 0.3, 0.05  # in the lake for 50 s, where 18 became 17


def told_c(session: Session, cells: int) -> Floats:
    """Whole degrees, cell by cell."""
    least, _, most = span_c(session, cells)
    seconds, weather = np.arange(cells, dtype=np.float64) * CELL_S, session.weather
    true = weather.temperature_c + weather.rise_c * seconds / (cells * CELL_S)
    true += _warmer_c(session) * np.exp(seconds / -_lag_s(session))
    flickers_c = _IN_WATER_C if session.kind.sport is Sport.SWIMMING else _FLICKERS_C
    return np.clip(np.rint(true + flickers_c * stretch(ripples(), session.seed * 23 + 1, cells)), least, most)


def means_c(spans: Spans) -> Floats:
    """Mean of each span of cells."""
    of, sessions, first, behind = spans.of, spans.batch.sessions, spans.first, spans.last + 1
    lag_s = _lag_s(sessions[0])
    warmer = np.array([_warmer_c(session) for session in sessions])[of]
    air = np.array([session.weather.temperature_c for session in sessions])[of]
    rise = np.array([session.weather.rise_c for session in sessions])[of]
    left = np.exp(first * (-CELL_S / lag_s)) - np.exp(behind * (-CELL_S / lag_s))
    risen = rise * (first + behind) / (2 * spans.batch.sizes[of])
    return np.asarray(air + risen + warmer * lag_s / CELL_S * left / spans.cells)


def span_c(session: Session, cells: int) -> tuple[int, int, int]:
    """The lowest, the mean and the highest of the session."""
    air_c, rise_c = session.weather.temperature_c, session.weather.rise_c
    lag_s, warmer_c, lasts_s = _lag_s(session), _warmer_c(session), cells * CELL_S
    end_c = air_c + rise_c + warmer_c * exp(-lasts_s / lag_s)
    turns_s = lag_s * log(warmer_c * lasts_s / (rise_c * lag_s)) if rise_c > 0 else 0.0
    least = min(air_c + warmer_c, end_c)
    if 0 < turns_s < lasts_s:  # it has cooled down, and the day warms up
        least = air_c + rise_c * (turns_s + lag_s) / lasts_s
    mean = air_c + rise_c / 2 + warmer_c * lag_s / lasts_s * (1 - exp(-lasts_s / lag_s))
    return round(least), round(mean), round(max(air_c + warmer_c, end_c))


def _lag_s(session: Session) -> float:
    return _IN_WATER_S if session.kind.sport is Sport.SWIMMING else _IN_AIR_S


def _warmer_c(session: Session) -> float:
    """How much warmer the device is than the air at the start."""
    room_c = _ROOM_C + session.seed % _ROOMS_DIFFER
    return max(room_c - session.weather.temperature_c, _WARMER_AT_LEAST_C)
