"""When each point of the ground is passed: hills, corners, wind and legs that answer late."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coachboard_demo import motion
from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats, Ints, between, smooth
from coachboard_demo.chance import ripples
from coachboard_demo.ground import Ground
from coachboard_demo.practice import Mover
from coachboard_demo.routes import Route
from coachboard_demo.rows import Rows
from coachboard_demo.speeds import LEGS_S, SLOWEST_MPS, rough, tables_of, units_of
from coachboard_demo.trace import Trace

_PUSHED, _PUSHED_AT_LEAST = 3.0, 0.4  # times as uneven
_ROLLS_ON = 0.25  # of the planned effort: nobody lets it roll until it stands
_WIND_FELT = 0.55  # m/s lost a m/s of head wind at a steady power
# Walking up what could just be run costs a quarter of the speed; the recorded trail run: 1.45 against 1.95 m/s, and
# some 12 heart beats fewer.
_WALKED_SHARE, _FASTEST_WALK_MPS = 0.75, 1.7
_WALKS_SPREAD_PCT, _WALK_POINTS, _TIRED_OF_POINTS = 3.2, 2, 12  # of grade; of the way


def guessed_s(batch: Batch, ways: Sequence[Route], target: Floats, moved_s: Floats) -> tuple[Ground, Floats]:
    """The ground that is gone, and when its points are passed if the effort is its mean throughout.

    In steps of effort, so that days share the guesses.
    """
    efforts, units, once_s = batch.means(target).tolist(), units_of(batch).tolist(), []
    for way, table, effort, unit in zip(ways, tables_of(batch), efforts, units, strict=True):
        mean = round(effort, 1) * round(unit, -1 if unit > 1 else 0)
        once_s.append(_profile(way, table, mean, batch.kind.follows_grade))
    rounds = [max(1, round(moved / float(s[-1]))) for moved, s in zip(moved_s.tolist(), once_s, strict=True)]
    passed = [_again(s, count) for s, count in zip(once_s, rounds, strict=True)]
    return Ground(batch, ways, rounds), np.concatenate(passed)


@lru_cache(maxsize=512)
def _profile(way: Route, table: motion.Table, effort: float, follows_grade: float) -> Floats:
    """Seconds from the start to each point of the route at one effort."""
    grade = way.grade_pct
    uneven = effort * np.exp(follows_grade * between(grade, -4.0, 7.0))
    speed = np.maximum(table.speed(uneven, grade), 0.5)
    spacing = way.length_m / (len(grade) - 1)
    passed = np.zeros(len(speed))
    np.cumsum(spacing / speed[:-1], out=passed[1:])
    return passed


def _again(once_s: Floats, rounds: int) -> Floats:
    """The times of several rounds, one after another."""
    if rounds == 1:
        return once_s
    starts = once_s[-1] * np.arange(rounds)
    return np.append((once_s[:-1] + starts[:, None]).ravel(), once_s[-1] * rounds)


def walked(batch: Batch, ground: Ground) -> NDArray[np.bool_] | None:
    """The stretches that a runner walks: the steeper the more of them, some tens of seconds each."""
    half_pct = batch.kind.walks_from_pct
    if half_pct is None:
        return None
    whims = batch.drawn(ripples(), 11, 7, counts=ground.sizes)
    whim = ground.smoothed(whims, _WALK_POINTS) - ground.smoothed(whims, _TIRED_OF_POINTS)
    # Nobody who runs at all walks the whole of a long climb.
    return np.asarray(np.minimum(ground.grade_pct, half_pct + 1) + _WALKS_SPREAD_PCT * whim > half_pct)


@dataclass(frozen=True, slots=True, eq=False)
class Footing:
    """What of the speed at each point does not depend on when it is passed."""

    batch: Batch
    ground: Ground
    tables: list[motion.Table]
    units: Floats
    walks: NDArray[np.bool_] | None
    behind_mps: Floats | None  # the wind in the back
    uneven: Floats
    corner_mps: Floats
    slowest_mps: Floats
    rolls_on: Floats | None  # the effort that a rider lets the bike roll with
    passed: Ints  # the cell of each five seconds of moving
    slots: Rows  # those of each session


def footing_of(batch: Batch, ground: Ground, walks: NDArray[np.bool_] | None, planned: Trace) -> Footing:
    """What the plan and the ground decide."""
    kind = batch.kind
    is_ride = kind.mover is Mover.WHEELS
    uneven = rough(batch, ground.sizes)
    passed = _passed(batch, planned.moving)
    return Footing(
        batch,
        ground,
        tables_of(batch),
        units_of(batch),
        walks,
        _behind_mps(batch, ground) if is_ride else None,
        uneven,
        corner_mps=np.minimum(ground.all("corner_mps") * kind.sideways_mps2**0.5, kind.top_mps),
        # Who pushes a bike, or rides no faster than that, goes the less evenly.
        slowest_mps=SLOWEST_MPS[kind.mover] * np.maximum(uneven * _PUSHED - (_PUSHED - 1), _PUSHED_AT_LEAST),
        rolls_on=_ROLLS_ON * planned.effort if is_ride else None,
        passed=passed,
        slots=Rows(np.bincount(batch.of[passed], minlength=len(batch.sessions))),
    )


def _behind_mps(batch: Batch, ground: Ground) -> Floats:
    weathers = [session.weather for session in batch.sessions]
    wind_mps = _WIND_FELT * np.array([weather.wind_mps for weather in weathers])
    to = np.array([weather.wind_to for weather in weathers])
    behind: Floats = ground.all("east") * ground.each(wind_mps * np.cos(to))
    behind += ground.all("north") * ground.each(wind_mps * np.sin(to))
    return behind


def _passed(batch: Batch, moving: Floats) -> Ints:
    """The cell in which each five seconds of moving begin."""
    begun = np.ceil(batch.summed(moving)).astype(np.int64)
    counts = np.diff(begun, prepend=0)
    counts[batch.starts] = begun[batch.starts]
    return np.arange(len(batch)).repeat(counts)


def passing_s(trace: Trace, footing: Footing, at_s: Floats) -> Floats:
    """Seconds of moving until each point of the ground, for the efforts of the times it was passed at."""
    ground, kind = footing.ground, footing.batch.kind
    effort = _felt(trace, footing, at_s) * ground.each(footing.units)
    speed = motion.speeds(footing.tables, ground, effort, grades=ground.grade_rows)
    if footing.walks is not None:
        speed = np.where(footing.walks, np.minimum(speed * _WALKED_SHARE, _FASTEST_WALK_MPS), speed)
    if footing.behind_mps is not None:
        speed += footing.behind_mps * np.minimum(speed * (1 / 8), 1)
    speed *= footing.uneven
    speed = np.maximum(np.minimum(speed, footing.corner_mps), footing.slowest_mps)
    passed = np.zeros(len(speed))
    for spacing, here in zip(ground.spacing_m.tolist(), ground.slices(), strict=True):
        even = smooth(speed[here], max(1, round(kind.inertia_s * 6 / spacing)))
        np.cumsum(spacing / even[:-1], out=passed[here][1:])
    return passed


def _felt(trace: Trace, footing: Footing, at_s: Floats) -> Floats:
    """The effort that moves the body after so many seconds of moving: legs answer late."""
    batch, ground, slots = footing.batch, footing.ground, footing.slots
    effort = batch.lagged(trace.effort, LEGS_S[batch.kind.mover] / CELL_S)
    if footing.rolls_on is not None:
        effort = np.maximum(effort, footing.rolls_on)
    slot = np.minimum((at_s * (1 / CELL_S)).astype(np.int64), ground.each(slots.sizes - 1))
    return np.asarray(effort[footing.passed][slot + ground.each(slots.starts)])
