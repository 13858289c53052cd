"""Standing still: how a session comes to it and gets going again, what creeps meanwhile and what the heart does."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from coachboard_demo.batch import Batch
from coachboard_demo.cells import CELL_S, Floats, Ints, smooth
from coachboard_demo.chance import chance, wander
from coachboard_demo.practice import Mover
from coachboard_demo.session import Session
from coachboard_demo.trace import Trace

# Shares of the speed in the cells before and after. The ten seconds before a recorded standstill are ridden at 0.2 to
# 0.5 of the usual speed on roads and run at 0.65 to 0.9.
_COMES: Mapping[Mover, tuple[float, ...]] = {
    Mover.WHEELS: (0.85, 0.4),
    Mover.FEET: (0.7,),
    Mover.STROKES: (0.6,),
}
_GOES: Mapping[Mover, tuple[float, ...]] = {
    Mover.WHEELS: (0.35, 0.7, 0.9),
    Mover.FEET: (0.6,),
    Mover.STROKES: (0.4, 0.75),
}
_ABRUPT, _GENTLE = 0.3, 2.2  # exponents of those shares: a red light that was seen from afar, a dog
# Share of the cells of a longer standstill, of the usual speed: a step aside, the next in a queue.
_SHORT_CELLS, _CREEPS, _CREEPS_AT = 2, 0.1, (0.04, 0.28)
# Relative efforts that a heart beats for while standing. Recorded falls: 46 beats in 42 s and none in two minutes,
# where a bicycle was carried or pushed meanwhile.
_BRACED = (0.1, 0.58)
# A pause rests the heart: of what it is above a quiet 70 beats or so, half is gone after a minute.
_QUIET_SHARE, _PAUSED_S, _BACK_CELLS = 0.25, 85.0, 40
_WOBBLE_S, _WOBBLE_BPM = 9, 2.6  # eight beats up and down in the longest recorded standstill
_ROLLS_BELOW, _STANDS_WOBBLE, _ROLLS_WOBBLE, _MINUTE = (
    0.08,
    0.3,
    0.4,
    12,
)  # arms that brake and steer shake the strap
# Recorded minutes differ by a factor of three to four from one to another, standing and moving alike, and the first ten
# are the worst with half of the straps: they need sweat.
_BOUTS, _BOUT_CELLS, _DRY, _DRY_S = 0.6, 20, 1.2, 240.0
_BACK = np.exp(np.arange(_BACK_CELLS) / -7.0)


@dataclass(frozen=True, slots=True)
class _Standstills:
    """The standstills of a session, pauses among them as some that last no cell, and what chance decides of each."""

    starts: Ints
    lasts: Ints  # cells
    goes: Floats  # 0 to 1: how gently it is left
    comes: Floats  # and come to
    hearts: Floats  # what the heart beats for
    creeps: Floats  # of each cell: whether anybody moves
    creeps_at: Floats


def _standstills(session: Session) -> _Standstills | None:
    spots = (*session.stops, *((cell, 0) for cell, _ in session.pauses))
    if not spots:
        return None
    starts, lasts = np.array(spots).T
    count, cells = len(spots), int(lasts.sum())
    of_each, of_cells = np.split(chance("standing", session.seed).random(3 * count + 2 * cells), [3 * count])
    return _Standstills(starts, lasts, *of_each.reshape(3, count), *of_cells.reshape(2, cells))


def moving_of(batch: Batch) -> tuple[Floats, Floats | None]:
    """The share of each cell's speed that standstills leave, and what the heart beats for in them."""
    moving = np.ones(len(batch))
    of_each = [_standstills(session) for session in batch.sessions]
    if not any(of_each):
        return moving, None
    counts = np.array([0 if each is None else len(each.starts) for each in of_each])
    first, latest = batch.starts.repeat(counts), (batch.ends - 1).repeat(counts)
    found = _Standstills(*_end_to_end([each for each in of_each if each is not None]))
    starts, lasts, mover = found.starts + first, found.lasts, batch.kind.mover
    comes, goes = _COMES.get(mover, ()), _GOES.get(mover, ())
    for shares, begins, drawn in (
        (goes, starts + lasts, found.goes),
        (comes, starts - len(comes), found.comes),
    ):
        exponents = _between(_ABRUPT, _GENTLE, drawn)
        for at, share in enumerate(shares):
            moving[np.minimum(np.maximum(begins + at, first), latest)] = share**exponents
    still = _still(starts, lasts, latest)
    moving[still] = 0.0
    braced = np.zeros(len(batch))
    braced[still] = _between(*_BRACED, found.hearts).repeat(lasts)
    # Who stands for a few seconds stands.
    creeps = found.creeps < _CREEPS * (lasts > _SHORT_CELLS).repeat(lasts)
    moving[still[creeps]] = _between(*_CREEPS_AT, found.creeps_at[creeps])
    return moving, braced


def _end_to_end(found: list[_Standstills]) -> Iterator[Any]:
    for field in fields(_Standstills):
        yield np.concatenate([getattr(each, field.name) for each in found])


def _between(low: float, high: float, drawn: Floats) -> Floats:
    return low + (high - low) * drawn


def _still(starts: Ints, lasts: Ints, latest: Ints) -> Ints:
    """The cells of the standstills, one after another."""
    ends = lasts.cumsum()
    found = np.arange(ends[-1]) + (starts - ends + lasts).repeat(lasts)
    return np.asarray(np.minimum(found, latest.repeat(lasts)))


def rest_in_pauses(batch: Batch, heart_rate: Floats) -> Floats:
    """Hearts that went on slowing down while the device stood still, and are back after a minute or two."""
    for session, here in zip(batch.sessions, batch.slices(), strict=True):
        body = session.body
        quiet = body.hr_rest + _QUIET_SHARE * (body.hr_max - body.hr_rest)
        for cell, gap_s in session.pauses:
            part = heart_rate[here][cell : cell + _BACK_CELLS]
            if len(part):
                rested = max(float(part[0]) - quiet, 0.0) * -math.expm1(-gap_s / _PAUSED_S)
                part -= rested * _BACK[: len(part)]
    return heart_rate


def ragged(session: Session, trace: Trace, beats: Floats) -> Floats:
    """Beats as a strap tells them: they wobble in bouts, most while it is dry, and with what is done standing or rolling."""
    if session.kind.mover is Mover.LENGTHS:
        return beats
    rng, cells = chance("still", session.seed), len(trace)
    loose = session.kind.shaken + _STANDS_WOBBLE * (trace.moving == 0)
    if session.kind.mover is Mover.WHEELS and session.shape is not None:
        loose = loose + _ROLLS_WOBBLE * smooth((trace.effort < _ROLLS_BELOW).astype(np.float64), _MINUTE)
    loose = loose * np.exp(_BOUTS * _BOUT_CELLS**0.5 * wander(rng, cells, _BOUT_CELLS))
    loose *= 1 + _DRY * np.exp(np.arange(cells) * (-CELL_S / _DRY_S))
    wobble = wander(rng, len(beats), _WOBBLE_S) * (_WOBBLE_BPM * _WOBBLE_S**0.5)
    wobbly = beats + wobble * smooth(np.repeat(loose, CELL_S), _WOBBLE_S)
    return np.asarray(np.maximum(wobbly, session.body.hr_rest))
