"""How the easy parts of a workout go: warm-ups in steps with quicker moments, recoveries stood, walked, jogged or rolled.

A coach asks for fifteen minutes at one effort and for two minutes at another. The recorded warm-ups have blocks of two
minutes half as hard again, three pick-ups of twenty seconds, a belt set faster four times; the recorded recoveries
of a session are mostly of one kind, a rower comes back in small steps, and a rider on a trainer hardly turns the cranks.
"""

from bisect import bisect
from collections.abc import Iterator, Mapping
from random import Random

from coachboard_demo.practice import Mover

Levels = Iterator[tuple[float, float]]
"""How long one level is kept, of any unit, and the level against what was asked."""
Habit = tuple[float, float]
"""What somebody does between the efforts of one session: two numbers from 0 to 1."""

_STEPS, _LOWEST, _HIGHEST, _STEPS_DIFFER = (2, 5), (0.78, 0.94), (1.02, 1.2), 0.05
_QUICKER_FROM_CELLS, _OFTEN, _QUICKER, _QUICKER_CELLS, _EASIER_CELLS = 96, 0.7, (1.3, 1.65), (4, 9), (7, 16)
_PRIMED, _PRIMED_CELLS = 0.45, (14, 32)  # one longer block instead

# A quarter of an hour of the recorded warm-up on a track has thirteen stops, of 1 to 22 s and of 74 s.
_FALSE_STARTS, _TALKS_CELLS, _DRINKS_CELLS, _JOGGED_AT_LEAST = (1, 4), (1, 6), (5, 18), 0.4
_DRILLS, _DRILLED, _WALKS_BACK, _JOGS = (3, 7), (0.7, 1.5), (0.38, 0.52), (0.86, 1.06)

_FOR_ONCE = (
    0.2  # another kind than the session's others; of the recorded recoveries on the track one of five was
)
_WALKED, _JOGGED = 0.33, 0.68  # relative efforts
# Shares of what is done between two efforts on foot: stood and then walked, walked throughout, walked and then
# jogged, jogged and then walked, jogged throughout; added up.
_ON_FOOT = (("stood", "walked"), ("walked",), ("walked", "jogged"), ("jogged", "walked"), ("jogged",))
_WHERE_WALKING_IS_ASKED, _WHERE_JOGGING_IS_ASKED = (
    (0.38, 0.85, 0.95, 0.98),
    (0.15, 0.27, 0.6, 0.72),
)
_JOGGING_FROM = 0.5
_OF_FOOT: Mapping[str, float] = {"stood": 0.0, "walked": _WALKED, "jogged": _JOGGED}
_FEET_DIFFER = 0.09
_STOOD = 0.5  # as long as anything else
_SOFT, _SOFT_DIFFER, _ROLLS, _ROLLED, _ROLLED_CELLS = (0.5, 1.0), 0.07, 0.25, 0.001, (1, 2)
_ROWED_BACK, _ROWED_FIRST, _ROWED_LAST, _ROWED_DIFFER = (4, 9), (0.5, 0.85), (0.95, 1.45), 0.06


def warmed_up(cells: int, rng: Random) -> Levels:
    """A warm-up of so many cells."""
    steps, low, high = rng.randint(*_STEPS), rng.uniform(*_LOWEST), rng.uniform(*_HIGHEST)
    quicker = list(_quicker(rng)) if cells > _QUICKER_FROM_CELLS and rng.random() < _OFTEN else []
    left = cells - sum(lasts for lasts, _ in quicker)
    lasts = [rng.uniform(0.5, 1.5) for _ in range(steps)]
    for at, long in enumerate(lasts):
        level = low + (high - low) * at / (steps - 1) + _STEPS_DIFFER * _about(rng)
        if quicker and at == steps - 1:
            yield from quicker
        yield long * left / sum(lasts), level


def _quicker(rng: Random) -> Levels:
    if rng.random() < _PRIMED:
        level = rng.uniform(*_QUICKER)
        yield rng.randint(2, 6), 1 + (level - 1) * rng.uniform(0.3, 0.7)
        yield rng.randint(*_PRIMED_CELLS), level
        return
    for _ in range(rng.randint(2, 4)):
        yield rng.randint(*_QUICKER_CELLS), rng.uniform(*_QUICKER)
        yield rng.randint(*_EASIER_CELLS), rng.uniform(0.75, 1.0)


def readied(cells: int, rng: Random) -> Levels:
    """A warm-up on a track: laces and a word with somebody, some laps, drills and walks back, a drink, some more laps."""
    starts = [
        piece
        for _ in range(rng.randint(*_FALSE_STARTS))
        for piece in ((rng.randint(4, 10), rng.uniform(*_JOGS)), (rng.randint(*_TALKS_CELLS), 0.0))
    ]
    drills = [
        piece
        for _ in range(rng.randint(*_DRILLS))
        for piece in (
            (rng.randint(2, 4), rng.uniform(*_DRILLED)),
            (rng.randint(2, 5), rng.uniform(*_WALKS_BACK)),
        )
    ]
    drink = rng.randint(*_DRINKS_CELLS)
    left = max(cells - drink - sum(lasts for lasts, _ in starts + drills), cells * _JOGGED_AT_LEAST)
    share = rng.uniform(0.35, 0.65)
    yield from starts
    yield left * share, rng.uniform(*_JOGS)
    yield from drills
    yield drink, 0.0
    yield left * (1 - share) * 0.6, rng.uniform(*_JOGS)
    yield left * (1 - share) * 0.4, rng.uniform(*_HIGHEST)


def between_efforts(mover: Mover, planned: float, *, cells: int, habit: Habit, rng: Random) -> Levels:
    """What is done for so many cells between two efforts, and was to be as hard as planned."""
    if rng.random() < _FOR_ONCE:
        habit = rng.random(), rng.random()
    if mover is Mover.FEET:
        return _on_foot(planned, habit, rng)
    return _softly(cells, habit, rng) if mover is Mover.WHEELS else _rowed_back(habit, rng)


def _on_foot(planned: float, habit: Habit, rng: Random) -> Levels:
    weights = _WHERE_JOGGING_IS_ASKED if planned > _JOGGING_FROM else _WHERE_WALKING_IS_ASKED
    for way in _ON_FOOT[bisect(weights, habit[0])]:
        lasts = rng.uniform(0.6, 1.4) * (_STOOD if way == "stood" else 1)
        yield lasts, _OF_FOOT[way] * (1 + _FEET_DIFFER * _about(rng)) / max(planned, 0.2)


def _softly(cells: int, habit: Habit, rng: Random) -> Levels:
    level = _within(_SOFT, habit[0])
    if rng.random() < _ROLLS:
        yield rng.randint(*_ROLLED_CELLS), _ROLLED
    for _ in range(rng.randint(1, 3)):
        yield rng.uniform(0.3, 1.0) * cells, level * (1 + _SOFT_DIFFER * _about(rng))


def _rowed_back(habit: Habit, rng: Random) -> Levels:
    steps = rng.randint(*_ROWED_BACK)
    first, last = _within(_ROWED_FIRST, habit[0]), _within(_ROWED_LAST, habit[1])
    for at in range(steps):
        yield rng.uniform(0.4, 1.6), first + (last - first) * at / (steps - 1) + _ROWED_DIFFER * _about(rng)


def _within(bounds: tuple[float, float], share: float) -> float:
    return bounds[0] + (bounds[1] - bounds[0]) * share


def belt_set(rng: Random) -> Levels:
    """A belt that is set a little faster in the course of hard work."""
    level = 1 - rng.uniform(0, 0.012)
    for _ in range(rng.randint(1, 3)):
        yield rng.uniform(0.3, 1.0), level
        level += rng.uniform(0.004, 0.012)


def _about(rng: Random) -> float:
    """A number around 0 of deviation 1: half the price of a normal one."""
    return (rng.random() + rng.random() - 1) * _OF_TWO


_OF_TWO = 6**0.5


def shared_out(levels: Levels, cells: int) -> Iterator[tuple[int, float]]:
    """The levels as so many whole cells each, of a stretch that they share among them."""
    kept = list(levels)
    whole, gone, start = sum(lasts for lasts, _ in kept), 0.0, 0
    for lasts, level in kept:
        gone += lasts
        end = round(gone / whole * cells)
        yield end - start, level
        start = end
