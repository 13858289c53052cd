"""Where a session is interrupted: lights, gates, views and talks, with the device running or pausing by itself."""

import math
from random import Random

from coachboard_demo.cells import CELL_S
from coachboard_demo.practice import Practice
from coachboard_demo.session import Done

Spots = tuple[tuple[int, int], ...]

_FEWEST_CELLS = 80  # shorter sessions are not interrupted
_FIRST_CELL, _LAST_CELLS, _HARD = 12, 40, 0.85
# Recorded rides on roads were interrupted between 1 and 20 times an hour.
_DAYS_DIFFER = 3.0  # shape of the gamma distribution of a day's share
# One interruption brings the next: half of the gaps between two recorded standstills last less than a minute (hiking,
# 16 s off the road), and the longest a quarter of an hour or more.
_IN_ONE_PLACE, _NEXT_CELLS, _GOES_FOR_CELLS, _ENOUGH = 0.5, (3, 24), (1, 7), 0.4
# Logarithms of the recorded standstills deviate by 0.9 (running) to 1.4 (off the road); the longest lasted 14 minutes.
_SPREAD, _LONGEST_S = 1.35, 850.0
_RESTS_S = 350.0, 900.0
_PAUSES_FROM_S, _BY_HAND = 8.0, 0.06
_UNTIL_GOING_S = (
    8.0  # a device that pauses by itself has the ramps too: 10 to 250 s recorded, 40 in the middle
)


def interruptions(kind: Practice, done: tuple[Done, ...], rng: Random) -> tuple[Spots, Spots]:
    """Cell and cells of each standstill with the device running; cell and seconds of each pause."""
    cells = sum(part.duration_s for part in done) // CELL_S
    if cells <= _FEWEST_CELLS or not kind.stops_an_hour:
        return (), ()
    usual = kind.stops_an_hour * cells * CELL_S / 3600 * rng.gammavariate(_DAYS_DIFFER, 1 / _DAYS_DIFFER)
    count = round(max(0.0, rng.gauss(usual, math.sqrt(usual))))
    pauses_itself = rng.random() < kind.pauses_itself
    # A summit, a hut, a puncture.
    rest = rng.randrange(count) if count and rng.random() < kind.rests else -1
    stops: list[tuple[int, int]] = []
    pauses: list[tuple[int, int]] = []
    free = 0
    for at, spot in enumerate(_spots(count, cells, rng)):
        cell = _out_of_work(spot, done)
        lasts_s = min(rng.lognormvariate(math.log(kind.stands_s), _SPREAD), _LONGEST_S)
        if at == rest:
            lasts_s = rng.uniform(*_RESTS_S)
        lasts = max(1, round(lasts_s / CELL_S))
        if cell < free:
            if cell != spot or rng.random() < _ENOUGH:  # one is enough where a repetition ends
                continue
            cell = _out_of_work(free + rng.randrange(*_GOES_FOR_CELLS), done)
        if cell + lasts >= cells - _LAST_CELLS:
            continue
        if (pauses_itself and lasts_s > _PAUSES_FROM_S) or rng.random() < _BY_HAND:
            pauses.append((cell, round(lasts_s + _UNTIL_GOING_S)))
            free = cell + 1
        else:
            stops.append((cell, lasts))
            free = cell + lasts + 1
    return tuple(stops), tuple(pauses)


def _spots(count: int, cells: int, rng: Random) -> list[int]:
    """Cells of interruptions, some of them in one place."""
    found: list[int] = []
    for _ in range(count):
        near = found and rng.random() < _IN_ONE_PLACE
        found.append(
            found[-1] + rng.randrange(*_NEXT_CELLS)
            if near
            else rng.randrange(_FIRST_CELL, cells - _LAST_CELLS)
        )
    return sorted(found)


def _out_of_work(cell: int, done: tuple[Done, ...]) -> int:
    """Nobody chooses a road with lights for hard work: who stops does so when that is over."""
    ends = 0
    for part in done:
        ends += part.duration_s // CELL_S
        if cell < ends:
            if part.effort < _HARD:
                return cell
            cell = ends
    return cell
