"""What goes wrong with which sensor and how often: one sensor at a time, for seconds, several times in a row."""

from random import Random

from coachboard.service.demo.cells import CELL_S
from coachboard.service.demo.practice import Mover, Practice
from coachboard.service.demo.routes import Shape
from coachboard.service.demo.session import Fault

_FIRST_CELL, _LAST_CELLS, _FEWEST_CELLS = 20, 40, 80
# Kind, column, spells an hour, fewest and most cells. Of the recordings: heart rate missing for 4 to 15 s every other
# hour and standing at one value for 25 to 45 s four times an hour with the oldest of the straps; cadence missing once to
# ten times an hour, for a second to two minutes.
_FAULTS = (
    ("dropout", "heartRate", 0.12, 1, 6), ("stall", "heartRate", 0.3, 5, 11), ("slip", "heartRate", 0.1, 4, 30),
    ("dropout", "power", 0.03, 1, 8), ("spike", "power", 0.02, 1, 1), ("stall", "power", 0.008, 2, 8),
    ("dropout", "cadence", 0.15, 1, 8), ("dropout", "speed", 0.006, 1, 6),
)  # fmt: skip
_IN_WATER = (("dropout", "heartRate", 0.9, 3, 16), ("stall", "heartRate", 0.8, 4, 12))
# Positions missing for 2 to 7 s, sixteen times an hour on the recorded open water swim, ten on the hike.
_UNSEEN = {Shape.LAKE: 8.0}
_UNSEEN_BY_MOVER = {Mover.FEET: 0.25, Mover.WHEELS: 0.06}
_STEEPER = 6.0  # times as often in valleys and woods
_AGAIN, _AGAIN_CELLS = 0.45, (3, 50)  # what happened once happens again soon


def faults_of(kind: Practice, cells: int, rng: Random) -> tuple[Fault, ...]:
    """The faults of a session of so many cells."""
    if cells < _FEWEST_CELLS + _LAST_CELLS:
        return ()
    hours = cells * CELL_S / 3600
    found: list[Fault] = []
    for name, column, an_hour, fewest, most in _IN_WATER if kind.mover is Mover.LENGTHS else _FAULTS:
        spells = _spells(an_hour * hours, cells, rng)
        found += [Fault(name, column, cell, rng.randint(fewest, most)) for cell in spells]
    if kind.shape is not None:
        unseen = _UNSEEN.get(kind.shape, _UNSEEN_BY_MOVER.get(kind.mover, 0.0))
        unseen *= _STEEPER if kind.steeper > 1 else 1
        found += [Fault("unseen", "speed", cell) for cell in _spells(unseen * hours, cells, rng)]
    return tuple(found)


def _spells(expected: float, cells: int, rng: Random) -> list[int]:
    """When a fault happens, mostly never: once, or several times in a row."""
    found: list[int] = []
    left = expected - rng.expovariate(1.0)
    latest = cells - _LAST_CELLS
    while left > 0:
        cell = rng.randrange(_FIRST_CELL, latest)
        found.append(cell)
        while rng.random() < _AGAIN and (cell := cell + rng.randrange(*_AGAIN_CELLS)) < latest:
            found.append(cell)
        left -= rng.expovariate(1.0)
    return found
