"""The thermometer of a device: it comes out of a room or from a wrist and takes minutes to tell the air, seconds in water."""

import numpy as np

from coachboard.models.enums import Sport
from coachboard.service.demo.cells import CELL_S, Floats, Ints
from coachboard.service.demo.chance import ripples, stretch
from coachboard.service.demo.session import Session

# Recordings: from 19 to 10 degrees within 20 minutes on a ride, 27 to 22 and 31 to 24 on runs, 23 to 18 within 40
# seconds in a lake; later on they flicker between two degrees.
_IN_AIR_S, _IN_WATER_S = 420.0, 25.0
_ROOM_C, _ROOMS_DIFFER, _WARMER_AT_LEAST_C = 20.0, 4, 1.5
_FLICKERS_C = 0.3
_GRID = np.linspace(0, 1, 25, dtype=np.float64)


def told_c(session: Session, cells: int) -> Floats:
    """Whole degrees, cell by cell."""
    least, _, most = span_c(session)
    true = _at(session, np.arange(cells, dtype=np.float64) * CELL_S)
    return np.clip(
        np.rint(true + _FLICKERS_C * stretch(ripples(), session.seed * 23 + 1, cells)), least, most
    )


def means_c(session: Session, starts: Ints, ends: Ints) -> Floats:
    """Mean of each span of cells."""
    lag_s, warmer_c = _lag_s(session), _warmer_c(session)
    spans_s = (ends - starts) * CELL_S
    left = np.exp(starts * (-CELL_S / lag_s)) - np.exp(ends * (-CELL_S / lag_s))
    risen = session.weather.rise_c * (starts + ends) / (2 * session.cells)
    return np.asarray(session.weather.temperature_c + risen + warmer_c * lag_s * left / spans_s)


def span_c(session: Session) -> tuple[int, int, int]:
    """The lowest, the mean and the highest of the session."""
    found = _at(session, _GRID * (session.cells * CELL_S)).tolist()
    return round(min(found)), round(sum(found) / len(found)), round(max(found))


def _at(session: Session, seconds: Floats) -> Floats:
    weather, lasts_s = session.weather, max(session.cells * CELL_S, 1)
    air = weather.temperature_c + weather.rise_c * seconds / lasts_s
    return np.asarray(air + _warmer_c(session) * np.exp(seconds / -_lag_s(session)))


def _lag_s(session: Session) -> float:
    return _IN_WATER_S if session.kind.sport is Sport.SWIMMING else _IN_AIR_S


def _warmer_c(session: Session) -> float:
    """How much warmer the device is than the air at the start."""
    room_c = _ROOM_C + session.seed % _ROOMS_DIFFER
    return max(room_c - session.weather.temperature_c, _WARMER_AT_LEAST_C)
