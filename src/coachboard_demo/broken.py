"""What a sensor that fails writes: nothing, the same over and over, too little, or what satellites unseen leave."""

import numpy as np
from numpy.typing import NDArray

from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.chance import chance, wander
from coachboard_demo.session import Fault, Session
from coachboard_demo.summary import spike_w

_SLIPS, _SLIP_TREMBLE_BPM, _SLIP_S = (
    (0.55, 0.9),
    3.0,
    6,
)  # a strap that lost its grip counts every other beat or so
# The recorded open water swim: the last speed held for six seconds, half as much again for one, then 0, and back
# within half a minute.
_UNSEEN_S, _LEAP, _BACK_S, _RELOCK_S = (3, 8), (1.15, 1.75), (4.0, 18.0), 60
_FINDS_SOMETHING, _MISSING = 0.4, (0.4, 0.9)
_FOUND_AGAIN_S = 9
_PLACES = ("positionLat", "positionLong")


def break_some(session: Session, columns: dict[str, Floats]) -> dict[str, NDArray[np.intp]]:
    """Do to the columns what went wrong with the devices; gives where the word "NaN" stands for null."""
    words: dict[str, NDArray[np.intp]] = {}
    for fault in session.faults:
        if fault.column not in columns:
            continue
        values = columns[fault.column] = columns[fault.column].copy()
        start, end = _seconds(fault)
        if fault.kind == "unseen":
            _lose_sight(session, fault, columns)
        elif fault.kind == "slip":
            _slip(session, fault, values)
        elif fault.kind == "spike":
            values[start + 2] = spike_w(session, fault.cell)
        else:
            values[start:end] = values[start] if fault.kind == "stall" else _WRITTEN[fault.kind]
            if fault.kind == "stall" and fault.column == "heartRate":
                _find_again(values[end - 1 : end + _FOUND_AGAIN_S])
        if fault.kind == "words":
            words[fault.column] = np.arange(start, end)
    return words


_WRITTEN = {"dropout": np.nan, "words": np.nan, "infinite": np.inf}


def _seconds(fault: Fault) -> tuple[int, int]:
    """A fault keeps to no grid."""
    start = fault.cell * CELL_S
    return start, start + fault.cells * CELL_S - fault.cell * 7 % CELL_S


def _find_again(beats: Floats) -> None:
    """A strap that was lost tells a mean of the last beats again: no leap onto the right value."""
    if len(beats) > 1:
        beats[:-1] = np.rint(np.linspace(beats[0], beats[-1], len(beats))[:-1])


def _slip(session: Session, fault: Fault, beats: Floats) -> None:
    """A strap slips: at once too low, ragged, and back in a few seconds."""
    start, end = _seconds(fault)
    part = beats[start:end]
    rng = chance("slip", session.seed, fault.cell)
    ragged = _SLIP_TREMBLE_BPM * _SLIP_S**0.5 * wander(rng, len(part), _SLIP_S)
    back = np.minimum((end - start - np.arange(len(part))) / rng.uniform(3, 15), 1)
    lower = part - (1 - rng.uniform(*_SLIPS)) * part * back
    part[:] = np.rint(np.minimum(np.maximum(lower + ragged * back, session.body.hr_rest), np.nanmax(beats)))


def _lose_sight(session: Session, fault: Fault, columns: dict[str, Floats]) -> None:
    """Satellites out of sight: the last speed held, a leap to where they are found again, and speed found slowly."""
    speed, start = columns["speed"], fault.cell * CELL_S
    rng = chance("unseen", session.seed, fault.cell)
    lost = int(rng.integers(*_UNSEEN_S))
    found = speed[start + lost : start + lost + _RELOCK_S]
    if not speed[start] > 0 or len(found) < 2:
        return
    highest = float(np.nanmax(speed))
    for name in _PLACES:
        if name in columns:
            columns[name] = columns[name].copy()
            columns[name][start : start + lost] = np.nan
    speed[start : start + lost] = speed[start]
    # What is found first is nothing, or something between that and the truth.
    missing = rng.uniform(*_MISSING) if rng.random() < _FINDS_SOMETHING else 1.0
    found *= np.round(1 - missing * np.exp(-np.arange(-1, len(found) - 1) / rng.uniform(*_BACK_S)), 3)
    found[0] = min(rng.uniform(*_LEAP) * float(speed[start]), highest)
    np.round(found, 3, out=found)
