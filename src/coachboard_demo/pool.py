"""A pool: lengths of one stroke after another, turns, rests at the wall."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coachboard.models.activities import Length
from coachboard.models.enums import StrokeType
from coachboard_demo.built import Part, parts
from coachboard_demo.cells import CELL_S, Floats, Ints
from coachboard_demo.chance import chance, wander
from coachboard_demo.practice import Mover
from coachboard_demo.session import Session, Swum, moments

# Speed of a stroke against freestyle, and metres a stroke cycle (Craig et al. 1985, Med Sci Sports Exerc 17:625).
_STROKES = {
    StrokeType.FREESTYLE: (1.0, 2.05),
    StrokeType.BACKSTROKE: (0.89, 2.0),
    StrokeType.BREASTSTROKE: (0.8, 1.75),
    StrokeType.BUTTERFLY: (0.93, 1.8),
    StrokeType.DRILL: (0.72, 1.6),
    StrokeType.MIXED: (0.85, 1.8),
    StrokeType.IM: (0.88, 1.85),
    StrokeType.IM_BY_ROUND: (0.87, 1.85),
    StrokeType.RIMO: (0.86, 1.85),
}
_PUSH_OFF_M = 3.0
# From one recorded length of a set to the next: half a percent by an even swimmer, five by an uneven one.
_UNEVEN, _SWIMMERS_DIFFER, _REMEMBERED = 0.012, (0.4, 2.2), 6
# The first length of a set is fresh, the ones after it fade, the last one has no turn: 26.7, then 27.3 to 27.7, then
# 26.4 seconds recorded.
_FRESH, _FADE_A_LENGTH, _FADE_AT_MOST, _TOUCH = 0.035, 0.004, 0.04, 0.03
# Strokes of a recorded set: 10, 11, then 12 and 12 until the last one's 11.
_PUSHED_OFF_STROKES, _SHORTENS_A_LENGTH, _SHORTENS_AT_MOST, _STROKES_WANDER, _COUNTED = (
    1.2,
    0.012,
    0.06,
    0.03,
    0.3,
)
_AT_THE_WALL = (
    0.02,
    0.3,
)  # relative effort that the heart beats for: hanging on, talking, looking for a paddle


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of a session by the second, the wall's rests between them."""

    start_s: Ints
    end_s: Ints  # exclusive
    swum_s: Floats  # to the fraction of a second
    effort: Floats
    strokes: Ints
    stroke: tuple[StrokeType | None, ...]
    total_s: int  # a whole number of cells


def lengths_of(session: Session) -> Lengths:
    """Swim the sets."""
    return _swim(session.seed, session.swum, session.pool_m, session.body.speed_mps)


@lru_cache(
    maxsize=1024
)  # sessions are swum when their durations are found, when they are simulated and summed up
def _swim(seed: int, sets: tuple[Swum, ...], pool_m: float, speed_mps: float) -> Lengths:
    rng = chance("lengths", seed)
    counts = [swum.lengths for swum in sets]
    effort = np.repeat([swum.effort for swum in sets], counts)
    strokes_of_sets = [StrokeType(swum.stroke) if swum.stroke else None for swum in sets]
    kinds = [kind for kind, count in zip(strokes_of_sets, counts, strict=True) for _ in range(count)]
    pace, reach = np.repeat(
        [_STROKES[kind or StrokeType.MIXED] for kind in strokes_of_sets], counts, axis=0
    ).T
    uneven = _UNEVEN * rng.uniform(*_SWIMMERS_DIFFER)
    errors = 0.7 * rng.standard_normal(len(effort)) + 0.7 * _remembered(rng, len(effort))
    speed = speed_mps * effort * pace * np.exp(_within(counts) + uneven * errors)
    swum = np.maximum(pool_m / speed, 8.0)
    seconds = np.rint(swum).astype(np.int64)
    rests = np.zeros(len(seconds), np.int64)
    rests[np.cumsum(counts) - 1] = [swum.rest_s for swum in sets]
    start = np.append(0, np.cumsum(seconds + rests)[:-1])
    strokes = _strokes((pool_m - _PUSH_OFF_M) / (reach * (1.12 - 0.12 * effort)), _places(counts), rng)
    end = start + seconds
    total = int(-(-int(end[-1]) // CELL_S) * CELL_S)
    return Lengths(start, end, swum, effort, strokes, tuple(kinds), total)


def _within(counts: list[int]) -> Floats:
    """How much faster or slower than its set each length is swum."""
    last, place = np.cumsum(counts) - 1, _places(counts)
    found = -np.minimum(_FADE_A_LENGTH * place, _FADE_AT_MOST) + _FRESH * (place == 0)
    found[last] += _TOUCH
    return np.asarray(found)


def _places(counts: list[int]) -> Ints:
    """The place of each length in its set, from 0."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(ends[-1]) - np.repeat(ends - counts, counts))


def _remembered(rng: np.random.Generator, count: int) -> Floats:
    """Noise of deviation 1 that one length hands on to the next."""
    return np.asarray(wander(rng, count, _REMEMBERED) * _REMEMBERED**0.5)


def _strokes(usual: Floats, place: Ints, rng: np.random.Generator) -> Ints:
    """Strokes of each length: fewer after the push of the start, more as the arms tire, seldom another number."""
    tired = np.minimum(_SHORTENS_A_LENGTH * place, _SHORTENS_AT_MOST)
    counted = usual * (1 + tired + _STROKES_WANDER * _remembered(rng, len(usual)))
    counted -= _PUSHED_OFF_STROKES * (place == 0)
    told = np.rint(counted + _COUNTED * rng.standard_normal(len(usual)))
    return np.asarray(np.maximum(told, 1).astype(np.int64))


def effort_at_rest(session: Session, lengths: Lengths) -> Floats:
    """What the heart beats for at the wall, second by second: no rest is like another."""
    lasts = np.diff(np.append(lengths.start_s, lengths.total_s))
    return np.repeat(chance("wall", session.seed).uniform(*_AT_THE_WALL, len(lasts)), lasts)


def by_cell(session: Session, lengths: Lengths) -> Floats:
    """Whether, how fast, how hard and at which rate somebody swims, by the share of each cell that lengths fill."""
    spans = lengths.end_s - lengths.start_s
    swum = np.ones(len(spans)), session.pool_m / spans, lengths.effort, lengths.strokes * 60 / spans
    seconds = np.zeros((len(swum), lengths.total_s))
    seconds[_EFFORT] = effort_at_rest(session, lengths)
    offsets = np.arange(int(spans.sum())) - np.repeat(np.cumsum(spans) - spans, spans)
    seconds[:, np.repeat(lengths.start_s, spans) + offsets] = np.repeat(swum, spans, axis=1)
    return np.asarray(sum(seconds[:, second::CELL_S] for second in range(CELL_S)) / CELL_S)


_EFFORT = 2


def rows_of(session: Session, lengths: Lengths, heart_rate: Floats | None) -> tuple[Part, ...]:
    """The lengths as the service lists them."""
    spans = lengths.end_s - lengths.start_s
    missing: list[float | None] = [None] * len(spans)
    mean, highest = (missing, missing) if heart_rate is None else _beats(lengths, heart_rate)
    counts = [
        None if stroke is StrokeType.DRILL else count
        for stroke, count in zip(lengths.stroke, lengths.strokes.tolist(), strict=True)
    ]
    swum_s = swum_s_of(session, lengths)
    first, last = lengths.start_s.tolist(), (lengths.end_s - 1).tolist()
    rates = (lengths.strokes * 60 / spans).round(1).tolist()
    columns = {
        "started_at_index": first,
        "ended_at_index": last,
        "started_at": moments(session, first),
        "ended_at": moments(session, last),
        "duration": swum_s.round(3).tolist(),
        "stroke_type": lengths.stroke,
        "average_speed": (session.pool_m / swum_s).round(3).tolist(),
        "average_heart_rate": mean,
        "max_heart_rate": highest,
        "average_cadence": [
            None if count is None else rate for count, rate in zip(counts, rates, strict=True)
        ],
        "stroke_count": counts,
    }
    return parts(Length, columns)


def swum_s_of(session: Session, lengths: Lengths) -> Floats:
    """How long each length took: where a watch writes every second, whole ones, as its speeds say."""
    by_length = writes_by_length(session)
    return lengths.swum_s if by_length else (lengths.end_s - lengths.start_s).astype(np.float64)


def writes_by_length(session: Session) -> bool:
    """Whether the device writes speed and cadence once a length."""
    return session.kind.mover is Mover.LENGTHS and "lengths" in session.sensors


def at_the_wall(session: Session, columns: dict[str, Floats]) -> dict[str, Floats]:
    """The columns that some watches write once a length, at its last second, with nothing in between."""
    lengths = lengths_of(session)
    spans = lengths.end_s - lengths.start_s
    rate = np.rint(lengths.strokes * 60 / spans)
    speed = (session.pool_m / swum_s_of(session, lengths)).round(3)
    # Arms that do something else are not counted, and without strokes the watch tells no speed: both are 0 recorded.
    uncounted = [stroke is StrokeType.DRILL for stroke in lengths.stroke]
    rate[uncounted] = speed[uncounted] = 0.0
    of_lengths = {
        "speed": speed,
        "cadence": rate,
        "distance": session.pool_m * np.arange(1.0, len(spans) + 1),
    }
    found: dict[str, Floats] = {}
    for name in of_lengths.keys() & columns.keys():
        found[name] = np.full(len(columns[name]), np.nan)
        found[name][lengths.end_s - 1] = of_lengths[name]
    return found


def _beats(lengths: Lengths, heart_rate: Floats) -> tuple[list[float | None], list[float | None]]:
    """Mean and highest heart rate of each length."""
    first = lengths.start_s // CELL_S
    last = np.maximum(lengths.end_s // CELL_S, first + 1)
    bounds = np.column_stack((first, last)).ravel()
    # A value more, as the last length may end behind the last cell.
    padded = np.append(heart_rate, heart_rate[-1])
    mean = np.add.reduceat(padded, bounds)[::2] / (last - first)
    return mean.round(1).tolist(), np.rint(np.maximum.reduceat(padded, bounds)[::2]).tolist()
