"""What goes wrong with which sensor and how often: one sensor at a time, for seconds, several times in a row."""

from functools import cache
from random import Random

from coachboard_demo.cells import CELL_S
from coachboard_demo.practice import Mover, Practice
from coachboard_demo.routes import Shape
from coachboard_demo.session import Fault

_FIRST_CELL, _LAST_CELLS, _FEWEST_CELLS = 20, 40, 80
# Kind, column, spells an hour, fewest and most cells. Of the recordings: heart rate missing for 4 to 15 s every other
# hour and standing at one value for 25 to 45 s four times an hour, but with the oldest of the straps alone; cadence missing once to
# ten times an hour, for a second to two minutes.
_FAULTS = (
    ("dropout", "heartRate", 0.12, 1, 6), ("stall", "heartRate", 0.12, 5, 11), ("slip", "heartRate", 0.1, 4, 30),
    ("dropout", "power", 0.03, 1, 8), ("spike", "power", 0.02, 1, 1), ("stall", "power", 0.008, 2, 8),
    ("dropout", "cadence", 0.15, 1, 8), ("dropout", "speed", 0.006, 1, 6),
)  # fmt: skip
_IN_WATER = (("dropout", "heartRate", 0.9, 3, 16), ("stall", "heartRate", 0.8, 4, 12))
# Positions missing for 2 to 7 s and a new start, twice in the eleven minutes of the recorded open water swim.
_UNSEEN = {Shape.LAKE: 5.0}
_UNSEEN_BY_MOVER = {Mover.FEET: 0.25, Mover.WHEELS: 0.06}
_ALL = (*_FAULTS, *_IN_WATER, ("unseen", "speed", 0.0, 1, 1))
_STEEPER = 6.0  # times as often in valleys and woods
_AGAIN, _AGAIN_CELLS = 0.45, (3, 50)  # what happened once happens again soon


def faults_of(kind: Practice, cells: int, rng: Random) -> tuple[Fault, ...]:
    """The faults of a session of so many cells."""
    if cells < _FEWEST_CELLS + _LAST_CELLS:
        return ()
    rates = _in_an_hour(kind.mover, kind.shape, is_steep=kind.steeper > 1)
    hours = cells * CELL_S / 3600
    found: list[Fault] = []
    left = sum(rates) * hours - rng.expovariate(1.0)
    while left > 0:
        ((name, column, _, fewest, most),) = rng.choices(_ALL, rates)
        cells_of_spell = _spell(cells - _LAST_CELLS, rng)
        found += [Fault(name, column, cell, rng.randint(fewest, most)) for cell in cells_of_spell]
        left -= rng.expovariate(1.0)
    return tuple(found)


@cache
def _in_an_hour(mover: Mover, shape: Shape | None, *, is_steep: bool) -> tuple[float, ...]:
    """Spells an hour of each fault."""
    in_water = mover is Mover.LENGTHS
    unseen = _UNSEEN.get(shape, _UNSEEN_BY_MOVER.get(mover, 0.0)) if shape else 0.0
    return (
        *(
            rate * (not in_water) * (kind != "spike" or mover is Mover.WHEELS)
            for kind, _, rate, _, _ in _FAULTS
        ),
        *(rate * in_water for _, _, rate, _, _ in _IN_WATER),
        unseen * (_STEEPER if is_steep else 1.0),
    )


def _spell(latest: int, rng: Random) -> list[int]:
    """When it happens: once, or several times in a row."""
    found = [rng.randrange(_FIRST_CELL, latest)]
    while rng.random() < _AGAIN and (cell := found[-1] + rng.randrange(*_AGAIN_CELLS)) < latest:
        found.append(cell)
    return found
